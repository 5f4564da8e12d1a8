"""How much memory this process ever had, of its own."""

import re
from pathlib import Path

_PEAK = re.compile(r"^VmHWM:\s+(\d+) kB$", re.MULTILINE)


def peak_memory() -> int:
    """Return the most bytes this program held; `ru_maxrss` would count what its parent held."""
    found = _PEAK.search(Path("/proc/self/status").read_text(encoding="utf-8"))
    assert found, "the kernel says how much memory a process had"
    return int(found[1]) << 10
