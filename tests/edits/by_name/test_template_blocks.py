"""Edits of template blocks: every action, on whole lines, inside a line, and where nothing is."""

import pytest

from keyhole.edits.model.operations import Edit
from keyhole.edits.model.plan import Plan, Snapshot
from keyhole.edits.resolve import Unresolved, resolve
from keyhole.refusals import Refused
from keyhole.segments.template_skeleton import DetectedTemplate, TemplateBlock
from keyhole.text.document import Document

TEXT = "# T\n\n## A\n\n- one\n- two\n\nBy me today\n\nend\n"


def span(piece: str) -> tuple[int, int]:
    start = TEXT.index(piece)
    return start, start + len(piece)


SECTION = span("## A\n\n- one\n- two\n")
BLOCKS = (
    TemplateBlock(
        "a",
        "list",
        SECTION,
        "A",
        parts={"heading": span("## A\n"), "body": span("- one\n- two\n")},
    ),
    TemplateBlock("who", "section", span("me")),
    TemplateBlock("nothing", "section", (span("\nend")[0], span("\nend")[0])),
)


def edited(path: str = "a.md", text: str = TEXT, **fields: object) -> str:
    detected = DetectedTemplate("t", "v", BLOCKS)
    snapshot = Snapshot({path: Document(text)}, detect=lambda _path, _document: detected)
    edit = Edit(path=path, **fields)  # type: ignore[arg-type] # fields by name
    plan = resolve([edit], snapshot)
    assert isinstance(plan, Plan)
    [file] = plan.files
    assert file.after is not None
    return file.after.text


def test_a_block_is_replaced_whole_with_its_heading() -> None:
    assert edited(segment="a", content="## B\n\nnew\n") == (
        "# T\n\n## B\n\nnew\n\nBy me today\n\nend\n"
    )


def test_the_body_of_a_block_is_replaced_below_its_heading() -> None:
    assert edited(segment="A", part="body", content="new") == (
        "# T\n\n## A\n\nnew\n\nBy me today\n\nend\n"
    )


def test_a_heading_that_comes_with_the_body_of_a_block_is_not_doubled() -> None:
    assert edited(segment="a", part="body", content="## A\n\nnew") == (
        "# T\n\n## A\n\nnew\n\nBy me today\n\nend\n"
    )
    assert edited(segment="a", part="body", content="### B\n\nnew") == (
        "# T\n\n## A\n\n### B\n\nnew\n\nBy me today\n\nend\n"
    )


def test_no_block_is_taken_for_another_one() -> None:
    with pytest.raises(Unresolved) as refused:
        edited(segment="WHO", content="you")

    (candidate,) = refused.value.refusals[0].candidates
    assert (candidate.segment, candidate.lines) == ("who", (8, 8))
    (offer,) = refused.value.offered
    assert [TEXT[each.start : each.end] for each in offer.changes] == ["me"]


@pytest.mark.parametrize(
    ("action", "content", "becomes"),
    [
        ("append", "- three", "## A\n\n- one\n- two\n- three\n\nBy"),
        ("append", "words", "## A\n\n- one\n- two\n\nwords\n\nBy"),
        ("after", "words", "## A\n\n- one\n- two\n\nwords\n\nBy"),
        ("before", "words", "# T\n\nwords\n\n## A\n\n- one"),
        ("delete", None, "# T\n\n\nBy"),
    ],
)
def test_lines_are_put_beside_and_inside(action: str, content: str | None, becomes: str) -> None:
    assert becomes in edited(segment="a", action=action, content=content)


def test_the_top_of_a_section_is_below_its_heading() -> None:
    assert "## A\n\n- zero\n- one\n" in edited(segment="a", action="prepend", content="- zero")


CODE = "class A:\n    def f(self): ...\n"


@pytest.mark.parametrize(
    ("action", "content", "becomes"),
    [
        ("append", "def g(self): ...", f"{CODE}\n    def g(self): ...\n"),
        ("append", "x = 1", f"{CODE}    x = 1\n"),
        (
            "before",
            "def g(self): ...",
            "class A:\n    def g(self): ...\n\n    def f(self): ...\n",
        ),
    ],
)
def test_code_is_put_beside_code(action: str, content: str, becomes: str) -> None:
    block = TemplateBlock("run", "code_block", (len("class A:\n"), len(CODE)), "", "    ")
    detected = DetectedTemplate("t", "v", (block,))
    snapshot = Snapshot({"a.py": Document(CODE)}, detect=lambda _path, _document: detected)
    edit = Edit(path="a.py", segment="run", action=action, content=content)

    [file] = resolve([edit], snapshot).files

    assert file.after is not None
    assert file.after.text == becomes


def test_items_are_put_at_the_top_of_a_body() -> None:
    after = edited(segment="a", part="body", action="prepend", content="- zero")

    assert "## A\n\n- zero\n- one\n" in after


@pytest.mark.parametrize(
    ("action", "content", "line"),
    [
        ("replace", "you", "By you today\n"),
        ("append", "!", "By me! today\n"),
        ("before", "not ", "By not me today\n"),
        ("delete", None, "By  today\n"),
    ],
)
def test_a_block_inside_a_line_is_edited_there(action: str, content: str | None, line: str) -> None:
    assert line in edited(segment="who", action=action, content=content)


def test_a_block_without_lines_is_filled() -> None:
    assert edited(segment="nothing", content="filled").endswith("By me today\n\nfilled\n\nend\n")


def test_text_without_a_heading_is_noted() -> None:
    detected = DetectedTemplate("t", "v", BLOCKS)
    snapshot = Snapshot({"a.md": Document(TEXT)}, detect=lambda _path, _document: detected)

    [file] = resolve([Edit(path="a.md", segment="a", content="bare")], snapshot).files

    assert file.edits[0].notes == (
        "the heading is gone: the new text has none; part body would have kept it",
        "`a` is a block of template t",
    )


def test_a_part_that_a_block_has_not_is_refused() -> None:
    with pytest.raises(Refused) as refused:
        edited(segment="who", part="body", content="x")

    assert refused.value.refusals[0].code == "wrong-segment-kind"


def test_a_quote_is_searched_inside_a_block() -> None:
    assert edited(segment="a", find="one", content="1").startswith("# T\n\n## A\n\n- 1\n")


def test_a_block_comes_before_a_section_of_its_name_and_a_prefix_says_so() -> None:
    assert "By you today" in edited(segment="block:who", content="you")
    assert edited(segment="block:T", part="heading", content="U").startswith("# U\n")
