"""Front matter: the block of YAML or TOML that may open a markdown file."""

from __future__ import annotations

import re

from keyhole.segments.outline import Draft

_YAML = re.compile(r"---[ \t]*\r?\n(?P<body>(?s:.*?))^(?:---|\.\.\.)[ \t]*\r?$\n?", re.MULTILINE)
_TOML = re.compile(r"\+\+\+[ \t]*\r?\n(?P<body>(?s:.*?))^\+\+\+[ \t]*\r?$\n?", re.MULTILINE)
_YAML_LINE = re.compile(
    r"[^\s#:\-][^:\n]*:(?:[ \t]|$)|\"[^\"\n]*\"[ \t]*:|#|-(?:[ \t]|$)|[ \t]|[\]})]|$"
)
_YAML_KEY = re.compile(r"^[^\s#:\-][^:\n]*:(?:[ \t]|$)", re.MULTILINE)


def front_matter(flat: str) -> Draft | None:
    """Return the front matter of a text; a paragraph between two rules is none."""
    found = _YAML.match(flat) or _TOML.match(flat)
    if not found or (flat[0] == "-" and not _is_yaml(found["body"])):
        return None
    parts = {"body": found.span("body")}
    return Draft("frontmatter", "frontmatter", ("frontmatter",), found.span(), parts)


def _is_yaml(body: str) -> bool:
    """Tell whether every line can be one of a YAML mapping; an empty block counts."""
    lines = body.split("\n")
    if not body.strip():
        return "\n" not in body[:2]
    return bool(_YAML_KEY.search(body)) and all(map(_YAML_LINE.match, lines))
