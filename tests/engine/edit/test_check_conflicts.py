import os
from pathlib import Path

import pytest

from keyhole.edits.model.operations import Edit, MoveFile
from keyhole.engine.facade import Engine
from keyhole.engine.history.recall import UndoRequest
from keyhole.engine.options import Options
from keyhole.fastclasses import replace
from tests.scene import engine_at

LINKED = "the file has 2 names (hard links): the others keep the text it had"


def warnings(engine: Engine, *, dry_run: bool = False) -> tuple[str, ...]:
    receipt = engine.edit([Edit(find="one", content="two")], Options(dry_run=dry_run), "a.txt")
    assert receipt.ok, receipt.as_text()
    return receipt.files[0].plan.warnings


def test_a_file_with_another_name_is_told_of(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_txt="one\n") as engine:
        root = tmp_path / "root"
        os.link(root / "a.txt", root / "b.txt")

        assert warnings(engine, dry_run=True) == (LINKED,)
        assert warnings(engine) == (LINKED,)
        assert (root / "b.txt").read_bytes() == b"one\n"
        assert engine._tree.root.names("a.txt") == 1


def test_a_file_with_one_name_is_not(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_txt="one\n") as engine:
        assert warnings(engine) == ()
        assert engine._tree.root.names("nowhere.txt") == 0


TEXT = "".join(f"line {number}\n" for number in range(1, 9))
ONE, TWO = Options(actor="x", task="one"), Options(actor="y", task="two")
MOVED = (
    "*** Begin Patch\n*** Update File: a.txt\n*** Move to: b.txt\n@@\n line 2\n-LINE 3\n+l 3\n"
    "*** End Patch\n"
)


@pytest.mark.parametrize("by", ["write", "patch", "undo"])
def test_a_place_is_known_under_the_new_name_of_its_file(tmp_path: Path, by: str) -> None:
    with engine_at(tmp_path, a_txt=TEXT) as engine:
        other = Options(actor="z")
        if by == "undo":
            engine.write(MoveFile("a.txt", "b.txt"), other)
            engine.write(MoveFile("b.txt", "a.txt"), other)
        engine.edit([Edit(find="line 3", content="LINE 3")], ONE, "a.txt")
        if by == "write":
            engine.write(MoveFile("a.txt", "b.txt"), other)
        if by == "patch":
            engine.patch(MOVED.replace("-LINE 3\n+l 3", " LINE 3\n-line 4\n+l 4"), other)
        if by == "undo":
            engine.undo(UndoRequest(), other)

        receipt = engine.edit([Edit(find="LINE 3", content="mine")], TWO, "b.txt")

        assert [each.code for each in receipt.refusals] == ["conflict"]
        assert receipt.refusals[0].where.startswith("lines 3-3, transaction ")
        assert "-line 3\n+LINE 3\n" in receipt.refusals[0].where
        assert engine.edit([Edit(find="line 8", content="8")], TWO, "b.txt").ok


def test_a_move_that_edits_where_another_task_edited_is_a_conflict(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_txt=TEXT) as engine:
        engine.edit([Edit(find="line 3", content="LINE 3")], ONE, "a.txt")

        refused = engine.patch(MOVED, TWO)
        skipped = engine.patch(MOVED, replace(TWO, on_conflict="skip"))

        assert [each.code for each in refused.refusals] == ["conflict"]
        assert (skipped.outcome, engine._tree.exists("b.txt")) == ("unchanged", False)
        assert [each["skipped"] for each in skipped.conflicts] == [True]
        assert engine._tree.read("a.txt").line(3) == "LINE 3"
        assert engine.patch(MOVED, replace(TWO, on_conflict="warn")).outcome == "applied"


def test_a_move_alone_is_no_conflict(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_txt=TEXT) as engine:
        engine.edit([Edit(find="line 3", content="LINE 3")], ONE, "a.txt")

        assert engine.write(MoveFile("a.txt", "b.txt"), TWO).conflicts == ()
