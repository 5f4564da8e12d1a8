"""Hold each room to its share of lines and branches that tests run: python -m tests.coverage_gates.

`make test` runs it after pytest. A branch that nothing can reach is removed, or excluded where it
stands with its reason; a bound is never met by a test through a fake.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Self

from coverage import Coverage

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "keyhole"


class Count(NamedTuple):
    """How many lines and branches there are, and how many ran."""

    lines: int
    lines_run: int
    branches: int
    branches_run: int

    @classmethod
    def total(cls, counts: Sequence[Self]) -> Self:
        """Add counts up."""
        return cls(*map(sum, zip(*counts, strict=True)))

    def reaches(self, bound: int) -> bool:
        """Tell whether so many per cent of the lines ran, and as many of the branches."""
        return (
            self.lines_run * 100 >= self.lines * bound
            and self.branches_run * 100 >= self.branches * bound
        )


@dataclass(frozen=True, slots=True)
class Room:
    """A part of the package, by how the paths of its files begin, and its bound in per cent."""

    name: str
    bound: int
    beginnings: tuple[str, ...]


def _room(name: str, bound: int) -> Room:
    return Room(name, bound, (f"{name}/",))


# A file belongs to the first room that its path begins like. The rooms below 95 have code that runs
# in servers that tests start, look into and kill, which are not counted, or waits for a machine.
ROOMS = (
    _room("text", 100),
    _room("matching", 100),
    _room("patches", 100),
    _room("edits/model", 100),
    _room("edits", 100),
    _room("disk", 97),
    _room("storage", 97),
    _room("journal", 97),
    _room("answers", 95),
    _room("engine/install", 95),
    _room("engine", 95),
    _room("checkpoints", 95),
    _room("git", 95),
    _room("history", 95),
    _room("hosts", 95),
    _room("language_servers", 95),
    _room("linters", 95),
    _room("refactor", 95),
    _room("segments", 95),
    _room("sharing", 95),
    _room("surfaces/cli", 95),
    _room("surfaces/http", 95),
    _room("surfaces/mcp", 91),
    _room("surfaces/web", 94),
    _room("surfaces", 95),
    _room("templates", 95),
    _room("toolsets", 95),
    _room("workspace", 95),
    Room("the package's own files", 95, ("",)),
)


def measured(data: Path, package: Path) -> dict[str, Count]:
    """Return what ran of each file of a package, by its path in there."""
    coverage = Coverage(data_file=str(data))
    coverage.load()
    with tempfile.TemporaryDirectory() as made:
        report = Path(made) / "report.json"
        coverage.json_report(outfile=str(report), include=[f"{package}/*"])
        files = json.loads(report.read_bytes())["files"]
    return {
        str((Path.cwd() / name).relative_to(package)): Count(
            said["summary"]["num_statements"],
            said["summary"]["covered_lines"],
            said["summary"]["num_branches"],
            said["summary"]["covered_branches"],
        )
        for name, said in files.items()
    }


def judged(
    files: Mapping[str, Count], rooms: Sequence[Room], package: Path
) -> Iterator[tuple[str, bool]]:
    """Yield a line for each room, and for each file nobody measured; True marks a failure."""
    there = {str(path.relative_to(package)) for path in package.rglob("*.py")}
    yield from ((f"not measured: {name}", True) for name in sorted(there - files.keys()))
    homes = {
        name: next((r for r in rooms if name.startswith(r.beginnings)), None) for name in files
    }
    yield from ((f"in no room: {name}", True) for name, room in homes.items() if room is None)
    for room in rooms:
        own = {name: count for name, count in files.items() if homes[name] == room}
        if not own:
            yield f"{room.name} has no files", True
            continue
        total = Count.total(list(own.values()))
        lines, branches = _share(total.lines_run, total.lines), _share(*total[:1:-1])
        is_low = not total.reaches(room.bound)
        row = f"{room.name:24} {lines:>7} {branches:>9} {room.bound:>6}"
        yield f"{row}  TOO LOW" if is_low else row, is_low
        short = (name for name, count in own.items() if is_low and not count.reaches(room.bound))
        yield from ((f"  see {name}", False) for name in sorted(short))


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.2f}" if whole else "-"


def main() -> int:
    """Print a table of the rooms; fail if one lies below its bound."""
    rows = list(judged(measured(ROOT / ".coverage", PACKAGE), ROOMS, PACKAGE))
    sys.stdout.write(f"{'per cent that ran':24} {'lines':>7} {'branches':>9} {'bound':>6}\n")
    sys.stdout.write("".join(f"{row}\n" for row, _ in rows))
    return any(failed for _, failed in rows)


if __name__ == "__main__":
    sys.exit(main())
