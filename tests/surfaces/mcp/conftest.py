from collections.abc import Iterator
from pathlib import Path

import pytest

from keyhole.surfaces.mcp.workspaces import Allowed, Workspaces
from tests.surfaces.mcp.host import Host


@pytest.fixture
def host(tmp_path: Path) -> Host:
    for name in ("root", "home"):
        (tmp_path / name).mkdir()
    return Host(tmp_path)


@pytest.fixture
def roots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    found = [tmp_path / "one", tmp_path / "two", tmp_path / "one" / "inner"]
    for root in found:
        root.mkdir()
    return found


@pytest.fixture
def workspaces(roots: list[Path]) -> Iterator[Workspaces]:
    found = Workspaces.open(roots, Allowed())
    yield found
    found.close()
