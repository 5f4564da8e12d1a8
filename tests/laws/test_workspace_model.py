"""A workspace against a model of it: every call does what it says, and undo is exact."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from keyhole.edits.model.plan import FilePlan, Plan
from keyhole.history.targets import one
from keyhole.journal.model import APPLIED, Entry, Query, Undone
from keyhole.refusals import Refused
from keyhole.text.changes import Change, ChangeSet
from keyhole.text.document import Document
from tests.torture.start import figure
from tests.workspace.scene import CALL, Scene, changing, creating, deleting, moving, take_back

NAMES = ["a.txt", "b.txt", "d/c.txt", "d/e/f.txt"]
Record = Callable[[str, object], None]
File = tuple[bytes, int, bytes]

names = st.sampled_from(NAMES)
texts = st.text(st.sampled_from("ab\n\r\0é\ud7ff€🙂"), max_size=12)
raws = st.binary(max_size=20) | texts.map(lambda text: text.encode())


class Workspace(RuleBasedStateMachine):
    """Calls of agents and of outsiders, in any order."""

    @initialize()
    def start(self) -> None:
        memory = Path("/dev/shm")
        self.home = Path(tempfile.mkdtemp(dir=memory if memory.is_dir() else None))
        self.scene = Scene(self.home)
        self.tree = self.scene.open()
        self.model: dict[str, File] = {}
        # How the files looked before each entry, as long as nobody touched them since.
        self.before: dict[str, dict[str, File | None]] = {}
        self.undone = 0

    def teardown(self) -> None:
        if hasattr(self, "tree"):
            self.tree.close()
            shutil.rmtree(self.home)

    @rule(paths=st.lists(names, min_size=1, max_size=3, unique=True), data=st.data())
    def transact(self, paths: list[str], data: st.DataObject) -> None:
        """Edit what is there, create what is not, delete some."""
        with self.tree.hold(paths) as held:
            plans = [self._plan(path, held.snapshot.files[path], data) for path in paths]
            plan = Plan(tuple(plans))
            if plan.is_empty:
                return
            entry = held.commit(plan, CALL)
        assert (entry.outcome, entry.state) == ("applied", APPLIED)
        self._applied(entry, plan)

    @rule(old=names, new=names)
    def move(self, old: str, new: str) -> None:
        if old not in self.model or new in self.model:
            return
        with self.tree.hold([old, new]) as held:
            document = held.snapshot.files[old]
            assert document is not None
            plan = Plan(moving(old, new, document))
            entry = held.commit(plan, CALL)
        self._applied(entry, plan)

    @rule(path=names, data=raws)
    def save_from_outside(self, path: str, data: bytes) -> None:
        file = self.scene.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
        self._touched(path)

    @rule(path=names, mode=st.sampled_from([0o600, 0o644, 0o755, 0o4750]))
    def change_mode_from_outside(self, path: str, mode: int) -> None:
        if path in self.model:
            (self.scene.root / path).chmod(mode)
            self._touched(path)

    @rule(path=names, value=st.binary(min_size=1, max_size=4))
    def label_from_outside(self, path: str, value: bytes) -> None:
        if path in self.model:
            os.setxattr(self.scene.root / path, "user.label", value)
            self._touched(path)

    @rule(path=names)
    def delete_from_outside(self, path: str) -> None:
        if path in self.model:
            (self.scene.root / path).unlink()
            self._touched(path)

    @rule()
    def reopen(self) -> None:
        self.tree.close()
        self.tree = self.scene.open()
        assert self.tree.journal.pending() == ()

    @precondition(lambda self: self.before)
    @rule(data=st.data())
    def undo_and_redo(self, data: st.DataObject) -> None:
        """Take back an entry whose files nobody touched since: exactly, and forth again."""
        name = data.draw(st.sampled_from(sorted(self.before)))
        wanted = self.before[name]
        now = {path: self.model.get(path) for path in wanted}

        undoing = take_back(self.tree, one(self.tree.journal, name))
        assert {path: self._look(path) for path in wanted} == wanted
        redoing = take_back(self.tree, one(self.tree.journal, undoing.id))

        assert {path: self._look(path) for path in wanted} == now
        self.undone += 1
        for path in wanted:
            self._touched(path)
        self.before[redoing.id] = wanted

    @rule(data=st.data())
    def undo_anything(self, data: st.DataObject) -> None:
        """Take back any entry at all: it works or is refused, and other files stay as they are."""
        entries = self.tree.journal.entries(Query(limit=20))
        if not entries:
            return
        entry = data.draw(st.sampled_from(entries))
        touched: set[str] = set()
        try:
            undoing = take_back(self.tree, [Undone(entry.id)])
            touched = {file.path for file in undoing.files}
        except Refused as refused:
            codes = {refusal.code for refusal in refused.refusals}
            assert codes <= {"undo-conflict", "nothing-to-undo"}
        for path in touched:
            self._touched(path)

    @invariant()
    def the_disk_is_as_the_model(self) -> None:
        if not hasattr(self, "tree"):
            return
        found = {
            path.relative_to(self.scene.root).as_posix()
            for path in self.scene.root.rglob("*")
            if path.is_file()
        }
        assert found == set(self.model)
        for path, file in self.model.items():
            assert self._look(path) == file
            assert self.tree.read(path).to_bytes() == file[0]

    def _plan(self, path: str, document: Document | None, data: st.DataObject) -> FilePlan:
        if document is None:
            return creating(path, data.draw(texts))
        if data.draw(st.integers(0, 4)) == 0:
            return deleting(path, document)
        points = sorted(data.draw(st.tuples(*[st.integers(0, len(document.text))] * 2)))
        change = Change(points[0], points[1], data.draw(texts))
        if ChangeSet(len(document.text), (change,)).apply(document.text) == document.text:
            change = Change(0, 0, "different ")
        return changing(path, document, change)

    def _applied(self, entry: Entry, plan: Plan) -> None:
        """Move the model on, by what the plan says and not by what the disk says."""
        files = [file for file in plan.files if not file.is_unchanged]
        before = {file.path: self.model.get(file.path) for file in files}
        moved = {file.moved_from: self.model[file.moved_from] for file in files if file.moved_from}
        for file in files:
            old = self.model.pop(file.path, None)
            if file.after is None:
                continue
            mode, label = (old or moved.get(file.moved_from) or (b"", 0o644, b""))[1:]
            self.model[file.path] = (file.after.to_bytes(), mode, label)
        for path in before:
            self._forget(path)
        self.before[entry.id] = before

    def _touched(self, path: str) -> None:
        look = self._look(path)
        if look is None:
            self.model.pop(path, None)
        else:
            self.model[path] = look
        self._forget(path)

    def _forget(self, path: str) -> None:
        self.before = {name: files for name, files in self.before.items() if path not in files}

    def _look(self, path: str) -> File | None:
        file = self.scene.root / path
        if not file.exists():
            return None
        label = os.getxattr(file, "user.label") if "user.label" in os.listxattr(file) else b""
        return file.read_bytes(), stat.S_IMODE(file.stat().st_mode), label


RUNS, STEPS = 1000, 30


@pytest.mark.torture
@pytest.mark.parametrize("batch", range(figure(1, 50)))
def test_a_workspace_does_what_its_model_does(batch: int, record_property: Record) -> None:
    runs = Counter[str]()

    @seed(batch)
    class Counted(Workspace):
        def teardown(self) -> None:
            super().teardown()
            runs["runs"] += 1
            runs["undone"] += self.undone

    run_state_machine_as_test(
        Counted,
        settings=settings(
            max_examples=RUNS,
            stateful_step_count=STEPS,
            suppress_health_check=[HealthCheck.too_slow],
        ),
    )

    record_property("counted", f"model {batch}: {dict(runs)}")
    assert runs["runs"] >= RUNS
    assert runs["undone"] >= RUNS // 10


class Forgetful(Workspace):
    """A model that does not hear of saves from outside."""

    @rule(path=names, data=raws)
    def save_from_outside(self, path: str, data: bytes) -> None:
        file = self.scene.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)


def test_a_difference_from_the_model_is_found() -> None:
    quick = settings(
        max_examples=50,
        stateful_step_count=5,
        database=None,
        print_blob=False,
        report_multiple_bugs=False,
    )

    with pytest.raises(AssertionError):
        run_state_machine_as_test(Forgetful, settings=quick)
