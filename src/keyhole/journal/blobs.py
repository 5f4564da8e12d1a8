"""File contents by their hash: each stored once, whole or as a difference from another.

A difference is the middle between two ends that it shares with its base. The column `packed` says
how the middle is stored: 0 as it is, 1 compressed, 2 as it is because compressing is not worth it,
and from `_STEP` on compressed beside the base's own middle, from `_PLAIN_STEP` on as it is. These
two make chains: each is one step longer than its base, up to `_LONGEST`. Forms 0 to 2 count from a
whole image.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Sequence

from keyhole.fastclasses import dataclass
from keyhole.text.document import hash_of

_PACK_FROM = 512
_LARGE = 8 << 20
_PIECE = 1 << 20
# The first form of a difference that counts from any image, and how many may follow each other.
_STEP = 16
# The same for middles that are too short to be worth compressing.
_PLAIN_STEP = 128
_SHORT = 256
_LONGEST = 64
# What the compressor looks back to, the level at which a commit can wait for it, and the usual one.
_WINDOW = 1 << 15
_QUICK, _USUAL = 1, 6

_Row = tuple[int, bytes, int | None, int, int, int, bytes]
_Difference = tuple[int, int, int, int, bytes]


class DamagedImage(Exception):  # noqa: N818 - it names what was found
    """An image is missing or is not what its hash says."""


@dataclass(frozen=True, slots=True)
class StoredImage:
    """An image in the store, and how many differences lead to it from a whole one."""

    id: int
    data: bytes
    steps: int = 0
    is_raw: bool = False


def put(
    db: sqlite3.Connection,
    hash_: str,
    data: bytes,
    parent: StoredImage | None = None,
    *,
    packs: bool = False,
) -> StoredImage:
    """Store an image unless it is there; compressed at once if it `packs`.

    With the image it grew out of, only what differs is stored, unless that is much or the way to a
    whole image is long already.
    """
    key = bytes.fromhex(hash_)
    query = "SELECT id, base, packed FROM blob WHERE hash = ?"
    found = db.execute(query, (key,)).fetchone()
    if found:
        number, base, packed = found
        return StoredImage(number, data, _steps(base, packed))
    level = _USUAL if packs else _QUICK
    new = _difference(data, parent, level) if parent and parent.data else None
    if new is None and len(data) >= _LARGE:
        return _put_large(db, key, data)
    # What is compressed later leaves free the pages that it took first.
    form, stored = _packed(data) if packs and new is None else (0, data)
    row = (key, *(new or (None, 0, 0, form, stored)))
    statement = (
        "INSERT INTO blob(hash, base, prefix, suffix, packed, data) VALUES(?, ?, ?, ?, ?, ?)"
    )
    number = db.execute(statement, row).lastrowid
    assert number is not None, "BUG: an insert has a row"
    if new is None:
        return StoredImage(number, data, is_raw=not form and len(data) >= _PACK_FROM)
    return StoredImage(number, data, _steps(new[0], new[3]))


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
    return StoredImage(number, data)


def get(db: sqlite3.Connection, hash_: str) -> bytes | None:
    """Return an image, checked against its hash, or None when it is not kept."""
    steps = _steps_to(db, bytes.fromhex(hash_))
    if not steps:
        return None
    data = _whole(steps)
    if hash_of(data) != hash_:
        raise DamagedImage(hash_)
    return data


def pack(db: sqlite3.Connection, limit: int) -> int:
    """Compress up to `limit` images that were stored uncompressed, and return how many."""
    query = "SELECT id FROM blob WHERE packed = 0 AND length(data) >= ? ORDER BY id LIMIT ?"
    rows = db.execute(query, (_PACK_FROM, limit)).fetchall()
    for (number,) in rows:
        pack_one(db, number)
    return len(rows)


def pack_one(db: sqlite3.Connection, number: int) -> None:
    """Compress an image that was stored uncompressed, unless somebody did or forgot it."""
    row = db.execute("SELECT data FROM blob WHERE id = ? AND packed = 0", (number,)).fetchone()
    if row is None:
        return
    db.execute("UPDATE blob SET packed = ?, data = ? WHERE id = ?", (*_packed(row[0]), number))


def _packed(data: bytes) -> tuple[int, bytes]:
    """Return the form of an image that is compressed, and its bytes."""
    small = zlib.compress(data, _USUAL) if len(data) >= _PACK_FROM else data
    # 2 says "tried, and not worth it", so that it is not tried again.
    return (1, small) if len(small) < len(data) else (2, data)


def drop_unused(db: sqlite3.Connection) -> int:
    """Delete the images that no entry and no kept difference needs, and return how many."""
    # A base is free only after all differences that lead to it are gone.
    unused = """DELETE FROM blob WHERE id NOT IN (
        WITH RECURSIVE used(id) AS (
          SELECT before FROM touch WHERE before IS NOT NULL
          UNION SELECT after FROM touch WHERE after IS NOT NULL
          UNION SELECT b.base FROM used u JOIN blob b ON b.id = u.id WHERE b.base IS NOT NULL)
        SELECT id FROM used)"""
    return db.execute(unused).rowcount


def is_step(packed: int) -> bool:
    """Tell whether an image in this form is a difference that counts from any image."""
    return packed >= _STEP


def beside_whole(db: sqlite3.Connection, key: bytes) -> tuple[bytes, int, int, bytes]:
    """Return an image as a difference from a whole one: its hash, both ends, and the middle."""
    steps = _steps_to(db, key)
    if not steps:
        raise DamagedImage(key.hex())
    data, whole = _whole(steps), _whole(steps[:1])
    prefix = common_prefix(whole, data)
    suffix = common_suffix(whole, data, prefix)
    return steps[0][1], prefix, suffix, data[prefix : len(data) - suffix]


def _steps(base: int | None, packed: int) -> int:
    """Return how many differences lead to an image from a whole one."""
    form = _PLAIN_STEP if packed >= _PLAIN_STEP else _STEP
    return 0 if base is None else max(packed - form, 0) + 1


def _difference(data: bytes, parent: StoredImage, level: int) -> _Difference | None:
    """Return an image as a difference from its parent: base, both ends, form and middle."""
    prefix = common_prefix(parent.data, data)
    suffix = common_suffix(parent.data, data, prefix)
    middle = data[prefix : len(data) - suffix]
    is_much = len(middle) * 2 > len(data) and len(middle) > _WINDOW
    if parent.steps >= _LONGEST or is_much or len(middle) > _LARGE:
        return None
    if len(middle) < _SHORT and len(middle) * 2 <= len(data):
        return parent.id, prefix, suffix, _PLAIN_STEP + parent.steps, middle
    small = _deflated(middle, _dictionary(parent.data, prefix, suffix), level)
    if len(small) * 2 > len(data):
        return None
    return parent.id, prefix, suffix, _STEP + parent.steps, small


def _deflated(data: bytes, beside: bytes, level: int) -> bytes:
    """Compress bytes that may resemble others; the checksum is the hash of the image."""
    packer = zlib.compressobj(level, zlib.DEFLATED, -zlib.MAX_WBITS, zdict=beside)
    return packer.compress(data) + packer.flush()


def _inflated(data: bytes, beside: bytes) -> bytes:
    return zlib.decompressobj(-zlib.MAX_WBITS, zdict=beside).decompress(data)


def _dictionary(base: bytes, prefix: int, suffix: int) -> bytes:
    """Return what a difference takes the place of, as far as the compressor looks back."""
    end = len(base) - suffix
    return base[max(prefix, end - _WINDOW) : end]


def _steps_to(db: sqlite3.Connection, key: bytes) -> list[_Row]:
    """Return an image and the differences that lead to it, from the whole one; none if unknown."""
    query = """WITH RECURSIVE way(id, hash, base, prefix, suffix, packed, data, step) AS (
        SELECT id, hash, base, prefix, suffix, packed, data, 0 FROM blob WHERE hash = ?
        UNION ALL SELECT b.id, b.hash, b.base, b.prefix, b.suffix, b.packed, b.data, w.step + 1
          FROM way w JOIN blob b ON b.id = w.base WHERE w.step <= ?)
        SELECT id, hash, base, prefix, suffix, packed, data FROM way ORDER BY step DESC"""
    steps: list[_Row] = db.execute(query, (key, _LONGEST)).fetchall()
    # A way that is longer than any, or leads nowhere, is damage.
    if steps and steps[0][2] is not None:
        raise DamagedImage(key.hex())
    return steps


def _whole(steps: Sequence[_Row]) -> bytes:
    """Return the bytes of an image: the whole one that its differences lead to, and those on it."""
    data = b""
    for number, _, _, prefix, suffix, packed, stored in steps:
        try:
            data = _applied(data, prefix or 0, suffix or 0, packed, bytes(stored))
        except (zlib.error, TypeError):
            raise DamagedImage(str(number)) from None
    return data


def _applied(base: bytes, prefix: int, suffix: int, packed: int, stored: bytes) -> bytes:
    """Return an image from its base, b"" for a whole one, and from what is stored of it."""
    if _STEP <= packed < _PLAIN_STEP:
        stored = _inflated(stored, _dictionary(base, prefix, suffix))
    elif packed == 1:
        stored = zlib.decompress(stored)
    return base[:prefix] + stored + base[len(base) - suffix :]


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
