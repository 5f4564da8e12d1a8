"""Undo: anything can be taken back, over what happened since, or the clash is shown."""

import os
import stat

import pytest

from keyhole.edits.model.plan import LocatedEdit, Plan
from keyhole.fastclasses import replace
from keyhole.history.targets import Undoing, back_to, last, last_undo, of_task, one, undoings
from keyhole.history.undo_refusals import while_few
from keyhole.journal.model import Call, Undone
from keyhole.refusals import Refused
from keyhole.text.changes import Change
from tests.workspace.scene import (
    CALL,
    Scene,
    changing,
    create,
    creating,
    delete,
    edit,
    move,
    moving,
    present,
    take_back,
)


def test_an_edit_is_taken_back_over_a_later_edit_elsewhere(scene: Scene) -> None:
    scene.put("a.txt", "one\ntwo\nthree\n")
    tree = scene.open()
    first = edit(tree, "a.txt", "three", "3")
    edit(tree, "a.txt", "one", "the very first")

    undoing = take_back(tree, one(tree.journal, first.id))

    assert scene.files() == {"a.txt": b"the very first\ntwo\nthree\n"}
    assert undoing.call.undoes == (Undone(first.id),)


def test_an_edit_is_taken_back_over_a_save_of_another_program(scene: Scene) -> None:
    path = scene.put("a.txt", "one\ntwo\nthree\n")
    tree = scene.open()
    first = edit(tree, "a.txt", "three", "3")
    path.write_bytes(b"zero\none\ntwo\n3\n")

    take_back(tree, one(tree.journal, first.id))

    assert scene.files() == {"a.txt": b"zero\none\ntwo\nthree\n"}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("30", "60"), ("60", "600")),
        (("30", "2"), ("2", "22")),
        (("wait", "halt"), ("halt", "hal")),
    ],
)
def test_a_word_that_was_changed_again_is_not_made_one_that_nobody_wrote(
    scene: Scene, first: tuple[str, str], second: tuple[str, str]
) -> None:
    scene.put("a.txt", "wait = 30\n")
    tree = scene.open()
    entry = edit(tree, "a.txt", *first)
    edit(tree, "a.txt", *second)
    stands = scene.files()

    with pytest.raises(Refused) as caught:
        take_back(tree, one(tree.journal, entry.id))

    assert [each.code for each in caught.value.refusals] == ["undo-conflict"]
    assert scene.files() == stands


def test_a_line_with_another_word_changed_since_is_not_made_one_that_nobody_wrote(
    scene: Scene,
) -> None:
    scene.put("a.txt", "wait = 30\n")
    tree = scene.open()
    first = edit(tree, "a.txt", "30", "60")
    second = edit(tree, "a.txt", "wait", "timeout")

    with pytest.raises(Refused) as caught:
        take_back(tree, one(tree.journal, first.id))

    (refusal,) = caught.value.refusals
    assert refusal.code == "undo-conflict"
    assert refusal.where == ("line 1 reads now:\ntimeout = 60\nthe undo would put back:\nwait = 30")
    assert refusal.data["later"] == second.id
    take_back(tree, one(tree.journal, second.id))
    take_back(tree, one(tree.journal, first.id))
    assert scene.files() == {"a.txt": b"wait = 30\n"}


def test_a_line_that_a_person_wrote_into_is_shown_as_it_reads(scene: Scene) -> None:
    path = scene.put("a.txt", "load()\ndeploy()\n")
    tree = scene.open()
    entry = edit(tree, "a.txt", "deploy", "wipe()\ndeploy")
    path.write_text("load()\n# wipe()\ndeploy()\n", "utf-8")

    with pytest.raises(Refused) as caught:
        take_back(tree, one(tree.journal, entry.id))

    (refusal,) = caught.value.refusals
    assert refusal.where == "line 2 reads now:\n# wipe()\nthe undo would put back:\n"


