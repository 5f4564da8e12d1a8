from collections.abc import Iterator
from pathlib import Path

import pytest

from keyhole import Workspace
from tests.toolsets.desk import Desk


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    """A workspace whose state, and whose user's settings, are its own."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    root = tmp_path / "root"
    root.mkdir()
    with Workspace(root, actor="tester") as workspace:
        yield Desk(root, workspace)
