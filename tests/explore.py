"""Draw new examples for every property until a budget is used: python -m tests.explore SECONDS.

Each round prints its seed first; `python -m tests.explore 1 SEED` runs that round again.
What a round finds becomes an `@example` of its property.
"""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
import time
from pathlib import Path

TESTS = Path(__file__).parent


def with_properties() -> list[str]:
    """Return the test files that hold properties of Hypothesis."""
    files = sorted(TESTS.rglob("test_*.py"))
    return [str(file) for file in files if "from hypothesis" in file.read_text(encoding="utf-8")]


def round_of(seed: int, files: list[str]) -> int:
    """Run every property once with examples drawn from a seed; return what pytest returns."""
    sys.stdout.write(f"explore: seed {seed}\n")
    sys.stdout.flush()
    command = [sys.executable, "-m", "pytest", "-q", "-n", os.environ.get("JOBS", "2")]
    command += ["-m", "not torture", f"--hypothesis-seed={seed}", *files]
    environment = {**os.environ, "KEYHOLE_EXPLORE": "1"}
    return subprocess.run(command, env=environment, check=False).returncode


def main(seconds: str, *seeds: str) -> int:
    """Run rounds until the budget is used, the first of them with the seeds that are given."""
    files, began, rounds = with_properties(), time.monotonic(), 0
    left = [int(seed) for seed in seeds]
    while left or not rounds or time.monotonic() - began < float(seconds):
        rounds += 1
        code = round_of(left.pop(0) if left else secrets.randbelow(2**32), files)
        if code:
            return code
    sys.stdout.write(f"explore: {rounds} rounds of {len(files)} files held\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
