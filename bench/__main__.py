"""Print every ratio beside its limit; fail if one is over.

python -m bench            all of them
python -m bench core       some of them
"""

from __future__ import annotations

import sys
from importlib import import_module

MODULES = ("core", "startup", "commit", "segments", "validate")


def main(wanted: list[str]) -> int:
    """Measure what is wanted, or all."""
    over = 0
    for name in wanted or MODULES:
        for label, ratio, limit in import_module(f"bench.{name}").rows():
            mark = "" if ratio <= limit else "   OVER"
            over += ratio > limit
            print(f"{label:<72} {ratio:>8.2f} x   at most {limit:g} x{mark}", flush=True)
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
