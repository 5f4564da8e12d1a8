"""Upkeep: history is forgotten from its beginning, and what is kept can be undone."""

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from keyhole.history.targets import one
from keyhole.journal import upkeep
from keyhole.journal.model import (
    APPLIED,
    PENDING,
    ROLLED_BACK,
    Attempt,
    Call,
    Query,
    Retention,
)
from keyhole.journal.sqlite import SqliteJournal
from keyhole.workspace.tree import TreeOptions
from tests.journal.test_sqlite import add
from tests.workspace.scene import Scene, edit, take_back

FOREVER = Retention()


def numbers(journal: SqliteJournal) -> list[int]:
    return [entry.order for entry in journal.entries(Query(limit=100))][::-1]


@pytest.fixture
def journal(scene: Scene) -> SqliteJournal:
    return SqliteJournal(scene.home)


def test_old_entries_are_forgotten_and_the_chain_goes_on(journal: SqliteJournal) -> None:
    for time in range(10):
        add(journal, before=b"%d" % time, after=b"%d" % (time + 1), time=float(time))

    gone = journal.tidy(Retention(seconds=5.0), now=10.0)

    assert gone == 5
    assert numbers(journal) == [6, 7, 8, 9, 10]
    assert journal.examine().damage == ()
    assert add(journal).order == 11
    assert journal.entry("6") is not None
    assert journal.image(journal.entries(Query(limit=1))[0].files[0].before or "") == b"old"


def test_the_last_entry_stays_whatever_its_age(journal: SqliteJournal) -> None:
    for time in range(3):
        add(journal, time=float(time))

    journal.tidy(Retention(seconds=1.0), now=1e9)

    assert numbers(journal) == [3]
    assert add(journal).order == 4


def test_too_much_history_is_forgotten_from_its_beginning(journal: SqliteJournal) -> None:
    for number in range(20):
        data = random.Random(number).randbytes(4000)
        add(journal, before=None, after=data, path=f"{number}.txt", time=100.0)

    journal.tidy(Retention(size=30_000), now=100.0)

    kept = numbers(journal)
    assert kept == list(range(kept[0], 21))
    assert 3 <= len(kept) <= 8
    assert journal.examine().damage == ()


def test_a_size_that_even_one_entry_exceeds_ends(journal: SqliteJournal) -> None:
    for _ in range(3):
        add(journal, after=bytes(100_000), time=100.0)

    journal.tidy(Retention(size=1), now=100.0)

    assert numbers(journal) == [3]


def test_an_unfinished_entry_is_never_forgotten(journal: SqliteJournal) -> None:
    add(journal, time=1.0)
    pending = add(journal, time=2.0, state="pending")
    add(journal, time=3.0)

    journal.tidy(Retention(seconds=1.0), now=1e9)

    assert numbers(journal) == [2, 3]
    assert [entry.id for entry in journal.pending()] == [pending.id]


def test_an_empty_journal_is_tidy(journal: SqliteJournal) -> None:
    assert journal.tidy(FOREVER, now=1.0) == 0


def test_tidying_is_due_once_a_day(journal: SqliteJournal) -> None:
    for time in range(3):
        add(journal, time=float(time))

    assert journal.tidy_if_due(Retention(seconds=1.0), now=1e6) == 2
    add(journal, time=1e6)
    assert journal.tidy_if_due(Retention(seconds=1.0), now=1e6 + 3600) == 0
    assert journal.tidy_if_due(Retention(seconds=1.0), now=1e6 + 90_000) == 1


def test_what_is_kept_can_be_undone_after_much_was_forgotten(scene: Scene) -> None:
    scene.put("a.txt", "0" * 3000)
    tree = scene.open(TreeOptions(retention=Retention(seconds=0.0)))
    entries = [edit(tree, "a.txt", str(n), str(n + 1)) for n in range(6)]
    tree.close()
    tree = scene.open()

    kept = [entry.order for entry in tree.journal.entries(Query())]
    assert kept == [6]
    take_back(tree, one(tree.journal, entries[-1].id))
    assert scene.files()["a.txt"] == b"5" + b"0" * 2999


