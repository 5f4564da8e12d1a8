import json

import pytest

from keyhole.edits.by_name.keys import brackets_of, is_separated, with_comma
from tests.edits.segment_calls import after, spot

TEXT = '{\n  "a": [\n    1,\n    2\n  ],\n  "b": {"c": 1, "d": 2},\n  "e": []\n}\n'


def test_brackets_are_known_by_their_inside() -> None:
    found = spot("a.json", TEXT, "a")

    assert found.flat[slice(*(brackets_of(found) or (0, 0)))] == "\n    1,\n    2\n  "
    assert brackets_of(spot("a.json", TEXT, "b.c")) is None
    assert brackets_of(spot("a.yaml", "a:\n", "a")) is None
    assert brackets_of(spot("a.yaml", "a: '[x'\n", "a")) is None


def test_commas_keep_members_apart() -> None:
    assert is_separated(spot("a.json", TEXT, "a"))
    assert is_separated(spot("a.toml", "a = {b = 1}\n", "a.b"))
    assert not is_separated(spot("a.toml", "a = 1\n", "a"))


def test_a_comma_goes_before_a_comment() -> None:
    found = spot("a.json", TEXT, "a")

    assert with_comma(found, ["1 // one"]) == ["1, // one"]
    assert with_comma(found, ["1,"]) == ["1,"]


@pytest.mark.parametrize(
    "edit",
    [
        {"segment": "a", "action": "append", "content": "3"},
        {"segment": "a", "action": "prepend", "content": "0,"},
        {"segment": "b", "action": "prepend", "content": '"x": 1'},
        {"segment": "b", "action": "append", "content": '"x": 1'},
        {"segment": "e", "action": "append", "content": "1"},
        {"segment": "b.c", "action": "before", "content": '"x": 1'},
        {"segment": "b.d", "action": "after", "content": '"x": 1'},
        {"segment": "b", "action": "after", "content": '"x": 1'},
        {"segment": "e", "action": "after", "content": '"x": 1,'},
        {"segment": "a", "action": "before", "content": '"x": {\n  "y": 1\n}'},
        {"segment": "a", "action": "delete"},
        {"segment": "b.c", "action": "delete"},
        {"segment": "b.d", "action": "delete"},
        {"segment": "e", "action": "delete"},
    ],
)
def test_what_is_written_is_json(edit: dict[str, object]) -> None:
    before, now = json.loads(TEXT), json.loads(after("a.json", TEXT, **edit))

    assert now != before


def test_a_comma_at_the_end_stays_one() -> None:
    text = "a = [\n  1,\n  2,\n]\n"

    assert after("a.toml", text, segment="a", action="append", content="3") == (
        "a = [\n  1,\n  2,\n  3,\n]\n"
    )
    assert after("a.toml", "a = []\n", segment="a", action="append", content="3") == "a = [3]\n"
    assert after("a.toml", "a = []\n", segment="a", action="append", content="3,\n4") == (
        "a = [\n    3,\n    4\n]\n"
    )


def test_members_below_nothing_but_a_comment() -> None:
    text = '{\n  "a": {\n    // none\n    "b": 1\n  }\n}\n'

    assert after("a.jsonc", text, segment="a.b", action="delete") == (
        '{\n  "a": {\n    // none\n  }\n}\n'
    )


def test_the_only_member_on_a_line_of_its_own() -> None:
    assert after("a.json", '{"a": 1}\n', segment="a", action="delete") == "{}\n"
    assert after("a.json", '{\n  "a": 1\n}\n', segment="a", action="delete") == "{\n}\n"


@pytest.mark.parametrize("text", ["[1,\n    2]", "[1, 2]", "[\n    1, 2\n  ]", "[ 1,\n 2 ]"])
def test_a_list_in_any_layout(text: str) -> None:
    before = f'{{\n  "a": {text}\n}}\n'

    assert json.loads(after("a.json", before, segment="a", action="append", content="3")) == {
        "a": [1, 2, 3]
    }
    assert json.loads(after("a.json", before, segment="a", action="prepend", content="0")) == {
        "a": [0, 1, 2]
    }


def test_a_comma_before_the_closing_bracket() -> None:
    text = "a = [1, 2,]\n"

    assert after("a.toml", text, segment="a", action="append", content="3") == "a = [1, 2, 3]\n"


@pytest.mark.parametrize("action", ["append", "prepend"])
@pytest.mark.parametrize(
    ("name", "before", "new", "expected"),
    [
        ("a.jsonc", '{"a": [\n  // none\n]}\n', "1", '{"a": [\n  // none\n  1\n]}\n'),
        ("a.jsonc", '{"a": [ // none\n]}\n', "1", '{"a": [ // none\n  1\n]}\n'),
        ("a.jsonc", '{"a": {/* no */ }}\n', '"b": 1', '{"a": {/* no */\n  "b": 1\n}}\n'),
        ("a.toml", "a = [\n  # none\n]\n", "1", "a = [\n  # none\n  1\n]\n"),
        ("a.yaml", "a: [\n  # none\n]\n", "b", "a: [\n  # none\n  b\n]\n"),
    ],
)
def test_brackets_with_nothing_but_a_comment_get_their_first_member(
    name: str, before: str, new: str, expected: str, action: str
) -> None:
    assert after(name, before, segment="a", action=action, content=new) == expected
