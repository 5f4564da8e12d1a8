"""Upkeep of the SQLite journal: forget, compress, examine, count."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice, takewhile

from keyhole.fastclasses import dataclass, field
from keyhole.journal import blobs, record
from keyhole.journal.model import PENDING, Health, Retention, TaskSum
from keyhole.journal.tallies import CountedCall, Tally, Totals

_PACK_AT_ONCE = 100
_TIDY_EVERY_SECONDS = 24 * 3600.0
_FIXED_IN = (3, 51, 3)
# Entries that are counted at once, and the form of what is kept of it.
_CHUNK, _FORM = 1024, 1
_ALL = (1 << 63) - 1
# The name that it is kept under.
COUNTED = "counted"


def tidy(db: sqlite3.Connection, retention: Retention, now: float) -> int:
    """Forget the oldest entries beyond the retention, and compress images stored in a hurry."""
    last = retention.keep_from - 1 if retention.keep_from else _ends(db)[1]
    forgotten = _forget_up_to(db, min(last, _last_before(db, now - retention.seconds)))
    while _size(db) > retention.size:
        # A quarter at a time: sizes are only known once nothing refers to an image any more.
        first, end = _ends(db)
        gone = _forget_up_to(db, min(last, first + (end - first) // 4))
        if not gone:
            break
        forgotten += gone
    blobs.pack(db, _PACK_AT_ONCE)
    db.execute("INSERT OR REPLACE INTO meta(name, value) VALUES('tidied', ?)", (now,))
    return forgotten


def is_due(db: sqlite3.Connection, now: float) -> bool:
    """Tell whether nobody has tidied up for a day."""
    row = db.execute("SELECT value FROM meta WHERE name = 'tidied'").fetchone()
    return row is None or now - row[0] > _TIDY_EVERY_SECONDS


def examine(db: sqlite3.Connection) -> Health:
    """Check the database, the chain of entries, and every image."""
    damage = [row[0] for row in db.execute("PRAGMA quick_check(20)") if row[0] != "ok"]
    damage += _broken_chain(db)
    damage += _broken_images(db)
    entries = db.execute("SELECT count(*) FROM entry").fetchone()[0]
    pending = db.execute("SELECT count(*) FROM unfinished").fetchone()[0]
    pages = db.execute("PRAGMA page_count").fetchone()[0]
    size = pages * db.execute("PRAGMA page_size").fetchone()[0]
    store = f"SQLite {sqlite3.sqlite_version}"
    return Health(store, entries, pending, size, tuple(damage), tuple(_notes()))


@dataclass(frozen=True, slots=True)
class Counted:
    """What is counted of a journal for good, in chunks of entries that are finished.

    So a question about all of a long history reads what came since; entries stay as they are.
    """

    # The journal's first entry: what was counted before some were forgotten counts no more.
    first: int
    totals: str = ""
    # Each chunk's last entry, the last refused call before its end, and the latest time in it.
    chunks: tuple[tuple[int, int, float], ...] = ()
    # How many entries each person made, by the number in `who`.
    people: Mapping[int, int] = field(default_factory=dict)

    @property
    def last(self) -> int:
        """Return the last entry that is counted."""
        return self.chunks[-1][0] if self.chunks else self.first - 1

    def as_bytes(self) -> bytes:
        """Return this to be kept, small."""
        people = list(self.people.items())
        data = [_FORM, self.first, self.totals, self.chunks, people]
        return zlib.compress(json.dumps(data, separators=(",", ":")).encode("ascii"), 1)

    @staticmethod
    def from_bytes(kept: bytes | None) -> Counted | None:
        """Return what was kept; None for what is of another form, or damaged."""
        try:
            form, first, totals, chunks, people = json.loads(zlib.decompress(kept or b""))
        except (ValueError, zlib.error):
            return None
        return (
            Counted(first, totals, tuple(map(tuple, chunks)), dict(people))
            if form == _FORM
            else None
        )


def counted(db: sqlite3.Connection, known: Counted | None) -> Counted:
    """Return what was counted, gone on with to the last whole chunk: itself where there is none."""
    first, last = _ends(db)
    unfinished = db.execute("SELECT min(number) FROM unfinished").fetchone()[0]
    last = min(last, unfinished - 1) if unfinished else last
    found = known if known and known.first == first else Counted(first)
    if last < found.last + _CHUNK:
        return found
    totals, chunks, people = Totals(found.totals), [*found.chunks], Counter(found.people)
    for end in range(found.last + _CHUNK, last + 1, _CHUNK):
        before, refused, _ = chunks[-1] if chunks else (first - 1, 0, 0.0)
        through = _refused_by(db, refused, end)
        deeds = [*_done(db, before, end), *_refused(db, refused, through)]
        totals.add(deeds)
        people.update(_people(db, before, end))
        chunks.append((end, through, max(deed.time for deed in deeds)))
    return Counted(first, totals.as_json(), tuple(chunks), people)


def tally(db: sqlite3.Connection, kept: Counted, since: float) -> Tally:
    """Count entries and refusals since a time."""
    # Of a chunk that has some of them, every call is looked at.
    before = [*takewhile(lambda chunk: not since or chunk[2] < since, kept.chunks)]
    number, refused, _ = before[-1] if before else (0, 0, 0.0)
    totals = Totals("" if since else kept.totals)
    totals.add((*_done(db, number, since=since), *_refused(db, refused, since=since)))
    return totals.tally()


def tasks(db: sqlite3.Connection, kept: Counted, limit: int) -> tuple[TaskSum, ...]:
    """Return what tasks did, those that edited last first."""
    counts = Counter(kept.people)
    counts.update(_people(db, kept.last))
    found: dict[str, list[int]] = {}
    query = """SELECT w.task, w.id, (SELECT max(number) FROM entry WHERE who = w.id) AS last
        FROM who w WHERE w.task <> '' AND last IS NOT NULL ORDER BY last DESC"""
    for task, who, last in db.execute(query):
        found.setdefault(task, [last, 0])[1] += counts[who]
    query = """SELECT e.time, coalesce(t.ended >= e.time, 0) FROM entry e
        LEFT JOIN task t ON t.name = ? WHERE e.number = ?"""
    sums = []
    for task, (last, count) in islice(found.items(), limit):
        at, ended = db.execute(query, (task, last)).fetchone()
        sums.append(TaskSum(task, count, at, bool(ended)))
    return tuple(sums)


def _refused_by(db: sqlite3.Connection, before: int, number: int) -> int:
    """Return the last of the refused calls that came before an entry, none of them later."""
    query = """SELECT coalesce(
            (SELECT id - 1 FROM attempt WHERE id > ?1 AND time > e.time ORDER BY id LIMIT 1),
            (SELECT max(id) FROM attempt), ?1)
        FROM entry e WHERE e.number = ?2"""
    return int(db.execute(query, (before, number)).fetchone()[0])


def _people(db: sqlite3.Connection, first: int, last: int = _ALL) -> Iterator[int]:
    # The index by person would have to be read whole.
    query = "SELECT who FROM entry NOT INDEXED WHERE number > ? AND number <= ?"
    return (row[0] for row in db.execute(query, (first, last)))


def _done(
    db: sqlite3.Connection, first: int, last: int = _ALL, since: float = 0.0
) -> Iterator[CountedCall]:
    query = """SELECT CASE WHEN p.number IS NULL THEN e.state ELSE ? END, e.body FROM entry e
        LEFT JOIN unfinished p ON p.number = e.number
        WHERE e.number > ? AND e.number <= ? AND e.time >= ?"""
    for state, body in db.execute(query, (PENDING, first, last, since)):
        yield record.deed_from_json(body, state)


def _refused(
    db: sqlite3.Connection, first: int, last: int = _ALL, since: float = 0.0
) -> Iterator[CountedCall]:
    query = """SELECT time, actor, tool, codes, path FROM attempt
        WHERE id > ? AND id <= ? AND time >= ?"""
    for at, actor, tool, codes, path in db.execute(query, (first, last, since)):
        paths = (path.decode("utf-8", "surrogatepass"),)
        yield CountedCall(at, actor, tool, paths, tuple(codes.split(",")))


def _last_before(db: sqlite3.Connection, time: float) -> int:
    """Return the last entry older than `time`."""
    query = "SELECT min(number) - 1 FROM entry WHERE time >= ?"
    row = db.execute(query, (time,)).fetchone()
    return int(row[0]) if row[0] is not None else _ends(db)[1]


def _ends(db: sqlite3.Connection) -> tuple[int, int]:
    # Asked for both at once, SQLite reads a whole index.
    query = "SELECT (SELECT min(number) FROM entry), (SELECT max(number) FROM entry)"
    first, last = db.execute(query).fetchone()
    return int(first or 0), int(last or 0)


def _forget_up_to(db: sqlite3.Connection, number: int) -> int:
    """Forget entries from the beginning; the last stays, so that no number is used twice."""
    unfinished = db.execute("SELECT min(number) FROM unfinished").fetchone()[0]
    number = min(number, _ends(db)[1] - 1, unfinished - 1 if unfinished else number)
    row = db.execute("SELECT chain FROM entry WHERE number = ?", (number,)).fetchone()
    if row is None:
        return 0
    # The chain goes on from here: its last forgotten link is kept.
    db.execute("INSERT OR REPLACE INTO meta(name, value) VALUES('chain', ?)", row)
    db.execute("DELETE FROM touch WHERE number <= ?", (number,))
    db.execute("DELETE FROM undo WHERE number <= ?", (number,))
    # What was put together from entries holds their texts.
    db.execute("DELETE FROM meta WHERE name LIKE 'run %' OR name = ?", (COUNTED,))
    gone = db.execute("DELETE FROM entry WHERE number <= ?", (number,)).rowcount
    first = db.execute("SELECT time FROM entry ORDER BY number LIMIT 1").fetchone()
    db.execute("DELETE FROM attempt WHERE time < ?", first)
    blobs.drop_unused(db)
    return gone


def _size(db: sqlite3.Connection) -> int:
    images = db.execute("SELECT total(length(data)) FROM blob").fetchone()[0]
    return int(images + db.execute("SELECT total(length(body)) FROM entry").fetchone()[0])


def _broken_chain(db: sqlite3.Connection) -> Iterator[str]:
    row = db.execute("SELECT value FROM meta WHERE name = 'chain'").fetchone()
    chain: bytes = row[0] if row else b""
    expected: int | None = None
    for number, body, stored in db.execute("SELECT number, body, chain FROM entry ORDER BY number"):
        if expected is not None and number != expected:
            yield f"entries {expected} to {number - 1} are missing"
        text = body.encode("utf-8") if isinstance(body, str) else bytes(body)
        if hashlib.sha256(chain + text).digest() != stored:
            yield f"entry {number} is not what was written"
        chain, expected = stored, number + 1


def _broken_images(db: sqlite3.Connection) -> Iterator[str]:
    for (hash_,) in db.execute("SELECT hash FROM blob"):
        name = bytes(hash_).hex()
        try:
            blobs.get(db, name)
        except blobs.DamagedImage:
            yield f"image {name} is damaged"


def _notes() -> Iterator[str]:
    if sqlite3.sqlite_version_info < _FIXED_IN:  # pragma: no cover: as the machine's SQLite is
        yield (
            "this SQLite can corrupt a log that two processes reset and write at once; "
            "keyhole keeps commits and checkpoints apart, so it cannot happen here"
        )
