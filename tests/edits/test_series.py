from collections.abc import Sequence

import pytest

from keyhole.edits.model.hunk import ADD, KEEP, REMOVE, Hunk
from keyhole.edits.model.operations import (
    CopyFile,
    DeleteFile,
    Edit,
    MoveFile,
    Operation,
    SetMode,
    WriteFile,
    is_series,
)
from keyhole.edits.model.plan import Plan, Snapshot
from keyhole.edits.resolve import Unresolved, resolve
from tests.edits.calls import read


def tree(programs: Sequence[str] = (), **texts: str | None) -> Snapshot:
    files = {path: None if text is None else read(text) for path, text in texts.items()}
    return Snapshot(files, programs=frozenset(programs))


def after(plan: Plan) -> dict[str, str | None]:
    return {file.path: file.after.text if file.after else None for file in plan.files}


def hunk(path: str, old: str, new: str, stage: int = 0, line: int = 0) -> Hunk:
    return Hunk(path, ((REMOVE, old), (ADD, new)), line, stage=stage)


def refused(operations: Sequence[Operation], snapshot: Snapshot) -> list[tuple[str, int | None]]:
    with pytest.raises(Unresolved) as answer:
        resolve(operations, snapshot)
    assert answer.value.offered == ()
    return [(each.code, each.edit) for each in answer.value.refusals]


def test_two_files_exchange_their_names_and_what_they_carry() -> None:
    plan = resolve([MoveFile("a", "b"), MoveFile("b", "a")], tree(["a"], a="1\n", b="2\n"))

    assert after(plan) == {"a": "2\n", "b": "1\n"}
    assert [(file.like, file.executable, file.bound) for file in plan.files] == [
        ("b", False, True),
        ("a", True, True),
    ]


@pytest.mark.parametrize("order", [[0, 1], [1, 0]], ids=["inner-first", "outer-first"])
def test_a_chain_of_names_moves_every_file_by_one(order: list[int]) -> None:
    moves = [MoveFile("a", "b"), MoveFile("b", "c")]
    plan = resolve([moves[at] for at in order], tree(a="1\n", b="2\n", c=None))

    assert after(plan) == {"a": None, "b": "1\n", "c": "2\n"}
    assert all(file.bound and not file.moved_to for file in plan.files)


@pytest.mark.parametrize(
    ("operations", "expected"),
    [
        ([DeleteFile("b"), MoveFile("a", "b")], {"a": None, "b": "1\n"}),
        ([MoveFile("a", "b"), DeleteFile("b")], {"a": None, "b": "1\n"}),
        ([DeleteFile("a"), WriteFile("a", "3\n")], {"a": "3\n"}),
        ([WriteFile("a", "3\n"), MoveFile("a", "c")], {"a": "3\n", "c": "1\n"}),
        ([MoveFile("a", "c"), CopyFile("a", "b")], {"a": "2\n", "c": "1\n"}),
        (
            [CopyFile("c", "a"), MoveFile("a", "b"), DeleteFile("b")],
            {"a": None, "b": "1\n", "c": "1\n"},
        ),
    ],
)
def test_a_name_that_one_file_leaves_another_may_take(
    operations: list[Operation], expected: dict[str, str | None]
) -> None:
    plan = resolve(operations, tree(a="1\n", b="2\n", c=None))

    assert {path: text for path, text in after(plan).items() if path != "b" or text != "2\n"} == (
        expected
    )


def test_what_comes_before_what_goes_is_refused_unless_it_moves() -> None:
    operations: list[Operation] = [WriteFile("a", "3\n"), DeleteFile("a")]

    assert refused(operations, tree(a="1\n")) == [("bad-request", 1)]


def test_two_files_never_take_one_name() -> None:
    operations = [MoveFile("a", "c"), MoveFile("b", "c"), MoveFile("c", "d")]

    assert refused(operations, tree(a="1\n", b="2\n", c="3\n", d=None)) == [("bad-request", None)]


