import pytest

from keyhole.edits.by_name.separators import blank_above, blank_below, gap_lines, is_line, usual_gap
from tests.edits.segment_calls import spot

TEXT = "import os\n\nA = 1\nB = 2\n\n\ndef f():\n    pass\n\n\nclass C:\n    x = 1\n"


@pytest.mark.parametrize(
    ("above", "below", "gap"),
    [
        ("imports", "variable", 1),
        ("variable", "variable", 0),
        ("variable", "function", 2),
        ("function", "class", 2),
        ("function", "variable", 2),
        ("imports", "imports", 0),
        ("docstring", "imports", 1),
    ],
)
def test_the_file_says_how_far_apart_things_stand(above: str, below: str, gap: int) -> None:
    assert usual_gap(spot("m.py", TEXT, "f"), above, below, "", "") == gap


def test_methods_stand_closer() -> None:
    found = spot("m.py", TEXT, "f")

    assert usual_gap(found, "method", "method", "C", "    ") == 1
    assert usual_gap(found, "variable", "variable", "C", "    ") == 0


def test_a_parent_has_habits_of_its_own() -> None:
    text = "class A:\n    def a(self): ...\n    def b(self): ...\n\n\nclass B:\n" + "".join(
        f"    def m{number}(self):\n        pass\n\n" for number in range(4)
    )
    found = spot("m.py", text, "A")

    assert usual_gap(found, "method", "method", "A", "    ") == 0
    assert usual_gap(found, "method", "method", "B", "    ") == 1
    assert usual_gap(found, "method", "method", "other", "    ") == 1


def test_other_languages_keep_one_line() -> None:
    found = spot("a.go", "package a\n\nfunc F() {}\n", "F")

    assert usual_gap(found, "function", "function", "", "") == 1
    assert usual_gap(spot("a.md", "# A\n", "A"), "section", "section", "", "") == 1


def test_runs_of_blank_lines() -> None:
    found = spot("m.py", "a = 1\n\n  \nb = 2\n\n", "b")

    assert blank_above(found, 10) == 6
    assert blank_below(found, 6) == 10
    assert blank_below(found, 16) == 17
    assert blank_above(found, 0) == 0
    assert gap_lines(found, (6, 10)) == 2


def test_blank_lines_may_begin_the_file() -> None:
    assert blank_above(spot("m.py", "\n\na = 1\n", "a"), 2) == 0


def test_some_kinds_are_lines() -> None:
    assert is_line("variable")
    assert is_line("imports")
    assert not is_line("function")
