"""Commits: what lands on the disk, what the journal keeps, what happens to intruders."""

import errno
import os
import stat
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

import pytest

from keyhole import deferred
from keyhole.disk import failpoints, kernel
from keyhole.disk.kernel import Kernel
from keyhole.edits.model.plan import FilePlan, LocatedEdit, Plan
from keyhole.fastclasses import replace
from keyhole.journal.model import APPLIED, ROLLED_BACK, Entry, EntryDraft, Query, Regions, Span
from keyhole.journal.sqlite import SqliteJournal
from keyhole.refusals import Refusal, Refused
from keyhole.text.changes import Change, ChangeSet
from keyhole.text.document import hash_of
from keyhole.workspace.tree import Tree, TreeOptions
from tests.workspace.scene import (
    CALL,
    Scene,
    create,
    creating,
    delete,
    deleting,
    edit,
    edit_all,
    move,
    present,
    replacing,
)


def test_an_edit_changes_the_file_and_is_in_the_journal(scene: Scene) -> None:
    scene.put("src/a.txt", "one two three\n")
    tree = scene.open()

    entry = edit(tree, "src/a.txt", "two", "2")

    assert scene.files() == {"src/a.txt": b"one 2 three\n"}
    assert (entry.outcome, entry.guard, entry.call) == ("applied", "strong", CALL)
    (change,) = entry.files
    assert change.spans == (Span(4, 7, 1),)
    assert tree.journal.entry(entry.id) == entry
    assert tree.journal.image(change.before or "") == b"one two three\n"
    assert tree.journal.image(change.after or "") == b"one 2 three\n"


def test_files_of_one_transaction_are_created_deleted_and_edited_together(scene: Scene) -> None:
    scene.put("a.txt", "old a")
    scene.put("b.txt", "old b")
    tree = scene.open()

    with tree.hold(["a.txt", "b.txt", "new/deep/c.txt"]) as held:
        plan = Plan(
            (
                replacing("a.txt", present(held.snapshot, "a.txt"), "old", "new"),
                deleting("b.txt", present(held.snapshot, "b.txt")),
                creating("new/deep/c.txt", "fresh\n"),
            )
        )
        entry = held.commit(plan, CALL)

    assert scene.files() == {"a.txt": b"new a", "new/deep/c.txt": b"fresh\n"}
    assert entry.draft.made == ("new", "new/deep")


def test_a_new_file_has_the_mode_that_the_mask_gives(scene: Scene) -> None:
    tree = scene.open()
    mask = os.umask(0o027)
    try:
        create(tree, "a.txt", "text")
    finally:
        os.umask(mask)

    assert stat.S_IMODE((scene.root / "a.txt").stat().st_mode) == 0o640


def test_a_move_keeps_bytes_and_mode(scene: Scene) -> None:
    scene.put("run.sh", "#!/bin/sh\n", mode=0o751)
    tree = scene.open()

    entry = move(tree, "run.sh", "bin/run.sh")

    assert scene.files() == {"bin/run.sh": b"#!/bin/sh\n"}
    assert stat.S_IMODE((scene.root / "bin/run.sh").stat().st_mode) == 0o751
    assert [(file.moved_from, file.moved_to) for file in entry.files] == [
        ("", "bin/run.sh"),
        ("run.sh", ""),
    ]


def _save(path: Path, data: bytes) -> None:
    """Save as editors do: a new file, renamed over the old one."""
    beside = path.with_name("editor.swp")
    beside.write_bytes(data)
    beside.rename(path)


@pytest.mark.parametrize("point", ["staged", "intended", "alone", "exchanged", "published-one"])
@pytest.mark.parametrize("victim", ["a.txt", "b.txt"])
def test_a_save_of_another_program_is_never_lost(scene: Scene, point: str, victim: str) -> None:
    scene.put("a.txt", "old a")
    scene.put("b.txt", "old b")
    tree = scene.open()
    saved: list[str] = []
    codes: list[str] = []

    def intrude(name: str) -> None:
        if name == point and not saved:
            saved.append(victim)
            _save(scene.root / victim, b"HUMAN")

    try:
        with failpoints.watch(intrude):
            edit_all(tree, {"a.txt": ("old", "new"), "b.txt": ("old", "new")})
    except Refused as refused:
        codes += [each.code for each in refused.refusals]

    files = scene.files()
    assert files.pop(victim) == b"HUMAN"
    assert [data[:3] for data in files.values()] == [b"old" if codes else b"new"]
    assert codes in ([], ["stale"])
    assert tree.journal.pending() == ()


