"""Other worktrees on this machine: what they did that the server, or this process, has not heard.

Each worktree's journal lies beside this one's, so a look at it needs no server and waits for
nobody. Whoever looks has committed before: of two edits at the same moment, one sees the other.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from keyhole.fastclasses import dataclass
from keyhole.git.repository import checkouts
from keyhole.journal.place import JOURNAL as NAME
from keyhole.journal.place import workspace_id
from keyhole.sharing import status
from keyhole.sharing.identity import Checkout

_MOST_PATHS = 200
# What nobody merged for so long is not waited for, in seconds; and the clock of a file system.
_RECENT, _TICK = 14 * 86400, 100_000_000


@dataclass(frozen=True, slots=True)
class Sibling:
    """A workspace in another worktree, or another directory of this one: its state, its place."""

    state: Path
    top: str
    prefix: str


@dataclass(frozen=True, slots=True)
class Unheard:
    """A worktree's edit of a file: whether the server has it by now.

    Where its journal cannot be read, `why` says so, and nobody knows of which files.
    """

    top: str
    path: str
    is_sent: bool
    why: str = ""


class Siblings:
    """The journals of the other worktrees, opened as they are needed and kept open."""

    def __init__(self, checkout: Checkout, state: Path, server: str) -> None:
        self._checkout, self._state, self._server = checkout, state, server
        self._listed: tuple[Sibling, ...] = ()
        self._stamp = 0
        self._open: dict[Path, sqlite3.Connection] = {}
        self._quiet: dict[Path, tuple[tuple[int, ...], int]] = {}
        self._statuses: dict[Path, tuple[tuple[int, int], status.Status]] = {}

    def heard(self) -> dict[Path, int]:
        """Return up to which entry the server has each worktree's edits, as of now."""
        return {each.state: self._through(each) or 0 for each in self._all()}

    def unheard(self, paths: Iterable[str], heard: Mapping[Path, int]) -> list[Unheard]:
        """Return the edits of files behind those that were heard of, wherever they are by now."""
        names = [self._checkout.prefix + path for path in paths][:_MOST_PATHS]
        found = []
        for each in self._all():
            since, stamp = heard.get(each.state, 0), _stamp_of(each.state)
            if not stamp or self._quiet.get(each.state) == (stamp, since):
                continue
            through = self._through(each)
            if through is None:
                continue
            try:
                touched = self._touched(each, names, since)
                # Two commits within one tick of the clock may leave the same times.
                if max(stamp) < time.time_ns() - _TICK and self._last(each) <= since:
                    self._quiet[each.state] = stamp, since
            except sqlite3.Error as error:
                if connection := self._open.pop(each.state, None):
                    connection.close()
                found.append(Unheard(each.top, "", is_sent=False, why=str(error)))
                continue
            found += [Unheard(each.top, path, number <= through) for number, path in touched]
        return found

    def close(self) -> None:
        """Let the journals go."""
        for each in self._open.values():
            each.close()
        self._open.clear()

    def _through(self, sibling: Sibling) -> int | None:
        """Return the last entry that the server has; None for a workspace that does not share."""
        try:
            found = os.stat(f"{sibling.state}/{status.NAME}")
        except OSError:
            return None
        # Whoever writes it puts another file in its place.
        stamp, known = (found.st_ino, found.st_mtime_ns), self._statuses.get(sibling.state)
        if known is None or known[0] != stamp:
            known = stamp, status.load(sibling.state)
            self._statuses[sibling.state] = known
        return known[1].through if known[1].server == self._server else None

    def _last(self, sibling: Sibling) -> int:
        """Return the last entry of a journal."""
        query = "SELECT coalesce(max(number), 0) FROM entry"
        return int(self._journal(sibling).execute(query).fetchone()[0])

    def _touched(self, sibling: Sibling, names: Iterable[str], since: int) -> list[tuple[int, str]]:
        """Return the entries of a journal on files behind a number."""
        inside = [
            os.fsencode(name.removeprefix(sibling.prefix))
            for name in names
            if name.startswith(sibling.prefix)
        ]
        marks = ", ".join("?" * len(inside))
        query = f"""SELECT t.number, p.name FROM touch t JOIN path p ON p.id = t.path
            JOIN entry e ON e.number = t.number
            WHERE t.number > ? AND e.time > ? AND e.state <> 'rolled-back'
            AND p.name IN ({marks})"""  # noqa: S608 - marks
        recent = time.time() - _RECENT
        rows = self._journal(sibling).execute(query, (since, recent, *inside))
        return [(number, sibling.prefix + os.fsdecode(name)) for number, name in rows]

    def _journal(self, sibling: Sibling) -> sqlite3.Connection:
        if sibling.state not in self._open:
            address = (sibling.state / NAME).as_uri() + "?mode=ro"
            self._open[sibling.state] = sqlite3.connect(
                address, uri=True, isolation_level=None, timeout=0.2, check_same_thread=False
            )
        return self._open[sibling.state]

    def _all(self) -> tuple[Sibling, ...]:
        """Return the workspaces of other worktrees, listed anew when one comes or goes."""
        repository = self._checkout.repository
        if repository is None:
            return ()
        with suppress(OSError):
            stamp = os.stat(os.path.join(repository.common, "worktrees")).st_mtime_ns
            if stamp != self._stamp:
                self._listed = tuple(_of(self._checkout, self._state.parent))
                self._stamp = stamp
        return self._listed


def _of(checkout: Checkout, home: Path) -> Iterable[Sibling]:
    """Yield where each worktree keeps its journals: at its top, or on the way to this directory."""
    repository = checkout.repository
    assert repository is not None, "BUG: nobody asks without a repository"
    parts = checkout.prefix.split("/")[:-1]
    prefixes = ["".join(f"{part}/" for part in parts[:number]) for number in range(len(parts) + 1)]
    for top in map(os.path.realpath, checkouts(repository)):
        for prefix in prefixes:
            root = os.path.realpath(os.path.join(top, prefix))
            if top != repository.top or prefix != checkout.prefix:
                yield Sibling(home / workspace_id(root), top, prefix)


def _stamp_of(state: Path) -> tuple[int, ...]:
    """Return what changes with every commit to a journal; nothing where there is none."""
    file = f"{state}/{NAME}"
    try:
        kept = os.stat(file)
    except OSError:
        return ()
    with suppress(OSError):
        return kept.st_mtime_ns, os.stat(f"{file}-wal").st_mtime_ns
    return (kept.st_mtime_ns,)
