"""Additions are found around the text they are for, or beside the place they are for."""

import pytest

from keyhole.matching.already_applied import among_items, around, beside
from keyhole.text.changes import Change
from keyhole.text.document import Document

NEW = "value = compute_everything(1)"


def found_around(text: str, old: str, new: str) -> str | None:
    at = text.rindex(old)
    span = around(Document(text), (at, at + len(old)), (Change(at, at + len(old), new),))
    return None if span is None else text[slice(*span)]


@pytest.mark.parametrize(
    ("text", "old", "new", "there"),
    [
        (f"{NEW}\nend\n", "end\n", f"{NEW}\nend\n", True),
        (f"    {NEW}\n    end\n", "end\n", f"{NEW}\n    end\n", True),
        (f"# {NEW}\nend\n", "end\n", f"{NEW}\nend\n", False),
        (f"end\n{NEW} + 1\n", "end\n", f"end\n{NEW}", False),
        (f"end\n{NEW} + 1\n", "end\n", f"end\n{NEW}\n", False),
        (f"x = end\n{NEW}\n", "end", f"end\n{NEW}", True),
        (f"print({NEW})\n", "1", NEW, True),
        ("limit = 30\n", "limit = 3", "limit = 30", True),
        ("a\nb", "a\n", "a\nb\n", True),
        ("a\nb\n", "a\n", "a\nb\n\n", True),
        ("a\nb\nc\n", "a\n", "a\nb\n\n", False),
        ("a\n\nb\n", "a\n", "a\n\n", False),
        ("ab\n", "ab", "a", False),
        ("a\r\nb\r\n", "a\r\n", "a\r\nb\r\n", True),
    ],
)
def test_text_that_an_edit_makes_stands_around_its_place(
    text: str, old: str, new: str, *, there: bool
) -> None:
    assert (found_around(text, old, new) is not None) == there


def test_nothing_stands_around_where_nothing_changes() -> None:
    assert around(Document("a\n"), (0, 1), ()) is None


@pytest.mark.parametrize(
    ("text", "at", "new", "copy"),
    [
        ("a\nb\nc\n", 2, "b\n", "b\n"),
        ("a\nb\nc\n", 4, "b\n", "b\n"),
        ("a\nb  \nc\n", 2, "b\n", "b  \n"),
        ("a\nb", 3, "\nb", "b"),
        ("a\nb", 2, "b\n\n", "b"),
        ("a\n# b\nc\n", 6, "b\n", None),
        ("a\n\nb\n", 2, "b\n", None),
        ("a\n    b\n", 2, "b\n", None),
        ("a\nb\n", 2, "b\nc\n", None),
        ("a\nb\n", 2, "b", None),
        ("a\nbc\n", 3, "\nb", None),
        ("a\nb\n", 1, "b\n", None),
        ("a\nb\n", 2, "\n", None),
        ("a\r\nb\r\n", 3, "b\r\n", "b\r\n"),
    ],
)
def test_added_lines_stand_right_below_or_above_their_place(
    text: str, at: int, new: str, copy: str | None
) -> None:
    span = beside(Document(text), Change(at, at, new))

    assert (None if span is None else text[slice(*span)]) == copy


def test_a_change_that_removes_is_no_addition() -> None:
    assert beside(Document("a\nb\n"), Change(0, 2, "b\n")) is None
    assert among_items(Document("a\nb\n"), Change(0, 2, "b\n")) is None


@pytest.mark.parametrize(
    ("text", "at", "new", "there"),
    [
        ("f()\n\n\ng()\n", 4, "\n\ng()\n", True),
        ("{\n  a,\n  b\n}\n", 7, "  b,\n", True),
        ("{\n  a,\n  b\n}\n", 10, ",\n  b", True),
        ('["x"]', 4, ', "x"', True),
        ('["x", "y"]', 4, ', "y"', True),
        ('["xy"]', 1, '"x', False),
        ("[ab]", 1, "a", False),
        ("a:\n    - b\n", 3, "  - b\n", False),
        ("a:\n  - bc\n", 3, "  - b\n", False),
        ("a\n", 2, "\n", False),
        ("a\n", 0, ",", False),
    ],
)
def test_an_added_item_stands_beside_its_place_whatever_is_between(
    text: str, at: int, new: str, *, there: bool
) -> None:
    assert (among_items(Document(text), Change(at, at, new)) is not None) == there
