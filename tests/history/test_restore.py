"""What nobody else touched comes back exactly, whatever became of its name in between."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from keyhole.answers.receipt import Receipt
from keyhole.edits.model.operations import DeleteFile, Edit, MoveFile, WriteFile
from keyhole.engine.facade import Engine
from keyhole.engine.history.recall import UndoRequest
from keyhole.engine.options import Options
from keyhole.history import restore
from tests.scene import engine_at

ME = Options(actor="me", task="t")
OTHER = Options(actor="other")
TEXT = "one\ntwo\nthree\n"

Step = Callable[[Engine], Receipt]
Tree = dict[str, tuple[str, int]]


def edit(path: str, old: str, new: str, options: Options = ME) -> Step:
    return lambda engine: engine.edit([Edit(find=old, content=new)], options, path)


def move(path: str, to: str) -> Step:
    return lambda engine: engine.write(MoveFile(path, to), ME)


def delete(path: str) -> Step:
    return lambda engine: engine.write(DeleteFile(path), ME)


def create(path: str, text: str) -> Step:
    return lambda engine: engine.write(WriteFile(path, text), ME)


def mode(path: str, old: str = "100644", new: str = "100755") -> Step:
    patch = f"diff --git a/{path} b/{path}\nold mode {old}\nnew mode {new}\n"
    return lambda engine: engine.patch(patch, ME)


WAYS: list[list[Step]] = [
    [edit("a", "one", "1"), delete("a")],
    [edit("a", "one", "1"), edit("a", "two", "2"), delete("a")],
    [edit("a", "one", "1"), move("a", "c"), delete("c")],
    [edit("a", "one", "1"), move("a", "c"), edit("c", "1", "I"), move("c", "a")],
    [move("a", "c"), create("a", "other\n"), edit("a", "other", "o"), edit("c", "one", "1")],
    [move("a", "c"), create("a", "other\n"), delete("c"), move("a", "c")],
    [create("c", "c\n"), edit("c", "c", "C"), move("c", "d"), edit("d", "C", "D")],
    [delete("a"), create("a", TEXT), edit("a", "one", "1")],
    [mode("a"), delete("a")],
    [mode("a"), move("a", "c")],
    [move("a", "c"), mode("c"), move("c", "d")],
    [mode("a"), move("a", "c"), mode("c", "100755", "100644")],
    [mode("a"), delete("a"), create("a", "other\n")],
]


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with engine_at(tmp_path, a=TEXT, b="b\n") as engine:
        yield engine


def files(engine: Engine) -> Tree:
    root = Path(engine.root)
    return {each.name: (each.read_text("utf-8"), each.stat().st_mode) for each in root.iterdir()}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("by", ["to", "task"])
def test_all_that_a_task_did_is_taken_back_and_brought_back_exactly(
    engine: Engine, way: list[Step], by: str
) -> None:
    point = edit("b", "b", "B", OTHER)(engine).transaction
    before = files(engine)
    for step in way:
        assert step(engine).ok
    after = files(engine)

    undone = engine.undo(UndoRequest(to=point) if by == "to" else UndoRequest(task="t"), OTHER)

    assert (undone.refusals, files(engine)) == ((), before)
    redone = engine.undo(UndoRequest(undone.transaction), OTHER)
    assert (redone.refusals, files(engine)) == ((), after)


def test_a_deleted_file_comes_back_in_the_diff_of_its_undo_too(engine: Engine) -> None:
    mode("a")(engine)
    gone = delete("a")(engine).transaction

    undone = engine.undo(UndoRequest(gone), ME)

    (file,) = undone.files
    assert file.diff == (
        "diff --git a/a b/a\nnew file mode 100755\n--- /dev/null\n+++ b/a\n"
        "@@ -0,0 +1,3 @@\n+one\n+two\n+three\n"
    )
    assert engine.show(undone.transaction).diffs == {"a": file.diff}


def test_a_file_that_is_as_before_is_not_told_of(engine: Engine) -> None:
    point = edit("b", "b", "B", OTHER)(engine).transaction
    for step in (create("c", "c\n"), delete("c"), edit("a", "one", "1")):
        step(engine)

    undone = engine.undo(UndoRequest(to=point), ME)

    assert [file.path for file in undone.files] == ["a"]


def test_a_save_in_between_is_kept(engine: Engine) -> None:
    point = edit("b", "b", "B", OTHER)(engine).transaction
    edit("a", "one", "1")(engine)
    (Path(engine.root) / "a").write_text("1\ntwo\nthree\nsaved\n", "utf-8")
    edit("a", "three", "3")(engine)

    engine.undo(UndoRequest(to=point), ME)

    assert files(engine)["a"][0] == TEXT + "saved\n"


def test_what_another_task_wrote_is_kept(engine: Engine) -> None:
    edit("a", "one", "1")(engine)
    edit("a", "two", "2", OTHER)(engine)
    edit("a", "three", "3")(engine)

    engine.undo(UndoRequest(task="t"), ME)

    assert files(engine)["a"][0] == "one\n2\nthree\n"


def test_a_mode_that_somebody_else_gave_is_kept(engine: Engine) -> None:
    first = edit("a", "one", "1")(engine).transaction
    (Path(engine.root) / "a").chmod(0o755)

    engine.undo(UndoRequest(first), ME)

    text, bits = files(engine)["a"]
    assert (text, bits & 0o777) == (TEXT, 0o755)


def test_what_was_taken_back_before_stands_in_nobodys_way(engine: Engine) -> None:
    first = edit("a", "one", "1")(engine).transaction
    second = edit("a", "1", "I", OTHER)(engine).transaction
    engine.undo(UndoRequest(second), OTHER)

    engine.undo(UndoRequest(first), ME)

    assert files(engine)["a"][0] == TEXT


def test_a_long_history_is_taken_back_entry_by_entry(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(restore, "MOST_ENTRIES", 2)
    monkeypatch.setattr(restore, "_PAGE", 2)
    for step in (edit("a", "one", "1"), edit("b", "b", "B"), edit("a", "two", "2")):
        step(engine)
    edit("a", "three", "3", OTHER)(engine)

    engine.undo(UndoRequest(task="t"), ME)

    now = files(engine)
    assert (now["a"][0], now["b"][0]) == ("one\ntwo\n3\n", "b\n")


def test_a_move_that_edited_is_taken_back_at_its_own_line_and_at_no_twin(tmp_path: Path) -> None:
    with engine_at(tmp_path, a="f\na\nf\na\n") as engine:
        patch = (
            "*** Begin Patch\n*** Update File: a\n*** Move to: c\n@@\n f\n-a\n+A\n f\n"
            "*** End Patch\n"
        )
        moved = engine.patch(patch, ME).transaction
        above = Edit(lines="1", action="before", content="f\nA\n")
        engine.edit([above], OTHER, "c")

        engine.undo(UndoRequest(moved), ME)

        assert engine._tree.read("a").text == "f\nA\nf\na\nf\na\n"
