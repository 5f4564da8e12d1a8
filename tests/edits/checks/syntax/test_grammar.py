import pytest

from keyhole.edits.checks.syntax.grammar import MOST, grammar_problems


def messages(parser: str, text: str) -> list[tuple[str, bool]]:
    return [(each.message, each.doubtful) for each in grammar_problems(parser, text)]


def test_a_sound_text_has_no_problems() -> None:
    assert messages("javascript", "x = 1;\n") == []


def test_what_is_missing_is_named() -> None:
    assert messages("javascript", "f(1;\n") == [("`)` is missing", False)]
    assert messages("python", "for in x:\n    pass\n") == [("identifier is missing", False)]


def test_what_does_not_fit_is_shown() -> None:
    assert messages("json", "[1,,2]") == [("unexpected `,`", False)]
    assert messages("json", f"[1 {'x' * 60}]")[0] == (f"unexpected `{'x' * 40}...`", False)


def test_of_very_many_problems_some_are_told() -> None:
    assert len(messages("json", "[" + "x, " * 1000 + "]")) == 300


def test_what_would_take_too_long_is_not_read() -> None:
    assert messages("json", "[\n" * (MOST // 2 + 1)) == []
    assert messages("json", "[" * 20_001) == []
    assert messages("html", "<a>\n" * 10_001) == []
    assert messages("html", "<a>\n" * 99) != []


@pytest.mark.parametrize(
    ("parser", "text", "doubtful"),
    [
        ("c", "int f(int a UNUSED) { return 1; }\n", True),
        ("c", "PyObject_HEAD\nint a;\nint f( { }\n", True),
        ("c", "int f( { return 1; }\n", False),
        ("c", "#define X \\\n  (\nint f( {}\n", True),
        ("c", "void *p = NULL\nint f( { }\n", False),
        ("css", "a { b: url(x?y); c d }\n", True),
        ("css", "a { b: c; d e }\n", False),
        ("yaml", "{{- if x }}\na: [\n", True),
        ("html", "<div {% if x %}</div>\n", True),
        ("html", "<div>\n\n\n\n\n\n{{ x }}\n", True),
        ("html", "<div>\n\n\n\n\n\n", False),
        ("yaml", "a: [\n\n\n\n\n\n{{ x }}\n", True),
        ("yaml", "a: ${{ x }}\nb: [\n", False),
        ("javascript", "x = {{ y }}\n", False),
    ],
)
def test_what_a_grammar_cannot_know_is_doubtful(parser: str, text: str, *, doubtful: bool) -> None:
    found = grammar_problems(parser, text)

    assert found
    assert all(each.doubtful == doubtful for each in found)