def test_small_edits_of_a_long_file_add_little_to_a_journal_whose_process_is_killed(
    journal: SqliteJournal,
) -> None:
    source = random.Random(5)
    lines = [f"row {n} {source.getrandbits(200):x}".encode() for n in range(800)]
    db, edits = journal.connection.db, 300
    before, empty = b"\n".join(lines), _used(journal)
    for number in range(edits):
        lines[source.randrange(len(lines))] = b"%d %x" % (number, source.getrandbits(800))
        after = b"\n".join(lines)
        add(journal, before=before, after=after)
        before = after

    assert len(before) > 50_000
    assert (_used(journal) - empty) / edits <= 2048
    assert db.execute("SELECT count(*) FROM blob WHERE packed = 0").fetchone() == (0,)


def _used(journal: SqliteJournal) -> int:
    (pages,) = journal.connection.db.execute("PRAGMA page_count").fetchone()
    return int(pages) * 4096


def grown(journal: SqliteJournal, source: random.Random, first: int, last: int) -> None:
    """Add calls of a few people, of which some are refused, written anew, or left unfinished."""
    for time in range(first, last):
        actor, path = source.choice("ab"), source.choice(["x.txt", "y.txt"])
        if source.random() < 0.4:
            journal.refuse(Attempt(time, actor, "t", "edit", ("not-found",), path))
        else:
            call = Call(actor, source.choice(["", "one", "two"]), source.choice(["edit", "write"]))
            state = source.choice([APPLIED, APPLIED, APPLIED, ROLLED_BACK])
            add(journal, path, after=b"%d" % time, call=call, time=float(time), state=state)


def counted_anew(journal: SqliteJournal, since: float, path: Path) -> tuple[object, object]:
    """Return the figures and tasks of a copy of a journal in which nothing is counted yet."""
    copy = path / f"copy{len(list(path.iterdir()))}"
    copy.mkdir()
    with closing(sqlite3.connect(copy / "journal.db")) as other:
        journal.connection.db.backup(other)
        other.execute("DELETE FROM meta WHERE name = ?", (upkeep.COUNTED,))
        other.commit()
    fresh = SqliteJournal(copy)
    fresh.connection.db.execute("DELETE FROM meta WHERE name = ?", (upkeep.COUNTED,))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(upkeep, "_CHUNK", 1 << 30)
        found = fresh.tally(since), fresh.tasks(10)
    fresh.close()
    return found


def test_what_is_counted_once_is_gone_on_with(
    journal: SqliteJournal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "_CHUNK", 4)
    source = random.Random(1)
    for first in range(0, 120, 20):
        grown(journal, source, first, first + 20)
        for since in (0.0, first - 5.0, first + 7.0, 1e9):
            found = journal.tally(since), journal.tasks(10)
            assert found == counted_anew(journal, since, tmp_path)
    again = SqliteJournal(journal.connection.directory)

    assert (again.tally(0.0), again.tasks(10)) == counted_anew(journal, 0.0, tmp_path)
    assert again.connection.ask(upkeep.counted, again._counted) is again._counted


def test_what_is_forgotten_or_damaged_is_counted_anew(
    journal: SqliteJournal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "_CHUNK", 4)
    grown(journal, random.Random(2), 0, 60)
    other = SqliteJournal(journal.connection.directory)
    before = other.tally(0.0)

    journal.tidy(Retention(seconds=30.0), now=60.0)
    left = other.tally(0.0)
    other.keep(upkeep.COUNTED, b"damaged")

    assert left != before
    assert (left, other.tasks(10)) == counted_anew(journal, 0.0, tmp_path)
    assert SqliteJournal(journal.connection.directory).tally(0.0) == left


def test_what_is_unfinished_is_not_counted_for_good(
    journal: SqliteJournal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "_CHUNK", 2)
    add(journal)
    open_ = add(journal, state=PENDING)
    for _ in range(4):
        add(journal)

    assert journal.tally(0.0).entries == {APPLIED: 5, PENDING: 1}
    journal.settle(open_, ROLLED_BACK)
    assert journal.tally(0.0).entries == {APPLIED: 5, ROLLED_BACK: 1}
