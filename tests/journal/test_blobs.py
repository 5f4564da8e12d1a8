"""Images: each stored once, small, and exactly what was put in."""

import random
import sqlite3
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keyhole.journal import blobs
from keyhole.journal.layout import TABLES
from keyhole.text.document import hash_of


def database() -> sqlite3.Connection:
    db = sqlite3.connect(":memory:", isolation_level=None)
    db.executescript(TABLES)
    return db


@pytest.fixture
def db() -> Iterator[sqlite3.Connection]:
    made = database()
    yield made
    made.close()


def put_chain(db: sqlite3.Connection, versions: list[bytes]) -> None:
    """Store versions that each grew out of the one before."""
    parent = None
    for data in versions:
        parent = blobs.put(db, hash_of(data), data, parent)


def sizes(db: sqlite3.Connection) -> list[int]:
    return [row[0] for row in db.execute("SELECT length(data) FROM blob ORDER BY id")]


@given(
    st.binary(max_size=60),
    st.lists(st.tuples(st.integers(0, 60), st.integers(0, 20), st.binary(max_size=8)), max_size=8),
)
def test_every_version_of_a_chain_comes_back(
    first: bytes, edits: list[tuple[int, int, bytes]]
) -> None:
    versions = [first]
    for at, length, new in edits:
        versions.append(versions[-1][:at] + new + versions[-1][at + length :])
    db = database()
    put_chain(db, versions)

    assert [blobs.get(db, hash_of(data)) for data in versions] == versions
    blobs.pack(db, 100)
    assert [blobs.get(db, hash_of(data)) for data in versions] == versions
    db.close()


@given(st.binary(max_size=50), st.binary(max_size=50), st.binary(max_size=50))
def test_common_ends_are_as_long_as_can_be(head: bytes, one: bytes, other: bytes) -> None:
    a, b = head + one, head + other
    prefix = blobs.common_prefix(a, b)
    suffix = blobs.common_suffix(a, b, prefix)

    assert a[:prefix] == b[:prefix]
    assert prefix == min(len(a), len(b)) or a[prefix] != b[prefix]
    assert a[len(a) - suffix :] == b[len(b) - suffix :]
    assert prefix + suffix <= min(len(a), len(b))


@pytest.mark.parametrize("at", [0, 1, 16383, 16384, 16385, 40000, 49999])
def test_one_changed_byte_of_a_long_file_is_found(at: int) -> None:
    one = bytes(50000)
    other = one[:at] + b"x" + one[at + 1 :]

    assert blobs.common_prefix(one, other) == at
    assert blobs.common_suffix(one, other, at) == 49999 - at


def test_a_small_change_is_stored_as_a_small_difference(db: sqlite3.Connection) -> None:
    first = b"line of text\n" * 4000
    versions = [first]
    for number in range(20):
        versions.append(versions[-1][:1000] + b"%d" % number + versions[-1][1001:])
    put_chain(db, versions)

    assert sizes(db)[0] == len(first)
    assert max(sizes(db)[1:]) < 60


def test_a_large_change_starts_a_new_whole(db: sqlite3.Connection) -> None:
    one, other = (random.Random(seed).randbytes(1000) for seed in (1, 2))
    put_chain(db, [one, other, other[:-1] + b"c"])

    assert sizes(db)[:2] == [1000, 1000]
    assert sizes(db)[2] < 10


def test_a_small_edit_of_a_large_image_is_small(db: sqlite3.Connection) -> None:
    first = random.Random(1).randbytes(9 << 20)
    versions = [first, first[:5000] + b"edit" + first[5000:]]
    put_chain(db, versions)

    assert sizes(db) == [9 << 20, 4]
    assert [blobs.get(db, hash_of(data)) for data in versions] == versions


def test_small_edits_all_over_a_long_file_stay_small(db: sqlite3.Connection) -> None:
    source = random.Random(3)
    lines = [b"%x %x some words that repeat" % (n, source.getrandbits(64)) for n in range(1200)]
    versions = [b"\n".join(lines)]
    for number in range(200):
        lines[source.randrange(len(lines))] = b"%d %x of it" % (number, source.getrandbits(512))
        versions.append(b"\n".join(lines))
    put_chain(db, versions)
    blobs.pack(db, 100)

    assert sum(sizes(db)) / 200 < 1000
    assert [blobs.get(db, hash_of(data)) for data in versions] == versions


