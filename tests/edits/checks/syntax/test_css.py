import pytest

from keyhole.edits.checks.syntax.grammar import css_problems


@pytest.mark.parametrize(
    "text",
    [
        "a { b: c; }\n",
        "/* don't */\na { b: \"it's\"; c: '\"'; }\n",
        "a { b: url(it.png); c: url( 'd.png' ); }\n",
        'a { b: "one \\" two"; }\n',
    ],
)
def test_sound_css_has_no_problems(text: str) -> None:
    assert css_problems(text) == ()


@pytest.mark.parametrize(("text", "start"), [('@import url(a.css");\n', 17), ('a[b=c"] {}\n', 5)])
def test_a_string_that_is_not_closed_is_told(text: str, start: int) -> None:
    assert [(each.start, each.message) for each in css_problems(text)] == [
        (start, "a string is not closed")
    ]


def test_what_the_grammar_does_not_fit_is_told() -> None:
    assert [each.message for each in css_problems("a { b c; }\n")] == ["unexpected `b c;`"]
