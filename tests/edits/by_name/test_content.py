import pytest

from keyhole.edits.by_name.segment_target import content_lines, is_fence, unfenced


def test_blank_edges_are_no_content() -> None:
    assert content_lines("\n  \n a\n\nb \n\n") == [" a", "", "b "]
    assert content_lines(" \n\t\n") == []
    assert content_lines("") == []


def test_a_fence_around_everything_is_taken_off() -> None:
    assert unfenced(["```python", "", "x", "```"]) == ["x"]
    assert unfenced(["~~~~", "```", "~~~~"]) == ["```"]


@pytest.mark.parametrize("text", ["```\nx", "x\n```", "```\n```", "````\nx\n```", "``\nx\n``"])
def test_what_is_no_fence_around_everything_stays(text: str) -> None:
    assert unfenced(text.split("\n")) is None


def test_a_fence_is_known() -> None:
    assert is_fence("  ```py")
    assert not is_fence("`x`")
