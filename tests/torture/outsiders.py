"""A person saves a file again and again while an agent edits it without a pause."""

from __future__ import annotations

import hashlib
import os
import random
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from keyhole.edits.model.plan import FilePlan, Plan
from keyhole.refusals import Refused
from keyhole.text.changes import Change, ChangeSet
from keyhole.workspace.tree import Tree
from tests.torture.arena import CALL, memory_directory, report

# So many edits later a save that nobody sees is gone, not about to be put back.
_LATER = 20


def run(saves: int, style: str, *, careful: bool) -> Counter[str]:
    """Save `saves` times; each save must still be there when the agent has edited on.

    A careless agent need only lose one, however the machine divides its time.
    """
    found: Counter[str] = Counter()
    rng = random.Random(saves)
    with memory_directory() as home:
        (home / "root").mkdir()
        path = home / "root/f.txt"
        path.write_bytes(b"0 \n")
        tries = Tries(os.eventfd(0), os.eventfd(0, os.EFD_NONBLOCK), found)
        pid = os.fork()
        if pid == 0:
            try:
                _edit_forever(home, tries, careful=careful)
            finally:
                os._exit(3)
        for number in range(1, saves + 1):
            tag = f"{number} \n".encode()
            _idle(rng)
            _SAVES[style](path, tag)
            found["saves"] += 1
            tries.wait_for(3)
            found["lost"] += not _is_there(path, tag, tries)
            if found["lost"] and not careful:
                break
        os.eventfd_write(tries.end, 1)
        _, status = os.waitpid(pid, 0)
        found["failed"] = int(status != 0)
    return found


@dataclass(frozen=True, slots=True)
class Tries:
    """What the agent has tried, told to whoever waits for it, and how it is told to end."""

    made: int
    end: int
    found: Counter[str]

    def wait_for(self, count: int) -> None:
        """Wait until the agent has tried so many more edits."""
        os.eventfd_write(self.made, 1)  # a read waits where there is nothing
        self.found["attempts"] += os.eventfd_read(self.made) - 1
        until = self.found["attempts"] + count
        while self.found["attempts"] < until:
            self.found["attempts"] += os.eventfd_read(self.made)

    @property
    def are_over(self) -> bool:
        with suppress(BlockingIOError):
            return bool(os.eventfd_read(self.end))
        return False


def _idle(rng: random.Random) -> None:
    """Let up to an edit's time go by, so that a save falls anywhere in the next one."""
    for _ in range(rng.randrange(20_000)):
        pass


def _by_rename(path: Path, tag: bytes) -> None:
    beside = path.with_name("editor")
    beside.write_bytes(tag)
    beside.rename(path)


def _in_place(path: Path, tag: bytes) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_TRUNC)
    os.write(fd, tag)
    os.close(fd)


_SAVES: dict[str, Callable[[Path, bytes], None]] = {"rename": _by_rename, "in place": _in_place}


def _is_there(path: Path, tag: bytes, tries: Tries) -> bool:
    """Look for the save; an edit about to be taken back may be in its place for a moment."""
    for _ in range(_LATER):
        if path.read_bytes().startswith(tag):
            return True
        tries.wait_for(1)
    return False


def _edit_forever(home: Path, tries: Tries, *, careful: bool) -> None:
    """Replace everything after the first line, until told to stop."""
    tree = Tree.open(home / "root", state_home=home / "state")
    count = 0
    while not tries.are_over:
        with suppress(Refused):
            if careful:
                _edit(tree, count)
            else:
                _edit_as_others_do(home / "root/f.txt", count)
        count += 1
        os.eventfd_write(tries.made, 1)
    tree.close()
    os._exit(0)


def _edit(tree: Tree, count: int) -> None:
    with tree.hold(["f.txt"]) as held:
        document = held.snapshot.files["f.txt"]
        assert document is not None
        end = document.text.find("\n") + 1
        changes = ChangeSet(len(document.text), (Change(end, len(document.text), _text(count)),))
        after = document.with_text(changes.apply(document.text))
        held.commit(Plan((FilePlan("f.txt", document, after, changes),)), CALL)


def _edit_as_others_do(path: Path, count: int) -> None:
    data = path.read_bytes()
    new = data[: data.find(b"\n") + 1] + _text(count).encode()
    beside = path.with_name("beside")
    beside.write_bytes(new)
    if hashlib.sha256(path.read_bytes()).digest() == hashlib.sha256(data).digest():
        beside.rename(path)


def _text(count: int) -> str:
    return f"edit {count}\n" * 400


if __name__ == "__main__":
    report(run(int(sys.argv[1]), sys.argv[2], careful=sys.argv[3] == "careful"))
