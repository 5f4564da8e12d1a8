"""File contents by their hash: each stored once, whole or as a difference from a whole one."""

from __future__ import annotations

import sqlite3
import zlib

from keyhole.fastclasses import dataclass
from keyhole.text.document import hash_of

_PACK_FROM = 512
_LARGE = 8 << 20
_PIECE = 1 << 20

_Row = tuple[int, bytes, int | None, int, int, int, bytes]


class DamagedImage(Exception):  # noqa: N818 - it names what was found
    """An image is missing or is not what its hash says."""


@dataclass(frozen=True, slots=True)
class StoredImage:
    """An image in the store: whole, or the middle between two ends of a whole one (`base`)."""

    id: int
    data: bytes
    base: int | None = None
    prefix: int = 0
    suffix: int = 0


def put(
    db: sqlite3.Connection, hash_: str, data: bytes, parent: StoredImage | None = None
) -> StoredImage:
    """Store an image unless it is there.

    With the image it grew out of, only the middle that differs is stored. A difference always
    counts from a whole image, never from another difference: with `parent` sharing p and s bytes
    with the whole, and `data` sharing a and b bytes with `parent`, `data` shares min(p, a) and
    min(s, b) bytes with the whole.
    """
    key = bytes.fromhex(hash_)
    query = "SELECT id, base, prefix, suffix FROM blob WHERE hash = ?"
    found = db.execute(query, (key,)).fetchone()
    if found:
        number, base, prefix, suffix = found
        known = data if len(data) < _LARGE else b""
        return StoredImage(number, known, base, prefix or 0, suffix or 0)
    if len(data) >= _LARGE:
        return _put_large(db, key, data)
    new = _difference(data, parent) if parent and parent.data else StoredImage(0, data)
    middle = data[new.prefix : len(data) - new.suffix]
    statement = (
        "INSERT INTO blob(hash, base, prefix, suffix, packed, data) VALUES(?, ?, ?, ?, 0, ?)"
    )
    number = db.execute(statement, (key, new.base, new.prefix, new.suffix, middle)).lastrowid
    assert number is not None, "BUG: an insert has a row"
    return StoredImage(number, data, new.base, new.prefix, new.suffix)


def _put_large(db: sqlite3.Connection, key: bytes, data: bytes) -> StoredImage:
    """Store a large image whole and piece by piece, so that it is never in memory twice."""
    statement = (
        "INSERT INTO blob(hash, prefix, suffix, packed, data) VALUES(?, 0, 0, 2, zeroblob(?))"
    )
    number = db.execute(statement, (key, len(data))).lastrowid
    assert number is not None, "BUG: an insert has a row"
    with db.blobopen("blob", "data", number) as blob:
        for at in range(0, len(data), _PIECE):
            blob.write(data[at : at + _PIECE])
    return StoredImage(number, b"")


def get(db: sqlite3.Connection, hash_: str) -> bytes | None:
    """Return an image, checked against its hash, or None when it is not kept."""
    row = _row(db, "hash", bytes.fromhex(hash_))
    if row is None:
        return None
    data = _whole(db, row)
    if hash_of(data) != hash_:
        raise DamagedImage(hash_)
    return data


def pack(db: sqlite3.Connection, limit: int) -> int:
    """Compress up to `limit` images that were stored uncompressed, and return how many."""
    query = "SELECT id, data FROM blob WHERE packed = 0 AND length(data) >= ? ORDER BY id LIMIT ?"
    rows = db.execute(query, (_PACK_FROM, limit)).fetchall()
    for number, data in rows:
        small = zlib.compress(data, 6)
        worth = len(small) < len(data)
        # 2 says "tried, and not worth it", so that it is not tried again.
        db.execute(
            "UPDATE blob SET packed = ?, data = ? WHERE id = ?",
            (1 if worth else 2, small if worth else data, number),
        )
    return len(rows)


def drop_unused(db: sqlite3.Connection) -> int:
    """Delete the images that no entry and no kept difference needs, and return how many."""
    unused = """DELETE FROM blob WHERE id NOT IN (
        SELECT before FROM touch WHERE before IS NOT NULL
        UNION SELECT after FROM touch WHERE after IS NOT NULL)
        AND id NOT IN (SELECT base FROM blob WHERE base IS NOT NULL)"""
    # Twice: a whole image is free only after the differences from it are gone.
    return db.execute(unused).rowcount + db.execute(unused).rowcount


def _difference(data: bytes, parent: StoredImage) -> StoredImage:
    prefix = common_prefix(parent.data, data)
    suffix = common_suffix(parent.data, data, prefix)
    if parent.base is not None:
        prefix, suffix = min(prefix, parent.prefix), min(suffix, parent.suffix)
    if (len(data) - prefix - suffix) * 2 > len(data):
        return StoredImage(0, data)
    return StoredImage(0, data, parent.id if parent.base is None else parent.base, prefix, suffix)


def _row(db: sqlite3.Connection, column: str, value: object) -> _Row | None:
    query = f"SELECT id, hash, base, prefix, suffix, packed, data FROM blob WHERE {column} = ?"  # noqa: S608 - a column of ours
    row: _Row | None = db.execute(query, (value,)).fetchone()
    return row


def _whole(db: sqlite3.Connection, row: _Row) -> bytes:
    number, _, base, prefix, suffix, packed, stored = row
    try:
        data = zlib.decompress(stored) if packed == 1 else bytes(stored)
    except (zlib.error, TypeError):
        raise DamagedImage(str(number)) from None
    if base is None:
        return data
    whole = _row(db, "id", base)
    if whole is None or whole[2] is not None:
        raise DamagedImage(str(base))
    under = _whole(db, whole)
    return under[:prefix] + data + under[len(under) - suffix :]


def common_prefix(one: bytes, other: bytes) -> int:
    """Return how many bytes two strings share at their start."""
    view, low, high = memoryview(one), 0, min(len(one), len(other))
    # What is shared up to `low` is known, so each step compares half as much as the one before.
    while low < high:
        middle = (low + high + 1) // 2
        if other.startswith(view[low:middle], low):
            low = middle
        else:
            high = middle - 1
    return low


def common_suffix(one: bytes, other: bytes, prefix: int) -> int:
    """Return how many bytes two strings share at their end, beside a shared `prefix`."""
    view, low, high = memoryview(one), 0, min(len(one), len(other)) - prefix
    while low < high:
        middle = (low + high + 1) // 2
        tail = view[len(one) - middle : len(one) - low]
        if other.endswith(tail, 0, len(other) - low):
            low = middle
        else:
            high = middle - 1
    return low
