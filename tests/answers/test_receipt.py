import os
from pathlib import Path
from typing import Any, cast

import pytest

from keyhole import Edit, Receipt, Refusal, Workspace
from keyhole.answers.lean import lean
from keyhole.answers.receipt import TakenBack

# What JSON holds; the tests know its shape.
Data = Any
LINES = "".join(f"line {number}\n" for number in range(1, 31))


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", os.fspath(tmp_path / "state"))
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.txt").write_text(LINES, encoding="utf-8")
    return root


def files(receipt: Receipt) -> Data:
    return receipt.as_data()["files"]


def rows(*numbers: int) -> list[dict[str, object]]:
    return [{"line": n, "text": {10: "ten", 13: "thirteen"}.get(n, f"line {n}")} for n in numbers]


def test_no_line_is_told_twice(tree: Path) -> None:
    edits = [Edit(lines="10", content="ten"), Edit(lines="13", content="thirteen")]
    with Workspace(tree) as workspace:
        receipt = workspace.edit(edits, "a.txt")

    [file] = files(receipt)
    assert file["context"] == {"before": rows(7, 8, 9), "after": rows(14, 15, 16)}
    assert [edit["text"] for edit in file["edits"]] == [rows(10, 11, 12, 13), []]
    numbers = [line.split("|")[0].strip() for line in receipt.as_text().split("\n") if "|" in line]
    assert numbers == [str(number) for number in range(7, 17)]


def test_lines_between_edits_that_are_far_apart_are_told(tree: Path) -> None:
    edits = [Edit(lines="10", content="ten"), Edit(lines="25", content="line 25.")]
    with Workspace(tree) as workspace:
        [file] = files(workspace.edit(edits, "a.txt"))

    first, second = ([row["line"] for row in edit["text"]] for edit in file["edits"])
    assert (first, second) == ([10, 11, 12, 13], [22, 23, 24, 25])
    assert [row["line"] for row in file["context"]["after"]] == [26, 27, 28]


@pytest.mark.parametrize(
    ("idle", "lines"),
    [
        (Edit(action="append", content=""), [29, 28]),
        (Edit(lines="-1", action="delete"), [29, 28]),
        (Edit(find="line 30", content="line 30"), [28, 28]),
        (Edit(find="line 2\n", content="line 2\n", match="exact"), [1, 0]),
    ],
)
def test_an_edit_that_changes_nothing_lies_where_the_others_left_it(
    tree: Path, idle: Edit, lines: list[int]
) -> None:
    with Workspace(tree) as workspace:
        receipt = workspace.edit([idle, Edit(find="line 1\nline 2\n", content="")], "a.txt")

    [file] = files(receipt)
    assert receipt.outcome == "applied"
    assert file["edits"][0]["lines_after"] == lines
    written = (tree / "a.txt").read_text(encoding="utf-8").split("\n")
    told = [row for edit in file["edits"] for row in edit["text"]]
    assert [row["text"] for row in told] == [written[row["line"] - 1] for row in told]


def test_each_of_many_edits_is_told_with_its_line(tree: Path) -> None:
    (tree / "many.txt").write_text("".join(f"{n:02}\n" for n in range(20)), encoding="utf-8")
    edits = [Edit(path="many.txt", find=f"{n:02}", content=f"{n:02}!") for n in range(20)]

    with Workspace(tree) as workspace:
        [file] = files(workspace.edit(edits))

    assert [edit["lines_after"] for edit in file["edits"]] == [[n, n] for n in range(1, 21)]


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        ("ten", ["10", "11"]),
        ("t" * 40, ["10", "11"]),
        ("t" * 90, ["9", "10", "11", "12"]),
        ("t" * 300, ["8", "9", "10", "11", "12", "13", "14"]),
    ],
    ids=len,
)
def test_a_lean_receipt_shows_lines_around_that_cost_no_more_than_the_new_ones(
    tree: Path, content: str, shown: list[str]
) -> None:
    (tree / "a.txt").write_text(f"{'x' * 30}\n" * 20, encoding="utf-8")
    with Workspace(tree) as workspace:
        receipt = workspace.edit(Edit(lines="10", action="after", content=content), "a.txt")

    numbers = [line.split("|")[0] for line in receipt.as_text("lean").split("\n") if "|" in line]
    assert [each.strip() for each in numbers] == shown


def test_a_refusal_is_data_too() -> None:
    refusal = Refusal("busy", "another call has it", help="wait")

    data = Receipt.refused([refusal]).as_data()

    assert (data["ok"], data["outcome"]) == (False, "not_applied")
    assert [each["code"] for each in cast("Data", data["refusals"])] == ["busy"]


def test_of_many_transactions_that_were_taken_back_the_first_are_named() -> None:
    back = tuple(TakenBack(f"1-{number}", "edit", ("a.txt",)) for number in range(23))
    receipt = Receipt("applied", took_back=back, healed=("`old` was sent as `find`",))

    _, *named, more, healed = receipt.as_text().split("\n")
    data = lean(receipt)

    assert named == [each.as_text() for each in back[:20]]
    assert (more, healed) == ("took back 3 more", "healed: `old` was sent as `find`")
    assert [each["transaction"] for each in cast("Data", data["took_back"])] == [
        each.transaction for each in back[:20]
    ]
    assert (data["took_back_more"], data["healed"]) == (3, ["`old` was sent as `find`"])


def test_of_one_edit_at_many_places_the_first_twenty_are_shown(tree: Path) -> None:
    with Workspace(tree) as workspace:
        receipt = workspace.edit(Edit(find="line", content="row", occurrence="all"), "a.txt")

    [file] = files(receipt)
    assert file["edits"][0]["occurrences_replaced"] == 30
    assert [row["text"] for row in file["edits"][0]["text"]] == [f"row {n}" for n in range(1, 21)]
