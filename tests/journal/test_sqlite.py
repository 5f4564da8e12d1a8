"""The journal in SQLite: what it keeps, what it answers, what it does when it cannot."""

import os
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from keyhole import deferred
from keyhole.disk import failpoints
from keyhole.fastclasses import replace
from keyhole.journal import connection as connection_module
from keyhole.journal import sqlite as sqlite_module
from keyhole.journal.model import (
    APPLIED,
    PENDING,
    ROLLED_BACK,
    ROLLING_BACK,
    Attempt,
    Call,
    Entry,
    EntryDraft,
    FileChange,
    Query,
    Region,
    Regions,
    Undone,
)
from keyhole.journal.sqlite import SqliteJournal
from keyhole.refusals import Refused
from keyhole.text.document import hash_of


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[SqliteJournal]:
    made = SqliteJournal(tmp_path)
    yield made
    made.close()


def add(
    journal: SqliteJournal,
    path: str = "a.txt",
    before: bytes | None = b"old",
    after: bytes | None = b"new",
    *,
    call: Call | None = None,
    time: float = 1000.0,
    state: str = APPLIED,
) -> Entry:
    """Write an entry and bring it to a state."""
    images = {hash_of(data): data for data in (before, after) if data is not None}
    change = FileChange(
        path,
        None if before is None else hash_of(before),
        None if after is None else hash_of(after),
    )
    draft = EntryDraft(os.urandom(6).hex(), time, call or Call(actor="me"), (change,))
    entry = journal.begin(draft, images, {})
    return entry if state == PENDING else journal.settle(entry, state)


def ids(entries: tuple[Entry, ...]) -> list[str]:
    return [entry.id for entry in entries]


def test_names_are_looked_up_again_once_too_many_are_remembered(
    journal: SqliteJournal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_module, "_MOST_KNOWN", 1)

    made = [add(journal, name) for name in ("a", "b", "a")]

    assert [file.path for entry in made for file in entry.files] == ["a", "b", "a"]
    assert ids(journal.entries(Query(path="a"))) == [made[2].id, made[0].id]


def test_an_entry_is_found_by_its_id_or_its_number(journal: SqliteJournal) -> None:
    entry = add(journal)

    assert journal.entry(entry.id) == entry
    assert journal.entry("1") == entry
    assert entry.id == f"1-{entry.draft.token[:4]}"
    for name in ("2", "1-zzzz", "", "x", "-1", "1" * 30, "١"):
        assert journal.entry(name) is None


def test_states_move_and_pending_is_told_by_path(journal: SqliteJournal) -> None:
    first = add(journal, "a.txt", state=PENDING)
    second = add(journal, "b.txt", state=PENDING)

    assert ids(journal.pending()) == [first.id, second.id]
    assert ids(journal.pending(frozenset({"b.txt", "c.txt"}))) == [second.id]
    assert journal.pending(frozenset({"c.txt"})) == ()
    journal.settle(first, ROLLING_BACK)
    assert [entry.state for entry in journal.pending()] == [ROLLING_BACK, PENDING]
    journal.settle(first, ROLLED_BACK)
    journal.settle(second, APPLIED)
    assert journal.pending() == ()
    assert [entry.outcome for entry in journal.entries(Query())] == ["applied", "not_applied"]


def test_entries_are_listed_by_path_person_task_time_and_page(journal: SqliteJournal) -> None:
    made = [
        add(journal, "src/a.txt", call=Call(actor="x", task="one"), time=1),
        add(journal, "src/deep/b.txt", call=Call(actor="y", task="one"), time=2),
        add(journal, "srcs/c.txt", call=Call(actor="x", task="two"), time=3),
        add(journal, "src/a.txt", b"new", b"newer", call=Call(actor="y"), time=4),
    ]
    a, b, c, d = [entry.id for entry in made]

    assert ids(journal.entries(Query())) == [d, c, b, a]
    assert ids(journal.entries(Query(limit=2))) == [d, c]
    assert ids(journal.entries(Query(before=made[2].order, limit=1))) == [b]
    assert ids(journal.entries(Query(path="src/a.txt"))) == [d, a]
    assert ids(journal.entries(Query(path="src"))) == [d, b, a]
    assert ids(journal.entries(Query(path="nothing"))) == []
    assert ids(journal.entries(Query(actor="x"))) == [c, a]
    assert ids(journal.entries(Query(task="one"))) == [b, a]
    assert ids(journal.entries(Query(task=""))) == [d]
    assert ids(journal.entries(Query(actor="y", task="one"))) == [b]
    assert ids(journal.entries(Query(actor="nobody"))) == []
    assert ids(journal.entries(Query(actor="x", before=made[2].order))) == [a]
    assert ids(journal.entries(Query(actor="x", until=3))) == [a]
    assert ids(journal.entries(Query(since=3))) == [d, c]
    assert ids(journal.entries(Query(until=3))) == [b, a]
    assert ids(journal.entries(Query(path="src/a.txt", actor="y", since=2))) == [d]


