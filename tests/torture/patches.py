"""Damaged patches by the hundred thousand: applied soundly or refused by name, at once, wholly."""

from __future__ import annotations

import gc
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from keyhole.edits.model.hunk import ADD, REMOVE, Hunk
from keyhole.edits.model.operations import Operation
from keyhole.edits.model.plan import Plan, Snapshot
from keyhole.edits.resolve import resolve
from keyhole.engine.facade import Engine
from keyhole.engine.options import Options
from keyhole.fastclasses import replace
from keyhole.matching.view import fold
from keyhole.patches.detect import parse
from keyhole.refusals import Refused
from keyhole.text.document import Document
from tests.memory import peak_memory
from tests.torture.arena import memory_directory, report
from tests.torture.mutations import FILES, mutated

LIMIT_NS = 50_000_000
MOST_SHOWN = 2
DOCUMENTS = {path: Document.from_bytes(text.encode()) for path, text in FILES.items()}

Resolve = Callable[[str], tuple[tuple[Operation, ...], Plan]]


def run(tries: int, seed: str, way: str) -> Counter[str]:
    """Read and place `tries` damaged patches in memory."""
    rng, work, found = random.Random(seed), _WAYS[way], Counter[str]()
    gc.freeze()
    while found["tries"] < tries:
        patch = mutated(rng)
        found["tries"] += 1
        begun = time.process_time_ns()
        try:
            operations, plan = work(patch)
            found["applied"] += 1
            if not _is_sound(operations, plan):
                _tell(found, "unsound", patch)
        except Refused as refused:
            found["refused"] += 1
            found["nameless"] += not all(each.code and each.headline for each in refused.refusals)
        except Exception as error:  # noqa: BLE001 - what this harness is looking for
            _tell(found, "raised", f"{error!r} of {patch!r}")
        if time.process_time_ns() - begun > LIMIT_NS and _takes_long(work, patch):
            _tell(found, "slow", patch)
    found["MiB"] = peak_memory() >> 20
    return found


def _takes_long(work: Resolve, patch: str) -> bool:
    """Tell whether a patch takes long every time, and not because the machine paused once."""
    return all(_nanoseconds(work, patch) > LIMIT_NS for _ in range(5))


def _nanoseconds(work: Resolve, patch: str) -> int:
    begun = time.process_time_ns()
    with suppress(Exception):
        work(patch)
    return time.process_time_ns() - begun


def _tell(found: Counter[str], fault: str, what: str) -> None:
    """Count a fault, and show the first ones of a kind."""
    found[fault] += 1
    if found[fault] <= MOST_SHOWN:
        sys.stderr.write(f"{fault}: {what!r}\n")


def on_disk(tries: int, seed: str, way: str) -> Counter[str]:
    """Carry out `tries` damaged patches with a real engine; a refused one leaves no trace."""
    rng, found = random.Random(seed), Counter[str]()
    with memory_directory() as home:
        root = home / "root"
        _lay_out(home)
        engine = Engine.open(root, home / "state")
        laid = _seen(home)
        while found["tries"] < tries:
            patch = mutated(rng)
            found["tries"] += 1
            receipt = _DISK_WAYS[way](engine, patch)
            same = _seen(home) == laid
            found["applied" if receipt else "refused"] += 1
            found["changed on refusal"] += not receipt and not same
            found["escaped"] += (home / "out.txt").read_bytes() != b"outside\n"
            if not same:
                _lay_out(home)
                laid = _seen(home)
        engine.close()
    return found


def _placed(patch: str) -> tuple[tuple[Operation, ...], Plan]:
    operations = parse(patch)
    paths = {operation.path for operation in operations}
    paths |= {getattr(operation, "to", operation.path) for operation in operations}
    paths |= {getattr(operation, "source", operation.path) for operation in operations}
    snapshot = Snapshot({path: DOCUMENTS.get(path) for path in paths})
    return operations, resolve(operations, snapshot)


def _is_sound(operations: Sequence[Operation], plan: Plan) -> bool:
    """Tell whether hunks took away and brought only lines that they mark so, at most as often."""
    for file in plan.files:
        own = [operation for operation in operations if operation.path == file.path]
        if file.before is None or file.after is None or not all(isinstance(o, Hunk) for o in own):
            continue
        lines = [line for each in own if isinstance(each, Hunk) for line in each.lines]
        had, has = _words(file.before.text.split("\n")), _words(file.after.text.split("\n"))
        gone, came = had - has, has - had
        if gone - _words([text for mark, text in lines if mark == REMOVE]):
            return False
        if came - _words([text for mark, text in lines if mark == ADD]):
            return False
    return True


def _words(lines: Sequence[str]) -> Counter[str]:
    keys = (fold(line).strip() for line in lines)
    return Counter(key for key in keys if key)


def _careless(patch: str) -> tuple[tuple[Operation, ...], Plan]:
    """Believe that a hunk has four lines: a planted fault that raises."""
    operations, plan = _placed(patch)
    for operation in operations:
        if isinstance(operation, Hunk):
            operation.lines[3]
    return operations, plan


def _slow(patch: str) -> tuple[tuple[Operation, ...], Plan]:
    """Compare every line with every other: a planted fault that takes long on long patches."""
    lines = patch.split("\n")
    if len(lines) > 60:
        sum(a == b for a in lines for b in lines for _ in range(300))
    return _placed(patch)


def _unsound(patch: str) -> tuple[tuple[Operation, ...], Plan]:
    """Take a line more than the hunk says: a planted fault that damages files."""
    operations, plan = _placed(patch)
    files = [
        replace(file, after=file.after.with_text(file.after.text.split("\n", 1)[-1]))
        if file.after
        else file
        for file in plan.files
    ]
    return operations, Plan(tuple(files))


def _whole(engine: Engine, patch: str) -> bool:
    return engine.patch(patch, Options()).ok


def _hasty(engine: Engine, patch: str) -> bool:
    """Carry out one operation after the other: a planted fault that stops half-way."""
    try:
        operations = parse(patch)
    except Refused:
        return False
    receipts = [engine.edit([operation], Options()) for operation in operations]
    return all(receipt.ok for receipt in receipts)


def _lay_out(home: Path) -> None:
    """Put the files where they belong, and take everything else away."""
    root = home / "root"
    for directory, _, names in os.walk(root, topdown=False):
        for name in names:
            (Path(directory) / name).unlink()
        if directory != str(root):
            Path(directory).rmdir()
    root.mkdir(exist_ok=True)
    (home / "out.txt").write_bytes(b"outside\n")
    for path, text in FILES.items():
        (root / path).write_bytes(text.encode())


def _seen(home: Path) -> dict[str, tuple[bytes, int, int]]:
    """Return every file of the tree with its mode and its time of change."""
    files = [path for path in (home / "root").rglob("*") if path.is_file()]
    stats = {path: path.stat() for path in files}
    return {
        str(path): (path.read_bytes(), stat.st_mode, stat.st_mtime_ns)
        for path, stat in stats.items()
    }


_WAYS: dict[str, Resolve] = {
    "sound": _placed,
    "careless": _careless,
    "slow": _slow,
    "unsound": _unsound,
}
_DISK_WAYS = {"whole": _whole, "hasty": _hasty}


if __name__ == "__main__":
    count, seed, way = int(sys.argv[1]), sys.argv[2], sys.argv[3]
    report(on_disk(count, seed, way) if way in _DISK_WAYS else run(count, seed, way))
