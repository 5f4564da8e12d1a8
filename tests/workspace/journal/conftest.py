"""A team on a database of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.team import Team, team


@pytest.fixture(name="team")
def _team(tmp_path: Path, database: str) -> Iterator[Team]:
    with team(tmp_path, database) as made:
        yield made
