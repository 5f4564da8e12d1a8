from keyhole.segments.outline import Outline, SegmentDraft, line_ranges, name_segments
from keyhole.segments.registry import outline
from keyhole.text.document import Document


def draft(stem: str, start: int, end: int) -> SegmentDraft:
    return SegmentDraft("function", stem, tuple(stem.split(".")), (start, end), {})


def test_a_name_that_occurs_once_is_its_own_address() -> None:
    segments = name_segments([draft("b", 10, 20), draft("a", 0, 10)])

    assert [(segment.address, segment.name) for segment in segments] == [("a", "a"), ("b", "b")]


def test_duplicates_are_numbered_in_file_order() -> None:
    segments = name_segments([draft("a", 20, 30), draft("a", 0, 10), draft("b", 10, 20)])

    assert [segment.address for segment in segments] == ["a#1", "b", "a#2"]


def test_a_heading_that_is_really_called_a_number_keeps_its_name() -> None:
    segments = name_segments([draft("a", 0, 1), draft("a", 1, 2), draft("a#2", 2, 3)])

    assert [segment.address for segment in segments] == ["a#1", "a#2#1", "a#2"]


def test_a_parent_is_what_encloses_or_what_the_path_names() -> None:
    segments = name_segments(
        [draft("A", 0, 10), draft("A.m", 2, 8), draft("A.later", 20, 30), draft("B.m", 30, 40)]
    )

    assert [segment.parent for segment in segments] == ["", "A", "A", ""]


def test_enclosing_is_the_innermost_segment() -> None:
    outline = Outline("python", name_segments([draft("A", 0, 10), draft("A.m", 2, 8)]))

    inner, outer, none = outline.enclosing(3), outline.enclosing(9), outline.enclosing(10)

    assert inner is outline.by_address["A.m"]
    assert outer is outline.by_address["A"]
    assert none is None


def test_children_are_direct_children() -> None:
    outline = Outline(
        "python", name_segments([draft("A", 0, 9), draft("A.m", 2, 8), draft("A.m.f", 3, 4)])
    )

    assert [segment.address for segment in outline.children("A")] == ["A.m"]
    assert [segment.address for segment in outline.children("")] == ["A"]


def test_an_outline_is_readable_unless_something_says_otherwise() -> None:
    asked: list[int] = []

    def late() -> tuple[tuple[int, int], ...]:
        asked.append(1)
        return ((2, 3),)

    outline = Outline("python", find_unreadable=late)

    assert Outline("python").unreadable == ()
    assert asked == []
    assert outline.unreadable == outline.unreadable == ((2, 3),)
    assert asked == [1]


def test_equal_segments_hash_alike() -> None:
    (segment,) = name_segments([draft("a", 0, 1)])

    assert hash(segment) == hash(name_segments([draft("a", 0, 1)])[0])


def test_line_ranges_that_meet_become_one() -> None:
    text = "a\nb\nc\nd\ne\n"

    assert line_ranges(text, [(4, 6), (0, 1), (2, 2), (8, 9)]) == ((1, 3), (5, 5))


def test_names_are_found_by_what_a_text_ends_in() -> None:
    found = outline("a.toml", Document("[a]\nb = 1\n'c.b' = 2\n[d]\nb = 3\n"))

    assert [each.address for each in found.named("x.c.b")] == ["a.b", "a.c.b", "d.b"]
    assert [each.address for each in found.named("B", str.upper)] == ["a.b", "d.b"]
    assert found.named("") == []


def test_what_lies_inside_a_segment_is_found_however_deep() -> None:
    text = "class A:\n    class B:\n        def c(self): ...\n\n\ndef d(): ...\n"
    found = outline("a.py", Document(text))

    inside = [each.address for each in found.inside(found.by_address["A"])]

    assert inside == ["A.B", "A.B.c"]
    assert found.inside(found.by_address["d"]) == ()
