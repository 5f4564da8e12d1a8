"""One hunk of a unified diff: read by its body, whatever its header says."""

import pytest

from keyhole.edits.model.hunk import Hunk
from keyhole.patches.unified import read_hunk
from keyhole.refusals import Refused

BODY = [" one", "-two", "+2", " three"]
LINES = tuple((line[0], line[1:]) for line in BODY)


def hunk(header: str, *body: str) -> Hunk:
    return read_hunk([header, *body], 0)[0]


@pytest.mark.parametrize(
    ("header", "line", "anchors"),
    [
        ("@@ -7,3 +7,3 @@", 7, ()),
        ("@@ -7,3 +7,3 @@ def f():", 7, ()),
        ("@@ -7,3 +7,3", 7, ()),
        ("@@ -7 @@", 7, ()),
        ("@@-7,3 +7,3@@", 7, ()),
        ("@@", 0, ()),
        ("@@ ... @@", 0, ()),
        ("@@ @@", 0, ()),
        ("@@ def f(): @@", 0, ("def f():",)),
        ("@@ def f():", 0, ("def f():",)),
    ],
)
def test_a_header_may_be_damaged(header: str, line: int, anchors: tuple[str, ...]) -> None:
    found = hunk(header, *BODY)

    assert (found.lines, found.line, found.anchors, found.notes) == (LINES, line, anchors, ())


def test_wrong_counts_are_told_and_do_not_matter() -> None:
    note = "the counts of the hunk at line 1 of the patch are wrong"

    for header in ("@@ -1,2 +1,2 @@", "@@ -1,9 +1,9 @@", "@@ -1 +1 @@"):
        found = hunk(header, *BODY, "", "")
        assert (found.lines, found.notes) == (LINES, (note,))


@pytest.mark.parametrize(
    ("header", "line", "says_start"),
    [
        ("@@ -2,0 +3 @@", 2, False),
        ("@@ -0,0 +1 @@", 0, True),
        ("@@ -2 +2,2 @@", 0, False),
        ("@@ -2,3 +2,4 @@", 0, False),
        ("@@ -2 @@", 0, False),
        ("@@ --2,0 +3 @@", 0, False),
        ("@@ -2,-1 +3 @@", 0, False),
    ],
)
def test_added_lines_stand_below_a_line_only_if_the_counts_say_that_none_is_old(
    header: str, line: int, *, says_start: bool
) -> None:
    found = hunk(header, "+x")

    assert (found.line, found.says_start) == (line, says_start)


@pytest.mark.parametrize(
    "behind",
    [
        ["-- ", "2.39.5"],
        ["", "Only in b: c"],
        ["diff -ru a/y b/y"],
        ["Index: y", "===="],
        ["prose"],
    ],
)
def test_right_counts_say_where_the_hunk_ends(behind: list[str]) -> None:
    found = hunk("@@ -1,3 +1,3 @@", *BODY, *behind)

    assert (found.lines, found.notes) == (LINES, ())


def test_another_programs_lines_end_a_hunk_where_a_file_is_named_below() -> None:
    behind = ["diff -ru a/y b/y", "--- a/y", "+++ b/y", "@@ -1 +1 @@", "-a", "+b"]

    found, stop = read_hunk(["@@ -1,9 +1,9 @@", *BODY, *behind], 0)

    assert (found.lines, stop) == (LINES, 5)


def test_blank_lines_may_have_lost_their_space_and_others_their_mark() -> None:
    found = hunk("@@ -1,4 +1,3 @@", " one", "", "-two", "three")

    assert found.lines == ((" ", "one"), (" ", ""), ("-", "two"), (" ", "three"))


@pytest.mark.parametrize(
    ("body", "open_before", "open_after"),
    [
        (["-a", "\\ No newline at end of file", "+b"], True, False),
        (["-a", "+b", "\\ No newline at end of file"], False, True),
        (["+b", " a", "\\ No newline at end of file"], True, True),
    ],
)
def test_a_line_without_end_is_told_by_its_mark(
    body: list[str], *, open_before: bool, open_after: bool
) -> None:
    found = hunk("@@", *body)

    assert (found.open_before, found.open_after) == (open_before, open_after)


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ("@@@ -1,2 -1,2 +1,3 @@@", "line 1 holds a combined diff"),
        ("@@ -9999999999 +1 @@", "line 1 holds a number with too many digits"),
        ("@@ -1,3 +1,99999999999 @@", "line 1 holds a number with too many digits"),
    ],
)
def test_a_header_of_another_kind_is_refused(header: str, said: str) -> None:
    with pytest.raises(Refused, match=said):
        hunk(header, *BODY)


@pytest.mark.parametrize(
    "behind", [["kept", "+4"], ["", "-four"], [" four"], ["-- ", "+4"], ["prose", "- an item"]]
)
def test_right_counts_leave_no_line_out_that_changes_something(behind: list[str]) -> None:
    found = hunk("@@ -1,3 +1,3 @@", *BODY, *behind)

    assert len(found.lines) == len(BODY) + len(behind)
    assert found.notes == ("the counts of the hunk at line 1 of the patch are wrong",)
