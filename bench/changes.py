"""What observing costs: a look beside `git status`, an edit with and without, the hook, the disk.

python -m bench.changes [FILES]; ratios of medians within one run. It exits 1 above a limit.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

from keyhole.edits.model.operations import Edit
from keyhole.engine.facade import Engine
from keyhole.engine.options import Options

ROUNDS = 15
_KEYHOLE = str(Path(sys.executable).with_name("keyhole"))
LIMITS = {"look": 1.3, "edit": 1.05, "hook": 1.5, "disk": 1.2}


def made(root: Path, files: int) -> None:
    """Make a tree of small files in directories of forty."""
    for number in range(files):
        directory = root / f"d{number // 2000}/s{number // 40}"
        directory.mkdir(parents=True, exist_ok=True)
        text = f"def f{number}() -> int:\n    return {number}\n" * 20
        (directory / f"f{number % 40}.py").write_text(text, encoding="utf-8")


def seconds(step: Callable[[], object]) -> float:
    """Return how long a step took."""
    begun = time.perf_counter()
    step()
    return time.perf_counter() - begun


def medians(*steps: Callable[[], object], rounds: int = ROUNDS) -> list[float]:
    """Return the medians of steps that take turns, so that all meet the same machine."""
    times: list[list[float]] = [[] for _ in steps]
    for _ in range(rounds):
        for own, step in zip(times, steps, strict=True):
            own.append(seconds(step))
    return [median(own) for own in times]


def run(words: Sequence[str], at: Path, feed: bytes = b"") -> None:
    """Run a program to its end."""
    subprocess.run(words, cwd=at, input=feed, capture_output=True, check=True)


def size(state: Path) -> int:
    """Return the bytes that a directory takes up."""
    return sum(each.stat().st_size for each in state.rglob("*") if each.is_file())


def editing(engine: Engine, path: str) -> Callable[[], object]:
    """Return a step that edits one line of a file, another one each time."""
    count = iter(range(10**6))

    def step() -> None:
        edit = Edit(lines="1", content=f"def g{next(count)}() -> int:")
        receipt = engine.edit([edit], Options(actor="bench"), path)
        assert receipt.ok, receipt.as_text()

    return step


def measured(base: Path, files: int) -> dict[str, float]:
    """Return the ratios."""
    root, state = base / "root", base / "state"
    made(root, files)
    os.environ["XDG_STATE_HOME"] = str(state)
    # Whoever installed keyhole has its byte code.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = str(base / "bytecode")
    git = ["git", "-c", "core.untrackedCache=true", "-c", "status.showUntrackedFiles=all"]
    run([*git, "init", "-q"], root)
    run([*git, "add", "."], root)
    run([*git, "-c", "user.name=b", "-c", "user.email=b", "commit", "-qm", "x"], root)
    engine, plain = Engine.open(root, state), Engine.open(base / "root", base / "plain")
    print(f"first look {seconds(engine.checkpoints.look):6.2f} s for {files} files")
    engine.checkpoints.look()
    run([*git, "status"], root)
    status, look = medians(lambda: run([*git, "status", "-s"], root), engine.checkpoints.look)
    one, other = "d0/s0/f1.py", "d0/s0/f2.py"
    without, watched = medians(editing(plain, one), editing(engine, other), rounds=200)
    said = b'{"hook_event_name": "PreToolUse", "session_id": "s", "cwd": "%s"}' % os.fsencode(root)
    version, hook = medians(
        lambda: run([_KEYHOLE, "--version"], root),
        lambda: run([_KEYHOLE, "hook", "codex"], root, said),
    )
    disk = grown(engine, root, state)
    engine.close()
    plain.close()
    print(f"git status {status * 1e3:.0f} ms, look {look * 1e3:.0f} ms")
    print(f"edit {without * 1e3:.2f} ms, observed {watched * 1e3:.2f} ms")
    print(f"--version {version * 1e3:.0f} ms, hook {hook * 1e3:.0f} ms")
    return {
        "look": look / status,
        "edit": watched / without,
        "hook": (hook - look) / version,
        "disk": disk,
    }


def grown(engine: Engine, root: Path, state: Path) -> float:
    """Return by how much the state grows for each compressed byte of new text.

    The files are as large before: by as much as a tree grows, the copy of it grows once. Nothing is
    tidied up but by the looks themselves.
    """
    _rewritten(engine, root, 7)
    before = _settled(engine, state)
    changed = _rewritten(engine, root, 8)
    return (_settled(engine, state) - before) / changed


def _rewritten(engine: Engine, root: Path, seed: int) -> int:
    """Write other text into files, look, and return how large it is when it is compressed.

    Half of the files are smaller than 8 kB, as of sources; which size each has is no chance.
    """
    draw, sizes = random.Random(seed), random.Random(1)
    words, changed = [f"word{number}" for number in range(2000)], 0
    for number in range(40, 440):
        text = " ".join(draw.choices(words, k=int(sizes.lognormvariate(7.0, 1.0)))).encode()
        changed += len(zlib.compress(text, 6))
        (root / f"d0/s{number // 40}/f{number % 40}.py").write_bytes(text)
    engine.checkpoints.look()
    return changed


def _settled(engine: Engine, state: Path) -> int:
    """Return the size once logs are in their files."""
    tree = engine._tree  # noqa: SLF001 - the bench looks inside
    tree.journal.connection.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # type: ignore[attr-defined]
    return size(state)


def main() -> int:
    """Measure, print, and judge."""
    files = int(sys.argv[1]) if len(sys.argv) > 1 else 50_000
    with tempfile.TemporaryDirectory() as base:
        ratios = measured(Path(base), files)
    for name, ratio in ratios.items():
        print(f"{name:6} {ratio:5.2f} of at most {LIMITS[name]:.2f}")
    return int(any(ratio > LIMITS[name] for name, ratio in ratios.items()))


if __name__ == "__main__":
    sys.exit(main())
