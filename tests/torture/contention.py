"""Many processes edit one file at once: nobody's edit gets lost."""

from __future__ import annotations

import hashlib
import os
import sys
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from keyhole.edits.model.plan import FilePlan, Plan
from keyhole.text.changes import Change, ChangeSet
from keyhole.workspace.tree import Tree
from tests.torture.arena import CALL, memory_directory, report

Edit = Callable[[str], int]


def run(writers: int, edits: int) -> Counter[str]:
    """Let each writer append numbered lines, each on the version it read before."""
    found: Counter[str] = Counter()
    with memory_directory() as home:
        (home / "root").mkdir()
        (home / "root/f.txt").write_bytes(b"")
        Tree.open(home / "root", state_home=home / "state").close()
        found["failed"] = _failed(race(writers, lambda writer: _append(home, writer, edits)))
        _count(home / "root/f.txt", writers, edits, found)
    return found


def control(writers: int, edits: int, races: int) -> Counter[str]:
    """Do what hash-checking tools do: read, compare the hash again, write beside, rename.

    They need only lose an edit in one of the races, however the machine divides its time.
    """
    found: Counter[str] = Counter()
    with memory_directory() as home:
        while found["races"] < races and not found["lost"]:
            found["races"] += 1
            (home / "f.txt").write_bytes(b"")
            race(writers, lambda writer: _append_without_lock(home, writer, edits))
            _count(home / "f.txt", writers, edits, found)
    return found


def places(clients: int) -> Counter[str]:
    """Let each client edit a place of its own, once, without knowing any hash."""
    found: Counter[str] = Counter()
    with memory_directory() as home:
        (home / "root").mkdir()
        path = home / "root/f.txt"
        path.write_text("".join(f"<{n:03}>\n" for n in range(clients)), encoding="utf-8")
        Tree.open(home / "root", state_home=home / "state").close()
        found["failed"] = _failed(race(clients, lambda client: _mark(home, client)))
        text = path.read_text(encoding="utf-8")
        found["landed"] = sum(f"<{n:03} was here>\n" in text for n in range(clients))
    return found


def race(count: int, work: Callable[[int], None]) -> list[int]:
    """Start processes that begin together, wait for all of them, and return how each ended."""
    start, gun = os.pipe()
    pids = []
    for number in range(count):
        pid = os.fork()
        if pid == 0:
            code = 3
            try:
                os.close(gun)
                os.read(start, 1)
                work(number)
                code = 0
            except BaseException:  # noqa: BLE001 - a child must not go on as its parent
                traceback.print_exc()
            finally:
                os._exit(code)
        pids.append(pid)
    os.close(start)
    os.close(gun)
    return [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in pids]


def _failed(codes: list[int]) -> int:
    return sum(code != 0 for code in codes)


def _append(home: Path, writer: int, edits: int) -> None:
    tree = Tree.open(home / "root", state_home=home / "state")
    for number in range(edits):
        done = False
        while not done:
            expected = tree.read("f.txt").hash
            with tree.hold(["f.txt"]) as held:
                document = held.snapshot.files["f.txt"]
                assert document is not None
                if document.hash == expected:
                    end = len(document.text)
                    changes = ChangeSet(end, (Change(end, end, f"w{writer}-{number}\n"),))
                    after = document.with_text(changes.apply(document.text))
                    held.commit(Plan((FilePlan("f.txt", document, after, changes),)), CALL)
                    done = True
    tree.close()


def _append_without_lock(home: Path, writer: int, edits: int) -> None:
    path, beside = home / "f.txt", home / f"new{writer}"
    for number in range(edits):
        done = False
        while not done:
            data = path.read_bytes()
            if hashlib.sha256(path.read_bytes()).digest() == hashlib.sha256(data).digest():
                beside.write_bytes(data + f"w{writer}-{number}\n".encode())
                beside.rename(path)
                done = True


def _mark(home: Path, client: int) -> None:
    tree = Tree.open(home / "root", state_home=home / "state")
    with tree.hold(["f.txt"]) as held:
        document = held.snapshot.files["f.txt"]
        assert document is not None
        at = document.text.index(f"<{client:03}>") + 4
        changes = ChangeSet(len(document.text), (Change(at, at, " was here"),))
        after = document.with_text(changes.apply(document.text))
        held.commit(Plan((FilePlan("f.txt", document, after, changes),)), CALL)
    tree.close()


def _count(path: Path, writers: int, edits: int, found: Counter[str]) -> None:
    lines = path.read_text(encoding="utf-8").split("\n")[:-1]
    found["acked"] = writers * edits
    found["lost"] = writers * edits - len(set(lines))
    found["twice"] = len(lines) - len(set(lines))
    for writer in range(writers):
        own = [int(line.split("-")[1]) for line in lines if line.startswith(f"w{writer}-")]
        found["out of order"] += own != sorted(own)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["control", count, each, most]:
            report(control(int(count), int(each), int(most)))
        case ["places", count]:
            report(places(int(count)))
        case [count, each]:
            report(run(int(count), int(each)))
