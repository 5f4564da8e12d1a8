import pytest

from keyhole.matching.ladder import add_to_same_gap
from keyhole.text.changes import Change, ChangeSet

TEXT = "first\n\n\nsecond\nthird\n"


def at(offset: int, end: int | None = None) -> ChangeSet:
    change = Change(offset, offset if end is None else end, "new\n")
    return ChangeSet(len(TEXT), (change,))


@pytest.mark.parametrize("ours", [6, 7, 8])
@pytest.mark.parametrize("theirs", [6, 7, 8])
def test_blank_lines_are_no_border_between_additions(ours: int, theirs: int) -> None:
    assert add_to_same_gap(TEXT, at(ours), at(theirs))


@pytest.mark.parametrize(("ours", "theirs"), [(0, 6), (15, 8), (8, 15), (8, 0), (15, len(TEXT))])
def test_a_line_with_words_is_one(ours: int, theirs: int) -> None:
    assert not add_to_same_gap(TEXT, at(ours), at(theirs))


def test_only_additions_share_a_gap() -> None:
    assert not add_to_same_gap(TEXT, at(8, 15), at(6))
    assert not add_to_same_gap(TEXT, at(8), at(6, 7))


def test_a_gap_may_be_the_end_of_a_file_or_all_of_it() -> None:
    assert add_to_same_gap(TEXT, at(len(TEXT)), at(len(TEXT)))
    blank = ChangeSet(2, (Change(0, 0, "x\n"),)), ChangeSet(2, (Change(2, 2, "y\n"),))
    assert add_to_same_gap("\n\n", *blank)
