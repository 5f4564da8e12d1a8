from keyhole.edits.model.operations import Edit
from keyhole.engine.facade import Engine
from keyhole.engine.options import Options
from tests.surfaces.cli.shell import Shell


def edited_with_backup(keyhole: Shell) -> None:
    keyhole.write("a.txt", "one\n")
    engine = Engine.open(keyhole.root, keyhole.base / "state")
    edit = Edit(path="a.txt", find="one", content="two")
    assert engine.edit([edit], Options(actor="tester", backup=True)).ok
    engine.close()


def test_backups_are_listed_with_what_they_are_of(keyhole: Shell) -> None:
    edited_with_backup(keyhole)

    (backup,) = keyhole.ok("backups", "--json").data["backups"]

    assert (backup["path"], backup["of"]) == ("a.txt.bak", "a.txt")


def test_a_clean_up_removes_them_and_can_be_undone(keyhole: Shell) -> None:
    edited_with_backup(keyhole)

    keyhole.ok("backups", "--clean")

    assert not (keyhole.root / "a.txt.bak").exists()
    keyhole.ok("undo")
    assert (keyhole.root / "a.txt.bak").read_bytes() == b"one\n"


def test_nothing_to_clean_is_no_error(keyhole: Shell) -> None:
    assert keyhole.ok("backups", "--clean").out == "no backups\n"
