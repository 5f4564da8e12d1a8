import pytest

from keyhole.edits.by_name.segment_target import scope_of_segment, target_of
from keyhole.edits.model.operations import Edit
from keyhole.refusals import Refused
from tests.edits.segment_calls import target

TEXT = "def f():\n    return 1\n\n\nx = 1\n"


def test_a_segment_is_where_to_search() -> None:
    edit = Edit(segment="f", find="1", content="2")

    assert scope_of_segment(edit, target("m.py", TEXT)) == (0, 22)
    assert target_of(edit, target("m.py", TEXT)).segment.address == "f"


def test_so_is_a_part_of_it() -> None:
    edit = Edit(segment="f", part="body", find="1", content="2")

    assert scope_of_segment(edit, target("m.py", TEXT)) == (9, 22)


def test_a_part_that_is_not_there_is_refused() -> None:
    edit = Edit(segment="f", part="doc", find="1", content="2")

    with pytest.raises(Refused) as refused:
        scope_of_segment(edit, target("m.py", TEXT))

    (refusal,) = refused.value.refusals
    assert refusal.code == "wrong-segment-kind"
    assert refusal.headline == "function `f` has no doc"
    assert refusal.suggestions == ("whole", "body", "signature")


def test_the_kind_that_is_asked_for_must_be_the_kind_that_is_found() -> None:
    edit = Edit(segment="A", content="x", kinds=("function",))

    with pytest.raises(Refused) as caught:
        target_of(edit, target("a.py", "class A:\n    pass\n"))

    (refusal,) = caught.value.refusals
    assert refusal.headline == "`A` is of kind class, not function"
    assert refusal.data == {"language": "python", "kind": "class"}


def test_a_function_of_another_language_is_not_the_kind_asked_for() -> None:
    edit = Edit(segment="f", content="x", kinds=("function",), language="python")

    with pytest.raises(Refused) as caught:
        target_of(edit, target("a.js", "function f() {}\n"))

    (refusal,) = caught.value.refusals
    assert refusal.headline == "a javascript file has no segments of kind python function"


def test_a_kind_that_the_file_type_lacks_is_refused_before_the_name_is_looked_for() -> None:
    edit = Edit(segment="nothing", content="x", kinds=("function",))

    with pytest.raises(Refused) as caught:
        target_of(edit, target("a.md", "# A\n"))

    assert caught.value.refusals[0].code == "wrong-segment-kind"


def test_the_mark_of_a_block_is_part_of_a_name_where_no_block_can_be() -> None:
    text = "foo: 1\nblock:foo: 2\n"
    named = Edit(segment="block:foo", action="delete")

    assert target_of(named, target("a.yml", text)).segment.span == (7, len(text))
    with pytest.raises(Refused):
        target_of(named, target("a.yml", "foo: 1\n"))
