"""A holder of a claim is stopped past its end while a rival edits: it must not write over it.

The two are on one checkout from two machines, each with locks of its own, so that nothing but the
claim and the comparison at the exchange stands between them.
"""

from __future__ import annotations

import os
import signal
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from keyhole.disk import failpoints
from keyhole.edits.model.operations import Edit
from keyhole.engine.facade import Engine
from keyhole.engine.options import Options
from keyhole.engine.sharing.lease import claim, claims
from keyhole.refusals import Refused
from keyhole.sharing.leases import LeaseRequest
from tests.postgres import running, select_nothing
from tests.team import Team, team
from tests.torture.arena import memory_directory, report

# Before the files are held, when all is staged, and when the intent is recorded.
POINTS = ("called", "staged", "intended")
_SECONDS = 0.3


def run(rounds: int, *, claiming: bool) -> Counter[str]:
    """Play round after round at each point in turn, and count who won."""
    found: Counter[str] = Counter()
    with memory_directory() as home, running() as server:
        url = server.database("pause")
        with team(home, url) as made, _holder(made, claiming=claiming) as pid:
            rival = made.open(made.main, "rival", lock_timeout=_SECONDS)
            for number in range(rounds):
                _play(pid, rival, number, found, claiming=claiming)
    return found


@contextmanager
def _holder(made: Team, *, claiming: bool) -> Iterator[int]:
    pid = os.fork()
    if pid == 0:
        code = 3
        try:
            _hold(made.open(made.main, "holder"), claiming=claiming)
            code = 0
        finally:
            os._exit(code)
    try:
        yield pid
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def _hold(engine: Engine, *, claiming: bool) -> None:
    """Claim, stop at a point of the edit until somebody lets go on, and stop again at the end."""
    number = 0
    while True:
        point = POINTS[number % len(POINTS)]
        if claiming:
            claim(engine._tree, LeaseRequest("f.txt", "", "holder", _SECONDS))
        if point == "called":
            os.kill(os.getpid(), signal.SIGSTOP)
        with failpoints.watch(_stopping_at(point)):
            edits = [Edit(lines="3", content=f"holder {number}\n")]
            task = "holder" if claiming else ""
            engine.edit(edits, Options(task=task, on_conflict="warn"), "f.txt")
        os.kill(os.getpid(), signal.SIGSTOP)
        number += 1


def _stopping_at(point: str) -> failpoints.Hook:
    def hook(name: str) -> None:
        if name == point:
            os.kill(os.getpid(), signal.SIGSTOP)

    return hook


def _play(pid: int, rival: Engine, number: int, found: Counter[str], *, claiming: bool) -> None:
    _wait_for_stop(pid)
    if claiming:
        while claims(rival._tree).claims:
            select_nothing(0.02)
        claim(rival._tree, LeaseRequest("f.txt", "", "rival", 60))
    text = f"rival {number}\n"
    done = rival.edit([Edit(lines="3", content=text)], Options(task="rival"), "f.txt")
    found["rounds"] += 1
    # Who is held up in the middle keeps the file locked: its rival hears that it is busy.
    found["rival busy"] += [each.code for each in done.refusals] == ["busy"]
    found["rival refused"] += not done.ok
    os.kill(pid, signal.SIGCONT)
    _wait_for_stop(pid)
    is_there = rival._tree.read("f.txt").text.split("\n")[2] == text.strip()
    found["stale wins"] += done.ok and not is_there
    found["refused but there"] += not done.ok and is_there
    _let_go(rival, claiming=claiming)
    os.kill(pid, signal.SIGCONT)


def _let_go(rival: Engine, *, claiming: bool) -> None:
    from keyhole.engine.sharing.lease import release_claims

    if claiming:
        release_claims(rival._tree, "rival")


def _wait_for_stop(pid: int) -> None:
    _, status = os.waitpid(pid, os.WUNTRACED)
    if not os.WIFSTOPPED(status):
        raise Refused


if __name__ == "__main__":
    report(run(int(sys.argv[1]), claiming=sys.argv[2] == "claiming"))
