"""Git's header lines: names, moves, copies, modes."""

import pytest

from keyhole.edits.model.hunk import Hunk
from keyhole.edits.model.operations import (
    CopyFile,
    DeleteFile,
    MoveFile,
    Operation,
    SetMode,
    WriteFile,
)
from keyhole.patches.detect import parse
from keyhole.refusals import Refused

HUNK = "@@ -1 +1 @@\n-a\n+b\n"


@pytest.mark.parametrize(
    ("patch", "operations"),
    [
        (
            "diff --git a/x y b/x y\nold mode 100644\nnew mode 100755\n",
            [SetMode("x y", executable=True)],
        ),
        (
            'diff --git "a/\\303\\251" "b/\\303\\251"\nold mode 100755\nnew mode 100644\n',
            [SetMode("é", executable=False)],
        ),
        (
            "diff --git a/new b/new\nnew file mode 100755\nindex 0000000..e69de29\n",
            [WriteFile("new", "", executable=True)],
        ),
        (
            "diff --git a/old b/old\ndeleted file mode 100644\nindex e69de29..0000000\n",
            [DeleteFile("old", expect="")],
        ),
        (
            "diff --git a/x b/y z\nsimilarity index 100%\nrename from x\nrename to y z\n",
            [MoveFile("x", "y z")],
        ),
        (
            "diff --git a/x b/y\nold mode 100644\nnew mode 100755\nrename from x\nrename to y\n",
            [MoveFile("x", "y", executable=True)],
        ),
        (
            "diff --git a/x b/y\nsimilarity index 100%\ncopy from x\ncopy to y\n",
            [CopyFile("y", "x")],
        ),
        (
            f"diff --git a/x b/x\nold mode 100644\nnew mode 100755\n--- a/x\n+++ b/x\n{HUNK}",
            [
                Hunk("x", (("-", "a"), ("+", "b")), 1, anchors_hint=True),
                SetMode("x", executable=True),
            ],
        ),
        (
            'diff --git a/x "b/\\351"\nrename from x\nrename to "\\351"\n',
            [MoveFile("x", "\udce9")],
        ),
    ],
)
def test_what_stands_above_the_hunks_is_an_operation(
    patch: str, operations: list[Operation]
) -> None:
    assert list(parse(patch)) == operations


@pytest.mark.parametrize("mode", ["120000", "160000", "040000", "100777", "104755", "755", ""])
def test_a_mode_that_no_plain_file_has_is_refused(mode: str) -> None:
    for header in ("new file mode", "new mode", "old mode", "deleted file mode"):
        with pytest.raises(Refused, match=f"mode {mode} is not that of a file"):
            parse(f"diff --git a/l b/l\n{header} {mode}\n--- a/l\n+++ b/l\n{HUNK}")


@pytest.mark.parametrize(
    "line", ["GIT binary patch", "Binary files a/l and b/l differ", "Prereq: 1.0"]
)
def test_what_is_not_text_is_refused_by_its_line(line: str) -> None:
    with pytest.raises(Refused, match=r"line 2 makes this a (patch|binary)"):
        parse(f"diff --git a/l b/l\n{line}\n--- a/l\n+++ b/l\n{HUNK}")


def test_two_names_that_differ_are_told_by_the_lines_below_them() -> None:
    patch = f"diff --git a/x b/y\n--- a/y\n+++ b/y\n{HUNK}"

    assert [operation.path for operation in parse(patch)] == ["y"]


def test_a_file_that_comes_has_only_added_lines() -> None:
    with pytest.raises(Refused, match="a file that comes or goes has other lines"):
        parse(f"diff --git a/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/x\n{HUNK}")
    added = parse("diff --git a/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/x\n@@\n+a\n")
    assert added == (WriteFile("x", "a\n"),)


@pytest.mark.parametrize(
    ("header", "path"),
    [
        ("diff --git a/x a/x\n--- a/x\n+++ a/x\n", "a/x"),
        ("diff --git x y x y\n--- x y\n+++ x y\n", "x y"),
        ("diff --git i/x w/x\n--- i/x\n+++ w/x\n", "x"),
        (
            'diff --git "a/\\303\\251" "a/\\303\\251"\n--- "a/\\303\\251"\n+++ "a/\\303\\251"\n',
            "a/é",
        ),
        ("--- old/dir/x\t2026-01-01\n+++ new/dir/x\t2026-01-01\n", "dir/x"),
        ("--- a/x\n+++ b/x\n", "x"),
        ('diff --git a/x b/"x\n--- a/x\n+++ b/x\n', "x"),  # a quote that nothing closes
    ],
)
def test_a_prefix_is_what_two_names_do_not_share(header: str, path: str) -> None:
    assert [operation.path for operation in parse(header + HUNK)] == [path]


def test_of_two_plain_names_the_plainer_one_comes_first() -> None:
    (hunk,) = parse(f"--- x.orig\n+++ x\n{HUNK}")

    assert isinstance(hunk, Hunk)
    assert hunk.names == ("x", "x.orig")


def test_another_mail_or_commit_and_a_second_part_for_a_file_come_later() -> None:
    part = f"--- a/x\n+++ b/x\n{HUNK}"
    head = f"From {'0' * 40} Mon Sep 17 00:00:00 2001\nSubject: a\n\n- point\n---\n x | 2 +-\n\n"
    other = f"commit {'1' * 40}\nAuthor: a\n\n    why\n\n--- a/y\n+++ b/y\n{HUNK}"
    operations = parse(head + part + "-- \n2.39\n\n" + other + part + part)

    assert [(each.path, each.stage) for each in operations if isinstance(each, Hunk)] == [
        ("x", 0),
        ("y", 1),
        ("x", 1),
        ("x", 2),
    ]


def test_a_file_that_is_written_anew_while_it_moves_away_is_a_new_one() -> None:
    patch = (
        "diff --git a/x b/x\ndissimilarity index 100%\nindex 1..2 100755\n--- a/x\n+++ b/x\n"
        "@@ -1 +1 @@\n-a\n+b\ndiff --git a/x b/y\nrename from x\nrename to y\n"
    )

    assert parse(patch) == (WriteFile("x", "b\n", executable=True), MoveFile("x", "y"))


@pytest.mark.parametrize(
    ("head", "first"),
    [
        ("diff --git a/x b/x\nold mode 100644\nnew mode 100755\n", SetMode("x", executable=True)),
        ("diff --git a/x b/z\nrename from x\nrename to z\n", MoveFile("x", "z")),
        ("diff --git a/x b/x\nnew file mode 100644\n", WriteFile("x", "")),
    ],
)
def test_a_header_of_another_file_begins_another_part(head: str, first: Operation) -> None:
    operations = parse(f"{head}--- a/y\n+++ b/y\n{HUNK}")

    assert operations[0] == first
    assert [operation.path for operation in operations[1:]] == ["y"]
