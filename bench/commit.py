"""A commit from lock to acknowledgement, against the least that any durable write costs.

C reads, writes a new file, flushes it, renames it and flushes the directory. J does the same and a
durable SQLite commit. Both are measured in turn with ours, so that noise hits all alike.
"""

from __future__ import annotations

import gc
import itertools
import os
import shutil
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.measure import Row
from keyhole.edits.model.operations import Edit
from keyhole.edits.model.plan import FilePlan, Plan
from keyhole.engine.facade import Engine
from keyhole.engine.options import Options
from keyhole.journal.model import Call
from keyhole.storage import commit
from keyhole.text.changes import Change, ChangeSet
from keyhole.workspace import tree as holding
from keyhole.workspace.held import FileLocks, lock_files
from keyhole.workspace.tree import Tree

_SIZE = 50_000
_ROUNDS = 300
_FILES = 1000
_HISTORY = 1_000_000
_COUNT = itertools.count(1)
_CALL = Call(actor="bench", tool="edit", reason="measure")


def rows() -> list[Row]:
    """Return every ratio with its limit."""
    with _scratch() as home:
        single = _single(home)
    with _scratch() as home:
        long = _long_history(home)
    with _scratch() as home:
        shared = _shared_lock(home)
    with _scratch() as home:
        many = _many_files(home)
    return [*single, *long, *shared, *many]


def _single(home: Path) -> list[Row]:
    (home / "floor").mkdir()
    data = (b"a line of source code, number 12345\n" * 2000)[:_SIZE]
    (home / "floor/a.txt").write_bytes(data)
    tree = _tree(home / "ours", {"a.txt": data})
    engine = Engine(_tree(home / "whole", {"a.txt": _numbered_lines()}))
    floor = _floor(home / "floor")
    record = _record(home / "floor.db")
    times = _interleaved(
        {
            "C": floor,
            "J": lambda: (floor(), record()),
            "ours": _editor(tree, "a.txt"),
            "whole": _caller(engine, "a.txt"),
        },
        _ROUNDS,
    )
    tree.close()
    engine.close()
    whole = "whole edit of a 50 KB file, request to receipt, durable and undoable / C"
    return [
        Row(whole, times["whole"] / times["C"], 4.0),
        Row("commit of a 50 KB file, lock to acknowledgement / C", times["ours"] / times["C"], 2.5),
        Row("commit of a 50 KB file, lock to acknowledgement / J", times["ours"] / times["J"], 1.7),
    ]


def _long_history(home: Path) -> list[Row]:
    data = (b"a line of source code, number 12345\n" * 2000)[:_SIZE]
    empty = _tree(home / "empty", {"a.txt": data})
    full = _tree(home / "full", {"a.txt": data})
    _editor(full, "a.txt")()
    full.close()
    (journal,) = home.glob("full/state/keyhole/*/journal.db")
    _fill(journal)
    full = Tree.open(home / "full/root", state_home=home / "full/state")
    editors = {"empty": _editor(empty, "a.txt"), "full": _editor(full, "a.txt")}
    times = _interleaved(editors, _ROUNDS)
    empty.close()
    full.close()
    label = f"commit with a journal of {_HISTORY:,} edits / with an empty one"
    return [Row(label, times["full"] / times["empty"], 1.1)]


def _shared_lock(home: Path) -> list[Row]:
    """Compare commits with the locks that other workspaces see, and without them."""
    data = (b"a line of source code, number 12345\n" * 2000)[:_SIZE]
    opened = _tree(home / "ours", {"a.txt": data})
    edit = _editor(opened, "a.txt")
    locking = commit.shut_out, lock_files
    nothing = (lambda *_: True), (lambda *_: FileLocks())

    def using(shut_out: object, files: object) -> Callable[[], object]:
        def work() -> object:
            vars(commit)["shut_out"], vars(holding)["lock_files"] = shut_out, files
            return edit()

        return work

    works = {"with": using(*locking), "without": using(*nothing)}
    try:
        times = _interleaved(works, 4 * _ROUNDS)
    finally:
        works["with"]()
    opened.close()
    label = "commit with the locks that overlapping workspaces share / without them"
    return [Row(label, times["with"] / times["without"], 1.03)]


