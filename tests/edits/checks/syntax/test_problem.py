import pytest

from keyhole.edits.checks.syntax.problem import Problem, at_line


@pytest.mark.parametrize(
    ("line", "column", "start", "end"),
    [
        (1, 1, 0, 1),
        (2, 2, 4, 5),
        (2, 9, 5, 5),
        (2, 0, 3, 4),
        (3, 1, 6, 6),
        (9, 1, 6, 6),
    ],
)
def test_a_line_and_column_become_an_offset(line: int, column: int, start: int, end: int) -> None:
    assert at_line("ab\ncd\n", line, column, "x") == Problem(start, end, "x")


def test_the_last_line_needs_no_end() -> None:
    assert at_line("ab", 5, 5, "x") == Problem(2, 2, "x")
