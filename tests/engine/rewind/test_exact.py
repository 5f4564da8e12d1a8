from pathlib import Path

import pytest

from keyhole.checkpoints.happenings import AFTER, BEFORE, PROMPT, Happening
from keyhole.disk import failpoints
from keyhole.engine.facade import Engine
from keyhole.engine.history.recall import UndoRequest
from keyhole.engine.options import Options
from keyhole.engine.rewind.targets import EVERYBODY
from keyhole.text.document import hash_of
from keyhole.workspace.tree import Tree, TreeOptions
from tests.scene import engine_at, put

USER = Options(actor="cli:me", tool="cli rewind")
BACK = UndoRequest(prompt="only", session=EVERYBODY)


@pytest.fixture(name="root")
def _root(tmp_path: Path) -> Path:
    """A prompt after which a file and a directory took each other's place."""
    root = tmp_path / "root"
    with engine_at(tmp_path, f="f\n") as engine:
        put(root, "d/x", "x\n")
        put(root, "d/e/y", "y\n")
        engine.checkpoints.look()
        engine.checkpoints.look(Happening(PROMPT, "host", "s", "only"))
    for path in ("d/x", "d/e/y", "f"):
        (root / path).unlink()
    (root / "d/e").rmdir()
    (root / "d").rmdir()
    put(root, "d", "no directory\n")
    put(root, "f/g/z", "no file\n")
    return root


def files(root: Path) -> dict[str, str]:
    paths = (path for path in root.rglob("*") if path.is_file() or path.is_symlink())
    return {str(path.relative_to(root)): path.read_text(encoding="utf-8") for path in paths}


OLD = {"d/x": "x\n", "d/e/y": "y\n", "f": "f\n"}
NEW = {"d": "no directory\n", "f/g/z": "no file\n"}


def test_a_file_and_a_directory_take_their_places_again(tmp_path: Path, root: Path) -> None:
    with engine_at(tmp_path) as engine:
        done = engine.checkpoints.rewind(BACK, USER)
        assert (done.ok, files(root)) == (True, OLD)
        assert engine.undo(UndoRequest(), USER).ok
        assert files(root) == NEW
        assert engine.undo(UndoRequest(redo=True), USER).ok
        assert files(root) == OLD
        assert not engine.checkpoints.look().entries


def test_directories_without_files_give_way(tmp_path: Path, root: Path) -> None:
    (root / "f/empty/one").mkdir(parents=True)

    with engine_at(tmp_path) as engine:
        assert engine.checkpoints.rewind(BACK, USER).ok

    assert files(root) == OLD


def test_what_no_history_keeps_stays_and_is_named_before(tmp_path: Path, root: Path) -> None:
    put(root, ".gitignore", "*.log\n")
    (root / "f/of.log").write_text("kept by nobody\n", encoding="utf-8")
    before = files(root)

    with engine_at(tmp_path) as engine:
        ahead = engine.checkpoints.rewind(BACK, Options(dry_run=True, actor="cli:me"))
        receipt = engine.checkpoints.rewind(BACK, USER)

    assert [(each.code, each.headline) for each in ahead.refusals] == [
        ("undo-conflict", "f has no room to come back: f/of.log would have to go")
    ]
    assert receipt.refusals == ahead.refusals
    assert files(root) == before


def test_a_look_after_one_that_was_killed_in_between_sees_a_directory(tmp_path: Path) -> None:
    with engine_at(tmp_path, f="f\n") as engine:
        root = tmp_path / "root"
        engine.checkpoints.look()
        (root / "f").unlink()
        put(root, "f/x", "x\n")
        _stage(engine, root)

        [entry] = engine.checkpoints.look().entries

    assert [(each.path, each.after is None) for each in entry.files] == [
        ("f", True),
        ("f/x", False),
    ]


def _stage(engine: Engine, root: Path) -> None:
    """Do the first half of a look."""
    from keyhole.checkpoints.store import CheckpointStore

    store = CheckpointStore(engine._tree.state, str(root))
    with store.held(1.0) as repository:
        repository.stage(["f/x"], ["f"])


@pytest.mark.parametrize("becomes", ["large", "link"])
def test_a_kept_file_that_became_something_else_is_not_lost(tmp_path: Path, becomes: str) -> None:
    options = TreeOptions(max_bytes=1000)
    (tmp_path / "root").mkdir()
    file = put(tmp_path / "root", "f", "f\n")
    engine = Engine(Tree.open(tmp_path / "root", state_home=tmp_path / "state", options=options))
    engine.checkpoints.look()
    engine.checkpoints.look(Happening(PROMPT, "host", "s", "only"))
    if becomes == "link":
        file.unlink()
        file.symlink_to("elsewhere")
    else:
        file.write_text("large\n" * 1000, encoding="utf-8")

    [entry] = engine.checkpoints.look().entries
    done = engine.checkpoints.rewind(BACK, USER)

    assert [(each.path, each.before, each.after) for each in entry.files] == [
        ("f", hash_of(b"f\n"), None)
    ]
    if becomes == "link":
        assert [each.code for each in done.refusals] == ["path-denied"]
        assert file.is_symlink()
        file.unlink()
        assert engine.checkpoints.rewind(BACK, USER).ok
        assert file.read_text(encoding="utf-8") == "f\n"
    else:
        assert (done.ok, file.read_text(encoding="utf-8")) == (True, "f\n")
        assert engine.undo(UndoRequest(), USER).ok
        assert file.stat().st_size == 6000
    engine.close()


