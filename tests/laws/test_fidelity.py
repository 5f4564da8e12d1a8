"""Bytes outside an edit are the bytes that were there, whatever the file and the way of editing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random

import pytest

from keyhole.edits.model.operations import Edit
from keyhole.edits.model.plan import Snapshot
from keyhole.edits.resolve import resolve
from keyhole.refusals import Refused
from keyhole.text.changes import Change, ChangeSet
from keyhole.text.document import Document
from tests.torture.start import figure
from tests.workspace.test_fidelity import LONGEST_LINES, SHAPES

PATH, EXAMPLES = "a.txt", 20_000
SMALL = [data for data in SHAPES.values() if len(data) < 100]
PIECES = [b"", b"\n", b"\r\n", b"\r", b"\xff", b"\xc3", b"\0", b"one", b"  ", "é€".encode()]
WAYS = ("span", "quote", "lines", "before", "after", "prepend", "append")

# Not the empty text: deleting the last line takes the line end before it, if it has none.
NEW = ("WORD", "x = 1", "two\nlines\n", "  x")
Record = Callable[[str, object], None]
Case = tuple[bytes, str, float, float, str]


def drawn(rng: Random) -> Case:
    """Draw a file, a way to edit it, two points of it and a new text.

    A generator of our own: cases this small take Hypothesis five times as long as the engine.
    """
    pieces = rng.choices([*PIECES, *SMALL], k=rng.randrange(7))
    data = rng.choice((rng.choice(SMALL), b"".join(pieces), rng.randbytes(rng.randrange(25))))
    one, two = (rng.choice((0.0, 1.0, rng.random(), rng.random())) for _ in range(2))
    return data, rng.choice(WAYS), one, two, rng.choice(NEW)


def edited(case: Case) -> tuple[Document | None, int, int]:
    """Carry an edit out; return the result, and the span of the text that it may touch."""
    data, way, one, two, new = case
    before = Document.from_bytes(data)
    start, end = sorted(round(point * len(before.text)) for point in (one, two))
    if way == "span":
        changes = ChangeSet(len(before.text), (Change(start, end, new),))
        return before.with_text(changes.apply(before.text)), start, end
    first, last = sorted(1 + round(point * (before.line_count - 1)) for point in (one, two))
    where: dict[str, object] = {"action": way}
    if way == "quote":
        start, end = (at - (before.text[at - 1 : at + 1] == "\r\n") for at in (start, end))
        where = {"find": before.text[start:end], "match": "exact"}
    elif way in {"prepend", "append"}:
        start = end = 0 if way == "prepend" else len(before.text)
    else:
        start, end = before.span_of_lines(first, last)
        where = {"lines": f"{first}-{last}", "action": "replace" if way == "lines" else way}
        start, end = {"before": (start, start), "after": (end, end)}.get(way, (start, end))
    request = Edit.of({"path": PATH, "content": new, "indent": "keep", **where})
    (file,) = resolve([request], Snapshot({PATH: before})).files
    return file.after, start, end


def is_faithful(data: bytes, after: Document, start: int, end: int) -> bool:
    """Tell whether the bytes outside the span of the text before are the same."""
    before = Document.from_bytes(data)
    head = before.bom + before.text[:start].encode(before.encoding, before.errors)
    tail = before.text[end:].encode(before.encoding, before.errors)
    assert data.startswith(head)
    assert data.endswith(tail)
    now = after.to_bytes()
    return len(now) >= len(head) + len(tail) and now.startswith(head) and now.endswith(tail)


@pytest.mark.torture
@pytest.mark.parametrize("batch", range(figure(1, 50)))
def test_bytes_outside_the_edit_stay(batch: int, record_property: Record) -> None:
    rng, ran = Random(batch), Counter[str]()
    for _ in range(EXAMPLES):
        case = drawn(rng)
        try:
            after, start, end = edited(case)
        except Refused:
            ran["refused"] += 1
            continue
        ran[case[1]] += 1
        assert after is not None, case
        assert is_faithful(case[0], after, start, end), case

    record_property("counted", f"bytes {batch}: {dict(ran)}")
    assert ran["refused"] < EXAMPLES // 2
    assert min(ran[way] for way in WAYS) > EXAMPLES // 100


@pytest.mark.torture
def test_ways_to_edit_a_line_of_ten_megabytes_keep_the_rest(record_property: Record) -> None:
    ran: Counter[str] = Counter()
    for data in LONGEST_LINES.values():
        text = Document.from_bytes(data).text
        middle = text.index("MIDDLE")
        for way in WAYS:
            one, two = middle / len(text), (middle + len("MIDDLE")) / len(text)
            after, start, end = edited((data, way, one, two, "WORD"))
            ran[way] += 1
            assert after is not None
            assert is_faithful(data, after, start, end), way

    record_property("counted", f"bytes of long lines: {dict(ran)}")
    assert ran == dict.fromkeys(WAYS, len(LONGEST_LINES))


def test_a_line_end_made_another_is_seen() -> None:
    data = b"one\r\ntwo\r\nthree\r\n"
    careless = Document(Document.from_bytes(data).text.replace("\r\n", "\n"))

    assert is_faithful(data, Document.from_bytes(b"one\r\nTWO\r\nthree\r\n"), 5, 10)
    assert not is_faithful(data, careless, 5, 10)
