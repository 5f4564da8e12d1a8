"""Hunks to the byte."""

import pytest

from keyhole.edits.by_text.hunks import changes_at, stands_at
from keyhole.edits.model.hunk import Hunk, Line
from keyhole.text.changes import ChangeSet
from keyhole.text.document import Document

CHANGED: tuple[Line, ...] = ((" ", "b\r"), ("-", "c"), ("+", "C\r"), ("+", "D"), (" ", "e"))


def applied(hunk: Hunk, text: str, line: int) -> str:
    document = Document(text)
    start = stands_at(hunk, document, line)
    assert start is not None
    return ChangeSet(len(text), changes_at(hunk, start)).apply(text)


def test_lines_are_written_with_the_ends_that_the_hunk_says() -> None:
    assert applied(Hunk("f", CHANGED), "a\nb\r\nc\ne\n", 2) == "a\nb\r\nC\r\nD\ne\n"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a\nb\nc\ne\n", 2),
        ("a\nb\r\nc\ne", 2),
        ("a\nb\r\nc\ne\n", 1),
        ("a\nb\r\nc\ne\n", 0),
        ("a\nb\r\nc\ne\n", 9),
    ],
)
def test_what_differs_in_a_byte_does_not_stand_there(text: str, line: int) -> None:
    assert stands_at(Hunk("f", CHANGED), Document(text), line) is None


def test_a_last_line_without_end_is_the_last_of_the_file() -> None:
    hunk = Hunk("f", (("-", "a"), ("+", "b")), open_before=True)

    assert applied(hunk, "x\na", 2) == "x\nb\n"
    assert stands_at(hunk, Document("x\nab\n"), 2) is None
    assert applied(Hunk("f", (("-", "a"), ("+", "b")), open_after=True), "a\n", 1) == "b"


def test_a_hunk_without_old_lines_stands_nowhere() -> None:
    assert stands_at(Hunk("f", (("+", "a"),), 1), Document("a\n"), 1) is None
