import json
import os
import sqlite3
import subprocess
import sys
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


def test_a_hook_that_finds_nothing_loads_nothing_that_records(keyhole: Shell) -> None:
    keyhole.write("a.py", "x")
    keyhole.write(".env", "TOKEN=1")
    (keyhole.root / ".git").mkdir()
    heavy = {"subprocess", "hashlib", "threading", "ctypes", "keyhole.workspace.tree"}

    loaded = [loads(keyhole) for _ in range(3)]

    assert heavy - {"subprocess"} < loaded[0]
    assert not heavy & loaded[2]
    keyhole.write("a.py", "y")
    assert heavy < loads(keyhole)
    assert len(keyhole.ok("history", "--json").data["transactions"]) == 1


def loads(keyhole: Shell) -> set[str]:
    """Return the modules that a hook of a tool loads, as Python tells them."""
    feed = {"cwd": str(keyhole.root), "hook_event_name": "PreToolUse", "tool_name": "Bash"}
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "keyhole", "hook", "codex"],
        input=json.dumps(feed).encode(),
        env=keyhole.environment | {"PATH": os.environ["PATH"]},
        capture_output=True,
        check=True,
    )
    return {line.rpartition("|")[2].strip() for line in done.stderr.decode().splitlines()}


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