def test_a_line_that_others_wrote_again_as_it_was_is_theirs(scene: Scene) -> None:
    scene.put("a.txt", "one\ntwo\n")
    tree = scene.open()
    first = edit(tree, "a.txt", "one", "1")
    away = edit(tree, "a.txt", "1", "I")
    again = edit(tree, "a.txt", "I\n", "1\nmore\n")

    with pytest.raises(Refused) as caught:
        take_back(tree, one(tree.journal, first.id))

    assert caught.value.refusals[0].data["later"] == away.id
    for entry in (again, away, first):
        take_back(tree, one(tree.journal, entry.id))
    assert scene.files() == {"a.txt": b"one\ntwo\n"}


@pytest.mark.parametrize(
    ("before", "old", "new", "saved"),
    [
        # An inserted line that a person made a comment.
        ("load()\ndeploy()\n", "deploy", "wipe()\ndeploy", "load()\n# wipe()\ndeploy()\n"),
        # A line that was emptied, and taken out by a person.
        ("A\nx\nend\n", "x", "", "A\nend\n"),
        # A line end that a person took away, or brought.
        ("one\ntwo\nthree\n", "three\n", "", "one\ntwo"),
        ("one", "one", "one\n", "one\ntwo\n"),
        ("one\ntwo", "\ntwo", "", "ONE"),
        ("one\n", "one\n", "one\ntwo", "one\ntwo three\n"),
        # A line that was broken in two, or joined to the next.
        ("if a: b\nend\n", "a", "aa", "if aa:\n b\nend\n"),
        ("one\ntwo\nend\n", "two", "2", "one 2\nend\n"),
    ],
)
def test_lines_that_a_person_changed_too_are_not_mixed(
    scene: Scene, before: str, old: str, new: str, saved: str
) -> None:
    path = scene.put("a.txt", before)
    tree = scene.open()
    entry = edit(tree, "a.txt", old, new)
    path.write_text(saved, "utf-8")

    with pytest.raises(Refused) as caught:
        take_back(tree, one(tree.journal, entry.id))

    assert [refusal.code for refusal in caught.value.refusals] == ["undo-conflict"]
    assert scene.files() == {"a.txt": saved.encode()}


@pytest.mark.parametrize(
    ("saved", "after"),
    [
        ("one\n2\nTHREE\n", "one\ntwo\nTHREE\n"),
        ("ONE\n2\nthree\n", "ONE\ntwo\nthree\n"),
        ("one\nx\n2\nthree\n", "one\nx\ntwo\nthree\n"),
        ("one\n2\nx\nthree\n", "one\ntwo\nx\nthree\n"),
        ("2\n", "two\n"),
        ("one\n2\nthree", "one\ntwo\nthree"),
    ],
)
def test_whole_lines_that_a_person_changed_beside_stay(
    scene: Scene, saved: str, after: str
) -> None:
    path = scene.put("a.txt", "one\ntwo\nthree\n")
    tree = scene.open()
    entry = edit(tree, "a.txt", "two", "2")
    path.write_text(saved, "utf-8")

    take_back(tree, one(tree.journal, entry.id))

    assert scene.files() == {"a.txt": after.encode()}


def test_an_overlapping_later_edit_is_shown_beside_the_undo(scene: Scene) -> None:
    scene.put("a.txt", "one\ntwo\nthree\n")
    tree = scene.open()
    first = edit(tree, "a.txt", "two", "2")
    second = edit(tree, "a.txt", "2", "zwei")

    with pytest.raises(Refused) as caught:
        take_back(tree, one(tree.journal, first.id))

    (refusal,) = caught.value.refusals
    assert refusal.code == "undo-conflict"
    assert (
        refusal.headline
        == f"transaction {second.id} changed a.txt where the undo of {first.id} would"
    )
    assert refusal.where == "line 2 reads now:\nzwei\nthe undo would put back:\ntwo"
    assert refusal.data["later"] == second.id
    assert scene.files() == {"a.txt": b"one\nzwei\nthree\n"}


