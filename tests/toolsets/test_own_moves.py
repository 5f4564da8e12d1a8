"""A refusal names no argument and no tool that its interface does not have."""

import pytest

from keyhole.toolsets import tools_of
from tests.toolsets.desk import Data, Desk

OMITTED = "# rest of methods ..."
# Words of our own interface that these refusals would name.
OURS = (
    "`find`",
    "match to exact",
    "match exact",
    "allow_shrink",
    "occurrence",
    "segment",
    "`write`",
    "`outline`",
    "or set mode",
)


def patch(path: str, body: str = "-a\n+b\n") -> str:
    return f"*** Begin Patch\n*** Update File: {path}\n@@\n{body}*** End Patch\n"


@pytest.mark.parametrize(
    ("owner", "tool", "call", "said"),
    [
        ("codex", "apply_patch", {"input": patch("twice.txt")}, "2 places"),
        ("codex", "apply_patch", {"input": patch("none.txt")}, "no file"),
        ("codex", "apply_patch", {"input": patch("directory")}, "is a directory"),
        ("codex", "apply_patch", {"input": patch("data.bin")}, "not text"),
        ("surgical", "patch_file", {"path": "twice.txt", "patch": "@@\n-a\n+b\n"}, "2 places"),
        ("surgical", "insert_at", {"path": "a.py", "line": 1, "content": OMITTED}, "placeholder"),
        ("surgical", "write_file", {"path": "new.py", "content": OMITTED}, "placeholder"),
        ("safe-edit", "safe_edit_file", {"path": "a.py", "content": OMITTED}, "placeholder"),
        ("safe-edit", "safe_edit_file", {"path": "long.txt", "content": "z"}, "would leave"),
        (
            "text",
            "TextReplace",
            {"filePath": "m.md", "oldText": "  ", "newText": ""},
            "only blanks",
        ),
        (
            "text-files",
            "TextEdit",
            {"filePath": "j.json", "edits": [{"oldString": "1", "newString": "{"}]},
            "would be broken",
        ),
    ],
)
def test_a_refusal_names_only_moves_that_its_tool_has(
    desk: Desk, owner: str, tool: str, call: Data, said: str
) -> None:
    desk.write("twice.txt", "a\na\n")
    desk.write("long.txt", "line\n" * 300)
    desk.write("directory/a.txt", "a\n")
    desk.write("data.bin", "\0")
    desk.write("a.py", "class A:\n    x = 1\n")
    desk.write("m.md", "a b\n")
    desk.write("j.json", '{"a": 1}\n')
    [known] = [each for each in tools_of(owner) if each.name == tool]

    answer = desk.call(tool, call, owner)

    assert answer.refused
    assert said in answer.text
    takes: Data = known.takes["properties"]
    lacking = [word for word in OURS if word.strip("`") not in takes]
    assert [word for word in lacking if word in answer.text] == []
