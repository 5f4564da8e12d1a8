"""What a distant PostgreSQL costs an edit: a proxy on loopback delays what passes through it.

    python -m bench.distance 30    thirty edits of each kind at each distance

An edit that meets nobody waits for nothing; one that meets another worktree's asks a few times.
What round trips take is measured by the smallest question: the proxy's timers ring a little late.
All distances take turns, so that what else the machine does slows them alike.
"""

from __future__ import annotations

import multiprocessing
import os
import shutil
import socket
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection
from multiprocessing.sharedctypes import Synchronized
from pathlib import Path
from queue import SimpleQueue

import psycopg

from keyhole.answers.receipt import Receipt
from keyhole.edits.model.operations import Edit
from keyhole.engine.facade import Engine
from keyhole.engine.options import Options
from keyhole.workspace.tree import TreeOptions
from tests.postgres import PostgresServer, running
from tests.team import edit, settle, team

_DISTANCES = (0, 2, 10)
_MOST_TRIPS, _MOST_GIT = 6, 1
_MOST_UNCONTESTED = 1.2
_LINES = "".join(f"a line of the file, number {number}\n" for number in range(200))
_CHUNK = 1 << 16


class Proxy:
    """Passes bytes on to a port of loopback, half of the distance later, and counts round trips.

    It runs in a process of its own: its threads would take the interpreter from the edits.
    """

    def __init__(self, port: int, seconds: float) -> None:
        context = multiprocessing.get_context("spawn")
        self._seconds, self._trips = context.Value("d", seconds), context.Value("q", 0)
        there, here = context.Pipe()
        words = port, self._seconds, self._trips, here
        self._process = context.Process(target=_relay, args=words, daemon=True)
        self._process.start()
        self.port = int(there.recv())

    @property
    def trips(self) -> int:
        """Return how many round trips were begun."""
        return int(self._trips.value)

    def move(self, seconds: float) -> None:
        """Put the server elsewhere, for whatever is sent from now on."""
        self._seconds.value = seconds

    def close(self) -> None:
        """Let every connection go."""
        self._process.kill()
        self._process.join()


def _relay(
    port: int, seconds: Synchronized[float], trips: Synchronized[int], ready: Connection
) -> None:
    """Take connections and pass on what comes, both ways."""
    listener = socket.create_server(("127.0.0.1", 0))
    ready.send(listener.getsockname()[1])
    while True:
        near, _ = listener.accept()
        far = socket.create_connection(("127.0.0.1", port))
        for each in (near, far):
            each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        asked = threading.Event()
        for ends, count in (((near, far), trips), ((far, near), None)):
            words = *ends, asked, seconds, count
            threading.Thread(target=_pass, args=words, daemon=True).start()


def _pass(
    source: socket.socket,
    target: socket.socket,
    asked: threading.Event,
    seconds: Synchronized[float],
    trips: Synchronized[int] | None,
) -> None:
    # What is sent while the first is under way is under way, too: it arrives right behind it.
    under_way: SimpleQueue[tuple[float, bytes]] = SimpleQueue()
    threading.Thread(target=_deliver, args=(under_way, target), daemon=True).start()
    with suppress(OSError):
        while data := source.recv(_CHUNK):
            if trips is None:
                asked.clear()
            elif not asked.is_set():
                trips.value += 1
                asked.set()
            under_way.put((time.monotonic() + seconds.value / 2, data))
    under_way.put((0.0, b""))
    with suppress(OSError):
        source.shutdown(socket.SHUT_RDWR)


def _deliver(under_way: SimpleQueue[tuple[float, bytes]], target: socket.socket) -> None:
    """Pass on what arrives, each piece at its time, until nothing more comes."""
    with suppress(OSError):
        while True:
            due, data = under_way.get()
            if not data:
                break
            time.sleep(max(0.0, due - time.monotonic()))
            target.sendall(data)
    with suppress(OSError):
        target.shutdown(socket.SHUT_RDWR)


@contextmanager
def delayed(server: PostgresServer, seconds: float) -> Iterator[Proxy]:
    """Put a distance before a server; connect to the proxy's port instead."""
    proxy = Proxy(server.port, seconds)
    try:
        yield proxy
    finally:
        proxy.close()


@contextmanager
def counted_git(home: Path) -> Iterator[Path]:
    """Put a git that notes each start before the real one, and yield its notes."""
    log, program, path = home / "starts", home / "bin" / "git", os.environ["PATH"]
    program.parent.mkdir()
    log.touch()
    program.write_text(f'#!/bin/sh\necho >> {log}\nexec {shutil.which("git")} "$@"\n', "utf-8")
    program.chmod(0o755)
    os.environ["PATH"] = f"{program.parent}:{path}"
    try:
        yield log
    finally:
        os.environ["PATH"] = path


