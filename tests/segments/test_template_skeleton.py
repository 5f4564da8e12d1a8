import pytest

from keyhole.segments.template_skeleton import Skeleton, SkeletonPiece, fits, group_span, level_of


def pattern(text: str) -> SkeletonPiece:
    return SkeletonPiece("pattern", text.replace("_", "\0"))


@pytest.mark.parametrize(
    ("text", "line", "is_so"),
    [
        ("a _ b", "a x b", True),
        ("a _ b", "a  b", True),
        ("a _ b", "a b", False),
        ("_: _ = _", "x: int = 3", True),
        ("_: _ = _", "x: int", False),
        ("_-_-_", "a-b-c-d", True),
        ("_", "", True),
    ],
)
def test_a_line_with_holes(text: str, line: str, is_so: bool) -> None:  # noqa: FBT001 - a column
    assert fits(pattern(text), line) is is_so


def test_a_line_of_the_template_is_that_line() -> None:
    assert fits(SkeletonPiece("line", "a"), "a")
    assert not fits(SkeletonPiece("line", "a"), "b")
    assert not fits(SkeletonPiece("gap"), "a")


def test_many_holes_take_no_time() -> None:
    assert not fits(pattern("-".join("_" * 40) + "!"), "-" * 20_000)


def test_a_block_in_a_line_has_one_place_or_none() -> None:
    piece = pattern("By _, on _.")
    first, second = ("who", 3, 4), ("when", 9, 10)

    assert group_span(piece, first, "By me, on Monday.") == (3, 5)
    assert group_span(piece, second, "By me, on Monday.") == (10, 16)
    assert group_span(piece, first, "By me, on time, on Monday.") is None
    assert group_span(piece, first, "By nobody") is None


def test_the_level_of_a_heading_with_or_without_holes() -> None:
    assert level_of(SkeletonPiece("line", "## A")) == 2
    assert level_of(pattern("# _")) == 1
    assert level_of(SkeletonPiece("line", "#hash")) == 0
    assert level_of(SkeletonPiece("gap")) == 0


def test_what_a_section_is_made_of() -> None:
    pieces = (
        SkeletonPiece("line", "## Steps"),
        SkeletonPiece("gap", "list"),
        SkeletonPiece("line", "## Example"),
        SkeletonPiece("line", "```"),
        SkeletonPiece("gap"),
        SkeletonPiece("line", "# no heading in a fence"),
        SkeletonPiece("line", "```"),
        SkeletonPiece("line", "## Words"),
        SkeletonPiece("gap"),
        SkeletonPiece("line", "## Fixed"),
        SkeletonPiece("line", "- one"),
    )
    skeleton = Skeleton(pieces)

    assert skeleton.sections == ("Steps", "Example", "Words", "Fixed")
    assert skeleton.lists == ("Steps", "Fixed")
    assert skeleton.type_at(2) == "code_block"
    assert skeleton.type_at(7) == "section"
