import pytest

from keyhole.phrases import Row
from keyhole.surfaces.cli.colours import painted

ROWS = [
    Row("applied", "applied 1-abcd"),
    "a.txt 01 -> 02",
    Row("warning", "  warning: careful"),
    "  edit 0: line 1, matched exact",
    Row(
        "diff",
        """\
--- a/a.txt
+++ b/a.txt
@@ -1,2 +1,2 @@
 - list
-applied one
--- two
+refused: two
\\ No newline at end of file""",
    ),
    "b.txt 03 -> 04",
    "- not a diff any more",
]


def plain(text: str) -> str:
    for code in ("0", "1", "2", "31", "32", "33", "36", "1;31", "1;32", "1;33"):
        text = text.replace(f"\x1b[{code}m", "")
    return text


def test_colours_change_no_word() -> None:
    assert plain(painted(ROWS)) == "\n".join(ROWS)


def test_a_diff_is_coloured_line_by_line() -> None:
    assert painted(ROWS).split("\n") == [
        "\x1b[1;32mapplied 1-abcd\x1b[0m",
        "a.txt 01 -> 02",
        "\x1b[33m  warning: careful\x1b[0m",
        "  edit 0: line 1, matched exact",
        "\x1b[1m--- a/a.txt\x1b[0m",
        "\x1b[1m+++ b/a.txt\x1b[0m",
        "\x1b[36m@@ -1,2 +1,2 @@\x1b[0m",
        " - list",
        "\x1b[31m-applied one\x1b[0m",
        "\x1b[31m--- two\x1b[0m",
        "\x1b[32m+refused: two\x1b[0m",
        "\x1b[2m\\ No newline at end of file\x1b[0m",
        "b.txt 03 -> 04",
        "- not a diff any more",
    ]


def test_a_hit_has_its_place_its_segment_and_what_was_looked_for_in_colours() -> None:
    rows = [Row("hit", each) for each in ("a.py:2:5: x = x  [load]", "a.py-3- y", "nothing found")]

    assert painted(rows, words=["x", ""]).split("\n") == [
        "\x1b[35ma.py:2:5: \x1b[0m\x1b[1;31mx\x1b[0m = \x1b[1;31mx\x1b[0m\x1b[36m  [load]\x1b[0m",
        "\x1b[35ma.py-3- \x1b[0my",
        "nothing found",
    ]


@pytest.mark.parametrize(
    ("role", "code"),
    [("refused", "1;31"), ("unchanged", "1;33"), ("candidate", "36"), ("help", "1")],
)
def test_a_refusal_shows_what_matters(role: str, code: str) -> None:
    assert painted([Row(role, "text")]) == f"\x1b[{code}mtext\x1b[0m"


@pytest.mark.parametrize("line", ["applied", "refused: no", "  help: me", "--- a", "+ b"])
def test_text_that_reads_like_an_answer_is_no_answer(line: str) -> None:
    assert painted([line]) == line


@pytest.mark.parametrize("line", ["[bold]a[/bold]", "https://a.b 'text' 12", "x" * 500, ":smile:"])
def test_text_is_taken_as_it_is(line: str) -> None:
    assert painted([line]) == line
