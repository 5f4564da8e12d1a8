import json
from pathlib import Path

import pytest

from keyhole import Workspace
from tests.scene import put

CODE = "class A:\n    def run(self):\n        return 1\n\n\ndef load():\n    return 2\n"
PAGE = "# A\n\none\n\n## B\n\ntwo\n"
EDIT = {"find": "return 1", "content": "return 3"}
TWO = {"find": "return 2", "content": "return 4"}
NESTED = '{\n  "a": 1\n}\n'
ARTICLE = {"old_string": "one", "new_string": "1", "reason": "r"}


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    put(tmp_path / "root", "a.py", CODE)
    put(tmp_path / "root", "b.py", "other = 0\n")
    put(tmp_path / "root", "a.md", PAGE)
    return Workspace(tmp_path / "root")


def tried(data: object) -> dict[str, object]:
    assert isinstance(data, dict)
    found = data["refusals"][0] if "refusals" in data else data
    assert isinstance(found["try"], dict)
    return found["try"]


CALLS: list[tuple[str, dict[str, object], dict[str, object]]] = [
    ("edit", {"path": "a.py", "edits": [EDIT], "colour": 1}, {"path": "a.py", "edits": [EDIT]}),
    ("edit", {"path": "a.py", **EDIT, "colour": 1}, {"path": "a.py", "edits": [EDIT]}),
    (
        "edit",
        {"file": "a.py", **EDIT, "dryrnu": True},
        {"path": "a.py", "edits": [EDIT], "dry_run": True},
    ),
    (
        "edit",
        {"path": "a.py", "edits": [EDIT], "dryrnu": True},
        {"path": "a.py", "edits": [EDIT], "dry_run": True},
    ),
    (
        "edit",
        {"path": "a.py", "edits": [{**EDIT, "dry_run": True}, {**TWO, "match": "exact"}]},
        {"path": "a.py", "edits": [EDIT, {**TWO, "match": "exact"}], "dry_run": True},
    ),
    (
        "edit",
        {"path": "a.py", "edits": [EDIT], "segment": "A.run"},
        {"path": "a.py", "edits": [{"segment": "A.run", **EDIT}]},
    ),
    ("write", {"path": "n.json", "content": {"a": 1}}, {"path": "n.json", "content": NESTED}),
    (
        "patch",
        {"path": "a.py", "patch": {"edits": [EDIT]}},
        {"path": "a.py", "patch": json.dumps({"edits": [EDIT]}, indent=2) + "\n"},
    ),
    (
        "edit",
        {"path": "a.py", "edits": [{"fnd": "return 1", "content": "return 3"}]},
        {"path": "a.py", "edits": [{"content": "return 3", "find": "return 1"}]},
    ),
    ("edit", {"path": "b.py", "file_path": "a.py", **EDIT}, {"path": "a.py", "edits": [EDIT]}),
    (
        "edit",
        {"path": "b.py", "edits": [{**EDIT, "path": "a.py"}]},
        {"edits": [{**EDIT, "path": "a.py"}]},
    ),
    (
        "edit",
        {"path": "a.py", "edits": [{**EDIT, "old_string": "absent"}]},
        {"path": "a.py", "edits": [EDIT]},
    ),
    (
        "edit",
        {"path": "a.py", "edits": [{**EDIT, "find": "absent", "old_string": "return 1"}]},
        {"path": "a.py", "edits": [EDIT]},
    ),
    (
        "edit",
        {"path": "a.py", "edits": [EDIT], "match": "exact"},
        {"path": "a.py", "edits": [{"match": "exact", **EDIT}]},
    ),
    (
        "edit",
        {"path": "a.py", "edits": [EDIT], "find": "return 2", "content": "return 4"},
        {"path": "a.py", "edits": [EDIT, {"find": "return 2", "content": "return 4"}]},
    ),
    (
        "edit",
        {"path": "a.py", "edits": [{"start_line": 7, "content": "    return 4"}]},
        {"path": "a.py", "edits": [{"content": "    return 4", "lines": [7, 7]}]},
    ),
    (
        "edit",
        {"path": "a.py", "edits": [{**EDIT, "occurrence": "all", "replace_all": False}]},
        {"path": "a.py", "edits": [{**EDIT, "occurrence": "all"}]},
    ),
    (
        "edit",
        {"path": "a.py", "edits": [{**EDIT, "pattern": "return 9"}]},
        {"path": "a.py", "edits": [EDIT]},
    ),
    (
        "edit",
        {"path": "a.py", "edits": [{**EDIT, "action": "delete"}]},
        {"path": "a.py", "edits": [EDIT]},
    ),
    ("read", {"path": "a.py", "lines": "1", "encoding": "utf-8"}, {"path": "a.py", "lines": "1"}),
    (
        "write",
        {"path": "new.py", "content": "x = 1\n", "delete": True},
        {"path": "new.py", "content": "x = 1\n"},
    ),
    (
        "edit_article",
        {"path": "a.md", "edits": [ARTICLE], "colour": 1},
        {"path": "a.md", "edits": [ARTICLE]},
    ),
    (
        "edit_article",
        {"path": "a.md", "edits": [{**ARTICLE, "path": "b.py"}]},
        {"path": "a.md", "edits": [ARTICLE]},
    ),
    (
        "edit_article",
        {"path": "a.md", "edits": [{"old_string": "one", "new_string": "1"}], "reason": "r"},
        {"path": "a.md", "edits": [{"reason": "r", "old_string": "one", "new_string": "1"}]},
    ),
    (
        "TextReplace",
        {"filePath": "a.md", "oldText": "one", "newText": "1", "regex": True},
        {"filePath": "a.md", "oldText": "one", "newText": "1"},
    ),
    (
        "TextPatch",
        {
            "filePath": "a.md",
            "operation": "delete",
            "target": {"heading": "## B", "codeBlock": {"index": 0}},
        },
        {"filePath": "a.md", "operation": "delete", "target": {"heading": "## B"}},
    ),
    (
        "safe_edit_file",
        {"path": "a.py", "search": "return 1", "replace": "return 3", "line_edits": []},
        {"path": "a.py", "search": "return 1", "replace": "return 3"},
    ),
    (
        "edit_file",
        {
            "path": "a.py",
            "old_content": "return 1",
            "new_content": "return 3",
            "occurrence": 1,
            "replace_all": True,
        },
        {"path": "a.py", "old_content": "return 1", "new_content": "return 3", "occurrence": 1},
    ),
    (
        "str_replace_based_edit_tool",
        {
            "command": "str_replace",
            "path": "a.py",
            "old_str": "return 1",
            "new_str": "return 3",
            "file_text": "x",
        },
        {"command": "str_replace", "path": "a.py", "old_str": "return 1", "new_str": "return 3"},
    ),
]


