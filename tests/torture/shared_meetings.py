"""Agents in several worktrees of one repository, kills and a restart of the server; git judges.

Each edit writes a word of its own, so that a region in which `git merge-tree` finds a conflict says
whose edits meet there. The later of the two latest receipts has to name the other worktree, or to
say that it could not be checked; what a receipt calls hot has to lie in such a region.
"""

from __future__ import annotations

import json
import os
import random
import re
import signal
import sys
import threading
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

from keyhole.edits.model.operations import Edit
from keyhole.engine.facade import Engine
from keyhole.engine.options import Options
from keyhole.refusals import Refused
from keyhole.sharing.identity import Sharing
from keyhole.sharing.sender import Sharer
from keyhole.workspace.tree import TreeOptions
from tests.postgres import PostgresServer, running, select_nothing
from tests.team import Team, git, team
from tests.torture.arena import memory_directory, report

WORKTREES, AGENTS = 4, 5
_FILES, _SLOTS = 4, 60
_THINKS = 0.25
_ADDS = 0.2
_WORD = re.compile(r"slot (\d+) (w\d+a\d+e\w+)")


class Noted(NamedTuple):
    """What a receipt said of an edit."""

    word: str
    worktree: int
    path: str
    slot: int
    began: float
    ended: float
    hot: list[tuple[str, str]]
    checked: bool


class Meeting(NamedTuple):
    """A region in which git finds a conflict: the words of either side, and the slots."""

    path: str
    ours: list[str]
    theirs: list[str]
    slots: set[int]


def run(edits: int, *, blind: bool) -> Counter[str]:
    """Let everybody edit, and compare what receipts said with what git finds."""
    found: Counter[str] = Counter()
    with memory_directory() as home, running() as server:
        lines = "".join(f"slot {number} as it was\n" for number in range(_SLOTS))
        files = {f"f{number}.txt": lines for number in range(_FILES)}
        with team(home, server.database("meetings"), files) as made:
            roots = [made.worktree(f"tree{number}") for number in range(WORKTREES)]
            _work(made, server, edits, found, blind=blind)
            for root in roots:
                made.commit(root)
            notes = {note.word: note for note in _notes(home)}
            found["edits"] = len(notes)
            _judge(made, notes, found)
    return found


