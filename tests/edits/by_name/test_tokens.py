import pytest

from keyhole.edits.by_name.tokens import has_tail, is_pair, last_value, tokens, without_comma


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("json", '"a b": 1'),
        ("json", "key: 1"),
        ("toml", 'a."b".c = 1'),
        ("yaml", "a b: 1"),
        ("yaml", '"a": {}'),
        ("yaml", "a:"),
    ],
)
def test_a_key_and_its_value(language: str, line: str) -> None:
    assert is_pair(language, line)


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("json", '"a"'),
        ("json", '{"a": 1}'),
        ("toml", '"x"'),
        ("toml", "[1]"),
        ("yaml", "http://x"),
        ("yaml", "- a: 1"),
        ("yaml", "{a: 1}"),
        ("yaml", "# a: 1"),
    ],
)
def test_a_value_alone(language: str, line: str) -> None:
    assert not is_pair(language, line)


def test_what_strings_and_comments_hold_is_nothing() -> None:
    text = '{"a,": "//", /* , */ "b": 1 // ,\n}'

    assert [one[0] for one in tokens("json", text, (0, len(text))) if one["comma"]] == [","]
    assert last_value("json", text, (1, text.index("}"))) == (text.index("1") + 1, -1)


def test_a_hash_is_a_comment_only_behind_a_blank() -> None:
    assert last_value("yaml", "a: b#c # d", (0, 10)) == (6, -1)


def test_a_comma_at_the_end_is_taken_off_before_a_comment() -> None:
    assert without_comma("json", ['"a": 1,']) == ['"a": 1']
    assert without_comma("json", ['"a": [', "1", "], // why"]) == ['"a": [', "1", "] // why"]
    assert without_comma("json", ['"a": 1']) == ['"a": 1']


def test_a_comment_behind_the_value_is_a_tail() -> None:
    assert has_tail("yaml", ["a: 1  # why"])
    assert not has_tail("json", ['"a": 1,'])