def test_later_entries_of_a_path_come_oldest_first(journal: SqliteJournal) -> None:
    first = add(journal)
    add(journal, "b.txt")
    rolled = add(journal, state=ROLLED_BACK)
    second, third = add(journal), add(journal)
    add(journal, state=PENDING)

    assert ids(journal.later("a.txt", first.order, 10)) == [second.id, third.id]
    assert ids(journal.later("a.txt", 0, 1)) == [first.id]
    assert rolled.state == ROLLED_BACK


def test_the_entries_of_a_path_are_told_by_their_order_and_what_they_left(
    journal: SqliteJournal,
) -> None:
    made = add(journal, before=None, after=b"1")
    add(journal, "b.txt", b"1", b"2")
    changed = add(journal, before=b"1", after=b"2")
    gone = add(journal, before=b"2", after=None)
    add(journal, before=None, after=b"1", state=ROLLED_BACK)
    add(journal, before=None, after=b"1", state=PENDING)

    assert journal.touches("a.txt") == (made.order, changed.order, gone.order)
    assert journal.touches("c.txt") == ()
    assert [each.id for each in journal.departures("a.txt", 0)] == [gone.id]
    assert journal.departures("a.txt", gone.order) == ()
    assert journal.reached("a.txt", hash_of(b"1")) == (changed.order, False)
    assert journal.reached("a.txt", hash_of(b"2")) == (gone.order, False)
    assert journal.reached("b.txt", hash_of(b"2")) == (2, True)
    assert journal.reached("a.txt", hash_of(b"3")) is None


def test_undoers_are_known_unless_rolled_back(journal: SqliteJournal) -> None:
    first = add(journal)
    part = add(journal, call=Call(undoes=(Undone(first.id, 2),)))
    add(journal, call=Call(undoes=(Undone(first.id),)), state=ROLLED_BACK)
    whole = add(journal, call=Call(undoes=(Undone(first.id),)))

    assert journal.undoers(first.id) == (part.id, whole.id)
    assert journal.undoers(whole.id) == ()


def test_versions_and_images_are_known_by_hash(journal: SqliteJournal) -> None:
    add(journal, "a.txt", b"old", b"new")
    add(journal, "b.txt", None, b"other")

    assert journal.image(hash_of(b"other")) == b"other"
    assert journal.image("0" * 16) is None
    assert journal.has_version("a.txt", hash_of(b"old"))
    assert journal.has_version("a.txt", hash_of(b"new"))
    assert not journal.has_version("a.txt", hash_of(b"other"))
    assert not journal.has_version("c.txt", hash_of(b"old"))


def test_claims_are_replaced_and_named(journal: SqliteJournal) -> None:
    region = Region(1, 2, "task", "me", 5.0)
    draft = EntryDraft("0123456789ab", 1.0, Call(), (FileChange("a.txt", None, hash_of(b"x")),))
    entry = journal.begin(draft, {hash_of(b"x"): b"x"}, {"a.txt": Regions("h", (region,))})

    assert journal.regions("a.txt") == Regions("h", (replace(region, entry=entry.id),))
    assert journal.regions("b.txt") is None


def test_tasks_end(journal: SqliteJournal) -> None:
    add(journal, call=Call(task="one"))

    assert journal.tasks_ended({"one"}) == {"one": 0.0}
    assert journal.end_task("one", 7.0) is True
    assert journal.end_task("two \ud800", 8.0) is False
    assert journal.tasks_ended(("one", "two \ud800")) == {"one": 7.0, "two \ud800": 8.0}


