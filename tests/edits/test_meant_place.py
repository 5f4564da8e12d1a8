"""A quote is for the place where its author saw it; what tells nothing of that is no reason."""

from keyhole.edits.model.operations import Edit
from keyhole.edits.model.plan import Snapshot
from keyhole.edits.resolve import resolve
from tests.edits.calls import edited, read


def test_a_quote_that_stood_at_several_places_is_for_the_one_that_is_left() -> None:
    file = edited("a\nx\n", {"find": "x", "content": "y"}, shown="x\nb\nx\n")

    assert file.after == read("a\ny\n")


def test_a_version_that_has_no_such_lines_tells_nothing() -> None:
    file = edited("a\nb\nc\n", {"lines": "3", "find": "c", "content": "d"}, shown="a\n")

    assert file.after == read("a\nb\nd\n")


def test_a_version_that_has_no_such_segment_tells_nothing() -> None:
    edit = Edit(path="a.py", segment="f", find="return 1", content="return 2")
    now = read("def f():\n    return 1\n")

    (file,) = resolve([edit], Snapshot({"a.py": now}, {"a.py": (read("x = 1\n"),)})).files

    assert file.after == read("def f():\n    return 2\n")
