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
