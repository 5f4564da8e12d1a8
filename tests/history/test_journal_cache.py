"""What an undo remembers of the journal, and what it asks anew once the files are locked."""

import pytest

from keyhole.history.targets import one
from keyhole.history.undo import paths_of, undo
from keyhole.history.versions import CachedJournal
from keyhole.journal.model import Call
from keyhole.refusals import Refused
from keyhole.text.document import Document
from tests.workspace.scene import Scene, delete, edit, take_back


def test_who_was_faster_is_seen_once_the_files_are_locked(scene: Scene) -> None:
    scene.put("a.txt", "one\ntwo\nthree\n")
    tree = scene.open()
    entry = edit(tree, "a.txt", "two", "2")
    journal = CachedJournal(tree.journal)
    targets = one(journal, entry.id)
    paths = paths_of(journal, targets)
    take_back(tree, one(tree.journal, entry.id))

    with tree.hold(paths) as held, pytest.raises(Refused) as caught:
        undo(journal, targets, held.snapshot)

    assert [each.code for each in caught.value.refusals] == ["nothing-to-undo"]
    assert scene.files() == {"a.txt": b"one\ntwo\nthree\n"}


def test_an_edit_meanwhile_is_kept(scene: Scene) -> None:
    scene.put("a.txt", "one\ntwo\nthree\n")
    tree = scene.open()
    entry = edit(tree, "a.txt", "one", "1")
    journal = CachedJournal(tree.journal)
    targets = one(journal, entry.id)
    paths = paths_of(journal, targets)
    edit(tree, "a.txt", "three", "3")

    with tree.hold(paths) as held:
        taken = undo(journal, targets, held.snapshot)
        held.commit(taken.plan, Call(undoes=taken.undoes), gains=taken.gains, made=taken.made)

    assert scene.files() == {"a.txt": b"one\ntwo\n3\n"}


def test_what_took_an_entry_back_is_known_with_it_and_asked_anew_later(scene: Scene) -> None:
    scene.put("a.txt", "one\ntwo\n")
    tree = scene.open()
    entry = edit(tree, "a.txt", "one", "1")
    journal = CachedJournal(tree.journal)
    journal.entry(entry.id)
    taken = take_back(tree, one(tree.journal, entry.id))

    assert journal.undoers(entry.id) == ()
    assert journal.again([]).undoers(entry.id) == (taken.id,)


def test_files_that_went_are_known_from_all_that_was_done(scene: Scene) -> None:
    scene.put("a.txt", "one\n")
    tree = scene.open()
    first = edit(tree, "a.txt", "one", "1")
    gone = delete(tree, "a.txt")
    journal = CachedJournal(tree.journal)

    assert journal.departures("a.txt", 0) == (gone,)
    assert journal.later("a.txt", 0, 10) == journal.later("a.txt", 0, 10) == (first, gone)
    assert journal.later("a.txt", 0, 1) == (first,)
    assert journal.later("a.txt", first.order, 10) == (gone,)
    assert journal.departures("a.txt", first.order) == (gone,)
    assert journal.departures("a.txt", gone.order) == ()


def test_a_text_in_hand_is_not_read_from_the_journal(scene: Scene) -> None:
    scene.put("a.txt", "one\n")
    tree = scene.open()
    change = edit(tree, "a.txt", "one", "1").files[0]
    assert change.before
    assert change.after
    there = Document.from_bytes(b"1\n")
    journal = CachedJournal(tree.journal, [there])

    assert journal.document(change.after, "utf-8") is there
    before = journal.document(change.before, "utf-8")
    assert before is not None
    assert before.text == "one\n"
    assert journal.document(change.before, "utf-8") is before
    assert journal.document("0" * 16, "utf-8") is None


@pytest.mark.parametrize(("size", "kept"), [(10, True), (400_000, False)])
def test_many_small_texts_stay_known_and_few_large_ones(
    scene: Scene, size: int, *, kept: bool
) -> None:
    scene.put("a.txt", "0" + "x" * size)
    tree = scene.open()
    hashes = [edit(tree, "a.txt", f"{at}x", f"{at + 1}x").files[0].after or "" for at in range(12)]
    journal = CachedJournal(tree.journal)

    first = journal.document(hashes[0], "utf-8")
    others = [journal.document(each, "utf-8") for each in hashes[1:]]

    assert len({each.text for each in others if each}) == 11
    assert (journal.document(hashes[0], "utf-8") is first) is kept
