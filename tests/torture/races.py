"""A directory is swapped for a link to the outside, over and over, while files in it are used."""

from __future__ import annotations

import os
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from keyhole.disk import kernel
from keyhole.disk.kernel import Kernel
from keyhole.edits.model.plan import FilePlan, Plan
from keyhole.refusals import Refused
from keyhole.storage.roots import Root
from keyhole.text.changes import Change, ChangeSet
from keyhole.text.document import Document
from keyhole.workspace.tree import Tree, TreeOptions
from tests.torture.arena import CALL, memory_directory, report

_BATCH = 20


def run(tries: int, way: str) -> Counter[str]:
    """Read, edit and create behind the swapped directory, `tries` times in all.

    The naive way need only escape once, however busy the machine is.
    """
    found: Counter[str] = Counter()
    with _scene() as home, _attacker(home):
        work = _WAYS[way](home)
        while found["tries"] < tries and not (way == "naive" and found["escapes"]):
            for _ in range(_BATCH):
                found["tries"] += 1
                try:
                    said = work(found["tries"])
                except (Refused, OSError) as error:
                    said = "refused" if isinstance(error, Refused) else "error"
                found[said] += 1
            found["escapes"] += said_outside(home)
    return found


def said_outside(home: Path) -> int:
    """Count what changed outside, and put it right again."""
    names = sorted(path.name for path in (home / "outside").iterdir())
    text = (home / "outside/s.txt").read_bytes()
    if names == ["s.txt"] and text == b"outside\n":
        return 0
    for name in names:
        (home / "outside" / name).unlink()
    (home / "outside/s.txt").write_bytes(b"outside\n")
    return 1


def _careful(home: Path, use: Kernel) -> Callable[[int], str]:
    tree = Tree.open(home / "root", state_home=home / "state", options=TreeOptions(kernel=use))

    def work(count: int) -> str:
        if count % 10 == 0:
            return _edit(tree)
        if count % 10 == 1:
            return _create(tree, count)
        return "escapes" if "outside" in tree.read("sub/s.txt").text else "read"

    return work


def _opening(home: Path, use: Kernel) -> Callable[[int], str]:
    """Open files, and do nothing else: many more tries in the same time."""
    root = Root.open(home / "root", use)

    def work(_: int) -> str:
        fd = root.open_below("sub/s.txt", os.O_RDONLY)
        try:
            return "escapes" if b"outside" in os.read(fd, 16) else "read"
        finally:
            os.close(fd)

    return work


def _edit(tree: Tree) -> str:
    with tree.hold(["sub/s.txt"]) as held:
        document = held.snapshot.files["sub/s.txt"]
        if document is None:
            return "missing"
        other = "y" if document.text.startswith("x") else "x"
        changes = ChangeSet(len(document.text), (Change(0, 1, other),))
        after = document.with_text(changes.apply(document.text))
        held.commit(Plan((FilePlan("sub/s.txt", document, after, changes),)), CALL)
    return "edited"


def _create(tree: Tree, count: int) -> str:
    path = f"sub/new{count}.txt"
    with tree.hold([path]) as held:
        after = Document.from_bytes(b"new\n")
        held.commit(Plan((FilePlan(path, None, after, ChangeSet(0)),)), CALL)
    return "created"


def _naive(home: Path) -> Callable[[int], str]:
    """Check the resolved path, then use it: what most tools do."""
    root = str(home / "root")

    def work(_: int) -> str:
        path = os.path.realpath(f"{root}/sub/s.txt")
        if not path.startswith(f"{root}/"):
            return "refused"
        return "escapes" if b"outside" in Path(path).read_bytes() else "read"

    return work


_WAYS: dict[str, Callable[[Path], Callable[[int], str]]] = {
    "beneath": lambda home: _careful(home, Kernel()),
    "walk": lambda home: _careful(home, Kernel(beneath=False)),
    "beneath, opening": lambda home: _opening(home, Kernel()),
    "walk, opening": lambda home: _opening(home, Kernel(beneath=False)),
    "naive": _naive,
}


@contextmanager
def _scene() -> Iterator[Path]:
    with memory_directory() as home:
        (home / "root/sub").mkdir(parents=True)
        (home / "outside").mkdir()
        (home / "root/sub/s.txt").write_bytes(b"inside\n")
        (home / "outside/s.txt").write_bytes(b"outside\n")
        (home / "root/link").symlink_to(home / "outside")
        yield home


@contextmanager
def _attacker(home: Path) -> Iterator[None]:
    pid = os.fork()
    if pid == 0:
        try:
            root = os.open(home / "root", os.O_RDONLY)
            while True:
                kernel.swap(root, "sub", root, "link")
        finally:
            os._exit(3)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


if __name__ == "__main__":
    report(run(int(sys.argv[1]), sys.argv[2]))
