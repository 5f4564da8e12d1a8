from pathlib import Path

import pytest

from keyhole.answers.receipt import Receipt
from keyhole.edits.model.operations import Edit, WriteFile
from keyhole.edits.model.plan import Plan, Snapshot
from keyhole.engine.edit.backups import backups, with_backups
from keyhole.engine.facade import Engine
from keyhole.engine.history.recall import UndoRequest
from keyhole.engine.options import Options
from keyhole.refusals import Refused
from keyhole.text.document import Document
from tests.edits.planned import replaced as planned
from tests.scene import engine_at

KEEPING = Options(actor="tester", backup=True)


def replaced(engine: Engine, old: str, new: str, options: Options = KEEPING) -> Receipt:
    edit = Edit(path="a.txt", find=old, content=new, match="exact")
    return engine.edit([edit], options)


def beside(engine: Engine) -> dict[str, str]:
    root = Path(engine.root)
    return {path.name: path.read_bytes().decode() for path in sorted(root.iterdir())}


def test_bug_65_a_second_backup_leaves_the_first_alone(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_txt="one\r\n") as engine:
        replaced(engine, "one", "two")
        replaced(engine, "two", "three")

        assert beside(engine) == {
            "a.txt": "three\r\n",
            "a.txt.bak": "one\r\n",
            "a.txt.bak.1": "two\r\n",
        }


def test_a_backup_that_is_there_is_used_again(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_txt="one\n", a_txt_bak="one\n") as engine:
        replaced(engine, "one", "two")

        assert beside(engine) == {"a.txt": "two\n", "a.txt.bak": "one\n"}


def test_a_file_with_as_many_backups_as_are_kept_is_not_edited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("keyhole.engine.edit.backups._MOST", 1)
    with engine_at(tmp_path, a_txt="one\n", a_txt_bak="older\n") as engine:
        [refusal] = replaced(engine, "one", "two").refusals

        assert (refusal.code, refusal.help) == ("busy", "run `keyhole backups --clean`")
        assert beside(engine) == {"a.txt": "one\n", "a.txt.bak": "older\n"}


def test_bug_68_a_refused_edit_writes_no_backup(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_txt="one\n", a_txt_bak="older\n") as engine:
        receipt = replaced(engine, "nowhere", "two")

        assert not receipt.ok
        assert beside(engine) == {"a.txt": "one\n", "a.txt.bak": "older\n"}


def test_an_edit_that_changes_nothing_writes_no_backup(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_txt="one\n") as engine:
        replaced(engine, "one", "one")

        assert beside(engine) == {"a.txt": "one\n"}


def test_a_new_file_has_no_backup(tmp_path: Path) -> None:
    with engine_at(tmp_path) as engine:
        engine.write(WriteFile("a.txt", "new\n"), KEEPING)

        assert beside(engine) == {"a.txt": "new\n"}


def test_undo_takes_the_backup_away_too(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_txt="one\n") as engine:
        replaced(engine, "one", "two")

        engine.undo(UndoRequest(), KEEPING)

        assert beside(engine) == {"a.txt": "one\n"}


def test_only_our_own_backups_are_listed_and_removed(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_txt="one\n", b_bak="somebody's\n") as engine:
        replaced(engine, "one", "two")
        replaced(engine, "two", "three")
        (Path(engine.root) / "a.txt.bak.1").write_bytes(b"edited since\n")

        found = backups(engine._tree)
        engine.edit(found.removal(), Options(actor="tester"))

        assert [(each.path, each.of) for each in found.backups] == [("a.txt.bak", "a.txt")]
        assert found.as_text().startswith("a.txt.bak  of a.txt, ")
        assert list(beside(engine)) == ["a.txt", "a.txt.bak.1", "b.bak"]


def test_a_clean_workspace_says_so(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_txt="one\n") as engine:
        assert backups(engine._tree).as_text() == "no backups"
        assert backups(engine._tree).as_data() == {"backups": []}


def test_a_backup_that_came_meanwhile_is_not_written_over(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_txt="one\n") as engine:
        snapshot = Snapshot({"a.txt": Document("one\n"), "a.txt.bak": Document("other\n")})
        plan = Plan((planned("a.txt", "one\n", ("one", "two")),))

        with pytest.raises(Refused) as caught:
            with_backups(plan, snapshot, {"a.txt": "a.txt.bak"})

        assert caught.value.refusals[0].code == "busy"
        assert beside(engine) == {"a.txt": "one\n"}
