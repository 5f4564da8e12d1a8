"""Texts, documents and changes for the laws: small, and full of what goes wrong."""

from hypothesis import strategies as st

from keyhole.text.changes import Change, ChangeSet
from keyhole.text.document import Document

# Line ends of every kind, and the characters that other tools take for line ends.
_ENDS = ("\n", "\r\n", "\n", "\n", "\r")
_ODD = "\f\v\x85\u2028\u2029\u00a0\u200b\ufeff"
_PIECES = (
    "a",
    "b",
    "if x:",
    "é",
    "e\u0301",
    "\u201cq\u201d",
    "\U0001f600",
    "$&",
    "\\1",
    "\\n",
    "{}",
)

pieces = st.one_of(
    st.sampled_from(_PIECES),
    st.sampled_from(_ODD),
    st.sampled_from((" ", "  ", "\t", "    ")),
)
words = st.lists(pieces, max_size=4).map("".join)


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Draw a text of a few lines with line ends of any kind, the last one perhaps without."""
    lines = draw(st.lists(st.tuples(words, st.sampled_from(_ENDS)), max_size=8))
    tail = draw(st.one_of(st.just(""), words))
    return "".join(line + end for line, end in lines) + tail


@st.composite
def documents(draw: st.DrawFn) -> Document:
    """Draw a document in an encoding that agents meet, marked or not, perhaps damaged."""
    text = draw(texts())
    data = draw(
        st.sampled_from(
            (
                text.encode("utf-8"),
                b"\xef\xbb\xbf" + text.encode("utf-8"),
                b"\xff\xfe" + text.encode("utf-16-le"),
                b"\xfe\xff" + text.encode("utf-16-be"),
                text.encode("latin-1", "replace"),
            )
        )
    )
    at = draw(st.integers(0, len(data)))
    junk = draw(st.sampled_from((b"", b"", b"\xff", b"\xc3", b"\xed\xa0\x80")))
    return Document.from_bytes(data[:at] + junk + data[at:])


@st.composite
def change_sets(draw: st.DrawFn, length: int) -> ChangeSet:
    """Draw changes to a text of some length; several may insert at one point."""
    points = sorted(draw(st.lists(st.integers(0, length), max_size=8)))
    if len(points) % 2:
        points.pop()
    new = st.text("XYZ\n", max_size=3)
    changes = [Change(a, b, draw(new)) for a, b in zip(points[::2], points[1::2], strict=True)]
    found = ChangeSet.of(length, changes)
    assert isinstance(found, ChangeSet)
    return found
