"""The pure core: an exact edit in memory, the whole ladder down to a refusal, and how both grow."""

from __future__ import annotations

import hashlib
import random

from bench.measure import Row, ratio
from keyhole import Document, Edit, Refused
from keyhole.edits.model.plan import Snapshot
from keyhole.edits.resolve import resolve

_WORDS = (
    "alpha",
    "beta",
    "gamma",
    "delta",
    "value",
    "count",
    "result",
    "index",
    "buffer",
    "offset",
)


def source(lines: int) -> str:
    """Return a made-up program of so many lines, no two alike."""
    rng = random.Random(lines)
    return "".join(
        f"{'    ' * rng.randint(0, 3)}{rng.choice(_WORDS)}_{number} = "
        f"{rng.choice(_WORDS)}({rng.randint(0, 9999)})\n"
        for number in range(lines)
    )


def floor(data: bytes, old: bytes, new: bytes) -> str:
    """Do the least an edit needs: find, splice, hash."""
    at = data.find(old)
    return hashlib.sha256(data[:at] + new + data[at + len(old) :]).hexdigest()


def edit(data: bytes, old: str, new: str) -> bytes:
    """Do the same through documents, the ladder and a plan."""
    document = Document.from_bytes(data)
    plan = resolve([Edit(path="a.py", find=old, content=new)], Snapshot({"a.py": document}))
    after = plan.files[0].after
    assert after is not None
    return after.to_bytes()


def refused(data: bytes, quote: str) -> int:
    """Go down the whole ladder to a refusal with candidates."""
    document = Document.from_bytes(data)
    try:
        resolve([Edit(path="a.py", find=quote, content="x = 1")], Snapshot({"a.py": document}))
    except Refused as answer:
        return len(answer.refusals[0].candidates)
    raise AssertionError("the quote was found")


def missing_quote(text: str) -> str:
    """Return six lines from the middle with a word misspelt in two of them."""
    lines = text.split("\n")
    block = lines[len(lines) // 2 : len(lines) // 2 + 6]
    block[1] = block[1].replace("(", "[", 1)
    block[4] = block[4].replace("=", "==", 1)
    return "\n".join(block)


def rows() -> list[Row]:
    """Measure the core."""
    small = source(1250).encode()[: 50 * 1024]
    line = small.split(b"\n")[600]
    wanted = line + b"  # changed"
    exact = ratio(
        lambda: edit(small, line.decode(), wanted.decode()),
        lambda: floor(small, line, wanted),
        200,
        5,
    )
    return [
        Row("exact edit of a 50 KB file / find + splice + SHA-256", exact, 6.0),
        _ladder(5_000, 60.0, 15),
        _growth(),
    ]


def _ladder(lines: int, limit: float, rounds: int) -> Row:
    text = source(lines)
    data, quote = text.encode(), missing_quote(text)
    old = data.split(b"\n")[lines // 2]
    assert refused(data, quote) >= 1
    measured = ratio(lambda: refused(data, quote), lambda: floor(data, old, old + b"x"), rounds)
    return Row(f"ladder to a refusal, {lines:,} lines / find + splice + SHA-256", measured, limit)


def _growth() -> Row:
    """Compare the time a line costs in a file 40 times as long: linear is 1."""
    short, long = source(5_000), source(200_000)
    quotes = missing_quote(short), missing_quote(long)
    times = ratio(
        lambda: refused(long.encode(), quotes[1]), lambda: refused(short.encode(), quotes[0]), 3
    )
    return Row("ladder to a refusal, 200,000 lines / 40 x 5,000 lines", times / 40, 1.6)
