import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from keyhole.engine.hooks.events import HOOKS
from keyhole.surfaces.cli.hook import HOSTS
from tests.surfaces.cli.shell import Shell


def test_help_names_the_hosts_that_there_are() -> None:
    assert tuple(HOOKS) == HOSTS


@pytest.mark.parametrize("feed", [b"", b"no json", b"[1]", b'{"cwd": 3}', b"\xff", b"[" * 9000])
def test_what_makes_no_sense_stops_nobody(keyhole: Shell, feed: bytes) -> None:
    done = keyhole("hook", "codex", feed=feed)

    assert (done.code, done.out) == (0, "")


def test_a_directory_that_is_no_project_is_left_alone(keyhole: Shell, tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    bare.mkdir()

    keyhole.ok("hook", "codex", feed=json.dumps({"cwd": str(bare)}))

    assert not (keyhole.base / "state/keyhole").exists()


def test_what_goes_wrong_is_said_beside_and_stops_nobody(keyhole: Shell) -> None:
    keyhole.write("keyhole.toml", "no = toml =\n")

    done = keyhole("hook", "codex", feed=json.dumps({"cwd": str(keyhole.root)}))

    assert done.code == 0
    assert done.err.startswith("keyhole: ")


def test_a_hook_that_breaks_down_stops_nobody(keyhole: Shell) -> None:
    feed = json.dumps({"cwd": str(keyhole.root)})
    keyhole.root.joinpath(".git").mkdir()
    keyhole.ok("hook", "codex", feed=feed)
    [marks] = keyhole.base.rglob("marks.db")
    with closing(sqlite3.connect(marks)) as database:
        database.execute("ALTER TABLE mark DROP COLUMN said")

    done = keyhole("hook", "codex", feed=feed)

    assert (done.code, done.out) == (0, "")
    assert "said" in done.err
