"""Over MCP both forms of every answer carry the same facts and the same advice."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import jsonschema  # type: ignore[import-untyped]
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from keyhole.answers.lean import lean
from keyhole.answers.receipt import Receipt
from keyhole.edits.model.operations import ACTIONS, Edit
from keyhole.edits.model.plan import Snapshot
from keyhole.edits.resolve import resolve
from keyhole.refusals import Refused
from keyhole.surfaces.mcp.calls import Desk
from keyhole.surfaces.mcp.tools import NATIVE
from keyhole.surfaces.mcp.workspaces import Allowed, Workspaces
from keyhole.toolsets.base import Caller, ToolAnswer
from tests.facts import Data, unsaid
from tests.laws.scenes import SLIPS, Scene, scenes
from tests.scene import put

CODE = "class Worker:\n    def run(self):\n        return 1\n\n\ndef load():\n    return 2\n"
GUIDE = "# Guide\n\n## Install\n\nRun it.\n\n## Use\n\nUse it.\n"
FILES: Mapping[str, str | bytes] = {
    "a.py": CODE,
    "guide.md": GUIDE,
    "broken.py": "def sound():\n    pass\n\ndef broken(:\n    pass\n",
    "latin.py": b"# coding: latin-1\r\nx = 'caf\xe9'\r\ny = 2",
    "mixed.txt": b"one\r\ntwo\nthree\n",
    "bom.txt": b"\xef\xbb\xbfone\n",
    "old.txt": b"one\rtwo\r",
    "bytes.txt": b"one \xff\n",
    "empty.txt": "",
    "long.txt": "".join(f"line {n}\n" for n in range(3000)),
    "sub/b.py": "def inner():\n    return 3\n",
}


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    with desk_at(tmp_path / "root", FILES) as found:
        yield found


class desk_at:  # noqa: N801 - used as a function
    """A desk for a directory with these files, as a server has one."""

    def __init__(self, root: Path, files: Mapping[str, str | bytes]) -> None:
        root.mkdir()
        for path, body in files.items():
            put(root, path, body)
        self._workspaces = Workspaces.open([root], Allowed())

    def __enter__(self) -> Desk:
        return Desk(self._workspaces, {tool.name: tool for tool in NATIVE})

    def __exit__(self, *_: object) -> None:
        self._workspaces.close()


def asked(desk: Desk, tool: str, given: Data, task: str = "") -> ToolAnswer:
    """Carry out a call, and hold its answer to the law and to the schema that was promised."""
    said = desk.call(tool, given, Caller(f"tester of {task}" if task else "tester", task))
    assert unsaid(said.text, said.data) == [], (tool, given, said.text, said.data)
    if not said.refused:
        [promised] = [each.gives for each in NATIVE if each.name == tool]
        jsonschema.validate(dict(said.data), dict(promised))
    return said


def edit(path: str, *edits: Data, **more: Data) -> tuple[str, Data]:
    return "edit", {"path": path, "edits": list(edits), **more}


SESSION: tuple[tuple[str, Data], ...] = (
    *(("read", {"path": path}) for path in FILES),
    *(("outline", {"path": path}) for path in FILES if path != "long.txt"),
    ("outline", {}),
    ("outline", {"kinds": ["section"], "path": "a.py"}),
    ("outline", {"query": "nothing of that name"}),
    ("read", {"path": "a.py", "segment": "load", "numbered": False}),
    ("read", {"path": "a.py", "lines": "2-"}),
    ("search", {"query": "return", "context": 1}),
    ("search", {"query": "line", "limit": 3}),
    ("search", {"query": "nowhere to be found"}),
    edit("a.py", {"find": "return 1", "content": "return 10", "reason": "more"}),
    edit("a.py", {"find": "return 10", "content": "return 10"}),
    edit("a.py", {"find": "return 1", "content": "return 10"}),
    edit("a.py", {"find": "return  2 ", "content": "return 20"}, task="tidy"),
    edit("a.py", {"segment": "load", "action": "after", "content": "def save():\n    pass"}),
    edit("a.py", {"segment": "Worker.run", "action": "append", "content": "# done"}),
    edit("guide.md", {"segment": "install", "part": "body", "content": "Go.\n"}),
    edit("guide.md", {"segment": "Use", "action": "before", "content": "## Test\n\nTry.\n"}),
    edit("guide.md", {"find": "it", "content": "that", "occurrence": "all"}),
    edit("long.txt", {"find": "line 1", "content": "row 1", "occurrence": "all"}),
    edit("latin.py", {"find": "y = 2", "content": "y = 3"}),
    edit("mixed.txt", {"lines": "2", "content": "2"}, {"lines": "3", "content": "3"}),
    edit("bytes.txt", {"lines": "1", "action": "after", "content": "two"}),
    edit("broken.py", {"find": "pass", "content": "return (", "occurrence": "first"}),
    edit("a.py", {"find": "return 20", "content": "return ("}, mode="interactive"),
    edit("a.py", {"find": "return (", "content": "return 21"}, dry_run=True),
    edit("a.py", {"find": "return (", "content": "return 21"}),
    ("patch", {"patch": "--- a/a.py\n+++ b/a.py\n@@ @@\n-    return 21\n+    return 22\n"}),
    ("write", {"path": "new.md", "content": "# New\n"}),
    ("write", {"path": "why.md", "content": "# New\n", "reason": "asked for"}),
    ("write", {"path": "open.md", "content": "no end"}),
    ("write", {"path": "new.md", "move_to": "moved.md"}),
    ("write", {"path": "moved.md", "delete": True}),
    ("scaffold", {}),
    ("scaffold", {"template": "design"}),
    (
        "scaffold",
        {
            "template": "design",
            "path": "d.md",
            "variables": {"decision": "one", "problem_statement": "two"},
        },
    ),
    ("outline", {"path": "d.md"}),
    ("edit", {"glob": "*.md", "edits": [{"find": "it", "content": "that"}]}),
    ("edit", {"glob": "*.txt", "expected_count": 2, "edits": [{"find": "one", "content": "1"}]}),
    ("edit", {"glob": "*.txt", "expected_count": 9, "edits": [{"find": "t", "content": "1"}]}),
    ("search", {"path": "a.py", "symbol": "load"}),
    ("rename", {"path": "a.py", "segment": "load", "to": "fetch", "dry_run": True}),
    ("rename", {"path": "a.py", "segment": "load", "to": "fetch"}),
    ("history", {}),
    ("history", {"path": "a.py"}),
    ("history", {"limit": 1}),
    ("undo", {}),
    ("undo", {}),
    ("undo", {"task": "tidy", "reason": "not wanted"}),
    ("history", {"limit": 3}),
)
REFUSED: tuple[tuple[str, Data], ...] = (
    edit("a.py", {"find": "return 7", "content": "x"}),
    edit("a.py", {"find": "return", "content": "x"}),
    edit("a.py", {"segment": "lod", "content": "x"}),
    edit("a.py", {"segment": "load", "part": "heading", "content": "x"}),
    edit("a.py", {"find": "load():", "content": "load("}),
    edit("a.py", {"lines": "99", "content": "x"}),
    edit("a.py", {"lines": "1-2", "content": "x"}, {"lines": "2", "content": ""}),
    edit("a.py", {"lines": "1", "content": "x"}, expected_hash="0" * 16),
    edit("broken.py", {"segment": "broken", "content": "x"}),
    edit("a.py", {"find": "", "content": "x"}),
    edit("a.py", {"find": "return 1", "colour": "red"}),
    edit("a.py", {"lines": "-0-", "content": "x"}),
    edit("a.py", {"find": "return 1", "content": "x", "match": "fuzzy"}),
    edit("a.py", {"find": "return 1", "content": "x"}, mode="lax"),
    edit("a.py", {"find": ["return 1"], "content": "x"}),
    edit("a.py"),
    ("write", {"path": "a.py"}),
    ("history", {"since": "yesterday"}),
    ("patch", {"patch": "nothing like one"}),
    ("read", {"path": "absent.py"}),
    ("read", {"path": "../outside"}),
    ("read", {"path": "a.py", "colour": 1}),
    ("search", {"query": "(", "regex": True}),
    ("write", {"path": "a.py", "content": "x"}),
    ("write", {"path": ".git/config", "content": "x"}),
    ("scaffold", {"template": "nothing", "path": "x.md"}),
    ("scaffold", {"template": "adr", "path": "x.md", "variables": {"colour": 1}}),
    ("undo", {"id": "77-abcd"}),
    ("hammer", {}),
)


def test_every_answer_of_a_session_says_the_same_twice(desk: Desk) -> None:
    for tool, given_ in SESSION:
        asked(desk, tool, given_)


@pytest.mark.parametrize(
    ("tool", "given_"),
    [
        edit("a.py", {"find": "return 1", "content": "return 10"}),
        ("write", {"path": "a.py", "move_to": "moved.py"}),
        ("write", {"path": "a.py", "delete": True}),
    ],
)
def test_a_receipt_from_the_journal_is_lean_and_says_the_same_twice(
    desk: Desk, tool: str, given_: Data
) -> None:
    caller = Caller("tester", ids={"request": "7"})
    done = desk.call(tool, given_, caller)
    landed = desk.landed(tool, caller, 0.0)

    assert landed is not None
    assert unsaid(landed.text, landed.data) == []
    kept = ("ok", "outcome", "transaction")
    assert [landed.data[name] for name in kept] == [done.data[name] for name in kept]
    hashes = [
        [(one["path"], one["hash_after"]) for one in data["files"]]  # type: ignore[attr-defined]
        for data in (landed.data, done.data)
    ]
    assert sorted(hashes[0]) == sorted(hashes[1])
    assert "hash_before" not in str(landed.data)


def test_one_transaction_says_the_same_twice(desk: Desk) -> None:
    done = asked(desk, *edit("a.py", {"find": "return 1", "content": "return 10"}))

    asked(desk, "history", {"id": done.data["transaction"]})


HEALED: tuple[tuple[str, Data], ...] = (
    ("read", {"file_path": "a.py"}),
    ("read", {"path": "a.py", "segment": "load", "numbered": "false"}),
    ("outline", {"filename": "a.py", "depth": "1"}),
    ("search", {"query": "return", "limit": "2"}),
    ("history", {"limit": "2"}),
    ("scaffold", {"template": "design", "variables": None}),
    ("edit", {"file_path": "a.py", "old_string": "return 1", "new_string": "return 10"}),
    ("write", {"path": "a.py", "new_content": "x"}),
    ("read", {"filename": "absent.py"}),
)


@pytest.mark.parametrize(("tool", "given_"), HEALED)
def test_what_was_healed_is_said_twice(desk: Desk, tool: str, given_: Data) -> None:
    said = asked(desk, tool, given_)

    assert said.data["healed"]
    assert sum(line.startswith("healed: ") for line in said.text.split("\n")) == 1


@pytest.mark.parametrize(
    ("tool", "given_"),
    [
        ("read", {"path": "a.py"}),
        ("search", {"query": "line 7", "limit": 1}),
        ("scaffold", {"template": "design"}),
        ("outline", {"path": "a.py"}),
        ("history", {}),
        ("read", {"path": "absent.py"}),
    ],
)
def test_every_tool_gives_all_fields_to_who_asks_for_them(
    desk: Desk, tool: str, given_: Data
) -> None:
    desk.call(*edit("a.py", {"find": "return 1", "content": "return 10"}), Caller("tester"))
    lean_, full = (
        desk.call(tool, {**given_, **more}, Caller("tester")) for more in ({}, {"detail": "full"})
    )

    assert lean_.data.keys() <= full.data.keys()
    assert len(str(full.data)) > len(str(lean_.data))


@pytest.mark.parametrize(
    ("tool", "given_"),
    [
        ("history", {}),
        ("outline", {"path": "d.md"}),
        ("scaffold", {"template": "design"}),
        edit("a.py", {"find": "return 10", "content": "return 10"}),
        edit("a.py", {"find": "return 1", "content": "return 10"}),
    ],
)
def test_who_asks_for_more_reads_no_less(desk: Desk, tool: str, given_: Data) -> None:
    made = {"decision": "one", "problem_statement": "two"}
    desk.call("scaffold", {"template": "design", "path": "d.md", "variables": made}, Caller())
    desk.call("write", {"path": "d.md", "move_to": "e.md"}, Caller())
    desk.call("undo", {}, Caller())
    desk.call(*edit("a.py", {"find": "return 1", "content": "return 10"}), Caller())
    lean_, full = (
        desk.call(tool, {**given_, **more}, Caller()) for more in ({}, {"detail": "full"})
    )

    assert [row for row in lean_.text.split("\n") if row not in full.text] == []


@pytest.mark.parametrize(("tool", "given_"), REFUSED)
def test_every_refusal_says_the_same_twice(desk: Desk, tool: str, given_: Data) -> None:
    said = asked(desk, tool, given_)

    assert said.refused
    for refusal in said.data["refusals"]:  # type: ignore[attr-defined]
        assert all(refusal[name] for name in ("code", "message", "help"))


def test_a_conflict_says_the_same_twice(desk: Desk) -> None:
    asked(desk, *edit("a.py", {"find": "return 1", "content": "return 10"}), task="one")
    refused = asked(desk, *edit("a.py", {"find": "return 10", "content": "return 11"}), task="two")
    forced = edit("a.py", {"find": "return 10", "content": "return 12"}, on_conflict="force")
    gone = asked(desk, *forced, task="three")

    assert refused.refused
    assert gone.data["conflicts"]


@settings(max_examples=60)
@given(
    scene=scenes(),
    slip=st.sampled_from(sorted(SLIPS)),
    action=st.sampled_from(ACTIONS),
    occurrence=st.sampled_from(["unique", "all", "first"]),
    reason=st.sampled_from(["", "why not"]),
)
def test_whatever_an_edit_comes_to_both_forms_say_it(
    scene: Scene, slip: str, action: str, occurrence: str, reason: str
) -> None:
    find, content = SLIPS[slip](scene.quoted, scene.new, scene.first)
    new = {} if action == "delete" else {"content": content}
    one = {"path": "f.py", "find": find, "action": action, "occurrence": occurrence, **new}
    try:
        plan = resolve([Edit.of({**one, "reason": reason})], Snapshot({"f.py": scene.document}))
        receipt = Receipt.done(plan, "applied", transaction="1-3f2a", spelling={})
    except Refused as refused:
        receipt = Receipt.refused(refused.refusals)

    assert unsaid(receipt.as_text("lean"), lean(receipt)) == []


def test_the_checker_sees_what_only_one_form_says() -> None:
    text = "applied 1-3f2a\na.py 0123456789abcdef\n  edit 0: line 2\n  help: quote it"
    data = {"ok": True, "outcome": "applied", "transaction": "1-3f2a", "help": "quote it"}
    edits = [{"lines_after": [2, 2]}]
    data["files"] = [{"path": "a.py", "hash_after": "0123456789abcdef", "edits": edits}]

    assert unsaid(text, data) == []
    assert unsaid(text.replace("line 2", "line 3"), data)
    assert unsaid(text.replace("quote it", "give up"), data)
    assert unsaid(text, {**data, "warnings": ["look out"]})
    assert unsaid(f"{text}\nwarning: look at `b.py`", data)
