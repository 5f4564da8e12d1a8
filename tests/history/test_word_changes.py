"""Two sets of changes of one text meet by whole lines: none comes out that nobody wrote."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keyhole.history.pieces import carry_by_lines
from keyhole.text.changes import Change, ChangeSet, Clash
from keyhole.text.document import split_lines
from tests.laws.strategies import change_sets


def met(text: str, ours: Change, theirs: Change) -> str | None:
    """Return what becomes of a text with both changes, or None where they clash."""
    mine = carry_by_lines(ChangeSet(len(text), (ours,)), ChangeSet(len(text), (theirs,)), text)
    after = ChangeSet(len(text), (theirs,)).apply(text)
    return None if isinstance(mine, Clash) else mine.apply(after)


@pytest.mark.parametrize(
    ("text", "ours", "theirs"),
    [
        # A line goes that somebody made a comment, or wrote more into.
        ("load()\nwipe()\ndeploy()\n", Change(7, 14, ""), Change(7, 7, "# ")),
        ("load()\nwipe()\ndeploy()\n", Change(7, 14, ""), Change(13, 13, "  # why")),
        # A word comes back into a line that is gone, or has another word since.
        ("A\n\nend\n", Change(2, 2, "x"), Change(2, 3, "")),
        ("wait = 60\n", Change(7, 9, "30"), Change(0, 4, "timeout")),
        # Line ends: one of the two takes the end away that the other builds on.
        ("a\n", Change(2, 2, "b\n"), Change(1, 2, "")),
        ("a\n", Change(1, 2, ""), Change(2, 2, "b\n")),
        ("a\n", Change(2, 2, "b"), Change(1, 2, "")),
        ("a\nb", Change(1, 3, ""), Change(3, 3, "\nc")),
        ("a\nb\n", Change(1, 2, ""), Change(0, 1, "A")),
        # Two lines at one point have no order.
        ("a\nb\n", Change(2, 2, "x\n"), Change(2, 2, "y\n")),
    ],
)
def test_changes_of_one_line_clash(text: str, ours: Change, theirs: Change) -> None:
    assert met(text, ours, theirs) is None
    assert met(text, theirs, ours) is None


@pytest.mark.parametrize(
    ("text", "ours", "theirs", "both"),
    [
        ("a\nb\nc\n", Change(2, 4, ""), Change(4, 5, "C"), "a\nC\n"),
        ("a\nb\nc\n", Change(2, 4, ""), Change(0, 1, "A"), "A\nc\n"),
        ("a\nb\nc\n", Change(2, 4, ""), Change(2, 2, "x\n"), "a\nx\nc\n"),
        ("a\nb\nc\n", Change(2, 4, ""), Change(4, 4, "x\n"), "a\nx\nc\n"),
        ("a\nb\n", Change(2, 3, "B"), Change(4, 4, "c\n"), "a\nB\nc\n"),
        ("a\nb", Change(0, 1, "A"), Change(3, 3, "\nc"), "A\nb\nc"),
        ("a\n", Change(2, 2, "b\n"), Change(0, 2, ""), "b\n"),
        # An insertion that was told from the middle of one line to the middle of the next.
        ("ac\n", Change(0, 1, ""), Change(1, 1, "b\na"), "ab\nc\n"),
    ],
)
def test_changes_of_neighbouring_lines_are_both_made(
    text: str, ours: Change, theirs: Change, both: str
) -> None:
    assert met(text, ours, theirs) == both
    assert met(text, theirs, ours) == both


def test_what_one_entry_did_may_lie_on_one_line() -> None:
    text = "AAA B c DD"
    rest = ChangeSet(10, (Change(0, 3, "a"), Change(8, 10, "d")))
    own = (Change(4, 5, "b"),)

    there = carry_by_lines(rest, ChangeSet(10, own), text, own)
    beside = carry_by_lines(rest, ChangeSet(10, (*own, Change(6, 7, "C"))), text, own)

    assert isinstance(there, ChangeSet)
    assert there.apply("AAA b c DD") == "a b c d"
    assert isinstance(beside, Clash)


@given(st.data())
def test_no_line_comes_out_that_nobody_wrote(data: st.DataObject) -> None:
    text = data.draw(st.text("ab\n", max_size=12))
    ours, theirs = data.draw(change_sets(len(text))), data.draw(change_sets(len(text)))

    found = carry_by_lines(ours, theirs, text)

    if isinstance(found, ChangeSet):
        mine, other = ours.apply(text), theirs.apply(text)
        now = split_lines(found.apply(other))
        assert set(now) <= {*split_lines(mine), *split_lines(other)}
        # What the other side added stays, all of it.
        had = Counter(split_lines(text))
        assert Counter(split_lines(other)) - had <= Counter(now)
