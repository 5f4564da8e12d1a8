"""A call that only adds, sent three times through any interface, adds once."""

import pytest

from keyhole import Edit
from tests.toolsets.desk import Desk

TEXT = "import os\n\n\ndef f():\n    return 1\n\n\nclass A:\n    b = 2\n"
PAGE = "# Page\n\n## One\n\nfirst\n\n## Two\n\nsecond\n"
ADDED = "q = 9"
DIFF = "--- a/a.py\n+++ b/a.py\n@@ -8,2 +8,3 @@\n class A:\n     b = 2\n+    q = 9\n"
V4A = "*** Begin Patch\n*** Update File: a.py\n@@ class A:\n+    q = 9\n*** End Patch\n"
BLOCK = "a.py\n<<<<<<< SEARCH\nclass A:\n=======\nclass A:\n    q = 9\n>>>>>>> REPLACE\n"

CALLS: list[tuple[str, str, dict[str, object]]] = [
    ("claude", "insert", {"insert_line": 5, "insert_text": f"{ADDED}\n"}),
    ("claude", "insert", {"insert_line": 0, "insert_text": ADDED}),
    ("claude", "str_replace", {"old_str": "import os\n", "new_str": f"import os\n{ADDED}\n"}),
    ("claude", "str_replace", {"old_str": "b = 2", "new_str": f"b = 2\n    {ADDED}"}),
    ("surgical", "insert_at", {"line": 5, "content": ADDED}),
    ("surgical", "insert_at", {"line": -1, "content": ADDED}),
    ("surgical", "edit_file", {"old_content": "b = 2", "new_content": f"b = 2\n    {ADDED}"}),
    ("surgical", "patch_file", {"patch": DIFF.partition("\n+++ b/a.py\n")[2]}),
    ("safe-edit", "safe_edit_file", {"insert_lines": [{"at_line": 2, "content": ADDED}]}),
    ("safe-edit", "safe_edit_file", {"search": "import os", "replace": f"import os\n{ADDED}"}),
    ("codex", "apply_patch", {"input": V4A}),
]


def arguments(tool: str, command: str, given: dict[str, object]) -> tuple[str, dict[str, object]]:
    if tool == "claude":
        return "str_replace_based_edit_tool", {"command": command, "path": "a.py", **given}
    return command, given if tool == "codex" else {"path": "a.py", **given}


@pytest.mark.parametrize(("tools", "command", "given"), CALLS, ids=str)
def test_another_interface_adds_once(
    desk: Desk, tools: str, command: str, given: dict[str, object]
) -> None:
    desk.write("a.py", TEXT)
    tool, call = arguments(tools, command, given)

    answers = [desk.call(tool, call, tools) for _ in range(3)]

    assert not answers[0].refused, answers[0].text
    assert desk.read("a.py").count(ADDED) == 1
    assert all("already" in answer.text or "nothing" in answer.text for answer in answers[1:])


@pytest.mark.parametrize(
    ("operation", "target"),
    [
        ("insert", {"lines": {"start": 2}}),
        ("insert", {"heading": "## One"}),
        ("insert", {"beforeHeading": "## Two"}),
        ("insert", {"appendToSection": "## One"}),
    ],
)
def test_a_section_gets_a_line_once(desk: Desk, operation: str, target: dict[str, object]) -> None:
    desk.write("p.md", PAGE)
    call = {"filePath": "p.md", "operation": operation, "target": target, "content": ADDED}

    answers = [desk.call("TextPatch", call, "text") for _ in range(3)]

    assert not answers[0].refused, answers[0].text
    assert desk.read("p.md").count(ADDED) == 1


EDITS: list[dict[str, object]] = [
    {"find": "import os", "action": "after"},
    {"find": "import os", "action": "before"},
    {"find": "b = 2", "action": "after"},
    {"find": "b = 2", "action": "append"},
    {"find": "b = 2", "action": "prepend"},
    {"find": "class A:  \n    b = 2", "action": "after"},
    {"find": "import (os)", "regex": True, "action": "after"},
    {"find": "def f", "until": "return 1", "action": "after"},
    {"lines": "5", "action": "after"},
    {"lines": "5", "action": "before"},
    {"lines": "0", "action": "after"},
    {"lines": "-1", "action": "before"},
    {"action": "append"},
    {"action": "prepend"},
    {"segment": "f", "action": "after"},
    {"segment": "f", "action": "before"},
    {"segment": "f", "action": "prepend"},
    {"segment": "A", "action": "append"},
    {"segment": "A", "part": "doc", "action": "append"},
    {"pattern": "return $X", "action": "before"},
]


def path_of(place: dict[str, object]) -> str:
    return "a.py" if "segment" in place or "pattern" in place else "a.txt"


@pytest.mark.parametrize("place", EDITS, ids=str)
@pytest.mark.parametrize("with_hash", [False, True])
def test_an_edit_adds_once(desk: Desk, place: dict[str, object], *, with_hash: bool) -> None:
    path = path_of(place)
    desk.write(path, TEXT)
    edit = Edit.of({"path": path, "content": ADDED, **place})
    seen = desk.workspace.read(path).hash if with_hash else ""

    receipts = [desk.workspace.edit(edit, expected_hash=seen) for _ in range(3)]

    assert [each.outcome for each in receipts] == ["applied", *["already-applied"] * 2]
    assert desk.read(path).count(ADDED) == 1


@pytest.mark.parametrize("patch", [DIFF, V4A, BLOCK], ids=["diff", "v4a", "block"])
def test_a_patch_adds_once(desk: Desk, patch: str) -> None:
    desk.write("a.py", TEXT)

    outcomes = [desk.workspace.patch(patch).outcome for _ in range(3)]

    assert outcomes == ["applied", "already-applied", "already-applied"]
    assert desk.read("a.py").count(ADDED) == 1


@pytest.mark.parametrize("place", EDITS, ids=str)
def test_the_same_text_lands_at_another_place(desk: Desk, place: dict[str, object]) -> None:
    path = path_of(place)
    desk.write(path, TEXT)
    above_f = place == {"segment": "f", "action": "before"}
    first = Edit(path=path, content=ADDED, lines="7" if above_f else "2", action="after")
    assert desk.workspace.edit(first).outcome == "applied"

    second = desk.workspace.edit(Edit.of({"path": path, "content": ADDED, **place}))

    assert second.outcome == "applied"
    assert desk.read(path).count(ADDED) == 2


@pytest.mark.parametrize(
    "place", [each for each in EDITS if "\n" not in str(each.get("find"))], ids=str
)
def test_a_second_copy_can_be_asked_for(desk: Desk, place: dict[str, object]) -> None:
    path = path_of(place)
    desk.write(path, TEXT)
    edit = Edit.of({"path": path, "content": ADDED, "match": "exact", **place})

    outcomes = [desk.workspace.edit(edit).outcome for _ in range(2)]

    assert outcomes == ["applied", "applied"]
    assert desk.read(path).count(ADDED) == 2
