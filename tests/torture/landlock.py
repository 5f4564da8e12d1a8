"""The kernel's fence alone: no path is checked, and still nothing outside is written or run."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from keyhole.disk import kernel
from keyhole.storage.paths.confining import confine
from keyhole.workspace.tree import Tree
from tests.torture.arena import child, memory_directory, report
from tests.workspace.scene import Scene, create, delete, edit


def run(fenced: bool) -> Counter[str]:  # noqa: FBT001 - the control has no fence
    """Try everything in processes of their own; count what was done in spite of the fence."""
    found: Counter[str] = Counter()
    for name in sorted(_PROBES):
        with memory_directory() as home:
            said, killed = child(lambda say, name=name, home=home: _try(home, name, say, fenced))  # type: ignore[misc]
            found["probes"] += 1
            found["crashed"] += killed
            found.update(said)
    with memory_directory() as home:
        said, killed = child(lambda say: _work(home, say))
        found["crashed"] += killed
        found.update(said)
    return found


def _try(home: Path, name: str, say: Callable[[str], None], fenced: bool) -> None:  # noqa: FBT001
    for each in ("root", "state", "outside/d"):
        (home / each).mkdir(parents=True)
    (home / "outside/a.txt").write_text("outside", encoding="utf-8")
    (home / "root/a.txt").write_text("inside", encoding="utf-8")
    (home / "root/link").symlink_to(home / "outside")
    if fenced and not confine([home / "root", home / "state"]):
        say("no fence")
        return
    try:
        _PROBES[name](home)
    except OSError:
        say("denied")
        return
    say("done outside")


def _work(home: Path, say: Callable[[str], None]) -> None:
    """Edit, create, delete and recover behind the fence as ever."""
    scene = Scene(home)
    scene.put("d/a.txt", "old")
    (home / "state").mkdir(exist_ok=True)
    if not confine([scene.root, home / "state"]):
        say("no fence")
        return
    tree = Tree.open(scene.root, state_home=home / "state")
    edit(tree, "d/a.txt", "old", "new")
    create(tree, "e/f/b.txt", "text")
    delete(tree, "d/a.txt")
    tree.close()
    Tree.open(scene.root, state_home=home / "state").close()
    if scene.files() == {"e/f/b.txt": b"text"}:
        say("worked inside")


def _write(home: Path, name: str, flags: int) -> None:
    os.write(os.open(home / name, os.O_WRONLY | flags, 0o600), b"x")


def _swap_through_link(home: Path) -> None:
    fd = os.open(home / "root/link", os.O_RDONLY)
    os.close(os.open("b.txt", os.O_CREAT | os.O_WRONLY, 0o600, dir_fd=fd))
    kernel.swap(fd, "a.txt", fd, "b.txt")


def _run_program(_: Path) -> None:
    os.execv("/bin/true", ["true"])


_PROBES: dict[str, Callable[[Path], object]] = {
    "write": lambda home: _write(home, "outside/a.txt", 0),
    "truncate": lambda home: os.truncate(home / "outside/a.txt", 0),
    "append": lambda home: _write(home, "outside/a.txt", os.O_APPEND),
    "create": lambda home: _write(home, "outside/b.txt", os.O_CREAT),
    "create through a link": lambda home: _write(home, "root/link/b.txt", os.O_CREAT),
    "swap through a link": _swap_through_link,
    "delete": lambda home: (home / "outside/a.txt").unlink(),
    "make a directory": lambda home: (home / "outside/e").mkdir(),
    "remove a directory": lambda home: (home / "outside/d").rmdir(),
    "move out": lambda home: (home / "root/a.txt").rename(home / "outside/c.txt"),
    "move in": lambda home: (home / "outside/a.txt").rename(home / "root/c.txt"),
    "link out": lambda home: (home / "outside/c.txt").hardlink_to(home / "root/a.txt"),
    "make a link": lambda home: (home / "root/new").symlink_to(home / "outside"),
    "make a pipe": lambda home: os.mkfifo(home / "root/pipe"),
    "run a program": _run_program,
}


if __name__ == "__main__":
    report(run(sys.argv[1] == "fenced"))
