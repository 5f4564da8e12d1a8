"""What the suite's own tests share."""

from __future__ import annotations

from pathlib import Path

import pytest

from edit_suite.case import Case, load_edition

EDITION = "2026"


@pytest.fixture(scope="session")
def edition() -> list[Case]:
    """The frozen cases."""
    return list(load_edition(EDITION))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A root for an engine, with room beside it."""
    path = tmp_path.resolve() / "root"
    path.mkdir()
    return path
