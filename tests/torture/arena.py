"""A small workspace that is edited, killed, recovered and compared, over and over."""

from __future__ import annotations

import gc
import json
import os
import shutil
import signal
import stat
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from keyhole.disk import failpoints
from keyhole.edits.model.plan import FilePlan, Plan
from keyhole.journal.model import APPLIED, Call, Entry, Query
from keyhole.text.changes import Change, ChangeSet
from keyhole.text.document import Document
from keyhole.workspace.tree import Tree, TreeOptions

CALL = Call(actor="torturer", tool="edit", reason="to see whether it holds")
FILE_SIZE = 20_000
# No harness takes more than half of it.
_ENOUGH = 40 << 20
FIRST, OTHER = "d0/f0.txt", "d1/other.txt"
Look = dict[str, str | None]


@dataclass(frozen=True, slots=True)
class Arena:
    """A root with some files, a state directory, and a copy of both to start from again."""

    home: Path
    count: int
    options: TreeOptions | None = None
    kept: dict[str, tuple[int, bytes]] = field(default_factory=dict)

    @property
    def root(self) -> Path:
        return self.home / "now/root"

    @property
    def template(self) -> Path:
        return self.home / "template"

    def build(self, *, warm: bool) -> None:
        """Make the files, and with `warm` a journal that has seen an edit."""
        for number, path in enumerate(self.edited()):
            file = self.root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"original {number} line\n" * (FILE_SIZE // 17), encoding="utf-8")
            file.chmod(0o755 if number % 2 else 0o640)
        (self.root / "d1").mkdir(exist_ok=True)
        (self.root / "d1/goes.txt").write_text("delete me\n" * 90, encoding="utf-8")
        (self.root / OTHER).write_text("not part of it\n" * 90, encoding="utf-8")
        if warm:
            tree = self.open()
            self.touch(tree, FIRST)
            tree.close()
        shutil.copytree(self.home / "now", self.template)
        self.keep()

    def keep(self) -> None:
        """Keep everything as it is now, in memory, to start from again."""
        self.kept.clear()
        for top, directories, files in os.walk(self.home / "now"):
            self.kept.update((f"{top}/{name}/", (0, b"")) for name in directories)
            for name in files:
                path = Path(top, name)
                self.kept[str(path)] = stat.S_IMODE(path.stat().st_mode), path.read_bytes()

    def reset(self) -> None:
        """Start again from what was kept."""
        shutil.rmtree(self.home / "now")
        (self.home / "now").mkdir()
        for path, (mode, data) in self.kept.items():
            if path.endswith("/"):
                Path(path).mkdir()
                continue
            fd = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
            os.write(fd, data)
            os.fchmod(fd, mode)
            os.close(fd)

    def open(self) -> Tree:
        return Tree.open(self.root, state_home=self.home / "now/state", options=self.options)

    def edited(self) -> list[str]:
        return [f"d{number % 2}/f{number}.txt" for number in range(self.count)]

    def paths(self) -> list[str]:
        """Return every file the transaction touches."""
        several = ["d0/made/comes.txt", "d1/goes.txt"] if self.count > 1 else []
        return self.edited() + several

    def transact(self, tree: Tree) -> Entry:
        """Edit every file; with more than one, create and delete one too."""
        with tree.hold(self.paths()) as held:
            files = held.snapshot.files
            plans = [self._edit(files[path], path, "edited") for path in self.edited()]
            if self.count > 1:
                new = Document.from_bytes(b"created\n" * 400)
                gone = files["d1/goes.txt"]
                assert gone is not None
                plans.append(FilePlan("d0/made/comes.txt", None, new, ChangeSet(0)))
                plans.append(FilePlan("d1/goes.txt", gone, None, ChangeSet(len(gone.text))))
            return held.commit(Plan(tuple(plans)), CALL)

    def touch(self, tree: Tree, path: str = OTHER) -> None:
        """Edit one file alone; by default one that the transaction does not touch."""
        with tree.hold([path]) as held:
            document = held.snapshot.files[path]
            assert document is not None
            held.commit(Plan((self._edit(document, path, document.hash),)), CALL)

    def look(self, root: Path | None = None) -> Look:
        """Return content and mode of every file that the transaction touches."""
        return {path: seen((root or self.root) / path) for path in self.paths()}

    def leftovers(self) -> list[str]:
        """Return what nobody asked for: temporary files."""
        return [name for _, _, names in os.walk(self.root) for name in names if ".kh-" in name]

    @staticmethod
    def _edit(document: Document | None, path: str, word: str) -> FilePlan:
        assert document is not None
        change = Change(100, 140, f"<{word} {path}>" * 3)
        changes = ChangeSet(len(document.text), (change,))
        return FilePlan(path, document, document.with_text(changes.apply(document.text)), changes)


def seen(path: Path) -> str | None:
    """Return one file in a form that can be compared."""
    try:
        status = path.lstat()
    except FileNotFoundError:
        return None
    return f"{stat.S_IMODE(status.st_mode):o} {path.read_bytes().hex()}"


@contextmanager
def arena(count: int, *, warm: bool = True, options: TreeOptions | None = None) -> Iterator[Arena]:
    """Give an arena, in memory if there is such a thing: the speed of the disk is not the point."""
    with memory_directory() as home:
        made = Arena(home, count, options)
        made.root.mkdir(parents=True)
        made.build(warm=warm)
        yield made


@contextmanager
def memory_directory() -> Iterator[Path]:
    """Give a directory in memory, or an ordinary one."""
    with tempfile.TemporaryDirectory(dir=memory()) as home:
        yield Path(home)


def memory() -> Path | None:
    """Return where files live in memory, unless there is little: a container has 64 MiB of it."""
    shared = Path("/dev/shm")
    return shared if shared.is_dir() and shutil.disk_usage(shared).free > _ENOUGH else None


def child(work: Callable[[Callable[[str], None]], None]) -> tuple[list[str], bool]:
    """Run `work` in a process of its own; return what it said, and whether it was killed."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        code = 3
        gc.disable()  # A collection would touch, and so copy, every page of the parent's.
        try:
            os.close(read)
            work(lambda word: void(os.write(write, f"{word}\n".encode())))
            code = 0
        except BaseException:  # noqa: BLE001 - a child must not go on as its parent
            traceback.print_exc()
        finally:
            os._exit(code)
    os.close(write)
    with os.fdopen(read, encoding="utf-8") as pipe:
        said = pipe.read().split("\n")[:-1]
    _, status = os.waitpid(pid, 0)
    killed = os.WIFSIGNALED(status)
    assert killed or os.WEXITSTATUS(status) == 0, f"the child failed after {said}"
    return said, killed


def void(_: object) -> None:
    """Take a value that nobody needs."""


def kill_at(point: str, nth: int) -> Callable[[str], None]:
    """Return a hook that kills the process when a failpoint is reached for the nth time."""
    counts: Counter[str] = Counter()

    def hook(name: str) -> None:
        counts[name] += 1
        if name == point and counts[name] == nth:
            os.kill(os.getpid(), signal.SIGKILL)

    return hook


def points_of(work: Callable[[], object]) -> list[tuple[str, int]]:
    """Return every failpoint that `work` reaches, as often as it does."""
    counts: Counter[str] = Counter()
    points = []

    def hook(name: str) -> None:
        counts[name] += 1
        points.append((name, counts[name]))

    with failpoints.watch(hook):
        work()
    return points


def applied(tree: Tree) -> int:
    """Return how many transactions with the first file the journal says were applied."""
    entries = tree.journal.entries(Query(path=FIRST, limit=1000))
    return sum(entry.state == APPLIED for entry in entries)


def report(counts: Counter[str]) -> None:
    """Print what a run found, for the test that started it."""
    print(json.dumps(counts))  # noqa: T201 - read by the test
