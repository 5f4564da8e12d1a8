"""What became of a file: followed edit by edit, however many there were."""

from itertools import pairwise

import pytest

from keyhole.history import runs
from keyhole.history.steps_since import compose, follow_file, minimal, present_path, runs_since
from keyhole.history.targets import one
from keyhole.refusals import Refused
from keyhole.text.changes import Change, ChangeSet
from tests.workspace.scene import Scene, create, delete, edit, move, take_back


def test_a_change_and_its_reverse_are_nothing() -> None:
    text = "abcdef"
    there = ChangeSet(6, (Change(1, 3, "XY"), Change(4, 5, "")))
    back = there.invert(text)

    assert minimal(there.then(back), text) == ChangeSet(6)


def test_a_change_is_cut_down_to_what_differs() -> None:
    loose = ChangeSet(6, (Change(0, 6, "abXdef"),))

    assert minimal(loose, "abcdef") == ChangeSet(6, (Change(2, 3, "X"),))
    assert minimal(ChangeSet(3, (Change(0, 3, "aaaa"),)), "aaa") == ChangeSet(
        3, (Change(3, 3, "a"),)
    )


def test_a_file_is_followed_through_moves_deletion_and_return(scene: Scene) -> None:
    scene.put("a.txt", "one\n")
    tree = scene.open()
    first = edit(tree, "a.txt", "one", "two")
    move(tree, "a.txt", "b.txt")
    edit(tree, "b.txt", "two", "three")
    move(tree, "b.txt", "a.txt")
    delete(tree, "a.txt")
    create(tree, "a.txt", "four\n")

    way = follow_file(tree.journal, first.files[0], first.order)

    assert (way.path, way.text) == ("a.txt", "four\n")
    total = ChangeSet(len("two\n"))
    for step in way.to(tree.read("a.txt")):
        total = total.then(step.changes)
    assert total.apply("two\n") == "four\n"
    assert present_path(tree.journal, "b.txt", 0) == "a.txt"


@pytest.fixture
def short_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let runs be of three entries, nine and twenty-seven, so that a few edits make some."""
    monkeypatch.setattr(runs, "FAN", 3)
    monkeypatch.setattr(runs, "_SIZES", (27, 9, 3))


@pytest.mark.usefixtures("short_runs")
def test_a_long_way_is_followed_in_runs_through_a_move(scene: Scene) -> None:
    scene.put("a.txt", "first\n0\nlast\n")
    tree = scene.open()
    first = edit(tree, "a.txt", "first", "FIRST")
    for number in range(40):
        edit(tree, "a.txt", f"{number}\n", f"{number + 1}\n")
    move(tree, "a.txt", "b.txt")
    edit(tree, "b.txt", "40", "41")

    way = follow_file(tree.journal, first.files[0], first.order)

    assert way.path == "b.txt"
    # From the second entry on: two, then what fits in runs, then what is left.
    assert [len(step.run) for step in way.steps] == [0, 0, 3, 3, 9, 9, 9, 3, 0, 0, 0, 0]
    assert compose(way.steps, 14).apply("FIRST\n0\nlast\n") == "FIRST\n41\nlast\n"
    assert present_path(tree.journal, "a.txt", first.order) == "b.txt"
    take_back(tree, one(tree.journal, first.id))
    assert scene.files() == {"b.txt": b"first\n41\nlast\n"}


BLOCK = "begin\n  run()\nend\n"


@pytest.mark.parametrize("later", [0, 1, 30, 70, 210])
def test_a_twin_is_never_taken_for_the_line_that_went(scene: Scene, later: int) -> None:
    scene.put("a.txt", f"0\n{BLOCK}between\n{BLOCK}")
    tree = scene.open()
    first = edit(tree, "a.txt", "run()", "run(1)")
    second = edit(tree, "a.txt", BLOCK.replace("()", "(1)"), "")
    edit(tree, "a.txt", "run()", "run(1)")
    for number in range(later):
        edit(tree, "a.txt", f"{number}\n", f"{number + 1}\n")
    stands = scene.files()

    with pytest.raises(Refused) as caught:
        take_back(tree, one(tree.journal, first.id))

    (refusal,) = caught.value.refusals
    assert (refusal.code, refusal.data["later"]) == ("undo-conflict", second.id)
    assert scene.files() == stands


@pytest.mark.usefixtures("short_runs")
def test_the_one_to_blame_is_found_within_a_run(scene: Scene) -> None:
    path = scene.put("a.txt", "0\none\ntwo\n")
    tree = scene.open()
    first = edit(tree, "a.txt", "one", "1")
    blamed = []
    for number in range(60):
        edit(tree, "a.txt", f"{number}\n", f"{number + 1}\n")
        if number in {7, 20}:
            blamed.append(edit(tree, "a.txt", "1\ntwo", f"{'i' * number}\ntwo"))
        if number == 12:
            take_back(tree, one(tree.journal, blamed[0].id))

    with pytest.raises(Refused) as caught:
        take_back(tree, one(tree.journal, first.id))
    assert caught.value.refusals[0].data["later"] == blamed[1].id

    take_back(tree, one(tree.journal, blamed[1].id))
    path.write_bytes(path.read_bytes().replace(b"1\ntwo", b"I\ntwo"))
    edit(tree, "a.txt", "60", "61")
    for number in range(61, 80):
        edit(tree, "a.txt", f"{number}\n", f"{number + 1}\n")
    with pytest.raises(Refused) as outside:
        take_back(tree, one(tree.journal, first.id))
    assert not outside.value.refusals[0].data["later"]


@pytest.mark.usefixtures("short_runs")
def test_what_was_recorded_since_a_version_is_told_in_runs_without_gaps(scene: Scene) -> None:
    path = scene.put("a.txt", f"0\n{BLOCK}{BLOCK}")
    tree = scene.open()
    older = tree.read("a.txt")
    edit(tree, "a.txt", BLOCK, "")
    for number in range(50):
        edit(tree, "a.txt", f"{number}\n", f"{number + 1}\n")
        if number in {20, 40}:
            path.write_bytes(path.read_bytes() + b"saved\n")

    found = runs_since(tree.journal, "a.txt", older.hash)

    assert found[0].before.text(tree.journal) == older.text
    # The first block went; two texts alone could not tell.
    first = found[0].changes.changes[0]
    assert (first.start, first.end) == (0, 2 + len(BLOCK))
    gaps = [one.after != other.before for one, other in pairwise(found)]
    assert (len(found), sum(gaps)) == (13, 2)
    for run in found:
        after = run.changes.apply(run.before.text(tree.journal))
        assert after == run.after.text(tree.journal)
    assert runs_since(tree.journal, "a.txt", found[-1].after.hash) == ()
    assert runs_since(tree.journal, "a.txt", "0" * 16) == ()


def test_nothing_is_recorded_across_the_life_of_a_file(scene: Scene) -> None:
    scene.put("a.txt", "one\n")
    tree = scene.open()
    older = tree.read("a.txt")
    edit(tree, "a.txt", "one", "two")
    delete(tree, "a.txt")
    create(tree, "a.txt", "three\n")

    assert runs_since(tree.journal, "a.txt", older.hash) == ()
