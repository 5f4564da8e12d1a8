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


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    told = [
        text
        for reports in terminalreporter.stats.values()
        for report in reports
        for name, text in getattr(report, "user_properties", ())
        if name == "counted"
    ]
    if told:
        terminalreporter.section("torture")
        for text in told:
            terminalreporter.line(str(text))
