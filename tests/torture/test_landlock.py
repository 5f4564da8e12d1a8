"""Behind the kernel's fence nothing outside is written, and nothing is run."""

import pytest

from keyhole.storage.paths.confining import version
from tests.torture.start import REPORTS, counts

pytestmark = pytest.mark.torture


def test_the_fence_alone_keeps_everything_inside() -> None:
    if version() < 3:
        REPORTS.append(f"landlock: 0 probes, the kernel has version {version()} of it")
        return
    found = counts("landlock", "fenced")

    assert found["probes"] == found["denied"] == 15
    assert found["worked inside"] == 1


def test_without_the_fence_the_same_probes_get_out() -> None:
    found = counts("landlock", "open")

    assert found["probes"] == 15
    assert found["done outside"] == 14  # a program that runs says nothing
