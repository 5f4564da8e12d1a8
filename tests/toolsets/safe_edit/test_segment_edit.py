from enum import Enum

import pytest

from keyhole import EditTracker, FileEditTracker
from keyhole.edits.model.operations import Edit
from keyhole.refusals import Refused
from keyhole.toolsets.safe_edit.requests import IndentationStrategy, SegmentEdit, SegmentType


def test_a_segment_edit_is_an_edit_of_the_engine() -> None:
    edit = SegmentEdit.edit_method("Worker.run", "def run(self): pass").as_edit("a.py")

    assert edit == Edit(
        path="a.py",
        segment="Worker.run",
        content="def run(self): pass",
        kinds=("method",),
        language="python",
    )


@pytest.mark.parametrize(
    ("strategy", "indent", "meant"),
    [
        ("auto", None, "auto"),
        ("AUTO", None, "auto"),
        ("preserve_agent", None, "keep"),
        ("PRESERVE_AGENT", None, "keep"),
        ("explicit", 8, 8),
        ("EXPLICIT", 0, 0),
    ],
)
def test_each_strategy_has_a_meaning(strategy: str, indent: int | None, meant: object) -> None:
    edit = SegmentEdit("python_function", "f", "def f(): pass", strategy, indent)

    assert edit.as_edit().indent == meant


def test_a_json_object_and_one_that_is_made_are_the_same() -> None:
    made = SegmentEdit.edit_section("A", "# A")
    data = {"segment_type": "markdown_section", "segment_name": "A", "new_content": "# A"}

    assert SegmentEdit.of(data) == made
    assert SegmentEdit.of(made) is made


@pytest.mark.parametrize(
    ("data", "field"),
    [
        ("x", "segment_edit"),
        ({"segment_type": "markdown_section", "new_content": "x"}, "segment_name"),
        ({"segment_type": "css", "segment_name": "A", "new_content": "x"}, "segment_type"),
        ({"segment_type": "python_class", "segment_name": "A", "text": "x"}, "text"),
    ],
    ids=str,
)
def test_what_is_wrong_is_named(data: object, field: str) -> None:
    with pytest.raises(Refused) as caught:
        SegmentEdit.of(data)

    assert caught.value.refusals[0].data["field"] == field


class _Own(str, Enum):  # noqa: UP042 - as callers write it
    EXPLICIT = "explicit"
    CLASS = "python_class"


def test_the_document_s_names_are_taken_and_so_is_anybody_s_enumeration() -> None:
    made = SegmentEdit(SegmentType.PYTHON_CLASS, "A", "class A: ...", IndentationStrategy.AUTO)
    own = SegmentEdit(_Own.CLASS, "A", "class A: ...", _Own.EXPLICIT, 4)

    assert made.as_edit("a.py") == SegmentEdit.edit_class("A", "class A: ...").as_edit("a.py")
    assert (own.segment_type, own.indentation_strategy) == ("python_class", "explicit")
    assert FileEditTracker is EditTracker