def test_what_was_written_since_and_is_not_kept_is_named(tmp_path: Path, root: Path) -> None:
    (root / "link").symlink_to("elsewhere")
    put(root, ".env", "KEY=1\n")

    with engine_at(tmp_path) as engine:
        ahead = engine.checkpoints.rewind(BACK, Options(dry_run=True, actor="cli:me"))

    assert [str(each) for each in ahead.warnings] == [
        "not kept (secret), and left as it is: .env",
        "not kept (link), and left as it is: link",
    ]


def test_a_file_that_another_has_taken_the_directory_of_stands(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_py="1\n") as engine:
        root = tmp_path / "root"
        put(root, "d/x", "x\n")
        engine.checkpoints.look()
        engine.checkpoints.look(Happening(PROMPT, "host", "s", "only"))
        engine.checkpoints.look(Happening(BEFORE, "host", "s", "only", "Bash", "u", "rm -r d"))
        (root / "d/x").unlink()
        (root / "d").rmdir()
        put(root, "a.py", "2\n")
        engine.checkpoints.look(Happening(AFTER, "host", "s", "only", "Bash", "u", "rm -r d"))
        put(root, "d", "a person's\n")

        whole = engine.checkpoints.rewind(UndoRequest(prompt="only"), USER)
        done = engine.checkpoints.rewind(UndoRequest(prompt="only", partly=True), USER)

        headline = "d/x has no room to come back: d would have to go"
        assert [each.headline for each in whole.refusals] == [headline]
        assert [str(each) for each in done.warnings] == [f"left as it is: {headline}"]
        assert files(root) == {"a.py": "1\n", "d": "a person's\n"}


def test_a_file_in_the_place_of_a_link_is_new(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_py="1\n") as engine:
        file = tmp_path / "root/f"
        file.symlink_to("a.py")
        engine.checkpoints.look()
        file.unlink()
        file.write_text("all new\n", encoding="utf-8")

        [entry] = engine.checkpoints.look().entries

    assert [(each.path, each.before) for each in entry.files] == [("f", None)]


def test_texts_that_checks_object_to_come_back_too(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_py="x = (\n\n1\n") as engine:
        root = tmp_path / "root"
        engine.checkpoints.look()
        engine.checkpoints.look(Happening(PROMPT, "host", "s", "only"))
        engine.checkpoints.look(Happening(BEFORE, "host", "s", "only", "Bash", "u", "sed"))
        put(root, "a.py", "x = 1\n\n1\n")
        engine.checkpoints.look(Happening(AFTER, "host", "s", "only", "Bash", "u", "sed"))
        put(root, "a.py", "x = 1\n\n1\nperson\n")

        assert engine.checkpoints.rewind(UndoRequest(prompt="only"), USER).ok

    assert (root / "a.py").read_text(encoding="utf-8") == "x = (\n\n1\nperson\n"


def test_a_file_comes_back_where_an_empty_directory_is(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_py="1\n") as engine:
        root = tmp_path / "root"
        engine.checkpoints.look()
        engine.checkpoints.look(Happening(PROMPT, "host", "s", "only"))
        (root / "a.py").unlink()
        (root / "a.py/empty").mkdir(parents=True)

        assert engine.checkpoints.rewind(BACK, USER).ok

    assert files(root) == {"a.py": "1\n"}


def test_a_link_that_leads_outside_is_named_as_what_stands_in_the_way(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_py="1\n") as engine:
        root = tmp_path / "root"
        engine.checkpoints.look()
        engine.checkpoints.look(Happening(PROMPT, "host", "s", "only"))
        (root / "a.py").unlink()
        (root / "a.py").symlink_to("/etc/passwd")

        [refusal] = engine.checkpoints.rewind(BACK, USER).refusals

    assert refusal.headline == "`a.py` leads through a symbolic link by now"


class Died(BaseException):
    """Stands for the death of the process."""


@pytest.mark.parametrize("saves", [False, True])
@pytest.mark.parametrize(
    ("point", "nth"),
    [("intended", 1), ("alone", 1), *(("published-one", n) for n in (1, 2, 3, 4)), ("durable", 1)],
)
def test_a_rewind_that_died_in_between_comes_to_one_end(
    tmp_path: Path, root: Path, point: str, nth: int, *, saves: bool
) -> None:
    left = [nth]

    def dies(name: str) -> None:
        left[0] -= name == point
        if not left[0]:
            raise Died

    with engine_at(tmp_path) as engine, pytest.raises(Died), failpoints.watch(dies):
        engine.checkpoints.rewind(BACK, USER)
    if own := saves and (root / "f").is_dir():
        put(root, "f/g/own", "a person's\n")

    with engine_at(tmp_path) as engine:
        engine._tree.recover()
        assert not engine._tree.recover()

    found = files(root)
    assert found.pop("f/g/own", "") == ("a person's\n" if own else "")
    assert found == (NEW if own else OLD)