def _work(
    made: Team, server: PostgresServer, edits: int, found: Counter[str], *, blind: bool
) -> None:
    """Start a process for each worktree; kill one in the middle, and the server a little later."""
    started = {each: _start(made, each, edits, 0, blind=blind) for each in range(WORKTREES)}
    for life in range(1, 3):
        select_nothing(_THINKS * edits / 4)
        os.kill(started[life], signal.SIGKILL)
        os.waitpid(started[life], 0)
        found["killed"] += 1
        started[life] = _start(made, life, edits // 2, life, blind=blind)
    server.stop()
    select_nothing(_THINKS)
    server.start()
    for pid in started.values():
        found["failed"] += os.waitpid(pid, 0)[1] != 0


def _start(made: Team, number: int, edits: int, life: int, *, blind: bool) -> int:
    pid = os.fork()
    if pid:
        return pid
    code = 3
    try:
        if blind:
            with (
                patch.object(Sharer, "may_meet", lambda *_: False),
                patch.object(Sharer, "is_current", new=True),
                patch.object(Sharer, "is_failing", new=False),
            ):
                _live(made, number, edits, life)
        else:
            _live(made, number, edits, life)
        code = 0
    except BaseException:  # noqa: BLE001 - printed, and counted as failed
        traceback.print_exc()
    finally:
        os._exit(code)


def _live(made: Team, number: int, edits: int, life: int) -> None:
    options = TreeOptions(sharing=Sharing(made.url, "", "one"))
    engine = Engine.open(made.home / f"tree{number}", made.home / "state" / "one", options)
    agents = [
        threading.Thread(target=_act, args=(made.home, engine, (number, agent, life), edits))
        for agent in range(AGENTS)
    ]
    for agent in agents:
        agent.start()
    for agent in agents:
        agent.join()
    engine.close()


def _act(home: Path, engine: Engine, who: tuple[int, int, int], edits: int) -> None:
    number, agent, life = who
    dice = random.Random(f"{who}")
    with (home / f"notes-{number}-{agent}-{life}").open("a", encoding="utf-8") as notes:
        for count in range(edits):
            select_nothing(dice.expovariate(1 / _THINKS))
            path, slot = f"f{dice.randrange(_FILES)}.txt", dice.randrange(_SLOTS)
            word = f"w{number}a{agent}e{life}x{count}"
            text = engine.document(path).text
            start = re.search(rf"^slot {slot} .*\n", text, re.MULTILINE)
            assert start is not None
            action = "after" if dice.random() < _ADDS else "replace"
            edit = Edit(find=start[0], content=f"slot {slot} {word}\n", action=action)
            began = time.time()
            task = f"w{number}a{agent}"
            options = Options(task=task, actor=task, on_conflict="warn")
            try:
                receipt = engine.edit([edit], options, path)
            except Refused:  # another agent changed the line, or left one like it
                continue
            if not receipt.ok:
                continue
            hot = [
                (str(each["worktree"]), str(each["path"]))
                for each in receipt.conflicts
                if each.get("kind") == "hot" and each.get("worktree")
            ]
            sharing = receipt.extra.get("sharing")
            checked = not isinstance(sharing, dict) or sharing.get("checked") is not False
            note = Noted(word, number, path, slot, began, time.time(), hot, checked)
            notes.write(json.dumps(note) + "\n")
            notes.flush()


def _notes(home: Path) -> Iterator[Noted]:
    for path in home.glob("notes-*"):
        for line in path.read_text(encoding="utf-8").split("\n")[:-1]:
            yield Noted(*json.loads(line))


def _judge(made: Team, notes: dict[str, Noted], found: Counter[str]) -> None:
    met: dict[tuple[int, int], list[Meeting]] = {}
    for one, other in combinations(range(WORKTREES), 2):
        met[one, other] = met[other, one] = list(_meetings(made, one, other))
        for meeting in met[one, other]:
            _judge_one(made, meeting, notes, (one, other), found)
    trees = {str(made.home / f"tree{number}"): number for number in range(WORKTREES)}
    for note in notes.values():
        found["checked"] += note.checked
        for worktree, path in {(tree, path) for tree, path in note.hot}:
            there = met.get((note.worktree, trees[worktree]), [])
            found["named hot"] += 1
            found["truly hot"] += any(
                each.path == path and note.slot in each.slots for each in there
            )


def _judge_one(
    made: Team,
    meeting: Meeting,
    notes: dict[str, Noted],
    pair: tuple[int, int],
    found: Counter[str],
) -> None:
    """Count a region as named, as unchecked, or as missed."""
    sides = [
        max(
            (notes[word] for word in words if word in notes),
            key=lambda note: note.ended,
            default=None,
        )
        for words in (meeting.ours, meeting.theirs)
    ]
    one, other = sides
    if one is None or other is None:  # who was killed has no receipt
        found["without a receipt"] += 1
        return
    later, earlier = sorted((one, other), key=lambda note: -note.ended)
    # Of two at the same moment, neither is the later one.
    ones = [later, earlier] if later.began < earlier.ended else [later]
    root = {number: str(made.home / f"tree{number}") for number in pair}
    found["regions"] += 1
    if any(
        (root[pair[note.worktree == pair[0]]], note.path) in map(tuple, note.hot) for note in ones
    ):
        found["named"] += 1
    elif not all(note.checked for note in ones):
        found["unchecked"] += 1
    else:
        found["missed"] += 1
        sys.stderr.write(f"missed: {later} after {earlier}\n")


def _meetings(made: Team, one: int, other: int) -> Iterator[Meeting]:
    """Yield the regions in which git cannot merge two worktrees."""
    tree = _merged(made, f"tree{one}", f"tree{other}")
    for number in range(_FILES):
        path = f"f{number}.txt"
        for region in re.findall(
            r"^<{7}.*?\n(.*?)^={7}\n(.*?)^>{7}",
            git(made.main, "show", f"{tree}:{path}"),
            re.MULTILINE | re.DOTALL,
        ):
            ours, theirs = ([word for _, word in _WORD.findall(side)] for side in region)
            slots = {int(slot) for side in region for slot in re.findall(r"slot (\d+)", side)}
            yield Meeting(path, ours, theirs, slots)


def _merged(made: Team, one: str, other: str) -> str:
    import subprocess

    command = ["git", "-C", str(made.main), "merge-tree", "--write-tree", one, other]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode in {0, 1}, done.stderr
    return done.stdout.split("\n")[0]


if __name__ == "__main__":
    report(run(int(sys.argv[1]), blind=sys.argv[2] == "blind"))