def test_calls_are_counted(journal: SqliteJournal) -> None:
    for time, codes in ((1.0, ("stale",)), (2.0, ("not-found", "stale"))):
        journal.refuse(Attempt(time, "me", "t", "edit", codes, "a.txt"))
    journal.refuse(Attempt(3.0, "\ud800", "", "edit", ("ambiguous",), "\ud800"))
    add(journal, "a.txt", call=Call(actor="me", tool="edit"), time=4.0)
    add(journal, "b.txt", call=Call(actor="me", tool="write"), time=5.0, state=ROLLED_BACK)
    add(journal, "a.txt", call=Call(actor="me", tool="edit"), time=6.0, state=PENDING)

    tally = journal.tally(0.0)

    assert tally.refusals == {"stale": 2, "not-found": 1, "ambiguous": 1}
    assert tally.entries == {APPLIED: 1, ROLLED_BACK: 1, PENDING: 1}
    assert tally.tools == {"edit": 2, "write": 1}
    assert tally.retried == 1
    assert journal.tally(5.5).entries == {PENDING: 1}


def test_a_tampered_entry_is_refused_and_reported(journal: SqliteJournal) -> None:
    entry, other = add(journal), add(journal)
    journal.connection.db.execute(
        "UPDATE entry SET body = replace(body, 'me', 'you') WHERE number = 1"
    )

    with pytest.raises(Refused) as caught:
        journal.entry(entry.id)
    assert [refusal.code for refusal in caught.value.refusals] == ["journal"]
    assert journal.entry(other.id) == other
    assert journal.examine().damage == ("entry 1 is not what was written",)


@pytest.mark.parametrize("body", ["x'00'", "'caf\u00e9'"])
def test_a_body_of_another_kind_is_refused(journal: SqliteJournal, body: str) -> None:
    add(journal)
    journal.connection.db.execute(f"UPDATE entry SET body = {body}")

    with pytest.raises(Refused):
        journal.entry("1")


def test_a_missing_entry_is_reported(journal: SqliteJournal) -> None:
    for _ in range(3):
        add(journal)
    journal.connection.db.execute("DELETE FROM entry WHERE number = 2")

    damage = journal.examine().damage

    assert damage == ("entries 2 to 2 are missing", "entry 3 is not what was written")


def test_a_damaged_image_is_refused_and_reported(journal: SqliteJournal) -> None:
    add(journal)
    journal.connection.db.execute(
        "UPDATE blob SET data = x'0011' WHERE hash = ?", (bytes.fromhex(hash_of(b"old")),)
    )

    with pytest.raises(Refused) as caught:
        journal.image(hash_of(b"old"))
    assert [refusal.code for refusal in caught.value.refusals] == ["journal"]
    assert journal.examine().damage == (f"image {hash_of(b'old')} is damaged",)


def test_an_examination_counts_and_names_the_store(journal: SqliteJournal) -> None:
    add(journal)
    add(journal, state=PENDING)

    health = journal.examine()

    assert (health.entries, health.pending, health.damage) == (2, 1, ())
    assert health.store == f"SQLite {sqlite3.sqlite_version}"
    assert health.size >= 4096
    assert bool(health.notes) is (sqlite3.sqlite_version_info < (3, 51, 3))


def test_questions_to_a_broken_database_are_refused(journal: SqliteJournal) -> None:
    journal.connection.db.execute("DROP TABLE touch")

    for question in (
        lambda: journal.later("a.txt", 0, 1),
        lambda: add(journal),
    ):
        with pytest.raises(Refused) as caught:
            question()
        assert [refusal.code for refusal in caught.value.refusals] == ["journal"]


def test_a_commit_that_failed_is_looked_for_again(journal: SqliteJournal) -> None:
    """The commit reports an error although it took place: the entry is found and counts."""

    def fail_late(name: str) -> None:
        if name == "intent-open":
            journal.connection.db.execute("COMMIT")
            raise sqlite3.OperationalError("disk I/O error")

    with failpoints.watch(fail_late):
        entry = add(journal, state=PENDING)

    assert ids(journal.pending()) == [entry.id]
    assert journal.settle(entry, APPLIED).outcome == "applied"


def test_a_commit_that_failed_for_good_is_refused(journal: SqliteJournal) -> None:
    def fail(name: str) -> None:
        if name == "intent-open":
            raise sqlite3.OperationalError("disk I/O error")

    with failpoints.watch(fail), pytest.raises(Refused) as caught:
        add(journal)

    assert [refusal.code for refusal in caught.value.refusals] == ["journal"]
    assert "outcome" not in caught.value.refusals[0].data
    assert journal.entries(Query()) == ()


