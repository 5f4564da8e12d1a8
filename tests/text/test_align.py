from collections.abc import Hashable

import pytest

from keyhole.text import align
from keyhole.text.align import (
    AlignedHunk,
    differences,
    line_differences,
    most_alike,
    similarity,
    unchanged,
)


@pytest.mark.parametrize(
    ("old", "new", "hunks"),
    [
        ("", "", []),
        ("abc", "abc", []),
        ("abc", "", [AlignedHunk(0, 3, 0, 0)]),
        ("", "abc", [AlignedHunk(0, 0, 0, 3)]),
        ("abc", "axc", [AlignedHunk(1, 2, 1, 2)]),
        ("abcd", "xbcy", [AlignedHunk(0, 1, 0, 1), AlignedHunk(3, 4, 3, 4)]),
        ("aab", "ab", [AlignedHunk(1, 2, 1, 1)]),
    ],
)
def test_the_smallest_hunks_are_found(old: str, new: str, hunks: list[AlignedHunk]) -> None:
    assert differences(old, new) == hunks
    assert differences([*old], [*new]) == hunks


@pytest.mark.parametrize(("one", "other"), [("", "\0"), ("\0", ""), (-1, -2), ("a", 97)])
def test_items_with_the_same_hash_are_not_the_same(one: Hashable, other: Hashable) -> None:
    assert list(unchanged([one, "kept", "z"], ["y", other, "kept"])) == [(1, 2)]


@pytest.mark.parametrize(
    ("old", "new", "hunks"),
    [
        ("a.cd", "b.x.cy", [AlignedHunk(0, 1, 0, 3), AlignedHunk(3, 4, 5, 6)]),
        ("zc.ad", "yc.x.bd", [AlignedHunk(0, 1, 0, 1), AlignedHunk(3, 4, 3, 6)]),
        ("ya.x.cz", "b.c", [AlignedHunk(0, 4, 0, 1), AlignedHunk(6, 7, 3, 3)]),
    ],
)
def test_hunks_that_can_move_together_are_one(old: str, new: str, hunks: list[AlignedHunk]) -> None:
    assert differences(old, new) == hunks


@pytest.mark.parametrize(
    ("old", "new", "hunks"),
    [
        # The outermost line begins a block, and the blank line below ends it.
        ("{|  b|}", "{|  a|}|{|  b|}", [AlignedHunk(0, 0, 0, 3)]),
        ("a||c", "a||b||c", [AlignedHunk(2, 2, 2, 4)]),
        ("a||b||c", "a||c", [AlignedHunk(2, 4, 2, 2)]),
        ("x|  a", "x|  a||y|  a", [AlignedHunk(2, 2, 2, 5)]),
        ("a|a", "a|a|a", [AlignedHunk(2, 2, 2, 3)]),
        ("a|b|c", "b|c|c", [AlignedHunk(0, 1, 0, 0), AlignedHunk(3, 3, 2, 3)]),
        # What is between two others does not move onto them, and what changes does not move.
        (
            "p|x||c|q",
            "r|x||b||c|s",
            [AlignedHunk(0, 1, 0, 1), AlignedHunk(3, 3, 3, 5), AlignedHunk(4, 5, 6, 7)],
        ),
    ],
)
def test_a_block_is_seen_where_a_reader_would(old: str, new: str, hunks: list[AlignedHunk]) -> None:
    was, now = old.split("|"), new.split("|")

    assert line_differences(was, now, was, now) == hunks


def test_what_stands_in_both_is_unchanged() -> None:
    assert [*unchanged("abcd", "xbcdy")] == [(1, 1), (2, 2), (3, 3)]
    assert [*unchanged("", "")] == []


def applied(old: list[str], new: list[str], hunks: list[AlignedHunk]) -> list[str]:
    out, at = [], 0
    for hunk in hunks:
        out += old[at : hunk.old_start] + new[hunk.new_start : hunk.new_end]
        at = hunk.old_end
    return out + old[at:]


def test_beyond_the_cost_cap_single_lines_are_anchors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(align, "COST_CAP", 6)
    old = ["a", "x", "x", "b", "y", "y", "y", "c", "q"]
    new = ["r", "x", "b", "z", "z", "c", "x", "t"]
    hunks = differences(old, new)

    assert applied(old, new, hunks) == new
    assert [*unchanged(old, new)][-2:] == [(3, 2), (7, 5)]


def test_anchors_that_cross_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(align, "COST_CAP", 1)
    old, new = ["0", "a", "b", "c", "1"], ["2", "c", "a", "b", "3"]
    hunks = differences(old, new)

    assert applied(old, new, hunks) == new
    assert [*unchanged(old, new)] == [(1, 2), (2, 3)]


def test_without_anchors_all_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(align, "COST_CAP", 1)

    assert differences(["a", "a", "b", "b"], ["b", "b", "a", "a"]) == [AlignedHunk(0, 4, 0, 4)]


def test_likeness_has_a_cutoff() -> None:
    assert similarity("abcd", "abcd") == 1.0
    assert similarity("abcd", "abxy") == 0.5
    assert similarity("abcd", "abxy", 0.6) == 0.0


def test_the_most_alike_come_first() -> None:
    assert most_alike("paht", ["reason", "path", "part"], 0.5, 2) == [(1, 0.75), (2, 0.75)]
    assert most_alike("paht", ["x"], 0.5, 2) == []
