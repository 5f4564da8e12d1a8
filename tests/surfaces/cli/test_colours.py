import pytest

from keyhole.surfaces.cli.colours import painted

RECEIPT = """\
applied 1-abcd
a.txt 01 -> 02
  warning: careful
  edit 0: line 1, matched exact
--- a/a.txt
+++ b/a.txt
@@ -1,2 +1,2 @@
 - list
-applied one
+refused: two
\\ No newline at end of file
b.txt 03 -> 04
- not a diff any more"""


def plain(text: str) -> str:
    for code in ("0", "1", "2", "31", "32", "33", "36", "1;31", "1;32", "1;33"):
        text = text.replace(f"\x1b[{code}m", "")
    return text


def test_colours_change_no_word() -> None:
    assert plain(painted(RECEIPT)) == RECEIPT


def test_a_diff_is_coloured_line_by_line() -> None:
    assert painted(RECEIPT).split("\n") == [
        "\x1b[1;32mapplied 1-abcd\x1b[0m",
        "a.txt 01 -> 02",
        "\x1b[33m  warning: careful\x1b[0m",
        "  edit 0: line 1, matched exact",
        "\x1b[1m--- a/a.txt\x1b[0m",
        "\x1b[1m+++ b/a.txt\x1b[0m",
        "\x1b[36m@@ -1,2 +1,2 @@\x1b[0m",
        " - list",
        "\x1b[31m-applied one\x1b[0m",
        "\x1b[32m+refused: two\x1b[0m",
        "\x1b[2m\\ No newline at end of file\x1b[0m",
        "b.txt 03 -> 04",
        "- not a diff any more",
    ]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("refused: nothing was changed", "1;31"),
        ("unchanged", "1;33"),
        ("  candidate 0a1b: lines 1-2", "36"),
        ("  candidate: lines 1-2", "36"),
        ("  help: quote it", "1"),
    ],
)
def test_a_refusal_shows_what_matters(line: str, code: str) -> None:
    assert painted(line) == f"\x1b[{code}m{line}\x1b[0m"


@pytest.mark.parametrize("line", ["[bold]a[/bold]", "https://a.b 'text' 12", "x" * 500, ":smile:"])
def test_text_is_taken_as_it_is(line: str) -> None:
    assert painted(line) == line
