"""Entries in a row are put together once; what is kept of them can be lost or damaged."""

import sqlite3

import pytest

from keyhole.history import runs
from keyhole.history.runs import Run, parts, prepare, run_of
from keyhole.history.versions import FileVersion
from keyhole.journal.model import Query, Retention
from keyhole.journal.sqlite import SqliteJournal
from keyhole.text.changes import Change, ChangeSet
from keyhole.workspace import held
from keyhole.workspace.tree import Tree
from tests.workspace.scene import Scene, create, delete, edit


@pytest.fixture(autouse=True)
def short_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let runs be of three entries, nine and twenty-seven."""
    monkeypatch.setattr(runs, "FAN", 3)
    monkeypatch.setattr(runs, "_SIZES", (27, 9, 3))
    monkeypatch.setattr(held, "_is_due", lambda _: False)


def kept(tree: Tree) -> list[bytes]:
    """Return the runs that the journal keeps."""
    assert isinstance(tree.journal, SqliteJournal)
    query = "SELECT value FROM meta WHERE name LIKE 'run %'"
    return [row[0] for row in tree.journal.connection.db.execute(query)]


def edited(scene: Scene, count: int) -> Tree:
    """Return a workspace whose file says how often it was edited, with a surrogate in it."""
    path = scene.put("a.txt", b"0\n\xff\n")
    tree = scene.open()
    for number in range(count):
        edit(tree, "a.txt", f"{number}\n", f"{number + 1}\n")
        if number == 4:
            path.write_bytes(path.read_bytes() + b"saved \xfe\n")
    return tree


def test_parts_are_the_longest_runs_that_begin_where_they_may() -> None:
    numbers = range(100, 140)

    assert [len(part) for part in parts(numbers, 0)] == [27, 9, 3, 1]
    assert [len(part) for part in parts(numbers, 5)] == [1, 3, 9, 9, 9, 3, 1]
    assert [list(part) for part in parts(numbers, 40)] == []


def test_a_run_holds_what_was_done_beside_keyhole_too(scene: Scene) -> None:
    tree = edited(scene, 9)

    run = run_of(tree.journal, "a.txt", tree.journal.touches("a.txt"))

    assert run is not None
    assert run.changes.apply("0\n\udcff\n") == "9\n\udcff\nsaved \udcfe\n"
    assert run.after == FileVersion(tree.read("a.txt").hash, "utf-8")
    assert len(kept(tree)) == 4
    assert run_of(tree.journal, "a.txt", tree.journal.touches("a.txt")) == run


def test_a_damaged_run_is_made_again(scene: Scene) -> None:
    tree = edited(scene, 3)
    numbers = tree.journal.touches("a.txt")
    run = run_of(tree.journal, "a.txt", numbers)
    assert isinstance(tree.journal, SqliteJournal)
    (data,) = kept(tree)
    for damaged in (data[:-1] + b"!", b"", "text"):
        statement = "UPDATE meta SET value = ? WHERE name LIKE 'run %'"
        tree.journal.connection.db.execute(statement, (damaged,))

        assert run_of(tree.journal, "a.txt", numbers) == run
        assert kept(tree) == [data]


def test_a_run_that_cannot_be_kept_is_a_run(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise sqlite3.OperationalError

    tree = edited(scene, 3)
    assert isinstance(tree.journal, SqliteJournal)
    monkeypatch.setattr(type(tree.journal.connection), "note", full)

    run = run_of(tree.journal, "a.txt", tree.journal.touches("a.txt"))

    assert isinstance(run, Run)
    assert kept(tree) == []


def test_a_file_that_went_and_came_back_makes_no_run(scene: Scene) -> None:
    tree = edited(scene, 1)
    delete(tree, "a.txt")
    create(tree, "a.txt", "0\n")
    for number in range(6):
        edit(tree, "a.txt", f"{number}\n", f"{number + 1}\n")
    numbers = tree.journal.touches("a.txt")

    assert run_of(tree.journal, "a.txt", numbers) is None
    assert run_of(tree.journal, "a.txt", numbers[:3]) is None
    assert run_of(tree.journal, "a.txt", numbers[:2]) is None
    run = run_of(tree.journal, "a.txt", numbers[3:6])
    assert run is not None
    assert run.changes == ChangeSet(2, (Change(0, 2, "3\n"),))


def test_runs_are_made_ahead_now_and_then(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(held, "_is_due", lambda order: order == 8)
    tree = edited(scene, 7)
    assert kept(tree) == []

    edit(tree, "a.txt", "7\n", "8\n")

    assert len(kept(tree)) == 2
    create(tree, "b.txt", "0\n")
    prepare(tree.journal, tree.journal.entries(Query())[0], 100)
    assert len(kept(tree)) == 2


def test_runs_of_large_files_are_not_made_ahead(scene: Scene) -> None:
    tree = edited(scene, 3)

    prepare(tree.journal, tree.journal.entries(Query())[0], 3)
    assert kept(tree) == []
    prepare(tree.journal, tree.journal.entries(Query())[0], 100)
    assert len(kept(tree)) == 1


def test_runs_go_when_entries_are_forgotten(scene: Scene) -> None:
    tree = edited(scene, 4)
    run_of(tree.journal, "a.txt", tree.journal.touches("a.txt")[:3])
    assert len(kept(tree)) == 1

    tree.journal.tidy(Retention(seconds=0), now=4e9)

    assert kept(tree) == []
