import pytest

from keyhole.edits.by_name.keys import as_item, is_block
from tests.edits.segment_calls import after


@pytest.mark.parametrize("text", ["a: 1", "- a", "-", '"a": 1\nb: 2'])
def test_blocks(text: str) -> None:
    assert is_block(text.split("\n"))


@pytest.mark.parametrize("text", ["x", "{a: 1}", "[a]", "|\n  text", "http://x"])
def test_values(text: str) -> None:
    assert not is_block(text.split("\n"))


def test_a_dash_is_added_where_it_is_missing() -> None:
    assert as_item(["a: 1", "", "b: 2"]) == ["- a: 1", "", "  b: 2"]
    assert as_item(["- a"]) == ["- a"]


def test_a_text_goes_behind_its_colon() -> None:
    text = "a:\n  b: 1\nc: 2\n"

    assert after("a.yaml", text, segment="a", part="body", content="|\n  x\n  y") == (
        "a: |\n  x\n  y\nc: 2\n"
    )


def test_a_colon_elsewhere_is_no_place_for_a_value() -> None:
    edit = {"part": "body", "content": "x: 1"}

    assert after("a.yaml", '"a: b": 1\n', segment="a: b", **edit) == '"a: b":\n  x: 1\n'
    assert after("a.yaml", "a:  # b: c\n", segment="a", part="body", content="x") == (
        "a: x  # b: c\n"
    )


@pytest.mark.parametrize(
    ("before", "segment", "part", "content", "expected"),
    [
        ("a: 1 # c\nb: 2\n", "a", "body", "x: |\n  t", "a: # c\n  x: |\n    t\nb: 2\n"),
        ("a: # c\nb: 2\n", "a", "body", "x: |\n  t", "a: # c\n  x: |\n    t\nb: 2\n"),
        ("a: [1] # c\nb: 2\n", "a", "body", "- 1\n- 2", "a: # c\n  - 1\n  - 2\nb: 2\n"),
        ("a: 1 # c\nb: 2\n", "a", "body", "|\n  t", "a: | # c\n  t\nb: 2\n"),
        ("a: # c\nb: 2\n", "a", "body", ">-\n  t", "a: >- # c\n  t\nb: 2\n"),
        ("a: 1 # c\nb: 2\n", "a", "whole", "a: |\n  t", "a: | # c\n  t\nb: 2\n"),
        ("a: 1 # c\nb: 2\n", "a", "whole", "a:\n  x: |\n    t", "a: # c\n  x: |\n    t\nb: 2\n"),
        ("a:\n  - 1 # c\n  - 2\n", "a.0", "body", "|\n  t", "a:\n  - | # c\n    t\n  - 2\n"),
        ("a: 1 # c\nb: 2\n", "a", "whole", "a: |\n  t # t", "a: | # c\n  t # t\nb: 2\n"),
        ("a: # c\n  - 1\nb: 2\n", "a", "body", "5", "a: 5 # c\nb: 2\n"),
        ("a: # c\n  - 1\nb: 2\n", "a", "body", "|\n  t", "a: | # c\n  t\nb: 2\n"),
        ("a: 1 # c\nb: 2\n", "a", "body", '"x\n  y"', 'a: "x\n  y" # c\nb: 2\n'),
    ],
)
def test_a_comment_behind_a_value_never_becomes_a_part_of_the_new_one(
    before: str, segment: str, part: str, content: str, expected: str
) -> None:
    assert after("a.yaml", before, segment=segment, part=part, content=content) == expected
