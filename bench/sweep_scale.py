"""A sweep of 5,000 files: its preview beside ripgrep and a parser, its commit beside a plain loop.

The files with hits are parsed as keyhole parses them, for a preview names the segment of a place.
The loop reads, writes a temporary file, flushes it and renames it, and flushes no directory.
"""

from __future__ import annotations

import itertools
import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench.measure import Row, ratio
from keyhole.answers.receipt import Receipt
from keyhole.edits.model.operations import Edit
from keyhole.engine.facade import Engine
from keyhole.engine.options import Options
from keyhole.engine.sweep.request import Sweep
from keyhole.segments.code.parser import parse

_FILES, _EACH, _ROUNDS = 5_000, 10, 5
_MOST_PREVIEW = 8_000
_BODY = "".join(f"def step_{n}(a, b):\n    a += b\n    return a\n\n\n" for n in range(12))
_ME = Options(actor="bench")


def rows() -> Iterator[Row]:
    """Measure with hits in every tenth file, then in all of them."""
    for each in (_EACH, 1):
        with tempfile.TemporaryDirectory() as made:
            yield from _measured(Path(made), each)


def _measured(base: Path, each: int) -> Iterator[Row]:
    root, plain = base / "root", base / "plain"
    for place in (root, plain):
        _grow(place, each)
    engine = Engine.open(root, base / "state")
    hits = _FILES // each
    names = itertools.cycle(("word_a", "word_b"))
    now = next(names)

    def preview() -> Receipt:
        return engine.refactoring.sweep(Sweep((Edit(find=now, content="other"),), "*.py"), _ME)

    def commit() -> None:
        nonlocal now
        old, now = now, next(names)
        edit = Edit(find=old, content=now)
        sweep = Sweep((edit,), "*.py", expected_count=hits * 2)
        assert engine.refactoring.sweep(sweep, _ME).ok

    def floor() -> None:
        for path in _found(root, now):
            parse("python", path.read_text(encoding="utf-8"))

    said = preview().as_text().encode()
    label = f"sweep of {_FILES} files, hits in {hits}"
    yield Row(f"{label}: bytes of the preview / {_MOST_PREVIEW}", len(said) / _MOST_PREVIEW, 1.0)
    yield Row(f"{label}: preview / ripgrep and parsing", ratio(preview, floor, _ROUNDS), 2.0)
    loop = _Loop(plain)
    yield Row(f"{label}: commit / loop of plain writes", ratio(commit, loop.run, _ROUNDS), 1.5)
    engine.close()


class _Loop:
    """What a script does: find the files, and exchange each for one with the other word."""

    def __init__(self, root: Path) -> None:
        self._root, self._words = root, ("word_a", "word_b")

    def run(self) -> None:
        old, new = self._words
        for path in _found(self._root, old):
            data = path.read_bytes().replace(old.encode(), new.encode())
            temporary = path.with_suffix(".tmp")
            with temporary.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            temporary.rename(path)
        self._words = new, old


def _found(root: Path, word: str) -> list[Path]:
    words = ["rg", "--files-with-matches", word, "."]
    done = subprocess.run(words, cwd=root, capture_output=True, text=True, check=False)
    return [root / line for line in done.stdout.split()]


def _grow(root: Path, each: int) -> None:
    """Write the files, every so many of them with two places."""
    (root / ".git").mkdir(parents=True)
    for number in range(_FILES):
        file = root / f"package{number % 50}" / f"module{number}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        head = "word_a = 1\nprint(word_a)\n" if number % each == 0 else ""
        file.write_text(f"# {number}\n{head}{_BODY}", encoding="utf-8")
