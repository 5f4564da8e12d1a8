"""Clients read, edit, transact and undo while they are killed at random; a judge looks at the rest.

Every client notes when it began and ended each call. The journal claims one order of all versions;
the judge checks that this order has no gap, fits what each client saw, and fits the clock.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from keyhole.edits.model.plan import FilePlan, Plan
from keyhole.history.targets import last
from keyhole.history.undo import paths_of, undo
from keyhole.journal.model import APPLIED, Call, Entry, Query
from keyhole.refusals import Refused
from keyhole.text.changes import Change, ChangeSet
from keyhole.workspace.tree import Tree
from tests.torture.arena import memory_directory, report
from tests.torture.mutants import MUTANTS

FILES = ("a.txt", "b.txt", "c.txt", "d.txt")


@dataclass(frozen=True, slots=True)
class Done:
    """One call as a client saw it: what, when it began and ended, and what came of it."""

    kind: str
    began: float
    ended: float
    entry: str = ""
    path: str = ""
    hash: str = ""


def run(clients: int, calls: int, seed: int, mutant: str = "") -> Counter[str]:
    """Let clients work and die; return what the judge found."""
    if mutant:
        MUTANTS[mutant]()
    with memory_directory() as home:
        (home / "root").mkdir()
        for name in FILES:
            (home / "root" / name).write_text("start\n" * 20, encoding="utf-8")
        Tree.open(home / "root", state_home=home / "state").close()
        kills = _work_and_die(home, clients, calls, random.Random(seed))
        found = _judge(home, clients)
        found["kills"] = kills
        return found


def _work_and_die(home: Path, clients: int, calls: int, rng: random.Random) -> int:
    running = {_start(home, client, calls, rng.random()): client for client in range(clients)}
    kills = 0
    while running:
        # The nemesis strikes after some more calls have been noted, whoever made them.
        until = _noted(home) + rng.randrange(20, 120)
        while running and _noted(home) < until:
            _reap(running)
        if running and kills < clients * 6:
            victim = rng.choice(sorted(running))
            client = running.pop(victim)
            os.kill(victim, signal.SIGKILL)
            os.waitpid(victim, 0)
            kills += 1
            running[_start(home, client, calls, rng.random())] = client
    return kills


def _noted(home: Path) -> int:
    return sum(path.stat().st_size for path in home.glob("log*")) // 100


def _reap(running: dict[int, int]) -> None:
    for pid in list(running):
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            assert status == 0, f"a client failed with status {status}"
            del running[pid]
    os.sched_yield()


def _start(home: Path, client: int, calls: int, seed: float) -> int:
    pid = os.fork()
    if pid == 0:
        code = 3
        try:
            _client(home, client, calls, random.Random(seed))
            code = 0
        except BaseException:  # noqa: BLE001 - a child must not go on as its parent
            traceback.print_exc()
        finally:
            os._exit(code)
    return pid


def _client(home: Path, client: int, calls: int, rng: random.Random) -> None:
    """Make calls until the log of this client, all its lives together, is full."""
    log = os.open(home / f"log{client}", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    made = (home / f"log{client}").read_bytes().count(b"\n")
    tree = Tree.open(home / "root", state_home=home / "state")
    for _ in range(calls - made):
        began = time.monotonic()
        kind = rng.choice(("read", "edit", "edit", "transact", "undo"))
        entry = path = hash_ = ""
        try:
            if kind == "read":
                path = rng.choice(FILES)
                hash_ = tree.read(path).hash
            elif kind == "undo":
                entry = _undo(tree, client).id
            else:
                entry = _edit(tree, client, rng, 1 if kind == "edit" else 3).id
        except Refused:
            kind = "refused"
        done = [kind, began, time.monotonic(), entry, path, hash_]
        os.write(log, json.dumps(done).encode() + b"\n")
    tree.close()


def _edit(tree: Tree, client: int, rng: random.Random, count: int) -> Entry:
    paths = rng.sample(FILES, count)
    with tree.hold(paths) as held:
        plans = []
        for path in paths:
            document = held.snapshot.files[path]
            assert document is not None
            at = document.text.find("\n", rng.randrange(len(document.text))) + 1
            text = f"{client} {rng.random()}\n"
            changes = ChangeSet(len(document.text), (Change(at, at, text),))
            after = document.with_text(changes.apply(document.text))
            plans.append(FilePlan(path, document, after, changes))
        return held.commit(Plan(tuple(plans)), Call(actor=f"client{client}"))


def _undo(tree: Tree, client: int) -> Entry:
    actor = f"client{client}"
    targets = last(tree.journal, actor)
    with tree.hold(paths_of(tree.journal, targets)) as held:
        taken = undo(tree.journal, targets, held.snapshot)
        call = Call(actor=actor, undoes=taken.undoes)
        return held.commit(taken.plan, call, gains=taken.gains, made=taken.made)


def _judge(home: Path, clients: int) -> Counter[str]:
    tree = Tree.open(home / "root", state_home=home / "state")
    entries = [entry for entry in _entries(tree) if entry.state == APPLIED]
    calls = [call for client in range(clients) for call in _calls(home / f"log{client}")]
    found = Counter(calls=len(calls), entries=len(entries))
    found["damage"] = len(tree.journal.examine().damage) + len(tree.journal.pending())
    found["temporary files"] = sum(".kh-" in path.name for path in (home / "root").iterdir())
    order = {entry.id: entry.order for entry in entries}
    acked = [call for call in calls if call.entry]
    found["acked"] = len(acked)
    found["lost acks"] = sum(call.entry not in order for call in acked)
    found["against the clock"] = _against_the_clock(acked, order)
    for path in FILES:
        versions = _versions(tree, entries, path, found)
        reads = [call for call in calls if call.kind == "read" and call.path == path]
        found["reads"] += len(reads)
        found["impossible reads"] += sum(not _fits(read, versions, acked) for read in reads)
    tree.close()
    return found


def _entries(tree: Tree) -> list[Entry]:
    found: list[Entry] = []
    before = None
    while page := tree.journal.entries(Query(before=before, limit=500)):
        found += page
        before = page[-1].order
    return found[::-1]


def _calls(log: Path) -> Iterator[Done]:
    for line in log.read_text(encoding="utf-8").split("\n"):
        if line:
            yield Done(*json.loads(line))


def _against_the_clock(acked: list[Done], order: dict[str, int]) -> int:
    """Count calls that began after another had ended, and stand before it in the journal."""
    wrong, highest = 0, 0
    events = [(call.ended, 0, order.get(call.entry, 0)) for call in acked]
    events += [(call.began, 1, order.get(call.entry, 0)) for call in acked]
    for _, kind, number in sorted(events):
        if kind == 0:
            highest = max(highest, number)
        else:
            wrong += 0 < number < highest
    return wrong


def _versions(
    tree: Tree, entries: list[Entry], path: str, found: Counter[str]
) -> list[tuple[str, str]]:
    """Return a file's versions in order with the entries that made them; count the gaps."""
    versions: list[tuple[str, str]] = []
    for entry in entries:
        for file in entry.files:
            if file.path == path:
                if not versions:
                    versions.append((file.before or "", ""))
                found["gaps"] += versions[-1][0] != file.before
                versions.append((file.after or "", entry.id))
    now = tree.read(path).hash
    found["gaps"] += bool(versions) and versions[-1][0] != now
    return versions or [(now, "")]


def _fits(read: Done, versions: list[tuple[str, str]], acked: list[Done]) -> bool:
    """Tell whether a read saw a version that was current at some moment while it ran."""
    place = {entry: index for index, (_, entry) in enumerate(versions)}
    writes = {call.entry: call for call in acked if call.entry in place}
    oldest = max((place[e] for e, call in writes.items() if call.ended < read.began), default=0)
    newest = min(
        (place[e] for e, call in writes.items() if call.began > read.ended), default=len(versions)
    )
    return any(hash_ == read.hash for hash_, _ in versions[oldest:newest])


if __name__ == "__main__":
    count, each, number, *planted = sys.argv[1:]
    report(run(int(count), int(each), int(number), *planted))
