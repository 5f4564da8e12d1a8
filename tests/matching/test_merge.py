"""Changes of an older text, merged into the present one: by lines, or not at all."""

import pytest

from keyhole.matching.merge import MergeClash, carry, merged
from keyhole.matching.revision import Revision
from keyhole.text.changes import Change, ChangeSet
from keyhole.text.document import Document


def saved(before: str, after: str) -> Revision:
    return Revision(Document(before), Document(after))


def recorded(before: str, *changes: Change) -> Revision:
    made = ChangeSet(len(before), changes)
    return Revision(Document(before), Document(made.apply(before)), made)


def merge(older: str, ours: Change, present: str) -> str | MergeClash:
    """Return the text that one change of ours and a saved text make together."""
    made = merged(ChangeSet(len(older), (ours,)), saved(older, present))
    return made.apply(present) if isinstance(made, ChangeSet) else made


def test_lines_of_two_sides_stand_in_one_text() -> None:
    assert merge("a\nb\nc\n", Change(4, 5, "C"), "A\nb\nc\n") == "A\nb\nC\n"


def test_a_line_that_both_sides_changed_is_where_they_meet() -> None:
    assert merge("a\nb\nc\n", Change(2, 3, "B"), "a\nother\nc\n") == MergeClash((2, 8))


def test_of_twins_nobody_knows_which_one_went() -> None:
    assert merge("a\nt\nt\nb\n", Change(2, 3, "T"), "a\nt\nb\n") == MergeClash(None)
    assert merge("a\nt\nt\nb\n", Change(4, 5, "T"), "a\nt\nb\n") == MergeClash((4, 4))


@pytest.mark.parametrize(
    ("present", "met"), [("a\nb\nc\n", MergeClash((4, 6))), ("a\r\nb\r\n", MergeClash((0, 6)))]
)
def test_a_change_of_nothing_but_a_line_end_is_not_merged(present: str, met: MergeClash) -> None:
    assert merge("a\nb\n", Change(1, 2, "\r\n"), present) == met


def test_a_last_end_is_not_taken_where_another_line_is_the_last() -> None:
    assert merge("a\nb\n", Change(3, 4, ""), "a\nb\nc\n") == MergeClash((4, 6))
    assert merge("a\nb\n", Change(3, 4, ""), "A\nb\n") == "A\nb"


def test_a_line_that_is_added_inside_a_line_end_goes_below_it() -> None:
    assert merge("a\nb\n", Change(1, 1, "\nx"), "A\nb\n") == "A\nx\nb\n"
    assert merge("a\r\nb\r\n", Change(1, 1, "\r\nx"), "A\r\nb\r\n") == "A\r\nx\r\nb\r\n"


def test_what_was_put_inside_a_line_end_is_compared() -> None:
    older = "a\r\nb\r\n"
    ours = ChangeSet(len(older), (Change(3, 4, "B"),))
    split = recorded(older, Change(2, 2, "x"))

    made = merged(ours, split)

    assert isinstance(made, ChangeSet)
    assert made.apply(split.after.text) == "a\rx\nB\r\n"


def test_where_changes_met_is_followed_through_what_comes_later() -> None:
    older = "a\nb\nc\n"
    ours = ChangeSet(len(older), (Change(2, 3, "B"),))
    meets = saved(older, "a\nother\nc\n")

    assert carry(ours, [meets, saved("a\nother\nc\n", "new\na\nother\nc\n")]) == MergeClash((6, 12))
    assert carry(ours, [meets, recorded("a\nother\nc\n", Change(0, 0, "x\n"))]) == MergeClash(
        (4, 10)
    )


def test_where_nobody_knows_the_place_nothing_later_tells() -> None:
    older, present = "a\nt\nt\nb\n", "a\nt\nb\n"
    ours = ChangeSet(len(older), (Change(2, 3, "T"),))

    assert carry(ours, [saved(older, present), saved(present, f"{present}c\n")]) == MergeClash(None)
