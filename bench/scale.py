"""Large trees, large files, long journals: each beside a foreign judge, or a stated size.

A search is measured beside ripgrep, in CPU time of whole processes; the outline of a file beside
the parser alone, in peak memory; an edit in bytes that the journal grows by; an edit of a notebook
with images beside a durable copy of it.
"""

from __future__ import annotations

import os
import random
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench.histories import histories
from bench.measure import Row
from bench.notebooks import notebooks
from keyhole.edits.model.operations import Edit
from keyhole.engine.facade import Engine
from keyhole.engine.options import Options

_TREES = (5_000, 16_000, 50_000)
_MEGABYTES = (1, 10, 30)
_EDITS = 400
_MOST_BYTES = 2048
_PIECE = """class Worker{0}:
    def process(self, item, other=None):
        result = [value for value in item if value]
        return self.finish(result, key=lambda x: x[0])


"""
_PEAK = """
import resource, sys
from keyhole.engine.reading import Shape, outline
from keyhole.segments.code.parser import parse
from keyhole.text.document import Document
text = sys.stdin.read()
if sys.argv[1] == "parse":
    root = parse("python", text)
else:
    assert outline(Document(text), "a.py", Shape()).rows
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def rows() -> Iterator[Row]:
    """Measure everything, smaller sizes first."""
    with tempfile.TemporaryDirectory() as place:
        yield from _trees(Path(place))
        yield from _files()
        yield _journal(Path(place))
        yield from notebooks(Path(place))
        yield from histories(Path(place))


def _trees(place: Path) -> Iterator[Row]:
    root, made = place / "tree", 0
    (root / ".git").mkdir(parents=True)
    env = {**os.environ, "XDG_STATE_HOME": str(place / "state")}
    keyhole = str(Path(sys.executable).with_name("keyhole"))
    (place / "empty" / ".git").mkdir(parents=True)
    idle = _cpu([keyhole, "search", "no-such-words"], place / "empty", env)
    for count in _TREES:
        _grow(root, made, count)
        made = count
        judge = _cpu(["rg", "no-such-words", "."], root, env)
        own = _cpu([keyhole, "search", "no-such-words"], root, env)
        # The start of the program counts only in the largest tree: `bench startup` measures it.
        start = idle if count < _TREES[-1] else 0.0
        yield Row(f"search without hits, {count} files, beside ripgrep", (own - start) / judge, 3.0)
        last = f"function_{count - 1}_0"
        own = _cpu([keyhole, "outline", ".", "--query", last], root, env, last)
        judge = _cpu(["rg", last, "."], root, env, last)
        yield Row(f"outline --query, {count} files, beside ripgrep", (own - start) / judge, 10.0)


def _grow(root: Path, first: int, count: int) -> None:
    """Write files up to a number, each with a few functions of some lines."""
    source = random.Random(1)
    for number in range(first, count):
        directory = root / f"package{number // 1000}" / f"module{number // 40 % 25}"
        directory.mkdir(parents=True, exist_ok=True)
        body = "".join(
            f"def function_{number}_{each}(a, b):\n"
            + "    a += b\n" * source.randint(20, 90)
            + "    return a\n\n\n"
            for each in range(3)
        )
        (directory / f"file{number}.py").write_text(body, encoding="utf-8")


def _cpu(words: list[str], root: Path, env: dict[str, str], answer: str = "") -> float:
    """Return the least CPU time of a program in three runs, which must answer so."""
    times = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(
            words, cwd=root, env=env, capture_output=True, text=True, encoding="utf-8", check=False
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert answer in done.stdout, done.stderr
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(times)


def _files() -> Iterator[Row]:
    for size in _MEGABYTES:
        text = "".join(_PIECE.format(each) for each in range(size * 1_000_000 // len(_PIECE)))
        alone, outlined = (_peak(text, what) for what in ("parse", "outline"))
        yield Row(f"outline of {size} MB, peak memory beside the parser", outlined / alone, 1.5)


def _peak(text: str, what: str) -> int:
    words = [sys.executable, "-c", _PEAK, what]
    done = subprocess.run(
        words, input=text, capture_output=True, text=True, encoding="utf-8", check=True
    )
    return int(done.stdout)


def _journal(place: Path) -> Row:
    source = random.Random(1)
    lines = [f"row {number} {source.getrandbits(200):x}" for number in range(800)]
    (place / "edits").mkdir()
    (place / "edits" / "a.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    engine = Engine.open(place / "edits", place / "journal")
    for number in range(_EDITS):
        line = source.randint(1, 800)
        content = f"edit {number} {source.getrandbits(800):x}"
        engine.edit([Edit(lines=str(line), content=content)], Options(), "a.txt")
    engine.close()
    size = sum(each.stat().st_size for each in (place / "journal").rglob("journal.db"))
    label = f"journal, bytes for an edit of a {len(lines) // 16} KB file, of {_MOST_BYTES}"
    return Row(label, size / _EDITS / _MOST_BYTES, 1.0)
