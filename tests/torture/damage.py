"""A damaged journal: bytes flipped, files cut short, somebody else's file in its place.

Whatever is done to it, no file of the workspace gets bytes that nobody wrote, and every call ends
with an answer or a typed refusal.
"""

from __future__ import annotations

import re
import shutil
import sqlite3
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from hashlib import shake_256
from pathlib import Path

from keyhole.disk import failpoints
from keyhole.edits.model.plan import FilePlan, Plan
from keyhole.history.targets import last
from keyhole.history.undo import paths_of, undo
from keyhole.journal.model import Query, Undone
from keyhole.refusals import Refused
from keyhole.text.changes import Change, ChangeSet
from keyhole.workspace.tree import Tree
from tests.torture.arena import CALL, Arena, Look, arena, child, kill_at, report
from tests.torture.mutants import MUTANTS

STEP = 512
BATCH = 50
Way = Callable[[Path], None]
_FLIPPED = (7, 137, 263, 391)
COUNTER, FILLER = "d0/count.txt", "filler\n" * 700
# Each count comes with words of its own, enough for pages that later commits do not write again.
_NOISE = 2500
_NAMES = ("journal.db", "journal.db-wal")


def run(mutant: str = "") -> Counter[str]:
    """Damage a journal that holds history and an unfinished transaction, in every way."""
    if mutant:
        MUTANTS[mutant]()
    found: Counter[str] = Counter()
    with arena(3) as here:
        allowed = _prepare(here)
        here.keep()
        ways = list(_ways(here))
        for some in batched(ways, BATCH):
            said, killed = child(lambda say, some=some: _damage(here, some, allowed, say))  # type: ignore[misc]
            found["crashed"] += killed
            found.update(said)
            if mutant and found["wrong bytes"]:
                break  # It is caught.
    return found


def batched(ways: list[Way], count: int) -> Iterator[list[Way]]:
    """Yield them some at a time: a process for each would cost more than its work."""
    yield from (ways[at : at + count] for at in range(0, len(ways), count))


def _damage(
    here: Arena, ways: list[Way], allowed: tuple[Look, Look], say: Callable[[str], None]
) -> None:
    for way in ways:
        here.reset()
        way(next((here.home / "now/state/keyhole").iterdir()))
        _use(here, say)
        for _ in range(_wrong(here, allowed)):
            say("wrong bytes")
        say("runs")


def _prepare(here: Arena) -> tuple[Look, Look]:
    """Make some history, then die in the middle of a transaction; return how files may look."""
    (here.root / COUNTER).write_text(_counted(0), encoding="utf-8")
    tree = here.open()
    for _ in range(4):
        _bump(tree)
    old = here.look()
    tree.close()
    shutil.copytree(here.home / "now", here.home / "before")
    tree = here.open()
    here.transact(tree)
    tree.close()
    new = here.look()
    shutil.rmtree(here.home / "now")
    (here.home / "before").rename(here.home / "now")
    _, killed = child(lambda _: _die(here))
    assert killed
    return old, new


def _die(here: Arena) -> None:
    tree = here.open()
    with failpoints.watch(kill_at("published-one", 2)):
        here.transact(tree)


def _bump(tree: Tree) -> None:
    """Count one further in a file of its own."""
    with tree.hold([COUNTER]) as held:
        document = held.snapshot.files[COUNTER]
        assert document is not None
        number = _number(document.text)
        if number is None:
            return  # what is wrong stays as it is for the judge
        end = document.text.index("\n")
        line = _counted(number + 1).partition("\n")[0]
        changes = ChangeSet(len(document.text), (Change(0, end, line),))
        after = document.with_text(changes.apply(document.text))
        held.commit(Plan((FilePlan(COUNTER, document, after, changes),)), CALL)


def _counted(number: int) -> str:
    """Return the file as it is after so many counts."""
    return f"count {number} {shake_256(str(number).encode()).hexdigest(_NOISE)}\n{FILLER}"