def test_a_commit_nobody_can_tell_the_end_of_is_said_to_be_so(
    journal: SqliteJournal, tmp_path: Path
) -> None:
    def fail(name: str) -> None:
        if name == "intent-open":
            (tmp_path / "journal.db").rename(tmp_path / "away")
            (tmp_path / "journal.db").mkdir()
            raise sqlite3.OperationalError("disk I/O error")

    with failpoints.watch(fail), pytest.raises(Refused) as caught:
        add(journal)

    assert caught.value.refusals[0].data["outcome"] == "committed_pending"


def test_a_journal_in_use_is_busy(journal: SqliteJournal, tmp_path: Path) -> None:
    journal.connection.db.execute("PRAGMA busy_timeout = 20")
    other = sqlite3.connect(tmp_path / "journal.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    with pytest.raises(Refused) as caught:
        journal.refuse(Attempt(1.0, "me", "", "edit", ("stale",)))
    other.close()

    assert [refusal.code for refusal in caught.value.refusals] == ["busy"]


def test_the_log_stays_short(journal: SqliteJournal, tmp_path: Path) -> None:
    for number in range(200):
        add(journal, after=os.urandom(9000) + b"%d" % number)

    assert (tmp_path / "journal.db-wal").stat().st_size < 3 << 20
    assert journal.examine().damage == ()


def test_a_checkpoint_waits_until_the_answer_is_out(
    journal: SqliteJournal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection_module, "_CHECKPOINT_FROM", 0)
    before = (tmp_path / "journal.db").stat().st_size
    with deferred.put_off():
        for number in range(32):
            add(journal, after=b"%d" % number)
        assert (tmp_path / "journal.db").stat().st_size == before

    assert (tmp_path / "journal.db").stat().st_size > before


def test_a_checkpoint_gives_way_to_a_commit(
    journal: SqliteJournal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection_module, "_CHECKPOINT_FROM", 0)
    add(journal, after=os.urandom(9000))
    before = (tmp_path / "journal.db").stat().st_size
    other = SqliteJournal(tmp_path)
    with other.connection.writing():
        journal.connection.checkpoint_if_due()
        assert (tmp_path / "journal.db").stat().st_size == before
    journal.connection.checkpoint_if_due()
    other.close()

    assert (tmp_path / "journal.db").stat().st_size > before


def test_a_very_long_log_is_waited_for(
    journal: SqliteJournal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection_module, "_CHECKPOINT_FROM", 0)
    monkeypatch.setattr(connection_module, "_CHECKPOINT_AT_LAST", 0)
    add(journal)
    other = SqliteJournal(tmp_path)
    with other.connection.writing():
        waiter = threading.Thread(target=journal.connection.checkpoint_if_due)
        waiter.start()
        waiter.join(0.05)
        assert waiter.is_alive()
    waiter.join()
    other.close()

    assert (tmp_path / "journal.db").stat().st_size > 4096


def test_refused_calls_are_listed_newest_first(journal: SqliteJournal) -> None:
    first = Attempt(1.0, "me", "t", "edit", ("stale", "not-found"), "src/a.txt")
    second = Attempt(2.0, "you", "", "edit", ("ambiguous",), "src")
    third = Attempt(3.0, "me", "", "write", ("shrinks",), "srcs")
    for attempt in (first, second, third):
        journal.refuse(attempt)

    assert journal.attempts(Query()) == (third, second, first)
    assert journal.attempts(Query(path="src")) == (second, first)
    assert journal.attempts(Query(actor="me", task="")) == (third,)
    assert journal.attempts(Query(since=2.0, until=3.0)) == (second,)
    assert journal.attempts(Query(limit=1)) == (third,)


def test_entries_can_be_asked_for_up_to_a_time(journal: SqliteJournal) -> None:
    early, _ = add(journal, time=10.0), add(journal, time=20.0)

    assert journal.entries(Query(until=20.0)) == (early,)


def test_the_mark_moves_with_everything_that_is_recorded(journal: SqliteJournal) -> None:
    marks = [journal.mark()]
    entry = add(journal, state=PENDING)
    marks.append(journal.mark())
    journal.settle(entry, APPLIED)
    marks.append(journal.mark())
    journal.refuse(Attempt(1.0, "me", "t", "edit", ("stale",), "a"))
    marks.append(journal.mark())

    assert len(set(marks)) == 4
    assert journal.mark() == marks[-1]
