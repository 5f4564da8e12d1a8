from pathlib import Path

import pytest

from tests.surfaces.mcp.host import Host


@pytest.fixture
def host(tmp_path: Path) -> Host:
    for name in ("root", "home"):
        (tmp_path / name).mkdir()
    return Host(tmp_path)
