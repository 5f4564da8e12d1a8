from keyhole.edits.by_name.segment_target import with_action
from tests.edits.segment_calls import spot

TEXT = "class A:\r\n    def f(self):\r\n        pass\r\n"


def test_offsets_are_of_the_text_with_plain_ends() -> None:
    found = spot("m.py", TEXT, "A.f")

    assert found.flat == TEXT.replace("\r\n", "\n")
    assert found.flat[slice(*found.span)] == "    def f(self):\n        pass\n"
    assert found.part("whole") == found.span
    assert found.lines(found.part("body") or (0, 0)) == ["        pass"]
    assert found.part("doc") is None


def test_whole_lines_are_known() -> None:
    found = spot("m.py", TEXT, "A.f")

    assert found.is_lines(found.span)
    assert not found.is_lines((found.span[0], found.span[1] - 1))
    assert not found.is_lines((found.span[0] + 1, found.span[1]))
    assert found.lines((3, 3)) == []


def test_another_action_leaves_the_rest() -> None:
    found = spot("m.py", TEXT, "A.f", action="append")

    assert with_action(found, "prepend").edit.action == "prepend"
    assert with_action(found, "prepend").span == found.span


def test_a_lone_return_ends_a_line_where_the_language_says_so() -> None:
    text = "class A:\n    x = 1\r    def f(self):\n        pass\r    y = 1\n"
    found = spot("m.py", text, "A.f")

    assert found.is_lines(found.span)
    assert found.lines(found.span) == ["    def f(self):", "        pass"]
    assert found.content_end(found.span) == found.span[1] - 1
