"""The server goes away at every step of sharing: edits go on, and everything arrives in the end."""

from __future__ import annotations

import sys
import time
from collections import Counter
from pathlib import Path

import psycopg

from keyhole.disk import failpoints
from keyhole.edits.model.operations import Edit
from keyhole.engine.facade import Engine
from keyhole.engine.options import Options
from keyhole.sharing.outbox import Outbox
from tests.postgres import PostgresServer, running, select_nothing
from tests.team import team
from tests.torture.arena import memory_directory, report

LONGEST_EDIT = 10.0


class Fault:
    """Does something to the server when sharing has come to a step, once."""

    def __init__(self, server: PostgresServer, step: int, *, kill: bool) -> None:
        self._server, self._left, self._kill = server, step, kill
        self.struck = False

    @property
    def is_striking(self) -> bool:
        return self._left < 0 and not self.struck

    def __call__(self, name: str) -> None:
        if name not in {"asking", "answered"} or self._left < 0:
            return
        self._left -= 1
        if self._left >= 0:
            return
        if self._kill:
            self._server.kill()
        else:
            self._server.cut()
        self.struck = True


def run(stride: int, kill_every: int) -> Counter[str]:
    """Strike at step after step, with and without a connection to begin with."""
    found: Counter[str] = Counter()
    with memory_directory() as home, running() as server:
        url = server.database("outage")
        with team(home, url) as made:
            engine = made.open(made.main, "one")
            for connected in (True, False):
                step, reaches = 0, True
                while reaches:
                    if not connected:
                        server.cut()
                    kill = step // stride % kill_every == kill_every - 1
                    reaches = _strike(engine, server, step, found, kill=kill)
                    found["steps"] += reaches
                    step += stride
            _compare(engine._tree.state, url, found)
    return found


def _strike(
    engine: Engine, server: PostgresServer, step: int, found: Counter[str], *, kill: bool
) -> bool:
    """Make three edits, the server struck down during the first; tell whether it was."""
    fault = Fault(server, step, kill=kill)
    with failpoints.watch(fault):
        for _ in range(3):
            _edit(engine, found)
        while _waiting(engine) and not fault.struck:
            select_nothing(0.01)
    while fault.is_striking:
        select_nothing(0.01)
    if fault.struck and kill:
        found["killed"] += 1
        server.start()
    found["cut"] += fault.struck and not kill
    _drain(engine)
    return fault.struck


def _edit(engine: Engine, found: Counter[str]) -> None:
    started = time.monotonic()
    content = f"edit {found['edits']}\n"
    done = engine.edit([Edit(lines="1", content=content)], Options(task="t"), "f.txt")
    found["edits"] += 1
    found["refused"] += not done.ok
    found["too slow"] += time.monotonic() - started > LONGEST_EDIT


def _drain(engine: Engine) -> None:
    """Wait until everything has been sent, as it will be without anybody asking."""
    until = time.monotonic() + 240
    while _waiting(engine):
        assert time.monotonic() < until, "the outbox is not drained"
        select_nothing(0.02)


def _waiting(engine: Engine) -> int:
    assert engine._tree.shared is not None
    last = int(engine._tree.journal.mark().split("-")[0])
    return engine._tree.shared.sync_status(last).waiting


def _compare(state: Path, url: str, found: Counter[str]) -> None:
    """Count what the two journals disagree on."""
    outbox = Outbox(state)
    here = [(parcel.number, parcel.state, parcel.body) for parcel in outbox.after(0, 100_000)]
    outbox.close()
    with psycopg.connect(url) as connection:
        rows = connection.execute("SELECT local, state, body FROM keyhole.entry ORDER BY number")
        there = rows.fetchall()
    found["lost"] = len(set(here) - set(there))
    found["twice"] = len(there) - len(set(there))
    found["disagree"] = here != there


if __name__ == "__main__":
    report(run(*map(int, sys.argv[1:])))
