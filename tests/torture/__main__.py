"""Run one part of the programme and say in one line what it ran: python -m tests.torture PART."""

from __future__ import annotations

import contextlib
import io
import sys
import time

import pytest

from tests.torture.parts import PARTS


class _Counted:
    """Collects what the harnesses counted."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self.tests = 0

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take what a test told when it was over."""
        self.tests += report.when == "call"
        if report.when == "teardown":
            told = (str(text) for name, text in report.user_properties if name == "counted")
            self.told += (text.split("\n")[0] for text in told)


def main(part: str) -> int:
    """Run the part; its output is shown only if it fails."""
    counted, output, began = _Counted(), io.StringIO(), time.monotonic()
    with contextlib.redirect_stdout(output):
        code = int(pytest.main(["-q", "-p", "no:cacheprovider", *PARTS[part]], plugins=[counted]))
    seconds = time.monotonic() - began
    if code:
        sys.stdout.write(output.getvalue())
    verdict = "FAILED" if code else "held"
    counts = "; ".join(counted.told) or "nothing else to count"
    sys.stdout.write(f"{part}: {verdict}, {counted.tests} tests in {seconds:.0f} s: {counts}\n")
    return code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
