import os
import subprocess
from pathlib import Path

import pytest

from tests import forked
from tests.surfaces.cli.shell import KEYHOLE

EDIT = ["edit", "a.txt", "--find", "one", "--content", "two", "--dry-run"]


@pytest.mark.parametrize(
    ("words", "feed"),
    [
        (["--version"], b""),
        (EDIT, b""),
        (["edit", "a.txt", "--find", "\udcff", "--content", "two"], b""),
        (["write", "b.txt", "--content-file", "-", "--dry-run", "--json"], b"fed\r\n\xff"),
        (["read", "absent.txt"], b""),
        (["reed"], b""),
        (["mcp", "--root", "absent"], b""),
    ],
    ids=str,
)
def test_a_forked_command_says_what_a_started_one_does(
    tmp_path: Path, words: list[str], feed: bytes
) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "a.txt").write_bytes(b"one\n")
    environment = {**os.environ, "HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state")}
    root = tmp_path / "root"
    started = subprocess.run(
        [KEYHOLE, *words], input=feed, cwd=root, env=environment, capture_output=True, check=False
    )

    done = forked.run(words, environment, root, feed)

    assert done.returncode == started.returncode
    assert done.stdout == started.stdout
    assert done.stderr == started.stderr
