"""The first page of the review over a long history, against the same page over a short one.

Server time: from the address to the bytes of the page, over a journal with real entries.
"""

from __future__ import annotations

import os
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from statistics import median

from bench.measure import Row
from keyhole.edits.model.operations import Edit
from keyhole.engine.facade import Engine
from keyhole.engine.history.changes import ChangesRequest
from keyhole.engine.options import Options
from keyhole.journal.model import Attempt, Call, EditRecord, EntryDraft, FileChange, Span
from keyhole.journal.record import to_json
from keyhole.journal.sqlite import KnownRows, Names, SqliteJournal, insert
from keyhole.surfaces.web.review import ReviewSite
from keyhole.surfaces.web.routes import PAGES
from keyhole.text.document import hash_of
from keyhole.workspace.tree import Tree

ALL = ChangesRequest()
_SHORT, _LONG = 1_000, 100_000
_ROUNDS = 15
_LINES = "".join(f"value_{line} = {line}\n" for line in range(200))
# What a person does not notice.
_SECONDS = 0.2
_PAGES = {
    "timeline": {},
    "one task": {"task": "task 7"},
    "one file": {"path": "src/file7.py"},
    "hidden refusals": {"refusals": "no"},
}


def rows() -> list[Row]:
    """Return every ratio with its limit; the second of each pair is seconds over the limit."""
    with tempfile.TemporaryDirectory() as home:
        short, long = (_site(Path(home) / str(size), size) for size in (_SHORT, _LONG))
        found = []
        for name, words in _PAGES.items():
            times = _interleaved(short, long, words)
            label = f"review, {name}: first page of {_LONG:,} transactions"
            found += [
                Row(f"{label} / of {_SHORT:,}", times[1] / times[0], 1.5),
                Row(f"{label} / {_SECONDS * 1000:.0f} ms", times[1] / _SECONDS, 1.0),
            ]
        for site in (short, long):
            site.engine.close()
        found.append(_of_changes(_changed(Path(home) / "changed", _MANY)))
        found.append(_preview(Path(home) / "undo"))
    return found


# Hunks of the diff of all that happened, and files that they are in: ten each.
_MANY, _IN_FILE = 2_000, 10


def _changed(home: Path, hunks: int) -> ReviewSite:
    (home / "root").mkdir(parents=True)
    engine = Engine.open(home / "root", home / "state")
    changed(engine, home / "root", hunks)
    return ReviewSite(engine, "review:bench")


def changed(engine: Engine, root: Path, hunks: int) -> None:
    """Change files in ten places each, every place in a transaction of its own."""
    for number in range(hunks // _IN_FILE):
        text = "".join(f"value_{line} = {line}\n" for line in range(100))
        (root / f"file{number:03}.txt").write_text(text, encoding="utf-8")
    for number in range(hunks):
        line = number % _IN_FILE * 9
        edit = Edit(find=f"value_{line} = {line}\n", content=f"value_{line} = new\n", reason="why")
        receipt = engine.edit([edit], Options(), f"file{number // _IN_FILE:03}.txt")
        assert receipt.ok, "BUG: the edit fits"


def _of_changes(site: ReviewSite) -> Row:
    """Return how long a reader waits for a page of many hunks; `review_paint` has it beside few."""
    times: list[float] = []
    for _ in range(_ROUNDS):
        fresh = ReviewSite(site.engine, "review:bench")
        start = time.perf_counter()
        page = PAGES["/changes"](fresh, {"since": "all"})
        times.append(time.perf_counter() - start)
        assert page.count('class="file"') == len(fresh.past.changes(ALL).files)
    site.engine.close()
    label = f"review, changes: first page of {_MANY:,} hunks / {_SECONDS * 1000:.0f} ms"
    return Row(label, median(times) / _SECONDS, 1.0)


# An undo of a task whose every edit somebody changed again, and what its preview may take.
_CLASHES, _PREVIEW_SECONDS = 400, 1.0


def _preview(home: Path) -> Row:
    """Return how long the preview of an undo takes that meets many later edits."""
    (home / "root").mkdir(parents=True)
    engine = Engine.open(home / "root", home / "state")
    words = ("line", "row", "item")
    text = "".join(f"{words[0]} {number}\n" for number in range(_CLASHES))
    (home / "root" / "a.txt").write_text(text, encoding="utf-8")
    # An agent sends its edits one by one.
    for (old, new), each in zip(pairwise(words), (1, 50), strict=True):
        for first in range(0, _CLASHES, each):
            numbers = range(first, first + each)
            edits = [Edit(find=f"{old} {at}\n", content=f"{new} {at}\n") for at in numbers]
            options = Options(actor=new, task=new, on_conflict="force")
            assert engine.edit(edits, options, "a.txt").ok, "BUG: the edits fit"
    times = []
    for _ in range(_ROUNDS):
        site = ReviewSite(engine, "review:bench")
        start = time.perf_counter()
        page = PAGES["/undo"](site, {"task": words[1]})
        times.append(time.perf_counter() - start)
        assert "not as things are" in page, "BUG: nothing clashes"
    engine.close()
    name = f"review, undo: preview with {_CLASHES} clashes / {_PREVIEW_SECONDS:.0f} s"
    return Row(name, median(times) / _PREVIEW_SECONDS, 1.0)


def _interleaved(short: ReviewSite, long: ReviewSite, words: dict[str, str]) -> tuple[float, float]:
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(_ROUNDS):
        for site, own in zip((short, long), times, strict=True):
            fresh = ReviewSite(site.engine, "bench")  # nothing counted yet: the slowest look
            start = time.perf_counter()
            page = PAGES["/"](fresh, words)
            own.append(time.perf_counter() - start)
            assert page.count("<article") >= 20, "BUG: the page shows too little"
    return median(times[0]), median(times[1])


def _site(home: Path, size: int) -> ReviewSite:
    (home / "root").mkdir(parents=True)
    tree = Tree.open(home / "root", state_home=home / "state")
    journal = tree.journal
    assert isinstance(journal, SqliteJournal), "BUG: the embedded journal is SQLite"
    fill(journal, size)
    return ReviewSite(Engine(tree), "bench")


def fill(journal: SqliteJournal, size: int) -> None:
    """Write many small edits at once; a tenth as many refusals between them."""
    now = time.time()
    with journal.connection.writing() as db:
        names = Names(db, KnownRows())
        for number in range(size):
            draft, images = _draft(number, now - (size - number) * 20)
            insert(names, draft, to_json(draft), images)
        db.execute("DELETE FROM unfinished")
    for number in range(size // 100):
        at = now - (size - number * 100) * 20
        journal.refuse(Attempt(at, "agent 1", "task 7", "mcp edit", ("not-found",), "src/file7.py"))


def last_text(size: int) -> str:
    """Return what one of the files is after so many edits."""
    return f"{_LINES}count = {size // 10}\n"


def _draft(number: int, at: float) -> tuple[EntryDraft, dict[str, bytes]]:
    path = f"src/file{number % 10}.py"
    old, new = last_text(number).encode(), last_text(number + 10).encode()
    span = Span(len(_LINES) + 8, len(old) - 1, len(new) - len(_LINES) - 9)
    edit = EditRecord(0, (0,), f"one more, number {number}", "", "exact")
    change = FileChange(path, hash_of(old), hash_of(new), (span,), (edit,))
    call = Call(f"agent {number % 5}", f"task {number % 20}", "mcp edit", f"step {number}")
    return EntryDraft(os.urandom(6).hex(), at, call, (change,)), {
        hash_of(old): old,
        hash_of(new): new,
    }
