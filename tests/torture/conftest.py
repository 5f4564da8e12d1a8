"""Every harness says how much it ran."""

import pytest

from tests.torture.start import REPORTS


@pytest.fixture(autouse=True)
def _tell(record_property: object) -> object:
    """Print what the harness counted with the test that ran it."""
    assert callable(record_property)
    REPORTS.clear()
    yield
    for report in REPORTS:
        record_property("counted", report)
