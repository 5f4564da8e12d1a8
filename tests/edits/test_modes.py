"""Files that become programs, or cease to be."""

import pytest

from keyhole.edits.model.operations import Edit, MoveFile, Operation, SetMode
from keyhole.edits.model.plan import FilePlan, Snapshot
from keyhole.edits.resolve import resolve
from keyhole.refusals import Refused
from keyhole.text.document import Document


def planned(*operations: Operation, programs: frozenset[str] = frozenset()) -> FilePlan:
    files = {"a": Document.from_bytes(b"x\n"), "gone": None}
    return resolve(operations, Snapshot(files, programs=programs)).files[0]


@pytest.mark.parametrize("executable", [True, False])
def test_a_mode_alone_changes_the_file_and_not_its_text(*, executable: bool) -> None:
    programs = frozenset() if executable else frozenset({"a"})

    plan = planned(SetMode("a", executable=executable), programs=programs)

    assert (plan.executable, plan.is_unchanged, plan.changes.is_empty) == (executable, False, True)


def test_a_mode_goes_with_the_edits_of_the_file() -> None:
    plan = planned(SetMode("a", executable=True), Edit(path="a", find="x", content="y"))

    assert plan.after is not None
    assert (plan.after.text, plan.executable) == ("y\n", True)
    assert [edit.index for edit in plan.edits] == [0, 1]


def test_a_file_that_is_so_already_stays_unchanged() -> None:
    plan = planned(SetMode("a", executable=True), programs=frozenset({"a"}))

    assert plan.is_unchanged
    assert plan.edits[0].already_applied
    assert plan.edits[0].notes == ("the file is a program already",)


@pytest.mark.parametrize(
    ("operations", "said"),
    [
        ([SetMode("gone", executable=True)], "there is no file gone"),
        ([SetMode("a", executable=True), SetMode("a", executable=False)], "shall be none"),
        ([SetMode("a", executable=True), MoveFile("a", "gone")], "written as a whole"),
    ],
)
def test_a_mode_that_cannot_be_is_refused(operations: list[Operation], said: str) -> None:
    with pytest.raises(Refused, match=said):
        planned(*operations)
