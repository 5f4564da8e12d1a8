"""The scene every workspace test plays in."""

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
