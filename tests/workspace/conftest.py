"""The scene every workspace test plays in."""

from pathlib import Path

import pytest

from tests.workspace.scene import Scene


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    (tmp_path / "root").mkdir()
    return Scene(tmp_path)