def test_a_stage_finds_what_the_one_before_it_left() -> None:
    operations = [hunk("a", "2", "two"), hunk("a", "two", "zwei", 1), hunk("a", "4", "four", 1)]
    (file,) = resolve(operations, tree(a="1\n2\n3\n4\n")).files

    assert file.after
    assert file.after.text == "1\nzwei\n3\nfour\n"
    assert [edit.notes for edit in file.edits] == [(), ("it changes what edit 0 wrote",), ()]


def test_the_stated_line_is_one_of_the_text_as_the_stage_finds_it() -> None:
    first = Hunk("a", ((ADD, "new"), (KEEP, "x")), 1)
    operations = [first, hunk("a", "x", "y", 1, line=2)]
    (file,) = resolve(operations, tree(a="x\nx\n")).files

    assert file.after
    assert file.after.text == "new\ny\nx\n"


def test_parts_that_were_all_written_for_the_file_as_it_stands_are_taken_so() -> None:
    context = Hunk("a", ((KEEP, "2"), (REMOVE, "3"), (ADD, "three")), stage=1)
    (file,) = resolve([hunk("a", "2", "two"), context], tree(a="1\n2\n3\n")).files

    assert file.after
    assert file.after.text == "1\ntwo\nthree\n"


def test_parts_that_fit_in_neither_way_are_refused_as_they_follow_each_other() -> None:
    assert refused([hunk("a", "1", "2"), hunk("a", "nowhere", "x", 1)], tree(a="1\n")) == [
        ("not-found", 1)
    ]


def test_a_file_is_made_edited_moved_and_made_a_program_in_one_series() -> None:
    operations: list[Operation] = [
        WriteFile("a", "1\n"),
        hunk("a", "1", "2", 1),
        MoveFile("a", "b", stage=2),
        SetMode("b", executable=True, stage=3),
    ]
    (file,) = resolve(operations, tree(a=None, b=None)).files

    assert (file.path, file.before, file.executable) == ("b", None, True)
    assert file.after == read("2\n")


def test_a_file_that_moves_twice_and_is_edited_between_is_moved_once() -> None:
    operations: list[Operation] = [
        MoveFile("a", "b"),
        hunk("b", "1", "2", 1),
        MoveFile("b", "c", stage=2),
    ]
    plan = resolve(operations, tree(["a"], a="1\n", b=None, c=None))

    assert after(plan) == {"a": None, "c": "2\n"}
    gone, come = plan.files
    assert (gone.moved_to, come.moved_from, come.executable) == ("c", "a", None)


def test_a_file_that_comes_back_to_its_name_is_edited() -> None:
    operations: list[Operation] = [
        MoveFile("a", "b"),
        hunk("b", "1", "2", 1),
        MoveFile("b", "a", stage=2),
    ]
    (file,) = resolve(operations, tree(a="1\nx\n", b=None)).files

    assert (file.path, file.bound, file.like) == ("a", False, "")
    assert file.after == read("2\nx\n")


def test_every_file_that_fails_is_told_once_and_later_stages_pass_it_over() -> None:
    operations: list[Operation] = [
        hunk("a", "nowhere", "x"),
        hunk("b", "1", "2"),
        hunk("a", "x", "y", 1),
        hunk("b", "1", "2", 1),
        DeleteFile("c", stage=1),
    ]

    assert refused(operations, tree(a="a\n", b="1\nother\n", c=None)) == [
        ("not-found", 0),
        ("not-found", 3),
        ("no-file", 4),
    ]


def test_a_call_of_edits_is_no_series() -> None:
    assert not is_series([Edit(path="a", find="1", content="2"), MoveFile("b", "c")])
    assert is_series([hunk("a", "1", "2", 1)])


def test_very_many_parts_are_made_at_once_or_refused() -> None:
    text = "".join(f"line {number}\n" for number in range(500))
    hunks = [hunk("a", f"line {number}", f"new {number}", number) for number in range(500)]
    (file,) = resolve(hunks, tree(a=text)).files

    assert file.after == read(text.replace("line", "new"))
    operations: list[Operation] = [*hunks, DeleteFile("b", stage=500)]
    assert refused(operations, tree(a=text, b="x\n")) == [("too-large", None)]
