"""Start a harness in a process of its own and read what it counted."""

from __future__ import annotations

import json
import os
import subprocess
from collections import Counter

from tests.torture.trace import python

# How much of the whole programme to run, in per cent; without it, the share of every run.
PERCENT = os.environ.get("KEYHOLE_TORTURE", "")
REPORTS: list[str] = []


def figure(share: int, whole: int) -> int:
    """Return how many to run: the share of every run, or as much of the whole as was asked for."""
    return max(share, whole * int(PERCENT) // 100) if PERCENT else share


def stride(share: int) -> int:
    """Return which ones to run: every `share`th, or each of them when the whole was asked for."""
    return 1 if PERCENT and int(PERCENT) >= 100 else share


def counts(harness: str, *arguments: object) -> Counter[str]:
    """Run a harness; forking belongs into a process that has nothing else to lose."""
    words = [str(argument) for argument in arguments]
    command = python(f"tests.torture.{harness}", *words)
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    found: Counter[str] = Counter(json.loads(done.stdout.strip().split("\n")[-1]))
    told = ", ".join(f"{count} {name}" for name, count in found.items() if count)
    REPORTS.append(f"{harness} {' '.join(words)}: {told or 'nothing ran'}")
    if done.stderr:
        REPORTS.append(done.stderr[-4000:])
    return found
