"""A state directory that the last released version wrote is read whole, undone and redone.

`released/state.tar.xz` holds it, with the answers of that version; `released/make.py` made it.
"""

from __future__ import annotations

import json
import os
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from keyhole.answers.receipt import Receipt
from keyhole.edits.model.operations import Edit
from keyhole.engine.facade import Engine
from keyhole.engine.history.blame import blame
from keyhole.engine.history.recall import HistoryRequest, UndoRequest
from keyhole.engine.options import Options
from keyhole.engine.proposals import Decision, decide, offer, preview_of, proposal
from keyhole.journal.model import APPLIED, Query, Retention
from keyhole.journal.place import workspace_id
from keyhole.workspace.tree import TreeOptions

ARCHIVE = Path(__file__).parent / "released" / "state.tar.xz"
OPTIONS = Options(actor="me", tool="edit")
# However old the archive is by now, nothing of it is forgotten.
KEEPING = TreeOptions(retention=Retention(seconds=1e12))


class Released:
    """The workspace, opened by this version, and what the released one told of it."""

    def __init__(self, home: Path) -> None:
        with tarfile.open(ARCHIVE) as archive:
            archive.extractall(home, filter="data")
        self.root = home / "root"
        (home / "home" / "keyhole").mkdir(parents=True)
        (home / "state").rename(home / "home" / "keyhole" / workspace_id(str(self.root)))
        self.story: dict[str, Any] = json.loads((home / "story.json").read_bytes())
        self.engine = Engine.open(self.root, home / "home", KEEPING)

    @property
    def steps(self) -> list[dict[str, Any]]:
        """Every transaction, the tree behind it, and the one that opening has finished."""
        last = self.story["steps"][-1]
        over = {"left.txt": "over\n", "right.txt": "over\n"}
        newest = self.engine._tree.journal.entries(Query(path="left.txt"))[0]
        return [*self.story["steps"], {**last, "id": newest.id, "files": last["files"] | over}]

    def files(self) -> dict[str, str]:
        """Return the bytes of every file, a character each."""
        found = (path for path in self.root.rglob("*") if path.is_file())
        names = {str(path.relative_to(self.root)): path for path in found}
        return {name: path.read_bytes().decode("latin-1") for name, path in names.items()}

    def programs(self) -> list[str]:
        """Return the files that may be run."""
        return [name for name in self.files() if os.access(self.root / name, os.X_OK)]

    def stands_at(self, step: dict[str, Any]) -> bool:
        """Tell whether the tree is byte for byte as it was behind a transaction."""
        return (self.files(), self.programs()) == (step["files"], step["programs"])

    def undo(self, name: str) -> str:
        """Take a transaction back."""
        return applied(self.engine.undo(UndoRequest(id=name), OPTIONS))


@pytest.fixture
def released(tmp_path: Path) -> Iterator[Released]:
    made = Released(tmp_path)
    yield made
    made.engine.close()


def applied(receipt: Receipt) -> str:
    assert not receipt.refusals, receipt.as_text()
    return receipt.transaction


def test_the_edit_that_died_with_its_process_is_finished(released: Released) -> None:
    entries = released.engine._tree.journal.entries(Query(limit=100))

    assert released.stands_at(released.steps[-1])
    assert [entry.id for entry in entries] == [step["id"] for step in released.steps[:0:-1]]
    assert {entry.state for entry in entries} == {APPLIED}
    assert released.engine._tree.journal.examine().damage == ()


def test_the_past_is_told_as_the_released_version_told_it(released: Released) -> None:
    engine, answers = released.engine, released.story["answers"]
    died = released.steps[-1]["id"]

    history = engine.history(HistoryRequest(limit=100)).as_data()
    shown = {name: engine.show(name).as_data() for name in answers["show"]}
    offers = {name: offer(engine._tree, name).as_data() for name in answers["offers"]}
    blamed = {
        path: [
            [each.address, [touch.past and touch.past.entry.id for touch in each.touches]]
            for each in blame(engine._tree, path)
        ]
        for path in answers["blame"]
    }

    transactions = history["transactions"]
    assert isinstance(transactions, list)
    assert transactions.pop(0)["id"] == died
    assert history == answers["history"]
    assert shown == answers["show"]
    assert offers == answers["offers"]
    assert blamed == answers["blame"]
    assert engine.stats().as_data()["refusals"] == answers["refusals"]


def test_every_transaction_is_undone_and_redone_to_the_byte(released: Released) -> None:
    undone = []
    for step, before in zip(released.steps[:0:-1], released.steps[-2::-1], strict=True):
        undone.append(released.undo(step["id"]))
        assert released.stands_at(before), step["id"]

    for name, step in zip(reversed(undone), released.steps[1:], strict=True):
        released.undo(name)
        assert released.stands_at(step), step["id"]


def test_each_candidate_is_accepted_as_it_was_offered(released: Released) -> None:
    offered = released.story["candidates"]

    diffs = {
        name: {
            file.path: file.diff
            for file in released.engine.edit([Edit(accept=name)], OPTIONS).files
        }
        for name in offered
    }

    assert len(offered) == 2
    assert diffs == offered


def test_the_proposal_that_waits_is_accepted_and_taken_back(released: Released) -> None:
    engine, names = released.engine, released.story["proposals"]
    last = released.steps[-1]
    found = {outcome: proposal(engine._tree, name) for outcome, name in names.items()}
    with engine._tree.hold(["notes.md"]) as held:
        stands = preview_of(found["proposed"], held.snapshot.files, engine._tree.journal)
    yes = {unit.key: True for unit in stands.units}

    receipt = decide(engine._tree, None, Decision(names["proposed"], yes, stands.seal, "Ann"))
    after = released.files()
    released.undo(applied(receipt))

    assert [each.outcome for each in found.values()] == list(names)
    assert after == last["files"] | {
        "notes.md": last["files"]["notes.md"].replace("Last.", "Over.")
    }
    assert released.stands_at(last)