def test_after_the_later_edit_is_undone_the_earlier_one_can_be(scene: Scene) -> None:
    scene.put("a.txt", "one\ntwo\nthree\n")
    tree = scene.open()
    first = edit(tree, "a.txt", "two", "2")
    second = edit(tree, "a.txt", "2", "zwei")

    take_back(tree, one(tree.journal, second.id))
    take_back(tree, one(tree.journal, first.id))

    assert scene.files() == {"a.txt": b"one\ntwo\nthree\n"}


def test_undo_without_a_name_goes_back_edit_by_edit_and_redo_forth(scene: Scene) -> None:
    scene.put("a.txt", "0")
    tree = scene.open()
    for number in range(3):
        edit(tree, "a.txt", str(number), str(number + 1))

    seen = []
    for choose in (last, last, last_undo, last_undo):
        take_back(tree, choose(tree.journal, "tester"))
        seen.append(scene.files()["a.txt"])

    assert seen == [b"2", b"1", b"2", b"3"]


def test_undone_twice_is_refused_and_says_by_whom(scene: Scene) -> None:
    scene.put("a.txt", "old")
    tree = scene.open()
    entry = edit(tree, "a.txt", "old", "new")
    undoing = take_back(tree, one(tree.journal, entry.id))

    with pytest.raises(Refused) as caught:
        one(tree.journal, entry.id)

    (refusal,) = caught.value.refusals
    assert refusal.code == "nothing-to-undo"
    assert refusal.headline == f"transaction {entry.id} is undone already, by {undoing.id}"


def test_one_edit_of_several_is_taken_back_alone_and_then_the_rest(scene: Scene) -> None:
    scene.put("a.txt", "a b c d")
    tree = scene.open()
    with tree.hold(["a.txt"]) as held:
        document = present(held.snapshot, "a.txt")
        changes = (Change(0, 1, "AAA"), Change(2, 3, "B"), Change(6, 7, "DD"))
        entry = held.commit(Plan((changing("a.txt", document, *changes),)), CALL)

    take_back(tree, one(tree.journal, entry.id, edit=1))
    alone = scene.files()["a.txt"]
    take_back(tree, one(tree.journal, entry.id))

    assert alone == b"AAA b c DD"
    assert scene.files() == {"a.txt": b"a b c d"}


def test_a_created_file_goes_with_the_directories_made_for_it(scene: Scene) -> None:
    tree = scene.open()
    entry = create(tree, "new/deep/a.txt", "text")

    take_back(tree, one(tree.journal, entry.id))

    assert list(scene.root.iterdir()) == []


def test_a_created_file_that_was_edited_since_stays(scene: Scene) -> None:
    tree = scene.open()
    entry = create(tree, "a.txt", "text")
    edit(tree, "a.txt", "text", "more text")

    with pytest.raises(Refused) as caught:
        take_back(tree, one(tree.journal, entry.id))

    assert [refusal.code for refusal in caught.value.refusals] == ["undo-conflict"]
    assert scene.files() == {"a.txt": b"more text"}


def test_a_deleted_file_comes_back_with_mode_and_attributes(scene: Scene) -> None:
    path = scene.put("bin/run.sh", "#!/bin/sh\n", mode=0o751)
    os.setxattr(path, "user.note", b"kept")
    tree = scene.open()
    entry = delete(tree, "bin/run.sh")
    path.parent.rmdir()

    take_back(tree, one(tree.journal, entry.id))

    assert scene.files() == {"bin/run.sh": b"#!/bin/sh\n"}
    assert stat.S_IMODE(path.stat().st_mode) == 0o751
    assert os.getxattr(path, "user.note") == b"kept"


def test_a_deleted_file_does_not_replace_a_new_one_of_its_name(scene: Scene) -> None:
    scene.put("a.txt", "old")
    tree = scene.open()
    entry = delete(tree, "a.txt")
    scene.put("a.txt", "another")

    with pytest.raises(Refused) as caught:
        take_back(tree, one(tree.journal, entry.id))

    assert [refusal.code for refusal in caught.value.refusals] == ["undo-conflict"]
    assert scene.files() == {"a.txt": b"another"}


