import pytest

from keyhole.edits.by_name.sections import holds, is_heading
from tests.edits.segment_calls import after, notes, refusal

TEXT = "# A\n\ntext\n\n## B\n\nmore\n"


@pytest.mark.parametrize("text", ["# A", "A\n===", "  ## B\ntext", "A\n-"])
def test_headings(text: str) -> None:
    assert is_heading(text.split("\n"))


@pytest.mark.parametrize("text", ["#tag", "text", "\n---", "text\ntext"])
def test_other_lines(text: str) -> None:
    assert not is_heading(text.split("\n"))
    assert not is_heading([])


def test_what_begins_as_a_segment_of_its_kind_does() -> None:
    assert holds("section", ["# A"])
    assert holds("list", ["1. x"])
    assert holds("table", ["| a |"])
    assert holds("frontmatter", ["---"])
    assert not holds("code_block", ["x"])
    assert not holds("list", [])


def test_a_heading_less() -> None:
    assert after("a.md", TEXT, segment="B", part="heading", action="delete") == (
        "# A\n\ntext\n\nmore\n"
    )


def test_above_a_heading_is_beside_its_section() -> None:
    assert (
        after("a.md", TEXT, segment="B", part="heading", action="before", content="## New")
        == "# A\n\ntext\n\n## New\n\n## B\n\nmore\n"
    )


def test_a_whole_new_heading() -> None:
    assert after("a.md", TEXT, segment="B", part="heading", content="B\n=") == (
        "# A\n\ntext\n\nB\n=\n\nmore\n"
    )


@pytest.mark.parametrize("action", ["before", "prepend"])
def test_before_a_body_is_its_top(action: str) -> None:
    assert after("a.md", TEXT, segment="B", part="body", action=action, content="new") == (
        "# A\n\ntext\n\n## B\n\nnew\n\nmore\n"
    )


def test_an_empty_section_gets_a_body() -> None:
    assert after("a.md", "# A\n# B\n", segment="A", action="append", content="x") == (
        "# A\n\nx\n\n# B\n"
    )
    assert after("a.md", "# A\n", segment="A", action="prepend", content="x") == "# A\n\nx\n"


def test_the_preamble_is_prose() -> None:
    text = "intro\n\n# A\n"

    assert after("a.md", text, segment="preamble", action="append", content="more") == (
        "intro\n\nmore\n\n# A\n"
    )
    assert after("a.md", text, segment="preamble", content="new") == "new\n\n# A\n"


def test_an_item_at_the_top_of_a_list() -> None:
    assert after("a.md", "- a\n- b\n", segment="list", action="prepend", content="- z") == (
        "- z\n- a\n- b\n"
    )


def test_an_item_continues_a_list_behind_its_last_line() -> None:
    text = "# A\n\n- one\n  more\n"

    assert after("a.md", text, segment="A", action="append", content="- two") == text + "- two\n"


def test_an_underlined_heading_does_not_swallow_new_text() -> None:
    text = "## A\n\n```\nx\n```\nB\n=\n"

    assert after("a.md", text, segment="A", part="body", content="new") == "## A\n\nnew\n\nB\n=\n"
    assert after("a.md", text, segment="A", content="## A\n\nnew") == "## A\n\nnew\n\nB\n=\n"


def test_a_code_block_sent_in_a_fence_for_its_body() -> None:
    text = "```sh\nold\n```\n"
    content = "```sh\nnew\n```"

    assert after("a.md", text, segment="code:sh", part="body", content=content) == (
        "```sh\nnew\n```\n"
    )
    assert notes("a.md", text, segment="code:sh", part="body", content=content) == (
        "a code fence around the new text was taken off",
    )


def test_a_fence_beside_a_section_is_a_code_block() -> None:
    content = "```\n# B\n```"

    assert after("a.md", "# A\n", segment="A", action="append", content=content) == (
        "# A\n\n```\n# B\n```\n"
    )


def test_an_indented_code_block_stays_one() -> None:
    text = "# A\n\n    code\n\ntext\n"

    assert after("a.md", text, segment="code", content="new\n  more") == (
        "# A\n\n    new\n      more\n\ntext\n"
    )
    assert after("a.md", text, segment="code", action="append", content="more") == (
        "# A\n\n    code\n    more\n\ntext\n"
    )


def test_a_code_block_without_an_end() -> None:
    assert after("a.md", "```\nold", segment="code", part="body", content="new") == "```\nnew"


@pytest.mark.parametrize("action", ["append", "after"])
def test_behind_a_fence_that_never_closes_is_no_place(action: str) -> None:
    found = refusal("a.md", "# A\n\n```\ncode\n", segment="A", action=action, content="text")

    assert found.code == "unparsable"
    assert found.where == "line 3"


def test_behind_a_fence_that_closes_there_is_one() -> None:
    text = "# A\n\n```\ncode\n```\n"

    assert after("a.md", text, segment="A", action="append", content="x") == f"{text}\nx\n"
    assert after("a.md", "# A\n\n    code\n", segment="A", action="append", content="x") == (
        "# A\n\n    code\n\nx\n"
    )
