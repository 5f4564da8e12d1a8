import pytest

from keyhole.text.changes import Change
from keyhole.text.document import Document
from keyhole.text.lines import block, line_span, newline_near


@pytest.mark.parametrize(
    ("text", "span", "newline"),
    [
        ("", (0, 0), "\n"),
        ("a", (0, 1), "\n"),
        ("a\r\nb\nc\n", (0, 3), "\r\n"),
        ("a\r\nb\nc\n", (1, 1), "\r\n"),
        ("a\nb\r\nc", (6, 6), "\r\n"),
        ("a\rb", (0, 1), "\r"),
        ("\nb", (1, 2), "\n"),
    ],
)
def test_a_new_line_ends_as_its_neighbours_do(
    text: str, span: tuple[int, int], newline: str
) -> None:
    assert newline_near(Document(text), *span) == newline


@pytest.mark.parametrize(
    ("text", "span", "lines", "change"),
    [
        ("a\nb\n", (0, 2), ["x", "y"], Change(0, 2, "x\ny\n")),
        ("a\nb\n", (4, 4), ["x"], Change(4, 4, "x\n")),
        ("a\nb\n", (2, 4), [], Change(2, 4, "")),
        ("a\nb", (2, 3), ["x", "y"], Change(2, 3, "x\ny")),
        ("a\nb", (3, 3), ["x"], Change(3, 3, "\nx")),
        ("a\nb", (2, 3), [], Change(1, 3, "")),
        ("a\r\nb", (3, 4), [], Change(1, 4, "")),
        ("a", (0, 1), [], Change(0, 1, "")),
        ("a", (1, 1), [], Change(1, 1, "")),
        ("", (0, 0), ["x"], Change(0, 0, "x\n")),
        ("a\rb\r", (2, 2), ["x"], Change(2, 2, "x\r")),
    ],
)
def test_lines_go_in_whole(
    text: str, span: tuple[int, int], lines: list[str], change: Change
) -> None:
    assert block(Document(text), *span, lines) == change


def test_lines_may_bring_their_own_ends() -> None:
    change = block(Document("a\nb\r\n"), 0, 5, ["x", "y"], ["\n", "\r\n"])

    assert change == Change(0, 5, "x\ny\r\n")


@pytest.mark.parametrize(
    ("span", "lines"),
    [((0, 0), (0, 3)), ((1, 2), (0, 3)), ((1, 3), (0, 3)), ((1, 4), (0, 6)), ((6, 7), (6, 7))],
)
def test_a_span_touches_whole_lines(span: tuple[int, int], lines: tuple[int, int]) -> None:
    assert line_span(Document("ab\ncd\ne"), *span) == lines
