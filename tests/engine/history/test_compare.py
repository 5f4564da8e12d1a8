from collections.abc import Iterator
from pathlib import Path

import pytest

from keyhole.edits.model.operations import Edit
from keyhole.engine.edit.requests import operation_of
from keyhole.engine.facade import Engine
from keyhole.engine.history.compare import FileComparison, compare_entry, counts
from keyhole.engine.history.recall import found
from keyhole.engine.options import Options
from tests.scene import engine_at

SOURCE = "def one():\n    return 1\n\n\ndef two():\n    return 2\n"


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with engine_at(tmp_path, a_py=SOURCE) as engine:
        yield engine


def shown(engine: Engine, name: str) -> tuple[FileComparison, ...]:
    return compare_entry(engine._tree.journal, found(engine._tree.journal, name).entry)


def write(engine: Engine, path: str, content: str | None = None, move_to: str = "") -> None:
    operation = operation_of(
        path,
        content,
        delete=content is None and not move_to,
        move_to=move_to,
        allow_shrink=False,
    )
    assert engine.write(operation, Options()).ok


def test_each_edit_is_told_with_its_place_segment_and_rung(engine: Engine) -> None:
    edits = [
        Edit(find="return 2", content="return 20", reason="later"),
        Edit(find="return 1", content="return 10", reason="first"),
    ]
    assert engine.edit(edits, Options(), "a.py").ok

    [file] = shown(engine, "1")

    told = {edit.index: (edit.reason, edit.segment, edit.matched) for edit in file.edits}
    assert told == {0: ("later", "two", "exact"), 1: ("first", "one", "exact")}
    first, second = (file.sides.blocks[edit.block] for edit in file.edits)
    assert (first.old, second.old) == ((5, 6), (1, 2))
    assert (file.sides.added, file.sides.removed) == (2, 2)


def test_files_that_come_go_and_move_are_told_as_such(engine: Engine) -> None:
    write(engine, "new.txt", "one\n")
    write(engine, "new.txt", move_to="moved.txt")
    write(engine, "moved.txt")

    [made], [moved], [gone] = (shown(engine, name) for name in ("1", "2", "3"))

    assert (made.created, made.deleted, made.sides.added) == (True, False, 1)
    assert (moved.path, moved.moved_to, moved.sides.added) == ("new.txt", "moved.txt", 0)
    assert (gone.created, gone.deleted, gone.sides.removed) == (False, True, 1)


def test_an_edit_stands_where_its_new_lines_are_shown(engine: Engine) -> None:
    edit = Edit(segment="one", action="after", content="def half():\n    return 1 / 2\n")
    assert engine.edit([edit], Options(), "a.py").ok

    [file] = shown(engine, "1")

    [edited] = file.edits
    assert [file.sides.blocks[edited.block].new] == [
        block.new for block in file.sides.blocks if block.changed
    ]


def test_what_is_not_text_or_too_long_is_said_instead_of_shown(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    (Path(engine.root) / "raw.bin").write_bytes(b"\0one\0")
    edit = Edit(find="one", content="two", match="exact")
    assert engine.edit([edit], Options(), "raw.bin").ok

    [file] = shown(engine, "1")

    monkeypatch.setattr("keyhole.engine.history.compare._LONGEST", 100)
    assert engine.edit([Edit(find="return 1", content="return 10")], Options(), "a.py").ok
    [long] = shown(engine, "2")

    assert (file.note, file.sides.blocks) == ("not text: 5 bytes became 5 bytes", ())
    assert (long.note, long.sides.blocks) == ("too long to be shown side by side", ())


def test_lines_are_counted_without_laying_them_side_by_side(engine: Engine) -> None:
    assert engine.edit([Edit(find="return 1", content="x = 1\nreturn x")], Options(), "a.py").ok
    journal = engine._tree.journal

    assert counts(journal, found(journal, "1").entry.files[0]) == (2, 1)