def test_a_program_that_holds_the_file_open_for_writing_keeps_it(scene: Scene) -> None:
    path = scene.put("a.txt", "old a")
    tree = scene.open()
    with path.open("r+b") as writer:
        with pytest.raises(Refused) as caught:
            edit(tree, "a.txt", "old", "new")
        writer.write(b"LATE")

    assert [refusal.code for refusal in caught.value.refusals] == ["busy"]
    assert scene.files() == {"a.txt": b"LATEa"}


@pytest.mark.parametrize("point", ["intended", "alone"])
def test_a_file_created_by_somebody_else_meanwhile_stays(scene: Scene, point: str) -> None:
    tree = scene.open()

    def intrude(name: str) -> None:
        if name == point:
            (scene.root / "a.txt").write_bytes(b"HUMAN")

    with failpoints.watch(intrude), pytest.raises(Refused) as caught:
        create(tree, "a.txt", "ours")

    assert [refusal.code for refusal in caught.value.refusals] == ["stale"]
    assert scene.files() == {"a.txt": b"HUMAN"}
    assert [entry.outcome for entry in tree.journal.entries(Query())] == ["not_applied"]


def test_without_exchange_an_edit_still_lands_and_says_that_it_is_weak(scene: Scene) -> None:
    scene.put("a.txt", "old a", mode=0o600)
    tree = scene.open(TreeOptions(kernel=Kernel(exchange=False)))

    entry = edit(tree, "a.txt", "old", "new")

    assert (entry.outcome, entry.guard) == ("applied", "weak")
    assert scene.files() == {"a.txt": b"new a"}
    assert stat.S_IMODE((scene.root / "a.txt").stat().st_mode) == 0o600


def test_a_write_protected_file_is_refused_and_stays(scene: Scene) -> None:
    scene.put("a.txt", "old a", mode=0o444)
    tree = scene.open()

    with pytest.raises(Refused) as caught:
        edit(tree, "a.txt", "old", "new")

    assert [refusal.code for refusal in caught.value.refusals] == ["read-only"]
    assert scene.files() == {"a.txt": b"old a"}


def test_a_hard_link_outside_keeps_its_bytes(scene: Scene) -> None:
    inside = scene.put("a.txt", "old a")
    outside = scene.home / "outside.txt"
    outside.hardlink_to(inside)
    tree = scene.open()

    edit(tree, "a.txt", "old", "new")

    assert (inside.read_bytes(), outside.read_bytes()) == (b"new a", b"old a")


@pytest.mark.skipif(not kernel.IS_LINUX, reason="/proc tells what is open")
def test_while_somebody_waits_only_the_name_of_the_old_file_goes(scene: Scene) -> None:
    scene.put("a.txt", "old a")
    tree = scene.open()

    with deferred.put_off():
        edit(tree, "a.txt", "old", "new")
        waiting = _nameless(scene.root)
        assert scene.files() == {"a.txt": b"new a"}

    assert len(waiting) == 1
    assert not _nameless(scene.root)
    edit(tree, "a.txt", "new", "newer")
    assert not _nameless(scene.root)


def _nameless(below: Path) -> list[str]:
    """Return the files of a tree that are deleted, and that this process still has open."""
    held = []
    for fd in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):  # the directory itself, as it is listed
            held.append(str(fd.readlink()))
    return [name for name in held if name.startswith(f"{below}/") and name.endswith(" (deleted)")]


def test_a_read_only_workspace_reads_and_refuses_to_commit(scene: Scene) -> None:
    scene.put("a.txt", "old a")
    tree = scene.open(TreeOptions(read_only=True))

    with pytest.raises(Refused) as caught:
        delete(tree, "a.txt")

    assert tree.read("a.txt").text == "old a"
    assert [refusal.code for refusal in caught.value.refusals] == ["read-only"]
    assert not (scene.home / "state").exists()


