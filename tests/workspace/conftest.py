"""The scene every workspace test plays in."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.workspace.scene import Scene


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    (tmp_path / "root").mkdir()
    made = Scene(tmp_path)
    yield made
    made.close()


@pytest.fixture
def open_scene() -> Iterator[Scene]:
    """Give a scene that everybody can reach."""
    home = Path(tempfile.mkdtemp())
    home.chmod(0o755)
    (home / "root").mkdir()
    (home / "root").chmod(0o777)
    (home / "state").mkdir()
    (home / "state").chmod(0o777)
    yield Scene(home)
    for path in [home, *home.rglob("*")]:
        if path.is_dir():
            path.chmod(0o755)
    shutil.rmtree(home)