def _number(text: str) -> int | None:
    """Return how often a file was counted, None if nobody ever wrote this text."""
    found = re.match(r"count (\d+) ", text)
    number = int(found[1]) if found else 0
    return number if text == _counted(number) else None


def _ways(here: Arena) -> Iterator[Way]:
    """Yield every kind of damage."""
    (state,) = (here.home / "now/state/keyhole").iterdir()
    for name in _NAMES:
        size = (state / name).stat().st_size
        for at in range(0, size, STEP):
            for bit in _FLIPPED:
                yield lambda where, name=name, at=at + bit: _flip(where / name, at)  # type: ignore[misc]
            yield lambda where, name=name, at=at: _cut(where / name, at)  # type: ignore[misc]
            yield lambda where, name=name, at=at: _zero(where / name, at)  # type: ignore[misc]
    yield lambda where: (where / _NAMES[0]).unlink()
    yield lambda where: (where / _NAMES[1]).unlink()
    yield lambda where: _replace(where, b"this is no database\n" * 500)
    yield lambda where: _replace(where, b"")
    yield _foreign
    yield lambda where: _set_version(where, 0)
    yield lambda where: _set_version(where, 99)


def _flip(path: Path, at: int) -> None:
    data = bytearray(path.read_bytes())
    data[min(at, len(data) - 1)] ^= 0x41
    path.write_bytes(data)


def _cut(path: Path, at: int) -> None:
    path.write_bytes(path.read_bytes()[:at])


def _zero(path: Path, at: int) -> None:
    data = bytearray(path.read_bytes())
    data[at : at + STEP] = bytes(len(data[at : at + STEP]))
    path.write_bytes(data)


def _replace(where: Path, data: bytes) -> None:
    (where / _NAMES[1]).unlink()
    (where / _NAMES[0]).write_bytes(data)


def _foreign(where: Path) -> None:
    for name in _NAMES:
        (where / name).unlink()
    db = sqlite3.connect(where / _NAMES[0])
    db.execute("CREATE TABLE somebody(elses)")
    db.close()


def _set_version(where: Path, version: int) -> None:
    db = sqlite3.connect(where / _NAMES[0], isolation_level=None)
    db.execute(f"PRAGMA user_version = {version}")
    db.close()


def _use(here: Arena, say: Callable[[str], None]) -> None:
    """Open, recover, examine, undo and edit, as far as the journal lets us."""
    tree: Tree | None = None
    for _ in range(2):
        try:
            tree = here.open()
            break
        except Refused as refused:
            say(f"open refused {refused.refusals[0].code}")
    if tree is None:
        return
    with suppress(Refused):
        tree.journal.examine()
    _try(say, "undo", lambda: _undo(tree, last(tree.journal, CALL.actor)))
    _try(say, "older undo", lambda: _undo_older(tree))
    _try(say, "edit", lambda: _bump(tree))
    tree.close()


def _try(say: Callable[[str], None], what: str, work: Callable[[], object]) -> None:
    try:
        work()
        say(f"{what} done")
    except Refused as refused:
        say(f"{what} refused {refused.refusals[0].code}")


def _undo_older(tree: Tree) -> None:
    """Take back the newest entry whose images are in the database, and not in its log."""
    for entry in tree.journal.entries(Query(path=COUNTER, limit=1)):
        _undo(tree, [Undone(entry.id)])


def _undo(tree: Tree, targets: Sequence[Undone]) -> None:
    with tree.hold(paths_of(tree.journal, targets)) as held:
        taken = undo(tree.journal, targets, held.snapshot)
        held.commit(taken.plan, CALL, gains=taken.gains, made=taken.made)


def _wrong(here: Arena, allowed: tuple[Look, Look]) -> int:
    """Count files whose bytes nobody ever wrote."""
    old, new = allowed
    now = here.look()
    wrong = sum(now[path] not in {old[path], new[path]} for path in now)
    counted = (here.root / COUNTER).read_bytes().decode(errors="replace")
    return wrong + (_number(counted) is None)


if __name__ == "__main__":
    report(run(*sys.argv[1:]))
