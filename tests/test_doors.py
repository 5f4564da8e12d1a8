"""Case files of the same refusal through each door.

A case is `## title`, the file `before` the call, perhaps the version that the caller was `shown`,
and then for each door the `call` and its whole `answer`. A call of the command line is what is
typed; any other is the name of a tool and its arguments as JSON. ROOT is the workspace's directory,
HASH the hash of a file, ID the id of a candidate.
"""

import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from keyhole import Workspace
from keyhole.surfaces.mcp.calls import Desk
from keyhole.surfaces.mcp.tools import chosen
from keyhole.surfaces.mcp.workspaces import Allowed, Workspaces
from keyhole.toolsets.base import Caller
from tests.scene import put
from tests.surfaces.cli.shell import Shell

FOLDER = Path(__file__).parent / "cases" / "doors"
DOORS = {"cli", "mcp", "claude", "codex", "text", "safe-edit", "surgical", "article", "sections"}
_BLOCK = re.compile(r"(?ms)^(````?)([a-z]+) ?([^\n]*)\n(.*?)^\1$")
_TITLE = re.compile(r"(?m)^## (.+)$")


@dataclass(frozen=True, slots=True)
class DoorCase:
    """One call of a case: the file, what the caller was shown, the door, the call, the answer."""

    title: str
    path: str
    before: str
    shown: str
    door: str
    call: str
    answer: str


def cases_of(page: str) -> Iterator[DoorCase]:
    """Yield the calls of a page, case by case."""
    for piece in re.split(r"(?m)^(?=## )", page)[1:]:
        title = _TITLE.match(piece)
        assert title, piece
        path = before = shown = door = call = ""
        for _, kind, words, body in _BLOCK.findall(piece):
            if kind == "before":
                path, before = words, body
            elif kind == "shown":
                shown = body
            elif kind == "call":
                door, call = words, body
            else:
                assert kind == "answer", kind
                yield DoorCase(title[1], path, before, shown, door, call, body)


CASES = [
    case
    for file in sorted(FOLDER.glob("*.md"))
    for case in cases_of(file.read_text(encoding="utf-8"))
]


def answered(case: DoorCase, base: Path) -> str:
    """Return what a door answers to the call, on a workspace of its own."""
    for name in ("root", "home"):
        (base / name).mkdir()
    shell = Shell(base)
    put(shell.root, case.path, case.shown or case.before)
    call = case.call.replace("ROOT", str(shell.root)).strip()
    said = _by_typing(shell, case, call) if case.door == "cli" else _by_tool(shell, case, call)
    said = re.sub(r"\b[0-9a-f]{16}\b", "HASH", said.replace(str(shell.root), "ROOT"))
    return re.sub(r"\b[0-9a-f]{12}\b", "ID", said).removesuffix("\n") + "\n"


def _by_typing(shell: Shell, case: DoorCase, call: str) -> str:
    if case.shown:
        shell.ok("read", case.path)
        put(shell.root, case.path, case.before)
    _, *words = shlex.split(call)
    done = shell(*words)
    assert (done.code, done.err) == (1, "")
    return done.out


def _by_tool(shell: Shell, case: DoorCase, call: str) -> str:
    tool, _, given = call.partition(" ")
    if case.door == "mcp":
        workspaces = Workspaces.open([shell.root], Allowed())
        desk = Desk(workspaces, chosen(()))
        if case.shown:
            desk.call("read", {"path": case.path}, Caller())
            put(shell.root, case.path, case.before)
        said = desk.call(tool, json.loads(given), Caller())
        workspaces.close()
    else:
        with Workspace(shell.root, actor="tester") as workspace:
            if case.shown:
                workspace.read(case.path)
                put(shell.root, case.path, case.before)
            said = workspace.call(tool, json.loads(given), case.door)
    assert said.refused
    return said.text


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.title}-{case.door}")
def test_each_door_says_it_in_its_own_words(
    case: DoorCase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))

    assert answered(case, tmp_path) == case.answer


def test_each_door_has_its_cases() -> None:
    assert {case.door for case in CASES} == DOORS
