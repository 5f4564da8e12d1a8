import pytest

from keyhole.text.changes import Change, ChangeSet
from keyhole.text.diff import (
    WIDEST,
    diff,
    line_changes,
    numbered,
    quoted,
    unified,
    unified_deletion,
    window,
)
from keyhole.text.document import Document

LETTERS = "".join(f"{letter}\n" for letter in "abcdefghijklmnopqrst")


def test_only_lines_that_differ_change() -> None:
    assert diff("a\nb\nc\n", "a\nx\nc\ny\n") == ChangeSet(
        6, (Change(2, 4, "x\n"), Change(6, 6, "y\n"))
    )


@pytest.mark.parametrize(
    ("text", "change", "expected"),
    [
        ("f\na\nf\na\n", Change(0, 0, "f\na\n"), Change(0, 0, "f\na\n")),
        ("f\na\nf\na\n", Change(4, 8, ""), Change(4, 8, "")),
        ("f\na\n", Change(2, 2, "x"), Change(2, 4, "xa\n")),
        ("f\na\n", Change(1, 1, "\nx"), Change(2, 2, "x\n")),
        ("f\na\nb\n", Change(1, 3, ""), Change(2, 4, "")),
        ("f\na", Change(3, 3, "\nx"), Change(2, 3, "a\nx")),
        ("f\na\n", Change(4, 4, "x"), Change(4, 4, "x")),
        ("", Change(0, 0, "x"), Change(0, 0, "x")),
    ],
)
def test_a_change_becomes_one_of_whole_lines_where_it_is(
    text: str, change: Change, expected: Change
) -> None:
    changes = ChangeSet(len(text), (change,))

    assert line_changes(text, changes) == ChangeSet(len(text), (expected,))


def test_changes_of_one_line_become_one_and_lines_between_stay() -> None:
    changes = ChangeSet(6, (Change(0, 1, "A"), Change(1, 1, "!"), Change(4, 5, "C")))

    assert line_changes("a\nb\nc\n", changes) == ChangeSet(
        6, (Change(0, 2, "A!\n"), Change(4, 6, "C\n"))
    )


def test_a_diff_has_three_lines_around() -> None:
    after = LETTERS.replace("j", "J")

    assert unified("a.txt", LETTERS, diff(LETTERS, after)) == (
        "diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n"
        "@@ -7,7 +7,7 @@\n g\n h\n i\n-j\n+J\n k\n l\n m\n"
    )


def test_distant_changes_have_hunks_of_their_own() -> None:
    after = LETTERS.replace("b\n", "").replace("s\n", "S\ns\n")

    assert unified("x", LETTERS, diff(LETTERS, after)).split("\n", 3)[3] == (
        "@@ -1,5 +1,4 @@\n a\n-b\n c\n d\n e\n@@ -16,5 +15,6 @@\n p\n q\n r\n+S\n s\n t\n"
    )


def test_near_changes_share_a_hunk() -> None:
    after = LETTERS.replace("f", "F").replace("m", "M")

    assert unified("x", LETTERS, diff(LETTERS, after)).count("@@ -") == 1


def test_changes_on_one_line_are_one() -> None:
    changes = ChangeSet(7, (Change(0, 1, "A"), Change(2, 3, "C")))

    assert unified("x", "a b c\nd", changes).endswith(
        "@@ -1,2 +1,2 @@\n-a b c\n+A C c\n d\n\\ No newline at end of file\n"
    )


def test_a_created_and_a_deleted_file_say_so() -> None:
    assert unified("a b", None, diff("", "x\n")) == (
        "diff --git a/a b b/a b\nnew file mode 100644\n--- /dev/null\n+++ b/a b\t\n"
        "@@ -0,0 +1 @@\n+x\n"
    )
    assert unified_deletion("a", "x") == (
        "diff --git a/a b/a\ndeleted file mode 100644\n--- a/a\n+++ /dev/null\n"
        "@@ -1 +0,0 @@\n-x\n\\ No newline at end of file\n"
    )


def test_an_empty_file_needs_no_hunk() -> None:
    assert unified("a", None, ChangeSet(0)) == "diff --git a/a b/a\nnew file mode 100644\n"
    assert unified_deletion("a", "") == "diff --git a/a b/a\ndeleted file mode 100644\n"
    assert unified("a", "x\n", ChangeSet(2)) == ""


@pytest.mark.parametrize(
    ("name", "spelling"),
    [
        ("a b", "a b"),
        ('a"b', '"a\\"b"'),
        ("a\\b", '"a\\\\b"'),
        ("a\tb\nc\rd", '"a\\tb\\nc\\rd"'),
        ("é", '"\\303\\251"'),
        ("\udcff", '"\\377"'),
    ],
)
def test_odd_names_are_quoted_as_git_does(name: str, spelling: str) -> None:
    assert quoted(name) == spelling


@pytest.mark.parametrize(
    ("span", "around", "most", "numbers"),
    [
        ((8, 9), 1, 0, [4, 5, 6]),
        ((0, 1), 2, 0, [1, 2, 3]),
        ((38, 40), 3, 0, [17, 18, 19, 20]),
        ((0, 40), 0, 4, [1, 2, 3, 4]),
        ((4, 10), 0, 0, [3, 4, 5]),
        ((4, 4), 0, 0, [3]),
        ((40, 40), 1, 0, [20]),
    ],
)
def test_a_window_shows_numbered_lines(
    span: tuple[int, int], around: int, most: int, numbers: list[int]
) -> None:
    found = window(Document(LETTERS), span, around, most)

    assert found == [(number, LETTERS.split("\n")[number - 1]) for number in numbers]


def test_numbers_are_flush_right() -> None:
    assert numbered([(9, "a"), (10, "")]) == " 9| a\n10| "
    assert numbered([]) == ""


@pytest.mark.parametrize(
    ("at", "shown"),
    [
        (0, "needle" + "x" * (WIDEST - 6) + "… (10006 characters)"),
        (
            5000,
            "…" + "x" * (WIDEST // 2) + "needle" + "x" * (WIDEST // 2 - 6) + "… (10006 characters)",
        ),
        (10_000, "…" + "x" * (WIDEST - 6) + "needle (10006 characters)"),
    ],
)
def test_a_very_long_line_is_cut_around_the_span(at: int, shown: str) -> None:
    line = "x" * at + "needle" + "x" * (10_000 - at)

    assert window(Document(line), (at, at + 6)) == [(1, shown)]