def _many_files(home: Path) -> list[Row]:
    data = (b"a line of source code, number 12345\n" * 400)[: _SIZE // 5]
    ours, plain = [], []
    for turn in range(5):
        # New files in every turn: ext4 is slow to make a file where many were deleted a moment ago.
        names = [f"t{turn}d{number % 10}/f{number}.txt" for number in range(_FILES)]
        tree = _tree(home / f"ours{turn}", dict.fromkeys(names, data))
        _tree(home / f"plain{turn}", dict.fromkeys(names, data)).close()
        os.sync()
        plain.append(_timed(_plain_loop(home / f"plain{turn}/root", names)))
        ours.append(_timed(_editor(tree, *names)))
        tree.close()
    label = f"transaction over {_FILES:,} files / loop of read, temp, fsync, rename"
    return [Row(label, statistics.median(ours) / statistics.median(plain), 1.5)]


def _timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _interleaved(works: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Return the median seconds of each work, taken in turn."""
    for work in works.values():
        work()
    times: dict[str, list[float]] = {name: [] for name in works}
    gc.collect()
    gc.disable()
    try:
        for _ in range(rounds):
            for name, work in works.items():
                times[name].append(_timed(work))
    finally:
        gc.enable()
    return {name: statistics.median(each) for name, each in times.items()}


def _editor(tree: Tree, *paths: str) -> Callable[[], object]:
    """Return a work that changes six characters in each file, from lock to acknowledgement."""

    def edit() -> object:
        count = next(_COUNT)
        with tree.hold(paths) as held:
            plans = []
            for path in paths:
                document = held.snapshot.files[path]
                assert document is not None, "BUG: the file is there"
                change = Change(100, 106, f"{count:06}")
                changes = ChangeSet(len(document.text), (change,))
                after = document.with_text(changes.apply(document.text))
                plans.append(FilePlan(path, document, after, changes))
            return held.commit(Plan(tuple(plans)), _CALL)

    return edit


def _numbered_lines() -> bytes:
    return b"".join(b"line %05d %s\n" % (n, b"x" * 38) for n in range(_SIZE // 50))


def _caller(engine: Engine, path: str) -> Callable[[], object]:
    """Return a work that edits a line as a call of a tool does, and renders its receipt."""
    numbers = itertools.count()

    def call() -> object:
        number = next(numbers)
        old = f"line {number:05} "
        edit = Edit(find=old, content=old.replace("line", "edit"), match="exact", reason="measure")
        receipt = engine.edit([edit], Options(actor="bench", tool="edit"), path)
        assert receipt.ok, "BUG: the line is there"
        return receipt.as_text(), receipt.as_data()

    return call


def _floor(directory: Path) -> Callable[[], object]:
    fd = os.open(directory, os.O_RDONLY)

    def write() -> None:
        _replace(fd, "a.txt")
        os.fsync(fd)

    return write


def _plain_loop(root: Path, names: list[str]) -> Callable[[], object]:
    fd = os.open(root, os.O_RDONLY)

    def write() -> None:
        for name in names:
            _replace(fd, name)

    return write


def _replace(fd: int, name: str) -> None:
    source = os.open(name, os.O_RDONLY, dir_fd=fd)
    data = os.read(source, 2 * _SIZE)
    os.close(source)
    temp = os.open(f"{name}.new", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644, dir_fd=fd)
    os.write(temp, data[:100] + b"x" + data[101:])
    os.fsync(temp)
    os.close(temp)
    os.rename(f"{name}.new", name, src_dir_fd=fd, dst_dir_fd=fd)


def _record(path: Path) -> Callable[[], object]:
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = FULL")
    db.execute("CREATE TABLE record(id INTEGER PRIMARY KEY, data BLOB)")

    def write() -> None:
        db.execute("BEGIN IMMEDIATE")
        db.execute("INSERT INTO record(data) VALUES(?)", (b"d" * 300,))
        db.execute("COMMIT")

    return write


def _fill(journal: Path) -> None:
    """Make a history of a million entries out of one: other paths, other images, other people."""
    db = sqlite3.connect(journal)
    numbers = (
        f"WITH RECURSIVE n(i) AS (VALUES(2) UNION ALL SELECT i + 1 FROM n WHERE i < {_HISTORY})"
    )
    for statement in (
        "INSERT INTO path(id, name) SELECT i + 1, CAST('file' || i AS BLOB) FROM n WHERE i < 20000",
        "INSERT INTO who(id, actor, task) SELECT i, 'actor' || i, '' FROM n WHERE i < 100",
        """INSERT INTO entry SELECT i, i % 98 + 2, time, state, body, randomblob(32)
            FROM n, entry WHERE number = 1""",
        """INSERT INTO blob(hash, base, prefix, suffix, packed, data)
            SELECT randomblob(8), 1, 100, 100, 0, randomblob(40) FROM n""",
        "INSERT INTO touch SELECT i % 19000 + 3, i, i, i + 1 FROM n",
    ):
        db.execute(_with(numbers, statement))
    db.commit()
    db.close()


def _with(numbers: str, statement: str) -> str:
    head, _, tail = statement.partition("SELECT ")
    return f"{head}{numbers} SELECT {tail}"


def _tree(home: Path, files: dict[str, bytes]) -> Tree:
    for name, data in files.items():
        path = home / "root" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return Tree.open(home / "root", state_home=home / "state")


@contextmanager
def _scratch() -> Iterator[Path]:
    home = Path(tempfile.mkdtemp(prefix="keyhole-bench-"))
    try:
        yield home
    finally:
        shutil.rmtree(home)
