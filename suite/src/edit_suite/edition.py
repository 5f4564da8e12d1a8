"""Write an edition: python -m edit_suite.edition DIRECTORY.

The families are deterministic; what they draw, they draw from the edition's own number.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from edit_suite.case import Case, save
from edit_suite.families import diffs, files, lines, many, raw, text

FAMILIES = (text, raw, many, lines, diffs, files)


def cases() -> list[Case]:
    """Return every case of the edition, by id."""
    found = [case for family in FAMILIES for case in family.cases()]
    assert len({case.id for case in found}) == len(found), "BUG: an id is used twice"
    return sorted(found, key=lambda case: case.id)


def write(directory: Path) -> int:
    """Write the cases below a directory, anew, and return how many there are."""
    shutil.rmtree(directory, ignore_errors=True)
    found = cases()
    for case in found:
        save(case, directory / case.id)
    return len(found)


if __name__ == "__main__":
    sys.stdout.write(f"{write(Path(sys.argv[1]))} cases\n")
