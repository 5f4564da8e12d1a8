from collections.abc import Sequence

import pytest

from keyhole.edits import resolve as module
from keyhole.edits.model.hunk import ADD, KEEP, Hunk
from keyhole.edits.model.operations import DeleteFile, Edit, MoveFile, Operation, WriteFile
from keyhole.edits.model.plan import Snapshot
from keyhole.edits.resolve import Unresolved, resolve
from keyhole.text.document import Document
from tests.edits.calls import read, refused


def files(**texts: str | None) -> Snapshot:
    return Snapshot({path: None if text is None else read(text) for path, text in texts.items()})


def refusals(
    operations: Sequence[Operation], snapshot: Snapshot
) -> list[tuple[str, int | None, str]]:
    with pytest.raises(Unresolved) as answer:
        resolve(operations, snapshot)
    return [(each.code, each.edit, each.path) for each in answer.value.refusals]


def test_files_of_a_call_are_planned_together() -> None:
    operations: list[Operation] = [
        Edit(path="a", find="1", content="2"),
        WriteFile("b", "new\n"),
        DeleteFile("c"),
        MoveFile("d", "e"),
        Hunk("f", ((KEEP, "z"), (ADD, "new"))),
    ]
    plan = resolve(operations, files(a="1\n", b=None, c="x\n", d="y\n", e=None, f="z\n"))

    assert [file.path for file in plan.files] == ["a", "b", "c", "d", "e", "f"]
    assert not plan.is_empty


def test_every_failure_of_a_call_is_said_in_its_order() -> None:
    operations: list[Operation] = [
        Edit(path="b", find="nowhere", content="x"),
        Edit(path="a", find="1", content="2"),
        Edit(path="c", find="1", content="2"),
        Edit(path="b", lines=9, content="x"),
        DeleteFile("d"),
    ]

    assert refusals(operations, files(a="1\n", b="2\n", c=None, d=None)) == [
        ("not-found", 0, "b"),
        ("no-file", 2, "c"),
        ("not-found", 3, "b"),
        ("no-file", 4, "d"),
    ]


def test_a_refusal_of_a_file_carries_its_hash() -> None:
    (found,) = refused("a\n", {"find": "nowhere", "content": "x"})

    assert found.hash_current == read("a\n").hash


def test_a_file_written_as_a_whole_has_no_other_edits() -> None:
    operations: list[Operation] = [WriteFile("a", "x\n"), Edit(path="a", find="1", content="2")]

    assert refusals(operations, files(a="1\n")) == [("bad-request", 1, "a")]


def test_no_two_operations_write_one_file() -> None:
    operations: list[Operation] = [MoveFile("a", "b"), WriteFile("b", "x\n")]

    assert refusals(operations, files(a="1\n", b=None)) == [("bad-request", None, "b")]


def test_a_quote_that_an_earlier_edit_writes_is_told_apart() -> None:
    edits = [{"find": "alpha", "content": "beta gamma"}, {"find": "beta gamma", "content": "x"}]
    (found,) = refused("alpha\n", *edits)

    assert found.edit == 1
    assert found.where == "an earlier edit of this call writes that text"


def test_after_many_refusals_nothing_more_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_EXPLAINED", 1)
    edits = [
        {"find": "value = compute(x)", "content": "y"},
        {"find": "value = compute(z)", "content": "y"},
    ]
    first, second = refused("value = compute(1)\n", *edits)

    assert len(first.candidates) == 1
    assert (second.candidates, second.where) == (
        (),
        "so many quotes are missing that nothing like this one was looked for",
    )


def test_behind_very_many_refusals_the_other_edits_are_only_counted() -> None:
    edits = [{"find": f"nothing {number}", "content": ""} for number in range(205)]
    found = refused("text\n", *edits)

    assert len(found) == 201
    assert found[-1].headline.startswith("5 more edits of file.txt were not looked at")


def test_a_segment_like_the_one_named_is_not_offered_where_it_cannot_take_the_edit() -> None:
    edit = Edit(path="a.py", segment="loads", part="doc", action="delete")
    with pytest.raises(Unresolved) as answer:
        resolve([edit], Snapshot({"a.py": read("def load():\n    return 1\n")}))

    (found,) = answer.value.refusals
    assert (found.code, answer.value.offered) == ("unknown-segment", ())
    assert [(each.segment, each.accept) for each in found.candidates] == [("load", "")]


def test_an_overlap_in_one_file_is_said_beside_failures_in_others() -> None:
    operations = [
        Edit(path="a", find="ab", content="x"),
        Edit(path="a", find="bc", content="y"),
        Edit(path="b", find="nowhere", content="z"),
    ]

    assert refusals(operations, files(a="abc\n", b="x\n")) == [
        ("overlapping-edits", 1, "a"),
        ("not-found", 2, "b"),
    ]


def test_the_snapshot_is_left_as_it_is() -> None:
    snapshot = files(a="1\n")
    resolve([Edit(path="a", find="1", content="2")], snapshot)

    assert snapshot.files == {"a": Document.from_bytes(b"1\n")}


def test_ten_thousand_edits_are_one_plan() -> None:
    text = "".join(f"line {number}.\n" for number in range(10_000))
    edits = [
        Edit(path="a", find=f"line {number}.", content=f"row {number}.") for number in range(10_000)
    ]
    (file,) = resolve(edits, files(a=text)).files

    assert file.after is not None
    assert file.after.text == text.replace("line", "row")


def test_of_very_many_ambiguous_edits_the_first_can_be_accepted() -> None:
    text = "".join(f"x{number} = 0\nx{number} = 0\n" for number in range(60))
    edits = [
        Edit(path="a", find=f"x{number} = 0", content=f"x{number} = 1") for number in range(60)
    ]

    with pytest.raises(Unresolved) as answer:
        resolve(edits, files(a=text))

    ids = [bool(each.candidates[0].accept) for each in answer.value.refusals]
    assert ids == [True] * 50 + [False] * 10
