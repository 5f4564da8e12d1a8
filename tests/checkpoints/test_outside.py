from contextlib import closing
from pathlib import Path

from keyhole.checkpoints.kept_files import ask_for_kept, kept_files, kept_outside
from keyhole.checkpoints.outside import record_outsiders
from keyhole.checkpoints.store import CheckpointStore
from keyhole.edits.model.operations import Edit
from keyhole.engine.options import Options
from keyhole.journal.model import Query
from tests.scene import engine_at, put


def test_where_nobody_looked_yet_nothing_is_recorded(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_txt="one\n") as engine:
        engine.edit([Edit(find="one", content="two")], Options(), "a.txt")
        put(tmp_path, "root/a.txt", "three\n")
        tree = engine._tree

        record_outsiders(tree.state, tree.root.path, tree.journal, {"a.txt": None})

        assert len([*tree.journal.entries(Query())]) == 1


def test_what_a_person_takes_back_of_another_process_is_told(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_txt="one\n") as engine, engine_at(tmp_path) as other:
        engine.checkpoints.look()
        assert engine.edit([Edit(find="one", content="two")], Options(), "a.txt").ok
        assert other.edit([Edit(find="two", content="three")], Options(), "a.txt").ok
        put(tmp_path, "root/a.txt", "two\n")

        assert engine.edit([Edit(find="two", content="four")], Options(), "a.txt").ok

        entries = engine._tree.journal.entries(Query())
        assert [each.call.tool == "observed" for each in entries] == [False, True, False, False]


def test_while_somebody_looks_an_edit_leaves_the_others_to_them(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_txt="one\n") as engine:
        engine.checkpoints.look()
        put(tmp_path, "root/b.txt", "one\n")
        tree = engine._tree
        with CheckpointStore(tree.state, tree.root.path).held(1.0):
            assert engine.edit([Edit(find="one", content="two")], Options(), "b.txt").ok

        assert len([*tree.journal.entries(Query())]) == 1
        [entry] = engine.checkpoints.look().entries
        assert [(file.path, file.before) for file in entry.files] == [("b.txt", None)]


def test_outside_the_fence_the_same_is_told_or_nothing(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_txt="one\n", gone="2\n") as engine:
        engine.checkpoints.look()
        state, root = engine._tree.state, engine._tree.root.path
        put(tmp_path, "root/b.txt", "one\n")
    paths = ["a.txt", "b.txt", "c.txt"]
    with closing(CheckpointStore(state, root)) as store:
        kept = kept_files(store, paths)
    broker = kept_outside(state, root)
    try:
        assert ask_for_kept(broker, paths) == kept
        assert kept == {"a.txt": (b"one\n", False), "b.txt": (None, False)}
        (state / "checkpoints/git/index").write_bytes(b"no index")
        assert ask_for_kept(broker, paths) == {}
        (state / "checkpoints/lock").unlink()
        (state / "checkpoints/lock").mkdir()
        assert ask_for_kept(broker, paths) == {}
    finally:
        broker.close()
    assert ask_for_kept(broker, paths) == {}


def test_before_the_first_look_is_done_nothing_is_asked(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_txt="one\n") as engine:
        tree = engine._tree
        with CheckpointStore(tree.state, tree.root.path).held(1.0):
            pass
        assert engine.edit([Edit(find="one", content="two")], Options(), "a.txt").ok

        assert len([*tree.journal.entries(Query())]) == 1