def test_a_move_is_taken_back_with_the_edits_made_since(scene: Scene) -> None:
    scene.put("a.txt", "one two", mode=0o640)
    tree = scene.open()
    moved = move(tree, "a.txt", "sub/b.txt")
    edit(tree, "sub/b.txt", "two", "2")

    take_back(tree, one(tree.journal, moved.id))

    assert scene.files() == {"a.txt": b"one 2"}
    assert stat.S_IMODE((scene.root / "a.txt").stat().st_mode) == 0o640


def test_an_edit_is_taken_back_where_the_file_moved_to(scene: Scene) -> None:
    scene.put("a.txt", "one two")
    tree = scene.open()
    edited = edit(tree, "a.txt", "two", "2")
    move(tree, "a.txt", "b.txt")
    move(tree, "b.txt", "c.txt")

    take_back(tree, one(tree.journal, edited.id))

    assert scene.files() == {"c.txt": b"one two"}


def test_a_whole_task_is_taken_back_and_other_tasks_stay(scene: Scene) -> None:
    scene.put("a.txt", "one\ntwo\nthree\n")
    tree = scene.open()
    edit(tree, "a.txt", "one", "1", Call(actor="x", task="numbers"))
    edit(tree, "a.txt", "three", "THREE", Call(actor="y", task="shout"))
    edit(tree, "a.txt", "1", "uno", Call(actor="x", task="numbers"))
    create(tree, "b.txt", "new", Call(actor="z", task="numbers"))

    take_back(tree, of_task(tree.journal, "numbers"))

    assert scene.files() == {"a.txt": b"one\ntwo\nTHREE\n"}


def test_back_to_a_point_takes_back_everything_since_and_its_undos(scene: Scene) -> None:
    scene.put("a.txt", "one\ntwo\nthree\n")
    tree = scene.open()
    early = edit(tree, "a.txt", "one", "1")
    point = edit(tree, "a.txt", "two", "2")
    take_back(tree, one(tree.journal, early.id))
    edit(tree, "a.txt", "three", "3")
    move(tree, "a.txt", "b.txt")
    edit(tree, "b.txt", "2", "zwei")

    take_back(tree, back_to(tree.journal, point.id))

    assert scene.files() == {"a.txt": b"1\n2\nthree\n"}


def test_back_to_a_point_keeps_away_what_a_later_undo_took_with_it(scene: Scene) -> None:
    scene.put("a.txt", "one\ntwo\nthree\nfour\n")
    tree = scene.open()
    mine = Call(actor="x", task="numbers")
    point = edit(tree, "a.txt", "one", "1", mine)
    edit(tree, "a.txt", "two", "2", mine)
    edit(tree, "a.txt", "four", "4")
    edit(tree, "a.txt", "three", "3", mine)
    take_back(tree, of_task(tree.journal, "numbers"))
    before = scene.files()

    take_back(tree, back_to(tree.journal, point.id))

    assert before == {"a.txt": b"one\ntwo\nthree\n4\n"}
    assert scene.files() == {"a.txt": b"1\ntwo\nthree\nfour\n"}


def test_back_to_a_point_follows_names_through_an_undone_move(scene: Scene) -> None:
    scene.put("a.txt", "one\ntwo\n")
    tree = scene.open()
    point = edit(tree, "a.txt", "two", "2")
    move(tree, "a.txt", "b.txt")
    edit(tree, "b.txt", "one", "1")
    moved = move(tree, "b.txt", "c.txt")
    take_back(tree, one(tree.journal, moved.id))
    move(tree, "b.txt", "d.txt")

    take_back(tree, back_to(tree.journal, point.id))

    assert scene.files() == {"a.txt": b"one\n2\n"}


