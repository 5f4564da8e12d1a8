"""What became of a file: followed edit by edit, or compared as a whole when there were many."""

import pytest

from keyhole.refusals import Refused
from keyhole.text.changes import Change, ChangeSet
from keyhole.workspace.past import since
from keyhole.workspace.past.since import (
    present_path,
    tight,
    version,
    way_from,
)
from keyhole.workspace.past.undo_targets import one
from tests.workspace.scene import Scene, create, delete, edit, move, take_back


def test_a_change_and_its_reverse_are_nothing() -> None:
    text = "abcdef"
    there = ChangeSet(6, (Change(1, 3, "XY"), Change(4, 5, "")))
    back = there.invert(text)

    assert tight(there.then(back), text) == ChangeSet(6)


def test_a_change_is_cut_down_to_what_differs() -> None:
    loose = ChangeSet(6, (Change(0, 6, "abXdef"),))

    assert tight(loose, "abcdef") == ChangeSet(6, (Change(2, 3, "X"),))
    assert tight(ChangeSet(3, (Change(0, 3, "aaaa"),)), "aaa") == ChangeSet(3, (Change(3, 3, "a"),))


def test_a_file_is_followed_through_moves_deletion_and_return(scene: Scene) -> None:
    scene.put("a.txt", "one\n")
    tree = scene.open()
    first = edit(tree, "a.txt", "one", "two")
    move(tree, "a.txt", "b.txt")
    edit(tree, "b.txt", "two", "three")
    move(tree, "b.txt", "a.txt")
    delete(tree, "a.txt")
    create(tree, "a.txt", "four\n")

    way = way_from(tree.journal, first.files[0], first.order)

    assert (way.path, way.text) == ("a.txt", "four\n")
    total = ChangeSet(len("two\n"))
    for step in way.to(tree.read("a.txt")):
        total = total.then(step.changes)
    assert total.apply("two\n") == "four\n"
    assert present_path(tree.journal, "b.txt", 0) == "a.txt"


def test_many_edits_are_compared_as_a_whole(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(since, "MOST_STEPS", 3)
    scene.put("a.txt", "first\n0\nlast\n")
    tree = scene.open()
    first = edit(tree, "a.txt", "first", "FIRST")
    for number in range(8):
        edit(tree, "a.txt", str(number), str(number + 1))
    move(tree, "a.txt", "b.txt")

    way = way_from(tree.journal, first.files[0], first.order)

    assert (way.path, way.steps) == ("b.txt", ())
    assert present_path(tree.journal, "a.txt", first.order) == "b.txt"
    take_back(tree, one(tree.journal, first.id))
    assert scene.files() == {"b.txt": b"first\n8\nlast\n"}


def test_a_version_that_was_forgotten_is_refused(scene: Scene) -> None:
    tree = scene.open()

    with pytest.raises(Refused) as caught:
        version(tree.journal, "0" * 16, "utf-8")
    assert [refusal.code for refusal in caught.value.refusals] == ["nothing-to-undo"]