@dataclass(slots=True)
class Found:
    """Milliseconds of edits without a server, far from one, and where another worktree edited."""

    local: list[float] = field(default_factory=list)
    far: list[float] = field(default_factory=list)
    contested: list[float] = field(default_factory=list)
    trips: list[int] = field(default_factory=list)
    git: list[int] = field(default_factory=list)
    named: int = 0
    # Milliseconds of as many round trips as may be, without any work.
    asked: list[float] = field(default_factory=list)


def main(rounds: int) -> bool:
    """Print what edits cost at each distance; tell whether all limits were kept."""
    with ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        server, log = stack.enter_context(running()), stack.enter_context(counted_git(home))
        places = [_place(stack, home, server, distance) for distance in _DISTANCES]
        for number in range(rounds + 1):
            for place in places:
                place.measure(number, log)
        near = places[0].found
        kept = [
            _print(distance, place.found, near)
            for distance, place in zip(_DISTANCES, places, strict=True)
        ]
    return all(kept)


def _place(stack: ExitStack, home: Path, server: PostgresServer, distance: int) -> Place:
    """Make worktrees at a distance of a server."""
    url = server.database(f"distance{distance}")
    place = home / str(distance)
    place.mkdir()
    proxy = stack.enter_context(delayed(server, distance / 1000))
    files = {"hot.txt": _LINES, "own.txt": _LINES}
    made = stack.enter_context(team(place, url, files))
    far = replace(made, url=made.url.replace(f":{server.port}/", f":{proxy.port}/"))
    alone = Engine.open(made.clone("alone"), made.home / "state" / "alone", TreeOptions())
    made.engines.append(alone)
    return Place(
        proxy, far.open(made.worktree("here")), made.open(made.worktree("there")), alone, far.url
    )


@dataclass(slots=True)
class Place:
    """A worktree far from the server, one beside the server, and one without any."""

    proxy: Proxy
    here: Engine
    there: Engine
    alone: Engine
    url: str
    found: Found = field(default_factory=Found)

    def measure(self, number: int, log: Path) -> None:
        """Make one edit of each kind."""
        edit(self.there, _line(number), f"theirs {number}\n", "B", "hot.txt")
        found = self.found
        pair = [(self.alone, found.local), (self.here, found.far)]
        # What comes second finds the caches warmer.
        for engine, times in pair if number % 2 else reversed(pair):
            took, _ = _timed(engine, "own.txt", number)
            times.append(took)
        settle(self.here)
        _timed(self.alone, "hot.txt", number)  # both journals are of one length
        trips, starts = self.proxy.trips, log.stat().st_size
        contested, receipt = _timed(self.here, "hot.txt", number)
        if number:  # the first meeting learns what does not change
            found.trips.append(self.proxy.trips - trips)
            found.git.append(log.stat().st_size - starts)
            found.named += bool(receipt.conflicts)
            found.contested.append(contested)
            found.asked.append(_asked(self.url))
        settle(self.here)


def _asked(url: str) -> float:
    """Return how long a server takes to answer as often as it may be asked, without any work."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SELECT 1")
        started = time.perf_counter()
        for _ in range(_MOST_TRIPS):
            connection.execute("SELECT 1").fetchone()
        return 1000 * (time.perf_counter() - started)


def _line(number: int) -> str:
    return f"a line of the file, number {number}\n"


def _timed(engine: Engine, path: str, number: int) -> tuple[float, Receipt]:
    started = time.perf_counter()
    options = Options(task="A", actor="a", on_conflict="warn")
    receipt = engine.edit([Edit(find=_line(number), content=f"ours {number}\n")], options, path)
    took = 1000 * (time.perf_counter() - started)
    assert receipt.ok, receipt.as_text()
    return took, receipt


def _print(distance: int, found: Found, near: Found) -> bool:
    """Print what was found and the limits; `near` is what was found at no distance."""
    local, far = statistics.median(found.local), statistics.median(found.far)
    contested, trips = statistics.median(found.contested), statistics.median(found.asked)
    limit = statistics.median(near.contested) + trips - statistics.median(near.asked)
    print(f"an edit {distance:>2} ms away: {_MOST_TRIPS} round trips alone take {trips:.2f} ms")
    rows = [
        (f"p50 beside one without a server ({local:.1f} ms)", far / local, _MOST_UNCONTESTED),
        ("contested, p50 in ms", contested, limit if distance else contested),
        ("contested, round trips", statistics.median(found.trips), _MOST_TRIPS),
        ("contested, processes of git", statistics.median(found.git), _MOST_GIT),
        ("contested, receipts that name nobody", len(found.contested) - found.named, 0),
    ]
    for name, value, most in rows:
        print(f"an edit {distance:>2} ms away, {name:<44} {value:8.2f}   at most {most:.4g}")
    return all(value <= most for _, value, most in rows)


if __name__ == "__main__":
    sys.exit(not main(int(sys.argv[1]) if len(sys.argv) > 1 else 30))
