"""Bind mounts, for tests of files and directories that are reached by two ways."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def why_not() -> str:
    """Return why this machine lets us mount nothing, or nothing."""
    if os.geteuid() != 0:
        return "only root can mount"
    probe = ["unshare", "--mount", "mount", "--bind", "/usr", "/usr"]
    try:
        done = subprocess.run(probe, capture_output=True, check=False)
    except FileNotFoundError:
        return "no unshare"
    return "mounts are not allowed here" if done.returncode else ""


@contextmanager
def mounted(source: Path, target: Path) -> Iterator[None]:
    """Mount a file or a directory at another place for a while."""
    subprocess.run(["mount", "--bind", str(source), str(target)], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", str(target)], check=True)
