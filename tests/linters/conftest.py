"""The stage every linter test plays on, and the linters that npm brings."""

import fcntl
import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.linters.stage import PROGRAMS, Stage

LOCKED = Path(__file__).parent / "npm"


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    (tmp_path / "root").mkdir()
    return Stage(tmp_path)


@pytest.fixture
def npm_stage(tmp_path: Path, npm_programs: str) -> Stage:
    """A stage with eslint, tsc and pyright among the programs."""
    (tmp_path / "root").mkdir()
    return Stage(tmp_path, f"{npm_programs}:{PROGRAMS}")


@pytest.fixture(scope="session")
def npm_programs() -> str:
    """Install what the lock file names, once for each version of it, and return where it is."""
    lock = (LOCKED / "package-lock.json").read_bytes()
    home = Path(sys.prefix) / f"npm-{hashlib.sha256(lock).hexdigest()[:16]}"
    home.mkdir(exist_ok=True)
    with (home / "lock").open("w", encoding="utf-8") as turn:
        # Test processes run side by side: one installs, the others wait for it.
        fcntl.flock(turn, fcntl.LOCK_EX)
        if not (home / "done").exists():
            _install(home)
            (home / "done").touch()
    return str(home / "node_modules" / ".bin")


def _install(home: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed")
    for name in ("package.json", "package-lock.json"):
        shutil.copy(LOCKED / name, home)
    flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=5"]
    subprocess.run([npm, "ci", "--silent", *flags], cwd=home, check=True, timeout=600)
