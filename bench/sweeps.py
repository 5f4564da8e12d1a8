"""Sweeps over the sources of real packages, judged by Python's own parser; and killed sweeps.

python -m bench.sweeps DIRECTORY [SHARE]    what `make sweeps` runs, on wheels that lie there
"""

from __future__ import annotations

import ast
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from keyhole.edits.model.operations import Edit
from keyhole.engine.facade import Engine
from keyhole.engine.history.recall import UndoRequest
from keyhole.engine.options import Options
from keyhole.engine.sweep.request import Sweep

ME = Options(actor="sweeps")
SWEEPS, KILLS = 200, 200
_LEAST = 3


class _Swept(ast.NodeTransformer):
    """What the sweep means: each outermost `NAME(one)` becomes `swept.NAME(one)`."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.count = 0

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if not fits(node, self.name):
            return self.generic_visit(node)
        self.count += 1
        node.func = ast.Attribute(ast.Name("swept", ast.Load()), self.name, ast.Load())
        return node


def fits(node: ast.Call, name: str) -> bool:
    """Tell whether a call is one of a plain name with one argument in brackets of its own."""
    is_named = isinstance(node.func, ast.Name) and node.func.id == name
    if not is_named or len(node.args) + len(node.keywords) != 1:
        return False
    only = node.args[0] if node.args else None
    # `any(x for x in y)` has no brackets around its arguments but those of the expression.
    is_bare = isinstance(only, ast.GeneratorExp) and (only.lineno, only.col_offset) == (
        node.func.end_lineno,
        node.func.end_col_offset,
    )
    return not is_bare


def unpacked(wheels: Path, into: Path) -> list[Path]:
    """Return the directories of packages, with the files that Python can read."""
    found = []
    for wheel in sorted(wheels.glob("*.whl")):
        place = into / wheel.name.split("-")[0]
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(place)
        for file in [each for each in place.rglob("*") if each.is_file()]:
            if file.suffix != ".py" or not is_readable(file):
                file.unlink()
        found.append(place)
    return found


def is_readable(file: Path) -> bool:
    """Tell whether Python's parser takes a file."""
    try:
        ast.parse(file.read_bytes())
    except (SyntaxError, ValueError, RecursionError):
        return False
    return True


def names_called(package: Path) -> list[str]:
    """Return the names that are called with one argument often enough, the most often first."""
    counts: Counter[str] = Counter()
    for file in package.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_bytes())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                counts[node.func.id] += fits(node, node.func.id)
    return [name for name, count in counts.most_common() if count >= _LEAST]


def texts(package: Path) -> dict[Path, bytes]:
    """Return every file of a package."""
    return {file: file.read_bytes() for file in sorted(package.rglob("*.py"))}


def judged(package: Path, name: str, state: Path) -> tuple[int, list[str]]:
    """Sweep one name through a package; return how many places, and what is wrong."""
    before = texts(package)
    expected, count = {}, 0
    for file, data in before.items():
        model = _Swept(name)
        expected[file] = ast.dump(model.visit(ast.parse(data)))
        count += model.count
    engine = Engine.open(package, state)
    try:
        edit = Edit(pattern=f"{name}($X)", content=f"swept.{name}($X)")
        wanted = Sweep((edit,), "*.py", expected_count=count)
        receipt = engine.refactoring.sweep(wanted, ME)
        if not receipt.ok:
            return count, [f"{package.name} {name}: {receipt.as_text()[:300]}"]
        after = texts(package)
        wrong = [
            f"{package.name} {name}: {file.name} is another program than meant"
            for file, data in after.items()
            if ast.dump(ast.parse(data)) != expected[file]
        ]
        engine.undo(UndoRequest(receipt.transaction), ME)
        if texts(package) != before:
            wrong.append(f"{package.name} {name}: the undo left something")
        return count, wrong
    finally:
        engine.close()


_CHILD = """\
import sys
from pathlib import Path
from keyhole.edits.model.operations import Edit
from keyhole.engine.facade import Engine
from keyhole.engine.options import Options
from keyhole.engine.sweep.request import Sweep
root, state, old, new = sys.argv[1:]
engine = Engine.open(Path(root), Path(state))
sys.stdout.write("open\\n"); sys.stdout.flush()
edit = Edit(find=old, content=new)
count = len(list(Path(root).rglob("*.py"))) * 2
engine.refactoring.sweep(Sweep((edit,), "*.py", expected_count=count), Options(actor="me"))
sys.stdout.write("done\\n"); sys.stdout.flush()
"""


def killed(base: Path, count: int, seed: int) -> Counter[str]:
    """Kill sweeps over 300 files at random moments; each leaves all files old or all new.

    One that ends before its moment is no kill; about a fifth do, so the moments reach to the end.
    """
    chance, found = random.Random(seed), Counter[str]()
    root, state = base / "killed", base / "state"
    shutil.rmtree(root, ignore_errors=True)
    for number in range(300):
        file = root / f"d{number % 7}" / f"m{number}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"# {number}\nword_a = 1\nprint(word_a)\n", encoding="utf-8")
    longest, now = 2.0, "word_a"
    while found["killed"] < count:
        new = "word_b" if now == "word_a" else "word_a"
        words = [sys.executable, "-c", _CHILD, str(root), str(state), now, new]
        with subprocess.Popen(words, stdout=subprocess.PIPE) as child:
            assert child.stdout is not None, "BUG: the output is a pipe"
            child.stdout.readline()
            try:
                child.wait(chance.uniform(0, longest))
                found["finished"] += 1
                longest *= 0.9
            except subprocess.TimeoutExpired:
                child.send_signal(signal.SIGKILL)
                found["killed"] += 1
                longest *= 1.03
        Engine.open(root, state).close()  # recovers
        sides = Counter(b"word_b" in data for data in texts(root).values())
        mixed = len(sides) > 1 or any(data.count(b"word") != 2 for data in texts(root).values())
        found["mixed"] += mixed
        now = "word_b" if sides[True] else "word_a"
        found["new"] += now == new
    return found


def sweeps(wheels: Path, share: int) -> Iterator[str]:
    """Yield what was done, and what was wrong."""
    with tempfile.TemporaryDirectory() as made:
        base = Path(made)
        packages = unpacked(wheels, base / "packages")
        asked = [(package, names_called(package)) for package in packages]
        jobs = [
            (package, names[n]) for n in range(SWEEPS) for package, names in asked if n < len(names)
        ]
        jobs = jobs[: max(SWEEPS * share // 100, 1)]
        places, wrong = 0, []
        for package, name in jobs:
            count, faults = judged(package, name, base / "states")
            places += count
            wrong += faults
        yield f"{len(jobs)} structural sweeps of {len(packages)} packages, {places} places"
        yield f"{len(wrong)} wrong"
        yield from wrong
        found = killed(base, max(KILLS * share // 100, 1), 1)
        yield f"kills: {dict(found)}"
        if wrong or found["mixed"]:
            yield "FAILED"


def main(words: list[str]) -> int:
    """Run the share that is asked for; 1 if anything is wrong."""
    share = int(words[1]) if len(words) > 1 else 100
    failed = False
    for row in sweeps(Path(words[0]), share):
        sys.stdout.write(f"{row}\n")
        failed |= row == "FAILED"
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