def test_a_move_is_taken_back_after_the_one_that_followed_it(scene: Scene) -> None:
    scene.put("a.txt", "one\n")
    tree = scene.open()
    first = move(tree, "a.txt", "b.txt")
    second = move(tree, "b.txt", "c.txt")

    with pytest.raises(Refused) as caught:
        take_back(tree, one(tree.journal, first.id))

    (refusal,) = caught.value.refusals
    assert refusal.code == "undo-conflict"
    assert refusal.headline == f"b.txt was moved to c.txt after transaction {first.id}"
    take_back(tree, one(tree.journal, second.id))
    take_back(tree, one(tree.journal, first.id))
    assert scene.files() == {"a.txt": b"one\n"}


def test_a_file_that_moved_and_went_comes_back_under_its_first_name(scene: Scene) -> None:
    path = scene.put("a.txt", "one\n", mode=0o751)
    tree = scene.open()
    numbers = Call(actor="x", task="numbers")
    move(tree, "a.txt", "b.txt", numbers)
    edit(tree, "b.txt", "one", "1")
    delete(tree, "b.txt", numbers)

    back = take_back(tree, of_task(tree.journal, "numbers"))

    assert scene.files() == {"a.txt": b"1\n"}
    assert stat.S_IMODE(path.stat().st_mode) == 0o751
    assert [(file.path, file.moved_from) for file in back.files] == [("a.txt", "")]
    take_back(tree, one(tree.journal, back.id))
    assert scene.files() == {}


def test_a_deletion_made_again_takes_what_it_took_and_nothing_written_since(scene: Scene) -> None:
    path = scene.put("a.txt", "one\n")
    tree = scene.open()
    edit(tree, "a.txt", "one", "1")
    path.write_text("1\nof a person\n", "utf-8")
    gone = delete(tree, "a.txt")
    undone = take_back(tree, one(tree.journal, gone.id))
    redone = take_back(tree, one(tree.journal, undone.id))
    assert scene.files() == {}

    take_back(tree, one(tree.journal, redone.id))
    path.write_text("1\nof a person\nmore\n", "utf-8")

    for targets in (one(tree.journal, undone.id), back_to(tree.journal, gone.id)):
        with pytest.raises(Refused) as caught:
            take_back(tree, targets)
        assert {refusal.code for refusal in caught.value.refusals} <= {
            "undo-conflict",
            "nothing-to-undo",
        }
    assert scene.files() == {"a.txt": b"1\nof a person\nmore\n"}


def test_back_to_a_point_keeps_a_new_file_that_a_person_wrote_in(scene: Scene) -> None:
    scene.put("a.txt", "one\n")
    tree = scene.open()
    point = edit(tree, "a.txt", "one", "1")
    create(tree, "b.txt", "two\n")
    (scene.root / "b.txt").write_text("two\nof a person\n", "utf-8")
    edit(tree, "b.txt", "two", "2")
    move(tree, "b.txt", "c.txt")
    stands = scene.files()

    with pytest.raises(Refused) as caught:
        take_back(tree, back_to(tree.journal, point.id))

    assert [refusal.code for refusal in caught.value.refusals] == ["undo-conflict"]
    assert scene.files() == stands


def test_another_file_that_got_the_name_of_a_deleted_one_is_not_moved_back(scene: Scene) -> None:
    scene.put("a.txt", "one\n")
    scene.put("b.txt", "two\n")
    tree = scene.open()
    first = move(tree, "a.txt", "c.txt")
    delete(tree, "c.txt")
    move(tree, "b.txt", "c.txt")

    with pytest.raises(Refused) as caught:
        take_back(tree, one(tree.journal, first.id))
    assert [refusal.code for refusal in caught.value.refusals] == ["undo-conflict"]
    assert scene.files() == {"c.txt": b"two\n"}


def test_a_created_file_that_was_moved_since_stays_where_it_is(scene: Scene) -> None:
    tree = scene.open()
    first = create(tree, "a.txt", "one\n")
    later = move(tree, "a.txt", "b.txt")

    with pytest.raises(Refused) as caught:
        take_back(tree, one(tree.journal, first.id))
    assert [refusal.code for refusal in caught.value.refusals] == ["undo-conflict"]
    assert scene.files() == {"b.txt": b"one\n"}

    take_back(tree, one(tree.journal, later.id))
    take_back(tree, one(tree.journal, first.id))
    assert scene.files() == {}


