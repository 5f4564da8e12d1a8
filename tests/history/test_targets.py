"""Which entries an undo means, and what is refused."""

import pytest

from keyhole.history import targets as undo_targets
from keyhole.history.targets import back_to, entry_of, last, last_undo, of_task, one
from keyhole.journal.model import Call, Undone
from keyhole.journal.sqlite import SqliteJournal
from keyhole.refusals import Refused
from tests.journal.test_sqlite import add
from tests.workspace.scene import Scene


@pytest.fixture
def journal(scene: Scene) -> SqliteJournal:
    return SqliteJournal(scene.home)


def undoing(journal: SqliteJournal, *targets: str) -> str:
    call = Call(actor="me", undoes=tuple(Undone(target) for target in targets))
    return add(journal, call=call).id


def refused(call: object) -> str:
    assert callable(call)
    with pytest.raises(Refused) as caught:
        call()
    assert [refusal.code for refusal in caught.value.refusals] == ["nothing-to-undo"]
    return caught.value.refusals[0].headline


def test_what_was_not_applied_cannot_be_undone(journal: SqliteJournal) -> None:
    entry = add(journal, state="rolled-back")

    assert refused(lambda: entry_of(journal, entry.id)).endswith("was not applied")
    assert refused(lambda: last(journal, "me")) == "there is no transaction of yours to undo"


def test_an_edit_that_is_not_there_is_refused(journal: SqliteJournal) -> None:
    entry = add(journal)

    assert refused(lambda: one(journal, entry.id, 3)) == f"transaction {entry.id} has no edit 3"


def test_the_last_edit_that_stands_is_meant(journal: SqliteJournal) -> None:
    first, second = add(journal), add(journal)
    add(journal, call=Call(actor="you"))

    assert last(journal, "me") == (Undone(second.id),)
    undo = undoing(journal, second.id)
    assert last(journal, "me") == (Undone(first.id),)
    assert last_undo(journal, "me") == (Undone(undo),)
    redo = undoing(journal, undo)
    assert last(journal, "me") == (Undone(second.id),)
    assert refused(lambda: last_undo(journal, "me")) == "there is no undo of yours to take back"
    assert redo != undo


def test_after_a_new_edit_there_is_nothing_to_redo(journal: SqliteJournal) -> None:
    undoing(journal, add(journal).id)
    add(journal)

    assert refused(lambda: last_undo(journal, "me")) == "there is no undo of yours to take back"


def test_a_task_without_edits_is_refused(journal: SqliteJournal) -> None:
    assert refused(lambda: of_task(journal, "none")) == "task 'none' has no transaction to undo"


def test_back_to_the_present_is_refused(journal: SqliteJournal) -> None:
    entry = add(journal)

    assert (
        refused(lambda: back_to(journal, entry.id))
        == f"nothing happened after transaction {entry.id}"
    )
    assert refused(lambda: back_to(journal, "77")) == "there is no transaction '77'"


def test_an_undo_within_the_stretch_is_not_taken_back_again(journal: SqliteJournal) -> None:
    point = add(journal)
    later = add(journal)
    undoing(journal, later.id)

    assert refused(lambda: back_to(journal, point.id)).startswith("nothing happened")


def test_a_long_history_is_read_in_pages(journal: SqliteJournal) -> None:
    point = add(journal)
    for _ in range(250):
        add(journal)

    assert len(back_to(journal, point.id)) == 250


def test_too_much_to_look_at_is_refused(
    journal: SqliteJournal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(undo_targets, "MOST", 5)
    point = add(journal)
    for _ in range(6):
        add(journal)

    with pytest.raises(Refused) as caught:
        back_to(journal, point.id)
    assert [refusal.code for refusal in caught.value.refusals] == ["too-large"]