@pytest.mark.parametrize(("tool", "given", "meant"), CALLS, ids=lambda each: str(each)[:60])
def test_a_refused_call_comes_with_one_that_lands(
    workspace: Workspace, tool: str, given: dict[str, object], meant: dict[str, object]
) -> None:
    before = [(workspace.root / name).read_bytes() for name in ("a.py", "a.md", "b.py")]

    said = workspace.call(tool, given)

    assert said.refused
    assert tried(said.data) == meant
    assert json.dumps(meant, ensure_ascii=False)[1:-1] in said.text
    assert [(workspace.root / name).read_bytes() for name in ("a.py", "a.md", "b.py")] == before
    assert not workspace.call(tool, tried(said.data)).refused


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("edit", {"path": "a.py", "edits": [{"find": "", "content": "x"}]}),
        ("edit", {"path": "a.py", "edits": [{"find": "absent", "content": "x"}], "colour": 1}),
        ("edit", {"path": "a.py", "edits": []}),
        # A hash that was meant to be checked is never dropped.
        ("edit", {"path": "a.py", "edits": [{**EDIT, "expected_hash": "0" * 16}, TWO]}),
        ("write", {"path": "a.py", "content": "x = 1\n", "delete": True}),
        (
            "TextPatch",
            {
                "filePath": "a.md",
                "operation": "insert",
                "content": "x",
                "target": {"afterHeading": "# A"},
            },
        ),
        (
            "TextPatch",
            {
                "filePath": "a.md",
                "operation": "replaceLines",
                "content": "x",
                "target": {"lines": {"start": 1}},
            },
        ),
        (
            "TextReplace",
            {"filePath": "a.md", "oldText": "one", "newText": "1", "occurrence": "second"},
        ),
        ("edit_article", {"path": "a.md", "edits": [{"old_string": "one", "new_string": "1"}]}),
        (
            "edit_file",
            {"path": "a.py", "old_content": "return 1", "new_content": "x", "occurrence": "all"},
        ),
        ("safe_edit_file", {"path": "a.py"}),
    ],
    ids=lambda each: str(each)[:60],
)
def test_what_cannot_be_put_right_is_only_refused(
    workspace: Workspace, tool: str, given: dict[str, object]
) -> None:
    said = workspace.call(tool, given)

    assert said.refused
    assert '"try"' not in json.dumps(dict(said.data))
    assert "try: " not in said.text


def test_a_rehearsal_leaves_no_trace(workspace: Workspace) -> None:
    workspace.call("edit", {"path": "a.py", "edits": [EDIT], "colour": 1})

    assert workspace.history().transactions == ()