def test_a_file_that_another_task_deleted_is_not_uncreated(scene: Scene) -> None:
    scene.put("b.txt", "b\n")
    tree = scene.open()
    create(tree, "a.txt", "one\n", Call(actor="x", task="numbers"))
    gone = delete(tree, "a.txt")
    edit(tree, "b.txt", "b", "B", Call(actor="x", task="numbers"))

    with pytest.raises(Refused) as caught:
        take_back(tree, of_task(tree.journal, "numbers"))

    assert [refusal.code for refusal in caught.value.refusals] == ["undo-conflict"]
    take_back(tree, one(tree.journal, gone.id))
    take_back(tree, of_task(tree.journal, "numbers"))
    assert scene.files() == {"b.txt": b"b\n"}


def test_back_to_a_point_sees_an_edit_that_an_undo_of_an_undo_brought_back(scene: Scene) -> None:
    scene.put("a.txt", "one\ntwo\n")
    tree = scene.open()
    point = edit(tree, "a.txt", "two", "2")
    later = edit(tree, "a.txt", "one", "1")
    undone = take_back(tree, one(tree.journal, later.id))
    take_back(tree, one(tree.journal, undone.id, 0))
    before = scene.files()

    take_back(tree, back_to(tree.journal, point.id))

    assert before == {"a.txt": b"1\n2\n"}
    assert scene.files() == {"a.txt": b"one\n2\n"}


def test_an_undone_creation_and_move_can_be_redone(scene: Scene) -> None:
    scene.put("a.txt", "one", mode=0o600)
    tree = scene.open()
    moved = move(tree, "a.txt", "b.txt")
    created = create(tree, "c.txt", "see")
    undone = [take_back(tree, one(tree.journal, entry.id)) for entry in (created, moved)]
    before = scene.files()

    for undoing in reversed(undone):
        take_back(tree, one(tree.journal, undoing.id))

    assert before == {"a.txt": b"one"}
    assert scene.files() == {"b.txt": b"one", "c.txt": b"see"}
    assert stat.S_IMODE((scene.root / "b.txt").stat().st_mode) == 0o600


@pytest.mark.parametrize("name", ["", "7", "7-abcd", "x", "-1", "1-zzzz"])
def test_an_unknown_transaction_is_refused(scene: Scene, name: str) -> None:
    scene.put("a.txt", "old")
    tree = scene.open()
    edit(tree, "a.txt", "old", "new")

    with pytest.raises(Refused) as caught:
        one(tree.journal, name)

    assert [refusal.code for refusal in caught.value.refusals] == ["nothing-to-undo"]


def test_undo_brings_the_very_bytes_back_when_their_encoding_was_edited_away(scene: Scene) -> None:
    data = "# coding: latin-1\nx = 'é'\n".encode("latin-1")
    path = scene.put("a.py", data)
    tree = scene.open()
    entry = edit(tree, "a.py", "# coding: latin-1\nx = 'é'", "x = 1")

    undoing = take_back(tree, one(tree.journal, entry.id))
    back = path.read_bytes()
    take_back(tree, one(tree.journal, undoing.id))

    assert back == data
    assert path.read_bytes() == b"x = 1\n"


def test_an_edit_built_into_others_cannot_be_taken_back_alone(scene: Scene) -> None:
    scene.put("a.txt", "one")
    tree = scene.open()
    with tree.hold(["a.txt"]) as held:
        plan = changing("a.txt", present(held.snapshot, "a.txt"), Change(0, 3, "two"))
        built = replace(plan, edits=(LocatedEdit(0, (Change(0, 1, "x"),)), *plan.edits[:0]))
        entry = held.commit(Plan((built,)), CALL)

    with pytest.raises(Refused) as caught:
        take_back(tree, one(tree.journal, entry.id, 0))
    assert [refusal.code for refusal in caught.value.refusals] == ["undo-conflict"]


