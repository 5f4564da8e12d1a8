"""Bugs 10, 11, 32, 80 to 84: what the samples got wrong about headers, templates and validators."""

import pytest

from keyhole import Workspace
from keyhole.templates import header
from keyhole.templates.introspect import schema_of
from keyhole.templates.library import Library
from keyhole.templates.schema import Schema
from tests.templates.corpus import Shelf
from tests.toolsets.desk import Desk
from tests.toolsets.safe import Safe, segment

DESIGN = {"title": "Search", "problem_statement": "Slow.", "decision": "Cache."}


def asked(**texts: str) -> Schema:
    """What the template `x` asks for."""
    library = Library((Shelf({name.replace("_", "."): text for name, text in texts.items()}),))
    return schema_of(library, library.find("x"))


@pytest.fixture
def safe(desk: Desk) -> Safe:
    made = desk.workspace.scaffold("design", "docs/search.md", DESIGN)
    assert made.ok, made.as_text()
    made = desk.workspace.scaffold("worker", "w.py", {"name": "Worker", "layer": "core"})
    assert made.ok, made.as_text()
    return Safe(desk)


def test_bug_10_the_metadata_block_is_the_whole_header(safe: Safe) -> None:
    for path in ("docs/search.md", "w.py"):
        blocks = {each["name"]: each for each in safe.schema(path)["structure"]["blocks"]}
        assert blocks["metadata"]["lines"] == [1, 2]


def test_bug_10_an_empty_file_has_no_blocks(safe: Safe) -> None:
    safe.desk.write("empty.md", "")

    data = safe.schema("empty.md")

    assert (data["file_type"], data["structure"]["blocks"]) == ("non-scaffolded", [])


def test_bug_11_the_schema_has_sections_and_what_the_template_asks_for(safe: Safe) -> None:
    data = safe.schema("docs/search.md")

    assert data["structure"]["sections"]
    assert data["template_schema"]["required"]


@pytest.mark.parametrize(
    "damage", ["template=NO_SUCH! version=12345678", "template=gone version=12345678"]
)
def test_bug_11_a_header_that_is_damaged_or_of_no_template_degrades(
    safe: Safe, damage: str
) -> None:
    text = f"<!-- docs/a.md -->\n<!-- {damage} created=2026-01-01 updated= -->\n\n# A\n\nold\n"
    edit = segment("template_block", "A", "# A\n\nnew")

    after = safe.after("docs/a.md", text, segment_edit=edit)

    assert after.endswith("# A\n\nnew\n")
    assert "introspection failed" not in str(safe.schema("docs/a.md"))


def test_bug_32_a_block_is_where_the_file_has_it(safe: Safe) -> None:
    text = safe.desk.read("docs/search.md").replace("# Search\n", "# Search\n\nNew.\n\nLines.\n")
    safe.desk.write("docs/search.md", text)
    (block,) = [
        each
        for each in safe.schema("docs/search.md")["structure"]["blocks"]
        if each["name"] == "decision"
    ]

    first, last = block["lines"]

    assert "Cache." in "\n".join(text.split("\n")[first - 1 : last])


def test_bug_32_a_block_that_was_taken_out_is_not_there(safe: Safe) -> None:
    text = safe.desk.read("docs/search.md")
    head, _, _ = text.partition("## Decision")

    data = safe.refused(
        "docs/search.md", head, segment_edit=segment("template_block", "decision", "x")
    )

    assert data["code"] == "unknown-segment"


def test_bug_80_a_finding_is_told_once_however_often_a_workspace_is_opened(safe: Safe) -> None:
    given = {"path": "a.py", "content": "x = (\n", "mode": "verify_only"}
    for _ in range(3):
        with Workspace(safe.desk.root) as workspace:
            issues = workspace.call("safe_edit_file", given, "safe-edit").data["issues"]
        assert isinstance(issues, list)
        assert len(issues) == 1


def test_bug_81_a_chain_is_followed_however_extends_is_spelt() -> None:
    schema = asked(
        x_md_j2='{%- extends "base.j2" -%}{% block a %}{{ own }}{% endblock %}',
        base_j2="{{ inherited }}{% block a %}{% endblock %}",
    )

    assert schema.required == ("inherited", "own")


def test_bug_82_no_agent_is_asked_for_what_the_system_knows(safe: Safe) -> None:
    for path in ("docs/search.md", "w.py"):
        names = safe.schema(path)["template_schema"]
        asked_for = {*names["required"], *names["optional"]}
        assert not asked_for & {
            *("timestamp", "version_hash", "artifact_type", "format"),
            *("template_id", "template_version", "scaffold_created"),
        }


@pytest.mark.parametrize(
    ("text", "required"),
    [
        ("{% if x %}{{ x }}{% endif %}{{ x }}", True),
        ("{{ x | d('y') }}", False),
        ("{{ x or 'y' }}", False),
        ("{{ x if x else 'y' }}", False),
        ("{% if x is defined %}{{ x }}{% endif %}", False),
        ("{{ x | default('y') | upper }}", False),
    ],
)
def test_bug_83_what_is_guarded_everywhere_is_optional_and_nothing_else(
    text: str,
    required: bool,  # noqa: FBT001
) -> None:
    schema = asked(x_md_j2=text)

    wanted = (("x",), ()) if required else ((), ("x",))
    assert (schema.required, schema.optional) == wanted


def test_bug_83_an_import_s_alias_is_no_variable() -> None:
    schema = asked(
        x_md_j2='{% import "m.j2" as m %}{{ m.hello(name) }}',
        m_j2="{% macro hello(who) %}Hello {{ who }}{% endmacro %}",
    )

    assert {*schema.required, *schema.optional} == {"name"}


@pytest.mark.parametrize(
    ("text", "created"),
    [
        ("# a.py\n# template=dto version=0123abcd created=2026-02-08 updated=\n", "2026-02-08"),
        (
            "# a.py\n# template=dto version=0123abcd created=2026-02-08T10:00+01:00 updated=\n",
            "2026-02-08T10:00+01:00",
        ),
        ("# template=dto version=0123abcd\n", ""),
        ("#!/usr/bin/env python\n# coding: utf-8\n# a.py\n# template=dto version=0123abcd\n", ""),
        (
            "# a.py\n# template=dto version=0123abcd created=2026-02-08T10:00Z\n",
            "2026-02-08T10:00Z",
        ),
    ],
    ids=range(5),
)
def test_bug_84_headers_are_read_as_tools_have_written_them(text: str, created: str) -> None:
    found = header.read(text)

    assert found is not None
    assert (found.template, found.version, found.created, found.problem) == (
        "dto",
        "0123abcd",
        created,
        "",
    )


def test_bug_84_the_line_above_is_a_path_or_no_part_of_the_header() -> None:
    found = header.read("# not a path at all!\n# template=dto version=0123abcd\n")

    assert found is not None
    assert found.path == ""