def failing(*points: str, error: int = errno.EIO) -> Callable[[str], None]:
    """Return a hook that fails once at each of these failpoints, in this order."""
    left = list(points)

    def hook(name: str) -> None:
        if left and name == left[0]:
            left.pop(0)
            raise OSError(error, os.strerror(error))

    return hook


OLD = {"a.txt": b"old a", "b.txt": b"old b"}
NEW = {"a.txt": b"new a", "b.txt": b"new b"}
BOTH = {"a.txt": ("old", "new"), "b.txt": ("old", "new")}


@pytest.fixture
def two(scene: Scene) -> Tree:
    for path, data in OLD.items():
        scene.put(path, data)
    return scene.open()


@pytest.mark.parametrize(
    ("point", "error", "code"),
    [
        ("temp-made", errno.ENOSPC, "too-large"),
        ("temp-written", errno.EDQUOT, "too-large"),
        ("staged", errno.EROFS, "read-only"),
    ],
)
def test_a_failure_before_the_intent_changes_nothing(
    scene: Scene, two: Tree, point: str, error: int, code: str
) -> None:
    with failpoints.watch(failing(point, error=error)), pytest.raises(Refused) as caught:
        edit_all(two, BOTH)

    assert [refusal.code for refusal in caught.value.refusals] == [code]
    assert scene.files() == OLD
    assert two.journal.entries(Query()) == ()


