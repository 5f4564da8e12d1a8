import os
from pathlib import Path

import pytest

from keyhole.edits.model.operations import Edit, MoveFile
from keyhole.engine.facade import Engine
from keyhole.engine.history.recall import UndoRequest
from keyhole.engine.options import Options
from keyhole.fastclasses import replace
from tests.scene import engine_at, put

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


# What was undone or reset conflicts with nobody, and what a caller wrote it has seen.


def taken_back(engine: Engine, tmp_path: Path, by: str) -> None:
    """Edit a line for one task, and let the edit be gone again."""
    path = tmp_path / "root" / "a.txt"
    done = engine.edit([Edit(find="line 3", content="LINE 3")], ONE, "a.txt")
    if by == "undo":
        assert engine.undo(UndoRequest(id=done.transaction), ONE).ok
    if by == "undo-edit":
        assert engine.undo(UndoRequest(id=done.transaction, edit=0), Options(actor="z")).ok
    if by == "reset":
        path.write_text(TEXT, encoding="utf-8")
    if by == "reset-in-part":
        path.write_text(TEXT.replace("line 8", "LINE 8"), encoding="utf-8")


@pytest.mark.parametrize("by", ["undo", "undo-edit", "reset", "reset-in-part"])
def test_what_is_gone_conflicts_with_nobody(tmp_path: Path, by: str) -> None:
    with engine_at(tmp_path, a_txt=TEXT) as engine:
        taken_back(engine, tmp_path, by)

        receipt = engine.edit([Edit(find="line 3", content="mine")], TWO, "a.txt")

        assert receipt.ok, receipt.as_text()
        assert receipt.conflicts == ()


def test_a_deletion_that_an_outsider_took_back_conflicts_with_nobody(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_txt=TEXT) as engine:
        engine.edit([Edit(lines="3-4", action="delete")], ONE, "a.txt")
        (tmp_path / "root" / "a.txt").write_text(TEXT, encoding="utf-8")

        receipt = engine.edit([Edit(find="line 3", content="mine")], TWO, "a.txt")

        assert (receipt.ok, receipt.conflicts) == (True, ())


def test_what_an_outsider_left_of_an_edit_still_conflicts(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_txt=TEXT) as engine:
        engine.edit([Edit(find="line 3\nline 4", content="L3\nL4")], ONE, "a.txt")
        path = tmp_path / "root" / "a.txt"
        path.write_text(path.read_text(encoding="utf-8").replace("L4", "?"), encoding="utf-8")

        receipt = engine.edit([Edit(find="L3", content="mine")], TWO, "a.txt")

        assert [each.code for each in receipt.refusals] == ["conflict"]


def test_what_was_redone_conflicts_again(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_txt=TEXT) as engine:
        taken_back(engine, tmp_path, "undo")
        assert engine.undo(UndoRequest(redo=True), ONE).ok

        receipt = engine.edit([Edit(find="LINE 3", content="mine")], TWO, "a.txt")

        assert [each.code for each in receipt.refusals] == ["conflict"]


def test_a_caller_has_seen_what_it_wrote_for_another_task(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_txt=TEXT) as engine:
        engine.edit([Edit(find="line 3", content="LINE 3")], ONE, "a.txt")
        again = replace(TWO, actor=ONE.actor)

        receipt = engine.edit([Edit(find="LINE 3", content="mine")], again, "a.txt")

        assert [(each["task"], each["seen"]) for each in receipt.conflicts] == [("one", True)]
        assert engine._tree.read("a.txt").line(3) == "mine"


def test_two_places_on_a_line_are_one_conflict(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_txt="a = 1, b = 1\n") as engine:
        engine.edit([Edit(find="1", content="2", occurrence="all")], ONE, "a.txt")

        receipt = engine.edit([Edit(lines=1, content="c")], TWO, "a.txt")

        assert [each.code for each in receipt.refusals] == ["conflict"]


def test_a_conflict_in_a_notebook_names_the_cell(tmp_path: Path) -> None:
    cell = '{"cell_type": "code", "source": "a = 1\\nb = 1"}'
    with engine_at(tmp_path) as engine:
        put(tmp_path / "root", "a.ipynb", f'{{"cells": [{cell}, {cell}], "nbformat": 4}}')
        first = Edit(segment="cell#2", find="b = 1", content="b = (")
        loose = replace(ONE, mode="interactive")
        made = engine.edit([first], loose, "a.ipynb")
        met = engine.edit([replace(first, find="b = (", content="b = 3")], TWO, "a.ipynb")

    assert "line 2 of `cell#2`, syntax-broken)" in made.as_text()
    assert met.refusals[0].where.startswith("lines 2-2 of `cell#2`, transaction ")
