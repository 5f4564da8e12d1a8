"""Looks at trees that mean harm: nothing of theirs is run, nothing hangs, and all comes back."""

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from keyhole.engine.facade import Engine
from keyhole.engine.history.recall import UndoRequest
from keyhole.engine.options import Options
from keyhole.engine.rewind.targets import EVERYBODY
from tests.git.test_shadow import NEWLINE, hostile
from tests.scene import engine_at, put
from tests.team import git

ME = Options(actor="cli:me", tool="cli rewind")


@pytest.fixture(name="engine")
def _engine(tmp_path: Path) -> Iterator[Engine]:
    """Give a tree with a program planted at every place, and all that git can have in one."""
    program = put(tmp_path, "planted/run", f"#!/bin/sh\ntouch {tmp_path}/ran\ncat\n")
    program.chmod(0o755)
    root, borrowed = tmp_path / "root", tmp_path / "borrowed"
    put(borrowed, "b", "lent\n")
    git(borrowed, "init", "-q"), git(borrowed, "add", "."), git(borrowed, "commit", "-qm", "x")
    put(root, "in/a", "1\n"), put(root, "out/b", "1\n"), put(root, NEWLINE, "1\n")
    git(root, "init", "-q")
    put(root, ".git/objects/info/alternates", f"{borrowed}/.git/objects\n")
    git(root, "add", "."), git(root, "commit", "-qm", "x")
    hostile(root, program)
    (root / "huge").touch()
    os.truncate(root / "huge", 1 << 30)
    os.mkfifo(root / "pipe")
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(str(root / "socket"))
    (root / "loop").symlink_to("loop")
    (root / "away").symlink_to("/etc")
    with engine_at(tmp_path) as engine:
        yield engine


def test_nothing_is_run_nothing_hangs_and_it_can_be_gone_back(
    engine: Engine, tmp_path: Path
) -> None:
    root = tmp_path / "root"
    first = engine.checkpoints.look()
    put(root, "in/a", "2\n"), put(root, NEWLINE, "22\n"), put(root, "s/in", "sub\n")
    found = engine.checkpoints.look()

    [entry] = found.entries
    assert [file.path for file in entry.files] == ["in/a"]
    assert [(each.path, each.why) for each in found.listed] == [(NEWLINE, "name")]
    back = UndoRequest(prompt=f"c{first.checkpoint}", session=EVERYBODY)
    assert engine.checkpoints.rewind(back, ME).ok
    assert (root / "in/a").read_bytes() == b"1\n"
    assert (root / NEWLINE).read_bytes() == b"22\n"
    assert (root / "huge").stat().st_size == 1 << 30
    assert not (tmp_path / "ran").exists()


def test_a_sparse_checkout_is_what_git_did(engine: Engine, tmp_path: Path) -> None:
    root = tmp_path / "root"
    engine.checkpoints.look()
    (root / "out/b").unlink()
    put(root, ".git/info/sparse-checkout", "/*\n!/out/\n")
    config = root / ".git/config"
    text = config.read_text(encoding="utf-8")
    config.write_text(f"{text}\n[core]\n\tsparseCheckout = true\n", encoding="utf-8")

    [entry] = engine.checkpoints.look().entries

    assert [file.path for file in entry.files] == ["out/b"]
    assert entry.call.actor == "git"
    assert not (tmp_path / "ran").exists()
