import pytest

from keyhole.edits.by_name.lost import applied, as_words
from keyhole.edits.by_name.named import place_segment
from keyhole.edits.by_text.target import Target
from keyhole.edits.model.operations import Edit
from keyhole.text.changes import Change
from keyhole.text.document import Document
from tests.edits.segment_calls import placed


def warnings(text: str, **fields: object) -> tuple[str, ...]:
    edit = Edit.of({"path": "a.md", **fields})
    return place_segment(edit, Target("a.md", Document(text))).warnings


@pytest.mark.parametrize(
    "body",
    [
        "```\n# no\n```\n",
        "~~~~\n# no\n~~~\n# no\n~~~~\n",
        "> ```\n# no\n> ```\n",
        "#no\n",
        "    # no\n",
    ],
)
def test_what_is_code_is_no_heading(body: str) -> None:
    assert warnings(f"# A\n\n{body}", segment="A", part="body", content="x\n") == ()


def test_what_only_looks_like_a_fence_hides_no_heading() -> None:
    text = "# A\n\n```code``` text\n\n## B ##\n"

    assert warnings(text, segment="A", part="body", content="x\n") == (
        "the heading `B` is gone: the new text does not have it",
    )


def test_a_heading_that_moves_is_not_gone() -> None:
    text = "# A\n\n## B\n\nb\n\n## C\n\nc\n"

    assert warnings(text, segment="A", part="body", content="## C\n\nc\n\n## B\n\nb\n") == ()


def test_a_fence_that_stays_open_hides_what_follows() -> None:
    text = "# A\n\na\n\n# B\n\n# C\n"

    assert warnings(text, segment="A", part="body", content="```\nx\n") == (
        "the headings `B`, `C` are gone: the new text does not have them",
    )


def test_a_long_list_is_cut_and_counted() -> None:
    assert as_words([*"abcdefg"]) == "`a`, `b`, `c`, `d`, `e` and 2 more"


def test_changes_are_made_in_the_order_of_the_text() -> None:
    assert applied("abcd", [Change(3, 4, "x"), Change(0, 1, "")]) == "bcx"


def test_a_fence_that_is_open_above_hides_headings_of_the_place() -> None:
    text = "# A\n\n```\n# no\n```\n\n- x\n\n## B\n\n# C\n"

    assert warnings(text, segment="A", part="body", content="```\n# no\n```\n") == (
        "the heading `B` is gone: the new text does not have it",
    )


def test_a_signature_that_defines_nothing_is_told() -> None:
    found = placed("a.py", "def f():\n    pass\n", segment="f", part="signature", content="if x:")

    assert found.warnings == ("`f` is gone: the new text does not define it",)