def test_an_edit_of_two_distant_places_is_stored_small(db: sqlite3.Connection) -> None:
    text = b"".join(b"line %d of the text\n" % number for number in range(1000))
    put_chain(db, [text, text.replace(b"line 50 ", b"row 50 ").replace(b"line 950 ", b"row 950 ")])

    assert sizes(db)[1] < 600


def test_any_version_can_be_had_beside_a_whole_one(db: sqlite3.Connection) -> None:
    versions = [b"a" * 1000 + b"%d" % number + b"b" * 1000 for number in range(80)]
    put_chain(db, versions)

    for data in versions[1:]:
        base, prefix, suffix, middle = blobs.beside_whole(db, bytes.fromhex(hash_of(data)))
        whole = blobs.get(db, base.hex())
        assert whole is not None
        assert whole[:prefix] + middle + whole[len(whole) - suffix :] == data


def test_differences_of_an_older_form_are_read_and_grown_from(db: sqlite3.Connection) -> None:
    first, second = b"a" * 1000, b"a" * 500 + b"b" + b"a" * 499
    third = second[:700] + b"c" + second[701:]
    whole = blobs.put(db, hash_of(first), first)
    values = (bytes.fromhex(hash_of(second)), whole.id, 500, 499, 0, b"b")
    db.execute(
        "INSERT INTO blob(hash, base, prefix, suffix, packed, data) VALUES(?,?,?,?,?,?)", values
    )
    known = blobs.put(db, hash_of(second), second)
    blobs.put(db, hash_of(third), third, known)

    assert [blobs.get(db, hash_of(data)) for data in (second, third)] == [second, third]


def test_the_same_bytes_are_stored_once(db: sqlite3.Connection) -> None:
    put_chain(db, [b"a" * 100, b"b" * 100, b"a" * 100])

    assert len(sizes(db)) == 2


def test_packing_makes_text_smaller_and_leaves_noise_alone(db: sqlite3.Connection) -> None:
    noise = random.Random(1).randbytes(5000)
    text = b"the same words again and again " * 200
    put_chain(db, [noise])
    put_chain(db, [text])

    assert blobs.pack(db, 10) == 2
    assert blobs.pack(db, 10) == 0
    assert sizes(db)[0] == 5000
    assert sizes(db)[1] < 500
    assert blobs.get(db, hash_of(noise)) == noise


def test_an_unknown_image_is_none(db: sqlite3.Connection) -> None:
    assert blobs.get(db, "0" * 16) is None


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE blob SET data = zeroblob(3) WHERE id = 2",
        "UPDATE blob SET data = x'00' WHERE id = 1",
        "UPDATE blob SET prefix = prefix - 1 WHERE id = 2",
        "UPDATE blob SET packed = 1 WHERE id = 2",
        "DELETE FROM blob WHERE id = 1",
        "UPDATE blob SET base = 2 WHERE id = 2",
        "UPDATE blob SET data = 7, packed = 1 WHERE id = 2",
    ],
)
def test_a_damaged_image_is_never_given(db: sqlite3.Connection, damage: str) -> None:
    versions = [b"a" * 1000, b"a" * 500 + b"b" + b"a" * 499]
    put_chain(db, versions)
    db.execute(damage)

    with pytest.raises(blobs.DamagedImage):
        blobs.get(db, hash_of(versions[1]))


def test_only_what_nobody_needs_is_dropped(db: sqlite3.Connection) -> None:
    versions = [b"a" * 1000, b"a" * 999 + b"b", b"c" * 1000]
    put_chain(db, versions)
    db.execute("INSERT INTO touch VALUES(1, 1, NULL, 2)")

    assert blobs.drop_unused(db) == 1
    assert blobs.get(db, hash_of(versions[1])) == versions[1]
    db.execute("DELETE FROM touch")
    assert blobs.drop_unused(db) == 2
    assert sizes(db) == []
