"""Beside the last released version, run as it was: one of the two refuses, and nothing is lost."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import pytest

from keyhole.answers.receipt import Receipt
from keyhole.edits.model.operations import Edit
from keyhole.engine.facade import Engine
from keyhole.engine.options import Options
from keyhole.journal import connection
from keyhole.journal.model import Query
from keyhole.refusals import Refused
from keyhole.workspace.tree import Tree
from tests.museum import is_here, unpack

RELEASED = "d699207"
OPTIONS = Options(actor="me", tool="edit")

# Reads one request per line and answers with a line.
CLIENT = """
import json, sys
from pathlib import Path
from keyhole.edits.operations import Edit, MoveFile
from keyhole.engine import Engine
from keyhole.refusals import Refused
from keyhole.walks.options import Options
from keyhole.walks.recalling import Wish
from keyhole.workspace.tree import Tree

home, options = Path(sys.argv[1]), Options(actor="me", tool="edit")

def answer(engine, verb, *words):
    if verb == "edit":
        path, old, new = words
        return engine.edit([Edit(path=p, find=old, content=new) for p in path.split()], options)
    if verb == "append":
        path, line = words
        return engine.edit([Edit(action="append", content=line)], options, path)
    if verb == "move":
        return engine.write(MoveFile(*words), options)
    return engine.undo(Wish(id=words[0]), options)

def said(*codes, transaction=""):
    print(json.dumps({"codes": codes, "transaction": transaction}), flush=True)

try:
    engine = Engine(Tree.open(home / "root", state_home=home / "state"))
    said()
except Refused as refused:
    said(*(refusal.code for refusal in refused.refusals))
    sys.exit()
for line in sys.stdin:
    verb, *words = json.loads(line)
    receipt = answer(engine, verb, *words)
    said(*(refusal.code for refusal in receipt.refusals), transaction=receipt.transaction)
engine.close()
"""


@dataclass(frozen=True, slots=True)
class Released:
    """A process that runs the released version in a workspace."""

    process: subprocess.Popen[str]

    @classmethod
    def start(cls, code: Path, home: Path) -> Self:
        """Start it, without waiting for its first word."""
        environment = {**os.environ, "PYTHONPATH": str(code / "src")}
        command = [sys.executable, "-c", CLIENT, str(home)]
        pipe = subprocess.PIPE
        return cls(
            subprocess.Popen(command, env=environment, encoding="utf-8", stdin=pipe, stdout=pipe)
        )

    def hear(self) -> tuple[list[str], str]:
        """Return the codes of its next answer, and the transaction."""
        assert self.process.stdout
        said = json.loads(self.process.stdout.readline())
        return said["codes"], said["transaction"]

    def tell(self, *words: str) -> None:
        """Send it a request."""
        assert self.process.stdin
        self.process.stdin.write(json.dumps(words) + "\n")
        self.process.stdin.flush()

    def ask(self, *words: str) -> str:
        """Send a request that it carries out, and return the transaction."""
        self.tell(*words)
        codes, transaction = self.hear()
        assert not codes
        return transaction

    def end(self) -> int:
        """Let it come to its end."""
        self.process.communicate()
        return self.process.returncode


@pytest.fixture(scope="module")
def code(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not is_here(RELEASED):
        pytest.skip(f"{RELEASED} is not in this copy's history")
    home = tmp_path_factory.mktemp("released")
    unpack(RELEASED, ["src"], home)
    return home


@pytest.fixture
def start(code: Path, tmp_path: Path) -> Iterator[Callable[[], Released]]:
    started: list[Released] = []
    (tmp_path / "root").mkdir()
    for name in ("a.txt", "b.txt", "c.txt"):
        (tmp_path / "root" / name).write_text(f"one {name}\n", encoding="utf-8")

    def begin() -> Released:
        started.append(Released.start(code, tmp_path))
        return started[-1]

    yield begin
    for each in started:
        each.process.kill()
        each.process.communicate()


def opened(home: Path) -> Engine:
    return Engine(Tree.open(home / "root", state_home=home / "state"))


def codes_of(receipt: Receipt) -> list[str]:
    return [refusal.code for refusal in receipt.refusals]


def texts(home: Path) -> dict[str, str]:
    """Return every file of the root, temporary ones included."""
    found = (home / "root").iterdir()
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(found)}


def test_an_older_server_that_is_at_work_is_left_alone(
    start: Callable[[], Released], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "_ELDERS_SECONDS", 0.1)
    old = start()
    old.hear()
    old.ask("edit", "a.txt", "one", "two")

    with pytest.raises(Refused) as caught:
        opened(tmp_path)
    old.ask("edit", "a.txt", "two", "three")
    old.end()
    engine = opened(tmp_path)
    said = engine.edit([Edit(find="three", content="four")], OPTIONS, "a.txt")

    (refusal,) = caught.value.refusals
    assert refusal.code == "journal"
    assert f"(process {old.process.pid})" in refusal.headline
    assert codes_of(said) == []
    assert len(engine._tree.journal.entries(Query())) == 3
    assert texts(tmp_path)["a.txt"] == "four a.txt\n"
    engine.close()


def test_an_older_server_whose_journal_is_brought_up_to_date_refuses(
    start: Callable[[], Released], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = start()
    old.hear()
    old.ask("edit", "a.txt", "one", "two")
    # It looked at the layout before, and does not look again.
    monkeypatch.setattr(connection, "_outlasts", lambda *_: True)
    engine = opened(tmp_path)

    for request in (("edit", "a.txt", "two", "three"), ("undo", ""), ("move", "b.txt", "d.txt")):
        old.tell(*request)
        assert old.hear() == (["journal"], "")
    old.end()

    assert texts(tmp_path) == {
        "a.txt": "two a.txt\n",
        "b.txt": "one b.txt\n",
        "c.txt": "one c.txt\n",
    }
    assert codes_of(engine.edit([Edit(find="two", content="three")], OPTIONS, "a.txt")) == []
    engine.close()


@pytest.mark.parametrize("first", ["older", "newer"])
def test_of_both_versions_at_once_no_acknowledged_edit_is_lost(
    start: Callable[[], Released], tmp_path: Path, first: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "_ELDERS_SECONDS", 0.02)
    fates: dict[str, list[str]] = {}

    def newer(line: str) -> None:
        try:
            engine = opened(tmp_path)
            edit = Edit(action="append", content=line)
            fates[line] = codes_of(engine.edit([edit], OPTIONS, "a.txt"))
            engine.close()
        except Refused as caught:
            fates[line] = [refusal.code for refusal in caught.refusals]

    for turn in range(4):
        old = start()
        # Before it has looked at the journal, or after.
        said = old.hear()[0] if first == "older" else []
        newer(f"new {turn} first")
        said = said if first == "older" else old.hear()[0]
        for number in range(5):
            if not said:
                old.tell("append", "a.txt", f"old {turn} {number}")
            newer(f"new {turn} {number}")
            fates[f"old {turn} {number}"] = said or old.hear()[0]
        old.end()
        if turn > 1:
            newer(f"new {turn} last")

    there = texts(tmp_path)["a.txt"].split("\n")[1:-1]
    assert sorted(there) == sorted(line for line, codes in fates.items() if not codes)
    assert {code for codes in fates.values() for code in codes} == {"journal"}
    assert fates["new 2 last"] == []
    assert fates["old 3 0"] == ["journal"]
