import pytest

from keyhole.segments.code.layout import closes_flush, ends_surely, inside, opening_of, own_lines


@pytest.mark.parametrize(
    ("body", "content"),
    [
        ("{ a; }", "a;"),
        ("{\n  a;\n}", "  a;\n"),
        ("{\n\n  a;\n\n}", "  a;\n"),
        ("{}", ""),
        ("{ }", ""),
        ("struct {\n  a\n}", "  a\n"),
        ("do\n  a\nend", "  a\n"),
        ("=> 1", "1"),
        ("= 1", "1"),
        ("a + { b }", "a + { b }"),
        ("{ a } + { b", "{ a } + { b"),
        ("{ a;\n  b; }", "a;\n  b;"),
    ],
)
def test_the_inside_of_a_body_leaves_out_the_marks_around_it(body: str, content: str) -> None:
    text = f"head {body}"

    start, end = inside(text, (5, len(text)))

    assert text[start:end] == content


def test_a_signature_reaches_to_the_mark_that_opens_the_body() -> None:
    assert opening_of("type A struct {}", (7, 16)) == 14
    assert opening_of("f a", (2, 3)) == 2


@pytest.mark.parametrize(
    ("text", "start", "end", "own"),
    [
        ("  ab\n", 2, 4, (0, 5)),
        ("  ab // why\n", 2, 4, (0, 12)),
        ("  ab,\n", 2, 4, (0, 6)),
        ("  ab # why", 2, 4, (0, 10)),
        ("  ab c\n", 2, 4, None),
        ("x ab\n", 2, 4, None),
        ("ab\r\ncd", 0, 2, (0, 4)),
    ],
)
def test_lines_are_ones_own_if_nothing_but_a_comment_shares_them(
    text: str, start: int, end: int, own: tuple[int, int] | None
) -> None:
    assert own_lines(text, start, end) == own


@pytest.mark.parametrize(
    ("text", "sure"),
    [
        ("f {\n  a\n}\n", True),
        ("f\n{\n  a\nlabel:\n#if X\n  b\n}\n", True),
        ("f {\n  a\n\ng {\n  b\n}\n", False),
        ("f {\n  a\n}\n}\n", False),
        ("  f {\n    a\n}\n", False),
        ("  f {\n#if X\n    a\n  }\n", True),
        ("f { a }\n", True),
        ("\tf {\n\t\ta\n\t}\n", True),
    ],
)
def test_indentation_bears_an_end_out_or_not(text: str, *, sure: bool) -> None:
    assert ends_surely(text, (0, len(text))) is sure


def test_braces_close_at_the_column_where_a_declaration_begins() -> None:
    text = "  f {\n    a\n  }\n}\n"

    assert closes_flush(text, (2, text.index("}\n}") + 1))
    assert not closes_flush(text, (2, len(text)))
    assert not closes_flush(text, (2, text.index("a") + 1))
    assert closes_flush("f { a }\n", (0, 7))
    assert closes_flush("f =\n  a\n", (0, 8))
