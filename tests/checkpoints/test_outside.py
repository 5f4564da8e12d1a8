from pathlib import Path

from keyhole.checkpoints.outside import record_outsiders
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
