"""The stage of the tests of language servers, and the servers that npm brings."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.language_servers.stage import ServerStage
from tests.linters.conftest import npm_programs

__all__ = ["npm_programs"]


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[ServerStage]:
    stage = ServerStage(tmp_path)
    stage.install()
    yield stage
    stage.close()
