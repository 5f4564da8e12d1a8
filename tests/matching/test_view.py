import pytest
from hypothesis import given
from hypothesis import strategies as st

from keyhole.matching.view import (
    View,
    fold,
    keys_of,
    lines_of,
    plain_newlines,
    quote_lines,
    units_of,
)
from keyhole.text.document import Document
from keyhole.text.indent import IndentStyle


def test_typography_is_folded_one_for_one() -> None:
    text = "\u201cA\u201d \u2018b\u2019 \u2013 \u2014\u00a0\u3000\udcff"

    assert fold(text) == "\"A\" 'b' - -  \ufffd"
    assert len(fold(text)) == len(text)
    assert fold("plain") == "plain"


def test_keys_are_folded_composed_and_stripped() -> None:
    assert keys_of("  a \n\u2026\ncafe\u0301\n\uff21\uff22\n\ufb01") == [
        "a",
        "...",
        "caf\u00e9",
        "AB",
        "fi",
    ]


@pytest.mark.parametrize(
    ("text", "terminator", "plain"),
    [
        ("a\nb", "\n", "a\nb"),
        ("a\r\nb\rc", "\n", "a\nb\rc"),
        ("a\r\nb\rc", "\r", "a\nb\nc"),
    ],
)
def test_line_ends_become_plain(text: str, terminator: str, plain: str) -> None:
    assert plain_newlines(text, terminator) == plain


def test_a_last_line_end_is_no_line() -> None:
    assert lines_of("") == []
    assert lines_of("a") == ["a"]
    assert lines_of("a\n") == ["a"]
    assert lines_of("a\n\n") == ["a", ""]


@pytest.mark.parametrize(
    ("old", "new", "lines"),
    [
        ("a", "b", (["a"], ["b"])),
        ("a\n", "b\n", (["a"], ["b"])),
        ("a\n", "b", (["a", ""], ["b"])),
        ("a", "b\n", (["a"], ["b", ""])),
        ("a\n", "", (["a"], [])),
        ("a\n", None, (["a"], [])),
        ("a", None, (["a"], [])),
        ("a", "", (["a"], [""])),
    ],
)
def test_a_line_end_that_closes_both_is_no_line(
    old: str, new: str | None, lines: tuple[list[str], list[str]]
) -> None:
    assert quote_lines(old, new) == lines


def test_runs_of_blank_lines_are_one_unit() -> None:
    units = units_of([["a", "", "", "b"]])

    assert units.text == "\na\n\nb\n"
    assert units.firsts.tolist() == [0, 1, 3, 4]
    assert units_of([]).text == "\n"


@given(st.lists(st.sampled_from(["", "a", "b"])), st.integers(0, 9))
def test_lines_in_pieces_have_the_same_units(keys: list[str], cut: int) -> None:
    assert units_of([keys[:cut], keys[cut:]]) == units_of([keys])


def test_a_large_file_has_the_same_units_as_its_lines() -> None:
    text = "\n".join(f"  {n} \n" if n % 7 else "\n\n" for n in range(400_000))
    view, known = View(Document(text)), View(Document(text))

    assert len(known.keys) == len(known.lines)
    assert view.units == known.units
    assert "lines" not in vars(view)


TEXT = "a\r\nbc\n\r\nd"


def test_offsets_lead_there_and_back() -> None:
    view = View(Document(TEXT))

    assert view.flat == "a\nbc\n\nd"
    assert [view.offset(at) for at in range(8)] == [0, 1, 3, 4, 5, 6, 8, 9]
    assert [view.flat_offset(view.offset(at)) for at in range(8)] == [*range(8)]
    assert [View(Document("a\nb")).flat_offset(at) for at in range(4)] == [0, 1, 2, 3]


def test_a_line_has_the_end_that_the_file_gives_it() -> None:
    view = View(Document(TEXT))

    assert view.lines == ["a", "bc", "", "d"]
    assert [view.ending(line) for line in range(4)] == ["\r\n", "\n", "\r\n", ""]
    assert [View(Document("a\rb")).ending(line) for line in range(2)] == ["\r", ""]
    assert View(Document("a\n\r")).ending(1) == ""


def test_the_line_of_an_offset_is_the_same_with_and_without_an_index() -> None:
    view, indexed = View(Document("ab\nc\n")), View(Document("ab\nc\n"))
    len(indexed.starts)

    assert [view.line_of(at) for at in range(6)] == [0, 0, 0, 1, 1, 1]
    assert [indexed.line_of(at) for at in range(6)] == [0, 0, 0, 1, 1, 1]
    empty = View(Document(""))
    assert empty.line_of(0) == 0
    len(empty.starts)
    assert empty.line_of(0) == 0


def test_what_stands_around_a_span_is_on_its_lines() -> None:
    view = View(Document("ab cd\nef gh\nij"))

    assert view.around(3, 8) == ("ab ", " gh")
    assert view.around(12, 13) == ("", "j")
    assert view.around(0, 6) == ("", "ef gh")


def test_a_view_knows_the_style_and_its_own_line_ends() -> None:
    view = View(Document("a\r  b\r"))

    assert view.style == IndentStyle(" ", 2)
    assert view.plain("x\ry") == "x\ny"
    assert not view.is_huge
