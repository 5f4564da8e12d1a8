"""Rows of the table of languages: markup and configuration."""

from __future__ import annotations

from keyhole.segments.languages.language import Language
from keyhole.segments.languages.node import (
    BETWEEN_TAGS,
    HEADER,
    HEADER_WORDS,
    TAG,
    Node,
    child,
    field,
)

DATA = (
    Language(
        name="nix",
        extensions=("nix",),
        nodes=(Node("key", "binding", name=field("attrpath"), body=field("expression")),),
        literals=("indented_string_expression", "string_expression"),
        movable_literals="''",
        marks=("#",),
        step="  ",
        habits=("braced",),
    ),
    Language(
        name="hcl",
        extensions=("tf", "tfvars", "hcl", "nomad"),
        nodes=(
            Node("block", "block", name=HEADER_WORDS, body=child("body")),
            Node("key", "attribute", name=child("identifier"), body=child("expression")),
        ),
        literals=("heredoc_template",),
        movable_literals="<<-",
        plain_bodies=True,
        marks=("#", "//"),
        step="  ",
        habits=("lines",),
    ),
    Language(
        name="html",
        extensions=("html", "htm", "xhtml", "vue", "svelte"),
        nodes=(
            Node("element", "element", name=TAG, body=BETWEEN_TAGS),
            Node("element", "script_element", name=TAG, body=BETWEEN_TAGS),
            Node("element", "style_element", name=TAG, body=BETWEEN_TAGS),
        ),
        join=" / ",
        splits=False,
        plain_bodies=True,
        step="  ",
        habits=("braced",),
    ),
    Language(
        name="css",
        extensions=("css",),
        nodes=(
            Node("rule", "rule_set", name=child("selectors"), body=child("block")),
            Node("at_rule", "media_statement", name=HEADER, body=child("block")),
            Node("at_rule", "supports_statement", name=HEADER, body=child("block")),
            Node("at_rule", "at_rule", name=HEADER, body=child("block")),
            Node("at_rule", "keyframes_statement", name=HEADER, body=child("keyframe_block_list")),
        ),
        join=" / ",
        splits=False,
        step="  ",
        habits=("braced",),
    ),
    Language(
        name="json",
        extensions=(
            "json",
            "jsonc",
            "json5",
            "webmanifest",
            "geojson",
            "code-workspace",
            "babelrc",
            "eslintrc",
        ),
        files=(".babelrc", ".eslintrc", ".prettierrc", "composer.lock", "pipfile.lock"),
        nodes=(Node("key", "pair", name=field("key"), body=field("value")),),
        comments=(),
        lists=("array",),
        items=("object", "array"),
        splits=False,
        recovers=False,
        step="  ",
    ),
    Language(
        name="yaml",
        extensions=("yaml", "yml"),
        files=(".clang-format", ".clang-tidy", ".yamllint", "citation.cff"),
        nodes=(
            Node("key", "block_mapping_pair", name=field("key"), body=field("value")),
            Node("key", "flow_pair", name=field("key"), body=field("value")),
        ),
        comments=(),
        asides=("comment",),
        lists=("block_sequence",),
        items=("block_sequence_item",),
        splits=False,
        marks=("#",),
        step="  ",
        habits=("layout",),
    ),
)
