"""Opening a journal: ours and sound, or set aside, or left alone."""

import os
import signal
import sqlite3
import sys
from multiprocessing import get_context
from pathlib import Path

import pytest

from keyhole.disk import failpoints
from keyhole.journal import connection
from keyhole.journal.model import Attempt, Query
from keyhole.journal.place import JOURNAL as NAME
from keyhole.journal.sqlite import SqliteJournal
from keyhole.refusals import Refused
from tests.journal.test_sqlite import add
from tests.storage.test_recover import Died, die_at
from tests.torture.arena import memory_directory


def refused(directory: Path) -> str:
    with pytest.raises(Refused) as caught:
        SqliteJournal(directory)
    assert [refusal.code for refusal in caught.value.refusals] == ["journal"]
    return caught.value.refusals[0].headline


def aside(directory: Path) -> list[str]:
    return sorted(path.name.split("-")[0] for path in directory.glob("*damaged*"))


def test_the_rules_for_the_database_hold(tmp_path: Path) -> None:
    journal = SqliteJournal(tmp_path)
    wanted = {
        "journal_mode": "wal",
        "synchronous": 2,
        "foreign_keys": 1,
        "trusted_schema": 0,
        "wal_autocheckpoint": 0,
        "busy_timeout": 5000,
    }

    found = {name: journal.connection.db.execute(f"PRAGMA {name}").fetchone()[0] for name in wanted}

    assert found == wanted
    assert (tmp_path / "journal.db").stat().st_mode & 0o777 == 0o600


def test_a_file_that_is_no_database_is_set_aside(tmp_path: Path) -> None:
    (tmp_path / "journal.db").write_bytes(b"plain text, not a database\n" * 100)

    assert refused(tmp_path).startswith("the journal was damaged and is set aside: ")
    assert aside(tmp_path) == ["journal.db.damaged"]
    assert SqliteJournal(tmp_path).entries(Query()) == ()


def test_the_database_of_somebody_else_is_set_aside(tmp_path: Path) -> None:
    db = sqlite3.connect(tmp_path / "journal.db")
    db.execute("CREATE TABLE theirs(x)")
    db.close()

    assert "not a journal of keyhole" in refused(tmp_path)
    assert aside(tmp_path) == ["journal.db.damaged"]


@pytest.mark.parametrize("version", [0, 4, 99])
def test_a_journal_of_another_version_is_left_alone(tmp_path: Path, version: int) -> None:
    SqliteJournal(tmp_path).close()
    db = sqlite3.connect(tmp_path / "journal.db", isolation_level=None)
    db.execute(f"PRAGMA user_version = {version}")
    db.close()

    assert refused(tmp_path) == f"the journal has layout {version}, and this keyhole knows layout 3"
    assert aside(tmp_path) == []


def first_layout(directory: Path) -> None:
    """Turn a journal into one of the first layout, as older versions of keyhole made it."""
    db = sqlite3.connect(directory / "journal.db", isolation_level=None)
    db.execute("ALTER TABLE attempt DROP COLUMN said")
    db.execute("ALTER TABLE unfinished RENAME TO pending")
    db.execute("PRAGMA user_version = 1")
    db.close()


def test_a_journal_of_the_first_layout_is_brought_up_to_date(tmp_path: Path) -> None:
    journal = SqliteJournal(tmp_path)
    journal.refuse(Attempt(1.0, "me", "t", "edit", ("stale",), "a.txt"))
    entry = add(journal)
    journal.close()
    first_layout(tmp_path)

    journals = [SqliteJournal(tmp_path) for _ in range(2)]
    journals[1].refuse(Attempt(2.0, "me", "t", "edit", ("busy",), "a.txt", "somebody edits it"))

    assert [each.said for each in journals[0].attempts(Query())] == ["somebody edits it", ""]
    assert journals[0].entry(entry.id) is not None
    assert journals[0].examine().damage == ()
    for each in journals:
        each.close()


def test_a_journal_that_cannot_be_brought_up_to_date_stays_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    SqliteJournal(tmp_path).close()
    first_layout(tmp_path)
    monkeypatch.setattr(connection, "STEPS", {1: "ALTER TABLE nowhere ADD COLUMN x"})
    said = refused(tmp_path)
    monkeypatch.undo()

    SqliteJournal(tmp_path).close()

    assert "no such table: nowhere" in said
    assert aside(tmp_path) == []


