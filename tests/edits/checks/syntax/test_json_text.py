import pytest

from keyhole.edits.checks.syntax.config import (
    all_json_problems,
    json5_problems,
    json_problems,
    jsonc_problems,
)


@pytest.mark.parametrize(
    "text", ["", " \n", "{}", "[1, 2.5e3, -0, null]", '{"a": {"a": 1}}', '"x"']
)
def test_sound_json_has_no_problems(text: str) -> None:
    assert json_problems(text) == ()


@pytest.mark.parametrize(
    ("text", "start", "message"),
    [
        ("[1,,2]", 3, "Expecting value"),
        ('{"a" 1}', 5, "Expecting ':' delimiter"),
        ("{} {}", 3, "Extra data"),
        ('{"a": 1, "b": {"c": 1, "c": 2}}', 23, "the key `c` is there twice"),
        ("[1 // x\n]", 3, "Expecting ',' delimiter"),
    ],
)
def test_what_is_wrong_is_told_by_its_place(text: str, start: int, message: str) -> None:
    assert [(each.start, each.message) for each in json_problems(text)] == [(start, message)]


def test_a_long_number_is_only_a_number() -> None:
    assert json_problems(f"[{'9' * 10_000}, 1.{'9' * 10_000}]") == ()


def test_what_is_nested_too_deep_is_left_to_the_grammar() -> None:
    assert json_problems("[\n" * 50_000 + "]\n" * 50_000) == ()
    assert json_problems("[\n" * 50_000) != ()


@pytest.mark.parametrize(
    "text",
    ['{"a": 1, // x "\n}', "[1, /* ] */ ]", '{"a": "// no", "b": "/*"}', "{/**/}", "[1,\n// x\n]"],
)
def test_comments_and_commas_too_many_are_fine_where_they_may_be(text: str) -> None:
    assert jsonc_problems(text) == ()


@pytest.mark.parametrize(
    ("text", "start"),
    [("[1,, // x\n2]", 3), ("[1 /* x", 3), ('{"a": 1, /* "a" */ "a": 2}', 19), ("// x\n[1", 7)],
)
def test_places_stay_where_comments_are(text: str, start: int) -> None:
    assert [each.start for each in jsonc_problems(text)] == [start]


def test_json5_is_an_expression() -> None:
    assert json5_problems("{a: 'x', /* y */ b: [1,], c: +Infinity, d: 0x1f}") == ()
    assert json5_problems(" ") == ()
    assert [(each.start, each.end) for each in json5_problems("{a: 1 b: 2}")] == [(6, 10)]


def test_of_a_broken_text_all_is_told() -> None:
    found = all_json_problems('{"a": [1,,2], // x\n"b": 1, "b": 2,}')

    assert [each.message for each in found] == ["unexpected `,`", "the key `b` is there twice"]


def test_a_comment_that_nothing_closes_is_a_problem_however_many_there_are() -> None:
    assert jsonc_problems("[1] /* a\n")
    assert jsonc_problems("[1, /* a\n" * 50_000)
