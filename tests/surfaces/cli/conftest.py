"""The shell every test of the command line types into."""

from pathlib import Path

import pytest

from tests.surfaces.cli.shell import Shell


@pytest.fixture
def keyhole(tmp_path: Path) -> Shell:
    for name in ("root", "home"):
        (tmp_path / name).mkdir()
    return Shell(tmp_path)
