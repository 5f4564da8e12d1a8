import os
from pathlib import Path

from keyhole.edits.operations import Edit
from keyhole.engine import Engine
from keyhole.walks.options import Options
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
        assert engine.tree.root.names("a.txt") == 1


def test_a_file_with_one_name_is_not(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_txt="one\n") as engine:
        assert warnings(engine) == ()
        assert engine.tree.root.names("nowhere.txt") == 0
