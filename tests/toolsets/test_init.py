import json

import jsonschema  # type: ignore[import-untyped]
import pytest

from keyhole import Edit
from keyhole.refusals import Refused
from keyhole.toolsets import SETS, Tool, tool_named, tools_of
from tests.toolsets.desk import Desk

EVERY = [(name, tool) for name in SETS for tool in tools_of(name)]


@pytest.mark.parametrize(("owner", "tool"), EVERY, ids=[f"{o}-{t.name}" for o, t in EVERY])
def test_every_tool_has_sound_schemas_a_title_and_an_example(owner: str, tool: Tool) -> None:
    for schema in filter(None, (tool.takes, tool.gives)):
        jsonschema.Draft202012Validator.check_schema(dict(schema))
    assert tool.title
    assert tool_named(tool.name, (owner,)) is tool
    _, _, example = tool.about.partition("Example: ")
    jsonschema.validate(json.loads(example), dict(tool.takes))


@pytest.mark.parametrize("name", SETS)
def test_the_tools_of_a_set_have_names_of_their_own(name: str) -> None:
    names = [tool.name for tool in tools_of(name)]

    assert names
    assert len(set(names)) == len(names)


def test_an_unknown_set_or_tool_is_refused_with_those_there_are() -> None:
    with pytest.raises(Refused) as no_set:
        tools_of("hammer")
    with pytest.raises(Refused) as no_tool:
        tool_named("hit", ("codex",))

    assert no_set.value.refusals[0].help == f"name one of {', '.join(SETS)}"
    assert no_tool.value.refusals[0].help == "name one of apply_patch"


NEW = "They expire soon."
PATCH = (
    "*** Begin Patch\n*** Update File: a.md\n@@\n-They expire.\n+They expire soon.\n*** End Patch"
)
QUOTE = {"old_string": "They expire.", "new_string": NEW, "reason": "true"}
# Each edits what another task wrote, in a version that the caller was shown.
MEETING: dict[tuple[str, str], dict[str, object]] = {
    ("article", "edit_article"): {"path": "a.md", "edits": [QUOTE]},
    ("article", "write_file"): {"path": "a.md", "content": f"# Tokens\n\n{NEW}\n"},
    ("claude", "str_replace_based_edit_tool"): {
        "command": "str_replace",
        "path": "a.md",
        "old_str": "They expire.",
        "new_str": NEW,
    },
    ("codex", "apply_patch"): {"input": PATCH},
    ("safe-edit", "safe_edit_file"): {"path": "a.md", "search": "They expire.", "replace": NEW},
    ("sections", "edit_section"): {"path": "a.md", "section_title": "Tokens", "content": NEW},
    ("surgical", "edit_file"): {"path": "a.md", "old_content": "They expire.", "new_content": NEW},
    ("text", "TextReplace"): {"filePath": "a.md", "oldText": "They expire.", "newText": NEW},
    ("text", "TextPatch"): {
        "filePath": "a.md",
        "operation": "replace",
        "target": {"lines": {"start": 3, "end": 3}},
        "content": NEW,
    },
    ("text-files", "TextCreate"): {
        "filePath": "a.md",
        "content": f"# Tokens\n\n{NEW}\n",
        "overwrite": True,
    },
    ("text-files", "TextEdit"): {
        "filePath": "a.md",
        "edits": [{"oldString": "They expire.", "newString": NEW}],
    },
}


@pytest.mark.parametrize(("owner", "tool"), MEETING)
def test_every_set_tells_of_another_task_that_edited_there(
    desk: Desk, owner: str, tool: str
) -> None:
    desk.write("a.md", "# Tokens\n\nThey last.\n")
    theirs = desk.workspace.edit(
        [Edit(path="a.md", find="last", content="expire", reason="a rule")], task="rules"
    )
    shown = desk.workspace.read("a.md")
    given = MEETING[owner, tool]
    expected = {"expected_hash": shown.hash} if tool == "write_file" else {}

    said = desk.workspace.call(tool, {**given, **expected}, owner, task="mine")

    assert not said.refused, said.text
    assert desk.read("a.md") == f"# Tokens\n\n{NEW}\n"
    told = "conflict: edit 0 in a.md went ahead; task rules edited there in"
    assert f"{told} {theirs.transaction} (a rule)" in said.text


def test_every_set_is_asked_what_it_says_of_other_tasks() -> None:
    assert {owner for owner, _ in MEETING} == set(SETS)
