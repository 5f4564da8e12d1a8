"""Start a harness in a process of its own and read what it counted."""

from __future__ import annotations

import json
import os
import subprocess
from collections import Counter

from tests.torture.trace import python

# 1 is the share that every run takes; `make torture` takes more.
SCALE = int(os.environ.get("KEYHOLE_TORTURE", "1"))
REPORTS: list[str] = []


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