def test_one_edit_of_a_call_on_two_files_leaves_the_other_file(scene: Scene) -> None:
    scene.put("a.txt", "one")
    scene.put("b.txt", "two")
    tree = scene.open()
    with tree.hold(["a.txt", "b.txt"]) as held:
        first = changing("a.txt", present(held.snapshot, "a.txt"), Change(0, 3, "1"))
        second = changing("b.txt", present(held.snapshot, "b.txt"), Change(0, 3, "2"))
        second = replace(second, edits=(replace(second.edits[0], index=1),))
        entry = held.commit(Plan((first, second)), CALL)

    take_back(tree, one(tree.journal, entry.id, 1))

    assert scene.files() == {"a.txt": b"1", "b.txt": b"two"}


def test_an_edit_of_a_file_that_is_gone_has_no_place(scene: Scene) -> None:
    path = scene.put("a.txt", "one")
    tree = scene.open()
    entry = edit(tree, "a.txt", "one", "two")
    path.unlink()

    with pytest.raises(Refused) as caught:
        take_back(tree, one(tree.journal, entry.id))
    assert caught.value.refusals[0].headline == (
        f"a.txt is gone, so the undo of {entry.id} has no place"
    )


def test_what_somebody_put_right_by_hand_is_nothing_to_undo(scene: Scene) -> None:
    scene.put("gone.txt", "old")
    tree = scene.open()
    made = create(tree, "new.txt", "x")
    gone = delete(tree, "gone.txt")
    (scene.root / "new.txt").unlink()
    scene.put("gone.txt", "old")

    for entry in (made, gone):
        with pytest.raises(Refused) as caught:
            take_back(tree, one(tree.journal, entry.id))
        assert [refusal.code for refusal in caught.value.refusals] == ["nothing-to-undo"]


def test_a_move_cannot_be_taken_back_from_nowhere_nor_onto_another_file(scene: Scene) -> None:
    scene.put("a.txt", "one")
    tree = scene.open()
    entry = move(tree, "a.txt", "b.txt")
    scene.put("a.txt", "another")
    codes = []
    for _ in range(2):
        with pytest.raises(Refused) as caught:
            take_back(tree, one(tree.journal, entry.id))
        codes.append(caught.value.refusals[0].headline)
        (scene.root / "a.txt").unlink(missing_ok=True)
        (scene.root / "b.txt").unlink(missing_ok=True)

    assert codes == [
        f"another a.txt is there, where the undo of {entry.id} would bring one back",
        f"b.txt is gone, so the undo of {entry.id} has no place",
    ]


def test_a_move_that_edited_is_taken_back_unless_the_same_place_was_edited(scene: Scene) -> None:
    scene.put("a.txt", "one\ntwo\n")
    tree = scene.open()
    with tree.hold(["a.txt", "b.txt"]) as held:
        document = present(held.snapshot, "a.txt")
        old, new = moving("a.txt", "b.txt", document)
        after = document.with_text("ONE\ntwo\n")
        entry = held.commit(Plan((old, replace(new, after=after))), CALL)
    edit(tree, "b.txt", "two", "2")
    undoing = take_back(tree, one(tree.journal, entry.id))
    back = scene.files()
    take_back(tree, one(tree.journal, undoing.id))
    edit(tree, "b.txt", "ONE", "Won")

    with pytest.raises(Refused) as caught:
        take_back(tree, one(tree.journal, entry.id))
    assert back == {"a.txt": b"one\n2\n"}
    assert [refusal.code for refusal in caught.value.refusals] == ["undo-conflict"]


def test_a_clash_with_an_outsider_says_so(scene: Scene) -> None:
    path = scene.put("a.txt", "one\ntwo\n")
    tree = scene.open()
    entry = edit(tree, "a.txt", "two", "2")
    path.write_bytes(b"one\nzwei\n")

    with pytest.raises(Refused) as caught:
        take_back(tree, one(tree.journal, entry.id))

    (refusal,) = caught.value.refusals
    assert refusal.headline == (
        f"somebody outside keyhole changed a.txt where the undo of {entry.id} would"
    )
    assert refusal.data["later"] == ""
    assert refusal.help == "edit the place by hand"


