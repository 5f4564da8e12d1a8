"""Upkeep of the SQLite journal: forget, compress, examine, count."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator

from keyhole.journal import blobs, record
from keyhole.journal.model import PENDING, Health, Retention
from keyhole.journal.tallies import CountedCall, Tally, tally_of

_PACK_AT_ONCE = 100
_TIDY_EVERY_SECONDS = 24 * 3600.0
_FIXED_IN = (3, 51, 3)


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


def tally(db: sqlite3.Connection, since: float) -> Tally:
    """Count entries and refusals since a time."""
    return tally_of([*_done(db, since), *_refused(db, since)])


def _done(db: sqlite3.Connection, since: float) -> Iterator[CountedCall]:
    query = """SELECT CASE WHEN p.number IS NULL THEN e.state ELSE ? END, e.body FROM entry e
        LEFT JOIN unfinished p ON p.number = e.number WHERE e.time >= ?"""
    for state, body in db.execute(query, (PENDING, since)):
        yield record.deed_from_json(body, state)


def _refused(db: sqlite3.Connection, since: float) -> Iterator[CountedCall]:
    query = "SELECT time, actor, tool, codes, path FROM attempt WHERE time >= ?"
    for at, actor, tool, codes, path in db.execute(query, (since,)):
        paths = (path.decode("utf-8", "surrogatepass"),)
        yield CountedCall(at, actor, tool, paths, tuple(codes.split(",")))


def _last_before(db: sqlite3.Connection, time: float) -> int:
    """Return the last entry older than `time`."""
    query = "SELECT min(number) - 1 FROM entry WHERE time >= ?"
    row = db.execute(query, (time,)).fetchone()
    return int(row[0]) if row[0] is not None else _ends(db)[1]


def _ends(db: sqlite3.Connection) -> tuple[int, int]:
    first, last = db.execute("SELECT min(number), max(number) FROM entry").fetchone()
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
    db.execute("DELETE FROM meta WHERE name LIKE 'run %'")
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