def test_a_flush_that_fails_is_never_swallowed(
    scene: Scene, two: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(fd: int) -> None:
        raise OSError(errno.EIO, f"Input/output error of {fd}")

    create(two, "c.txt", "there is a journal now")
    monkeypatch.setattr(kernel, "flush", broken)
    with pytest.raises(Refused) as caught:
        edit_all(two, BOTH)

    assert [refusal.code for refusal in caught.value.refusals] == ["busy"]
    assert "outcome" not in caught.value.refusals[0].data
    assert scene.files() == {**OLD, "c.txt": b"there is a journal now"}
    assert list(scene.root.rglob(".kh-*")) == []
    assert [entry.state for entry in two.journal.entries(Query())] == [ROLLED_BACK, APPLIED]


def test_a_failure_after_the_intent_is_mended_at_once(scene: Scene, two: Tree) -> None:
    with failpoints.watch(failing("published-one")):
        entry = edit_all(two, BOTH)

    assert entry.outcome == "applied"
    assert scene.files() == NEW


def test_what_cannot_go_forward_goes_back(scene: Scene, two: Tree) -> None:
    with (
        failpoints.watch(failing("published-one", "recovered-one", error=errno.EROFS)),
        pytest.raises(Refused) as caught,
    ):
        edit_all(two, BOTH)

    assert [refusal.code for refusal in caught.value.refusals] == ["read-only"]
    assert scene.files() == OLD
    assert [entry.outcome for entry in two.journal.entries(Query())] == ["not_applied"]


def test_what_can_go_nowhere_is_pending_and_finished_by_the_next_call(
    scene: Scene, two: Tree
) -> None:
    with failpoints.watch(failing("published-one", "recovered-one", "recovered-one")):
        entry = edit_all(two, BOTH)

    assert entry.outcome == "committed_pending"
    assert entry.warnings[0].startswith("recorded, and not finished yet: ")
    assert two.read("a.txt").text == "old a"
    assert scene.files() == OLD
    assert two.journal.pending() == ()


def test_a_give_back_that_fails_is_finished_by_the_next_call(scene: Scene, two: Tree) -> None:
    fail = failing("recovered-one")

    def hook(name: str) -> None:
        if name == "alone":
            _save(scene.root / "b.txt", b"HUMAN")
        fail(name)

    with failpoints.watch(hook), pytest.raises(Refused) as caught:
        edit_all(two, BOTH)

    assert caught.value.refusals[0].data["outcome"] == "committed_pending"
    two.recover()
    assert scene.files() == {"a.txt": b"old a", "b.txt": b"HUMAN"}


def test_a_save_while_a_failure_is_mended_takes_everything_back(scene: Scene, two: Tree) -> None:
    fail = failing("published-one")

    def hook(name: str) -> None:
        if name == "published-one":
            _save(scene.root / "b.txt", b"HUMAN")
        fail(name)

    with failpoints.watch(hook), pytest.raises(Refused) as caught:
        edit_all(two, BOTH)

    assert [refusal.code for refusal in caught.value.refusals] == ["stale"]
    assert scene.files() == {"a.txt": b"old a", "b.txt": b"HUMAN"}


@pytest.mark.parametrize(("times", "outcome"), [(1, "applied"), (2, "committed_pending")])
def test_a_mark_that_fails_is_made_again(
    scene: Scene, two: Tree, monkeypatch: pytest.MonkeyPatch, times: int, outcome: str
) -> None:
    settle, left = SqliteJournal.settle, [times]

    def failing_settle(self: SqliteJournal, entry: Entry, state: str) -> Entry:
        left[0] -= 1
        if left[0] >= 0:
            raise Refused(Refusal("busy", "the journal is in use"))
        return settle(self, entry, state)

    monkeypatch.setattr(SqliteJournal, "settle", failing_settle)
    entry = edit_all(two, BOTH)

    assert entry.outcome == outcome
    assert scene.files() == NEW
    two.recover()
    assert two.journal.pending() == ()


def test_an_intent_of_unknown_fate_is_left_to_recovery(
    scene: Scene, two: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin = SqliteJournal.begin

    def lost_answer(
        self: SqliteJournal,
        draft: EntryDraft,
        images: Mapping[str, bytes],
        claims: Mapping[str, Regions],
    ) -> Entry:
        begin(self, draft, images, claims)
        raise Refused(Refusal("journal", "lost", data={"outcome": "committed_pending"}))

    monkeypatch.setattr(SqliteJournal, "begin", lost_answer)
    with pytest.raises(Refused):
        edit_all(two, BOTH)
    two.recover()

    assert scene.files() == NEW


def test_only_what_changes_is_recorded(scene: Scene, two: Tree) -> None:
    with two.hold(["a.txt", "b.txt"]) as held:
        document = present(held.snapshot, "b.txt")
        same = FilePlan("b.txt", document, document, ChangeSet(len(document.text)))
        other = replacing("a.txt", present(held.snapshot, "a.txt"), "old", "new")
        entry = held.commit(Plan((same, other)), CALL)

    assert [file.path for file in entry.files] == ["a.txt"]
    assert scene.files() == {**OLD, "a.txt": b"new a"}


def test_a_notebook_is_hashed_while_the_disk_writes_it(scene: Scene) -> None:
    cell = '{"cell_type": "raw", "metadata": {}, "source": "old"}'
    scene.put("a.ipynb", f'{{"cells": [{cell}], "metadata": {{}}, "nbformat": 4}}')
    tree = scene.open()
    known: dict[str, bool] = {}

    with tree.hold(["a.ipynb"]) as held:
        plan = replacing("a.ipynb", present(held.snapshot, "a.ipynb"), "old", "new")
        after = plan.after
        with failpoints.watch(lambda name: known.update({name: "hash" in vars(after)})):
            entry = held.commit(Plan((plan,)), CALL)

    assert (known["staged"], known["intended"]) == (False, True)
    assert after is not None
    assert entry.files[0].after == after.hash == hash_of(scene.files()["a.ipynb"])


def test_edits_that_build_on_each_other_have_no_spans_of_their_own(two: Tree) -> None:
    with two.hold(["a.txt"]) as held:
        plan = replacing("a.txt", present(held.snapshot, "a.txt"), "old", "new")
        built = replace(
            plan,
            edits=(LocatedEdit(0, (Change(0, 3, "mid"),)), LocatedEdit(1, plan.changes.changes)),
        )
        entry = held.commit(Plan((built,)), CALL)

    assert [edit.spans for edit in entry.files[0].edits] == [(), (0,)]
