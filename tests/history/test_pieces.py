"""Pieces of a transaction are taken back one by one, and never twice."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from keyhole.answers.receipt import Receipt
from keyhole.edits.model.operations import Edit, MoveFile, WriteFile
from keyhole.engine.facade import Engine
from keyhole.engine.history.recall import UndoRequest
from keyhole.engine.options import Options
from keyhole.history import pieces
from keyhole.history.targets import Undoing, is_undone, undoings
from keyhole.journal.model import FileChange
from tests.scene import engine_at

ME = Options(actor="me", task="t")
A, B = "a1\na2\na3\n", "b1\nb2\nb3\n"
SWAP = """diff --git a/a b/b
rename from a
rename to b
diff --git a/b b/a
rename from b
rename to a
"""


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with engine_at(tmp_path, a=A, b=B) as engine:
        yield engine


def files(engine: Engine) -> dict[str, str]:
    root = Path(engine.root)
    return {each.name: each.read_text("utf-8") for each in root.iterdir()}


def edit(engine: Engine, *wanted: tuple[str, str, str]) -> str:
    edits = [Edit(path=path, find=old, content=new) for path, old, new in wanted]
    return done(engine.edit(edits, ME))


def done(receipt: Receipt) -> str:
    assert receipt.ok, receipt.as_text()
    return receipt.transaction


def undo(engine: Engine, name: str, edit: int | None = None, path: str = "") -> str:
    return done(engine.undo(UndoRequest(name, edit=edit, path=path), ME))


def refused(engine: Engine, name: str, edit: int | None = None, path: str = "") -> list[str]:
    before = files(engine)
    receipt = engine.undo(UndoRequest(name, edit=edit, path=path), ME)
    assert files(engine) == before
    return [refusal.code for refusal in receipt.refusals]


@pytest.mark.parametrize("path", ["a", "b"])
def test_one_file_of_a_swap_is_taken_back_with_the_other(engine: Engine, path: str) -> None:
    first = edit(engine, ("a", "a1", "A1"))
    before = files(engine)
    swap = done(engine.patch(SWAP, ME))
    after = files(engine)

    part = undo(engine, swap, path=path)

    assert files(engine) == before
    for other in ("", "a", "b"):
        assert refused(engine, swap, path=other) == ["nothing-to-undo"]
    redone = undo(engine, part, path=path)
    assert files(engine) == after
    assert refused(engine, first) == ["undo-conflict"]
    undo(engine, redone, path="b")
    undo(engine, first)
    assert files(engine) == {"a": A, "b": B}


@pytest.mark.parametrize("path", ["a", "b"])
def test_a_swap_with_an_empty_file_is_one_piece_too(engine: Engine, path: str) -> None:
    edit(engine, ("b", B, ""))
    swap = done(engine.patch(SWAP, ME))
    assert files(engine) == {"a": "", "b": A}

    undo(engine, swap, path=path)

    assert files(engine) == {"a": A, "b": ""}


@pytest.mark.parametrize("path", ["", "a", "b"])
def test_a_swap_is_not_taken_back_under_what_was_written_since(engine: Engine, path: str) -> None:
    swap = done(engine.patch(SWAP, ME))
    (Path(engine.root) / "a").write_text(f"new\n{B}", "utf-8")

    assert refused(engine, swap, path=path) == ["undo-conflict"]


def test_a_swap_is_one_file_for_its_redo_too(engine: Engine) -> None:
    undone = undo(engine, done(engine.patch(SWAP, ME)))
    (Path(engine.root) / "a").write_text(f"{A}new\n", "utf-8")

    for path in ("", "a", "b"):
        assert refused(engine, undone, path=path) == ["undo-conflict"]


def test_a_swap_is_not_taken_back_when_a_file_moved_on(engine: Engine) -> None:
    swap = done(engine.patch(SWAP, ME))
    moved = done(engine.write(MoveFile("a", "c"), ME))

    for path in ("", "a", "b"):
        assert refused(engine, swap, path=path) == ["undo-conflict"]
    undo(engine, moved)
    undo(engine, swap)
    assert files(engine) == {"a": A, "b": B}


def test_a_swap_that_was_redone_is_known_to_what_came_before(engine: Engine) -> None:
    moved = done(engine.write(MoveFile("a", "c"), ME))
    back = done(engine.write(MoveFile("c", "a"), ME))
    swap = done(engine.patch(SWAP, ME))
    redone = undo(engine, undo(engine, swap))

    # The name `a` is that of another file by now.
    assert refused(engine, back) == ["undo-conflict"]
    undo(engine, redone)
    undo(engine, back)
    undo(engine, moved)
    assert files(engine) == {"a": A, "b": B}


def test_names_that_were_used_again_come_back_together(engine: Engine) -> None:
    done(engine.write(MoveFile("a", "c"), ME))
    done(engine.write(WriteFile("a", "other\n"), ME))
    before = files(engine)
    undone = done(engine.undo(UndoRequest(task="t"), ME))
    assert files(engine) == {"a": A, "b": B}

    undo(engine, undone, path="a")

    assert files(engine) == before


def test_a_piece_that_came_back_is_taken_back_again(engine: Engine) -> None:
    both = edit(engine, ("a", "a1", "A1"), ("a", "a3", "A3"))
    part = undo(engine, both, edit=0)
    assert files(engine)["a"] == "a1\na2\nA3\n"
    undo(engine, part, edit=0)

    undo(engine, both)

    assert files(engine)["a"] == A


def test_a_piece_that_came_back_after_the_rest_went_can_go_again(engine: Engine) -> None:
    both = edit(engine, ("a", "a1", "A1"), ("a", "a3", "A3"))
    part = undo(engine, both, edit=0)
    rest = undo(engine, both)
    undo(engine, part)
    entry = engine._tree.journal.entry(both)
    assert entry is not None

    assert files(engine)["a"] == "A1\na2\na3\n"
    assert not is_undone(engine._tree.journal, entry)
    assert undoings(engine._tree.journal, entry) == [Undoing(rest, 1)]
    assert refused(engine, both, edit=1) == ["nothing-to-undo"]
    done(engine.undo(UndoRequest(task="t"), ME))
    assert files(engine)["a"] == A
    assert undoings(engine._tree.journal, entry)[0] == Undoing(rest)


def test_a_file_of_an_undo_that_came_back_is_no_longer_undone(engine: Engine) -> None:
    both = edit(engine, ("b", "b2\n", ""), ("a", "a2\n", ""))
    whole = undo(engine, both)
    back = undo(engine, whole, path="a")
    entry = engine._tree.journal.entry(both)
    assert entry is not None
    assert undoings(engine._tree.journal, entry) == [Undoing(whole, 0)]

    again = undo(engine, both, path="a")

    assert files(engine) == {"a": A, "b": B}
    # To take the redo back would bring the line a second time.
    assert refused(engine, back) == ["nothing-to-undo"]
    assert refused(engine, both) == ["nothing-to-undo"]
    undo(engine, again)
    undo(engine, back)
    assert files(engine) == {"a": A, "b": B}


def test_both_ends_of_a_move_are_one_piece(engine: Engine) -> None:
    moved = done(engine.write(MoveFile("a", "c"), ME))
    undo(engine, moved, path="c")

    assert files(engine) == {"a": A, "b": B}
    assert refused(engine, moved, path="a") == ["nothing-to-undo"]


@pytest.mark.parametrize("names", [("c",), ("c", "d"), ("c", "a", "d")])
def test_what_came_back_under_another_name_stands(engine: Engine, names: tuple[str, ...]) -> None:
    first = edit(engine, ("a", "a1", "A1"), ("b", "b1", "B1"))
    for old, new in pairwise(("a", *names)):
        assert engine.write(MoveFile(old, new), Options(actor="you")).ok
    undo(engine, undo(engine, first), path=names[-1])
    assert files(engine) == {"b": B, names[-1]: A.replace("a1", "A1")}

    done(engine.undo(UndoRequest(task="t"), ME))

    assert files(engine) == {"b": B, names[-1]: A}


@pytest.mark.parametrize("target", ["edit", "creation"])
def test_another_file_with_the_same_bytes_is_another_file(engine: Engine, target: str) -> None:
    if target == "edit":
        (Path(engine.root) / "b").write_text("", encoding="utf-8")
        first = done(engine.edit([Edit(path="a", lines="1-3", action="delete")], ME))
        done(engine.edit([Edit(path="a", action="append", content="new")], ME))
    else:
        assert engine.write(MoveFile("a", "c"), ME).ok
        first = done(engine.write(WriteFile("a", B), ME))
        edit(engine, ("a", "b1", "other"))
    done(engine.patch(SWAP, ME))
    before = files(engine)

    assert refused(engine, first) == ["undo-conflict"]
    assert files(engine) == before


def test_a_swap_that_is_taken_back_along_is_in_nobodys_way(engine: Engine) -> None:
    edit(engine, ("a", "a1", "A1"))
    done(engine.edit([Edit(path="b", find="b1", content="B1")], Options(actor="you")))
    done(engine.patch(SWAP, ME))

    done(engine.undo(UndoRequest(task="t"), ME))

    assert files(engine) == {"a": A, "b": B.replace("b1", "B1")}


def test_going_back_and_forth_over_everything_looks_at_each_entry_once(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    back = first = edit(engine, ("a", "a1", "A1"))
    done(engine.write(MoveFile("b", "c"), ME))
    for _ in range(6):
        back = done(engine.undo(UndoRequest(to=first), ME))
        back = undo(engine, back)
    looked = 0
    there = pieces._names

    def counted(change: FileChange) -> frozenset[str]:
        nonlocal looked
        looked += 1
        return there(change)

    monkeypatch.setattr(pieces, "_names", counted)
    journal = engine._tree.journal
    last = journal.entry(back)
    assert last is not None
    unit = pieces.unit_of(journal, last, "b")

    assert unit == {"b", "c"}
    assert looked < 50