def test_of_very_many_clashes_the_latest_are_shown_and_the_others_counted(scene: Scene) -> None:
    path = scene.put("a.txt", "".join(f"line {number}\n" for number in range(52)))
    tree = scene.open()
    call = replace(CALL, task="all")
    made = [edit(tree, "a.txt", f"line {at}\n", f"row {at}\n", call) for at in range(52)]
    path.write_bytes(path.read_bytes().replace(b"row", b"their"))

    with pytest.raises(Refused) as caught:
        take_back(tree, of_task(tree.journal, "all"))

    *shown, rest = caught.value.refusals
    assert [each.data["transaction"] for each in shown] == [each.id for each in made[:1:-1]]
    assert (rest.code, rest.headline) == (
        "undo-conflict",
        "2 more transactions were not looked at: 50 clashes are shown already",
    )
    assert not [*while_few([(Undone(made[0].id), made[0])], shown)]
    assert shown[-1].headline.startswith("one more transaction was not looked at")


def test_one_file_of_a_transaction_is_taken_back_alone(scene: Scene) -> None:
    scene.put("a.txt", "one\n")
    scene.put("b.txt", "one\n")
    tree = scene.open()
    with tree.hold(["a.txt", "b.txt", "new.txt"]) as held:
        plans = [
            changing(path, present(held.snapshot, path), Change(0, 3, "two"))
            for path in ("a.txt", "b.txt")
        ]
        both = held.commit(Plan((*plans, creating("new.txt", "new\n"))), CALL)

    part = take_back(tree, one(tree.journal, both.id, path="b.txt"))

    assert scene.files() == {"a.txt": b"two\n", "b.txt": b"one\n", "new.txt": b"new\n"}
    assert part.call.undoes == (Undone(both.id, path="b.txt"),)
    assert undoings(tree.journal, both) == [Undoing(part.id, path="b.txt")]
    with pytest.raises(Refused, match="undone already"):
        one(tree.journal, both.id, path="b.txt")
    with pytest.raises(Refused, match="did not touch"):
        one(tree.journal, both.id, path="c.txt")

    whole = take_back(tree, one(tree.journal, both.id))

    assert scene.files() == {"a.txt": b"one\n", "b.txt": b"one\n"}
    take_back(tree, one(tree.journal, whole.id))
    take_back(tree, one(tree.journal, part.id))
    assert scene.files() == {"a.txt": b"two\n", "b.txt": b"two\n", "new.txt": b"new\n"}


def test_what_is_undone_is_not_undone_once_more_by_a_redo_of_an_older_undo(scene: Scene) -> None:
    scene.put("a.txt", "one\ntwo\nthree\n")
    tree = scene.open()
    gone = edit(tree, "a.txt", "two\n", "")
    undone = take_back(tree, one(tree.journal, gone.id))
    redone = take_back(tree, one(tree.journal, undone.id))
    again = take_back(tree, one(tree.journal, gone.id))
    edit(tree, "a.txt", "one", "1")

    with pytest.raises(Refused) as refused:
        one(tree.journal, redone.id)

    (refusal,) = refused.value.refusals
    assert refusal.code == "nothing-to-undo"
    assert refusal.headline == f"transaction {gone.id} is undone already, by {again.id}"


def test_a_way_back_that_took_an_undo_and_its_target_along_is_undone(scene: Scene) -> None:
    scene.put("a.txt", "one\n")
    tree = scene.open()
    point = create(tree, "b.txt", "b\n")
    moved = move(tree, "a.txt", "c.txt")
    take_back(tree, one(tree.journal, moved.id))
    move(tree, "a.txt", "d.txt")
    back = take_back(tree, back_to(tree.journal, point.id))

    take_back(tree, one(tree.journal, back.id))

    assert scene.files() == {"b.txt": b"b\n", "d.txt": b"one\n"}