def test_damage_is_found_after_a_process_died(tmp_path: Path) -> None:
    journal = SqliteJournal(tmp_path)
    for number in range(40):
        add(journal, path=f"{number}.txt", after=b"%d" % number * 500)
    journal.close()
    journal = SqliteJournal(tmp_path)
    add(journal)
    saved = (tmp_path / "journal.db-wal").read_bytes()
    journal.close()
    (tmp_path / "journal.db-wal").write_bytes(saved[:64])
    data = bytearray((tmp_path / "journal.db").read_bytes())
    data[4096 * 3 : 4096 * 5] = b"\xff" * 8192
    (tmp_path / "journal.db").write_bytes(data)

    assert "set aside" in refused(tmp_path)


def test_a_long_history_is_not_checked_on_opening(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "_CHECK_UP_TO", -1)
    (tmp_path / "journal.db").touch()
    (tmp_path / "journal.db-wal").write_bytes(b"x")

    assert connection._ended_badly(tmp_path) is False


def test_a_living_neighbour_is_no_reason_for_a_check(tmp_path: Path) -> None:
    first = SqliteJournal(tmp_path)
    add(first)
    second = SqliteJournal(tmp_path)

    assert len(second.entries(Query())) == 1
    second.close()
    first.close()


def test_tables_that_cannot_be_made_leave_no_half_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "TABLES", "CREATE TABLE one(x);\nCREATE TABLE one(x)")

    with pytest.raises(Refused):
        SqliteJournal(tmp_path)
    monkeypatch.undo()

    assert SqliteJournal(tmp_path).entries(Query()) == ()


def test_a_journal_that_is_closed_in_the_middle_of_a_commit_forgets_it(tmp_path: Path) -> None:
    journal = SqliteJournal(tmp_path)
    with pytest.raises(Died), failpoints.watch(die_at("intent-open")):
        add(journal)

    assert journal.entries(Query()) == ()
    assert add(journal).order == 1


def test_a_journal_that_was_half_made_when_a_process_died_is_made_again(tmp_path: Path) -> None:
    (tmp_path / f"{NAME}.new").write_bytes(b"half")
    (tmp_path / f"{NAME}.new-wal").write_bytes(b"half")
    (tmp_path / NAME).touch()
    (tmp_path / f"{NAME}-wal").write_bytes(b"the log of a database that is gone")

    assert add(SqliteJournal(tmp_path)).order == 1
    assert not [*tmp_path.glob(f"{NAME}.new*")]


def test_a_damaged_journal_that_somebody_has_replaced_is_not_set_aside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / NAME).write_bytes(b"plain text, not a database\n" * 100)
    inodes = iter((1, 2))
    monkeypatch.setattr(connection, "_which", lambda _: next(inodes))

    with pytest.raises(Refused) as caught:
        SqliteJournal(tmp_path)

    assert [refusal.code for refusal in caught.value.refusals] == ["busy"]
    assert aside(tmp_path) == []


def test_of_processes_that_begin_at_once_one_makes_the_journal() -> None:
    # The process has no threads: a fork while one is in SQLite would keep its locks for ever.
    rounds = 100
    with memory_directory() as home:
        process = get_context("spawn").Process(target=_open_at_once, args=(home, rounds, 6))
        process.start()
        process.join()

        assert (process.exitcode, [*home.glob("*/*damaged*")]) == (0, [])
        assert len([*home.glob(f"*/{NAME}")]) == rounds


def _open_at_once(home: Path, rounds: int, processes: int) -> None:
    """Leave with how many processes could not open the journal that all of a round begin."""
    failed = 0
    for number in range(rounds):
        directory = home / f"{number}"
        directory.mkdir()
        waiting, starting = os.pipe()
        pids = [_opens_when_told(directory, waiting, starting) for _ in range(processes)]
        os.close(waiting)
        os.close(starting)
        failed += sum(os.waitpid(pid, 0)[1] != 0 for pid in pids)
    sys.exit(min(failed, 99))


def _opens_when_told(directory: Path, waiting: int, starting: int) -> int:
    """Fork a process that opens the journal when the other end of the pipe is closed."""
    pid = os.fork()
    if pid == 0:
        code = 1
        signal.alarm(60)
        try:
            os.close(starting)
            os.read(waiting, 1)
            SqliteJournal(directory).close()
            code = 0
        finally:
            os._exit(code)
    return pid
