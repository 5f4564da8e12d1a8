"""Sharing beside the work: a thread sends what was committed and asks what others did.

A commit is done and its locks are free before the thread hears of it, and whoever wants to know
something from the server waits a bounded time.
"""

from __future__ import annotations

import hashlib
import sqlite3
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TypeVar

from keyhole.disk.broker import Broker
from keyhole.fastclasses import dataclass, replace
from keyhole.git.repository import git_outside, head
from keyhole.journal.place import JOURNAL as NAME
from keyhole.sharing import leases, news, status
from keyhole.sharing.identity import Checkout, Sharing, checkout_of
from keyhole.sharing.news import RecentChanges
from keyhole.sharing.outbox import Outbox
from keyhole.sharing.postgres.journal import PostgresJournal
from keyhole.sharing.postgres.schema import ensure
from keyhole.sharing.postgres.writes import forget_if_due, push, push_attempts, push_ends, register
from keyhole.sharing.server import Server, Unreachable, shown_url
from keyhole.sharing.siblings import Siblings, Unheard
from keyhole.sharing.worker import PendingQuestion, Worker

_R = TypeVar("_R")

# How long a receipt waits for the server at most, and a walk that is about the server alone.
RECEIPT_SECONDS, WALK_SECONDS = 4.0, 9.0
_COALESCE, _POLL, _POLL_IDLE = 1.0, 1.0, 10.0
_IDLE_AFTER = 60.0
# A command is over before; only who stays wants to know what others do in general.
_LIVES = 2.0
_FIRST_RETRY, _LAST_RETRY = 0.5, 5.0
# For so long after a failure no receipt waits for the server.
_AWAY = 15.0
# How old news may be for an edit that asks for none.
_FRESH = 0.5


@dataclass(frozen=True, slots=True)
class SyncStatus:
    """The state of sharing: shared, queued (on its way) or pending (the server is unreachable)."""

    state: str
    waiting: int = 0
    why: str = ""


class Sharer:
    """The connection of one workspace to its shared journal."""

    def __init__(self, root: str, state: Path, sharing: Sharing, read_only: bool) -> None:  # noqa: FBT001 - as the tree is
        self._root, self._state, self._sharing = root, state, sharing
        self._read_only = read_only
        self._worker = Worker(self._idle)
        self._journal: PostgresJournal | None = None
        self._outbox: Outbox | None = None
        self._checkout: Checkout | None = None
        self._broker: Broker | None = None
        self._status = self._saved = status.of_server(state, self.server)
        self._retry, self._next_try = _FIRST_RETRY, 0.0
        self._called = self._born = time.monotonic()
        self._due = 0.0
        self._attempts = -1
        self._sent, self._begun, self._called_once = 0.0, 0.0, False
        self._asked: PendingQuestion[None] | None = None
        self._news = RecentChanges()
        self._siblings: Siblings | None = None
        self._heard: dict[Path, int] = {}

    @property
    def state(self) -> Path:
        """Return the directory of what is kept about the workspace."""
        return self._state

    @property
    def mark(self) -> int:
        """Return a number that grows with what others did, as far as it is known."""
        return self._news.seen

    @property
    def server(self) -> str:
        """Return the server's address without secrets."""
        return shown_url(self._sharing.url)

    @property
    def checkout(self) -> Checkout:
        """Return the identity of this workspace, or raise why it is unknown."""
        if self._checkout is None:
            self._checkout = checkout_of(self._root, self._state, self._sharing, self._broker)
        return self._checkout

    def leave_git_outside(self) -> None:
        """Have git run outside of the fence that comes next, and mark the checkout before it."""
        self._broker = git_outside(self._root)
        with suppress(Unreachable, OSError):
            _ = self.checkout

    def place(self) -> list[str]:
        """Return the branch and the commit of the checkout as it stands."""
        try:
            repository = self.checkout.repository
        except (Unreachable, OSError):
            return ["", ""]
        return list(head(repository)) if repository else ["", ""]

    def note_commit(self, order: int) -> None:
        """Take note that there is something to send, up to an entry's number; returns at once."""
        self._called, self._called_once = time.monotonic(), True
        if (
            order > self._status.through and not self._due
        ):  # else the thread knows when to send, and no edit yields to it
            self._due = max(self._called, self._sent + _COALESCE)
            self._worker.wake()

    def ask_ahead(self) -> None:
        """Ask for news while an edit is under way, so that it need not wait for them at its end."""
        now = time.monotonic()
        self._begun = now if now - self._news.at > _FRESH else 0.0
        if self._begun and not self.is_failing and (self._asked is None or self._asked.is_done):
            self._asked = self._worker.begin(lambda: self._worked(self._poll, sends=False))

    def may_meet(self, paths: Iterable[str]) -> bool:
        """Tell whether others may have changed these files, as far as is known by now.

        News that were asked for when the edit began have arrived if the server is near, and nobody
        waits for them if it is not. The first edit of a process asks the server.
        """
        if self.is_failing:
            return False
        names = list(paths)
        if self._journal is None or not self._called_once:
            # A thread that is busy delivers news from before the commit: siblings may be ahead.
            return not self._worker.is_busy or bool(self.unheard(names))
        known = any(self.checkout.outward(path) in self._news.paths for path in names)
        return known or bool(self.unheard(names))

    def unheard(self, paths: Iterable[str]) -> list[Unheard]:
        """Return other worktrees' edits of files that are newer than the news, sent or not yet."""
        if self._siblings is None:
            self._siblings = Siblings(self.checkout, self._state, self.server)
        return self._siblings.unheard(paths, self._heard)

    @property
    def is_current(self) -> bool:
        """Tell whether the news of others came in since the edit began."""
        return self._news.at >= self._begun

    def may_be_claimed(self, paths: Iterable[str]) -> bool:
        """Tell whether somebody may have claimed one of these files, here or in another checkout.

        A process that knows no news yet asks the server.
        """
        if not self.is_failing and (self._status.several or self._news.seen == 0):
            return True
        known = {each.path for each in leases.load(self._state)}
        claimed = self._news.claimed
        return any(path in known or self.checkout.outward(path) in claimed for path in paths)

    @property
    def is_failing(self) -> bool:
        """Tell whether the server was out of reach a moment ago: then nobody waits for it."""
        return self._status.is_failing and time.time() - self._status.failed < _AWAY

    def sync_status(self, last: int) -> SyncStatus:
        """Return the state of sharing for entries up to `last`, without asking the server."""
        waiting = max(0, last - self._status.through)
        if self._status.is_failing:
            return SyncStatus("pending", waiting, self._status.why)
        return SyncStatus("queued" if waiting else "shared", waiting)

    def ask(self, question: Callable[[PostgresJournal], _R], seconds: float = WALK_SECONDS) -> _R:
        """Send what waits, then ask; raise `Unreachable` if the server does not answer in time."""
        self._called = time.monotonic()
        return self._worker.ask(lambda: self._worked(partial(self._answer, question)), seconds)

    def close(self) -> None:
        """Send what waits if that takes a moment only, and let go."""
        if self._due and not self.is_failing:
            with suppress(Unreachable):
                self.ask(lambda _: None, RECEIPT_SECONDS)
        self._worker.close(0.5)
        if self._outbox is not None:
            self._outbox.close()
        if self._siblings is not None:
            self._siblings.close()
        if self._journal is not None:
            self._journal.server.close()
        if self._broker is not None:
            self._broker.close()

    def _idle(self) -> float:
        """Work without being asked, and return how long to wait for the next question."""
        now = time.monotonic()
        if now < self._next_try:
            return self._next_try - now
        if self._due and now < self._due:
            return self._due - now
        if self._due or self._is_stale(0.0):
            try:
                self._worked(self._poll)
            except Unreachable:
                return self._retry
        return _POLL

    def _is_stale(self, age: float) -> bool:
        """Tell whether it is time to ask for news, in a process that has lived so long."""
        now = time.monotonic()
        often = now - self._called < _IDLE_AFTER
        return now - self._born > age and now - self._news.at >= (_POLL if often else _POLL_IDLE)

    def _poll(self, journal: PostgresJournal) -> None:
        first = self._news.seen == 0
        heard = self._siblings.heard() if self._siblings else {}
        self._news = news.refresh(journal, self._news)
        self._heard = heard
        if first and not self._read_only:
            with journal.server.transaction():
                forget_if_due(journal.server, self._sharing.keep_days)

    def _answer(self, question: Callable[[PostgresJournal], _R], journal: PostgresJournal) -> _R:
        with journal.server.transaction():
            answer = question(journal)
        # Whoever asks all the time leaves the thread no time of its own to look around.
        if self._is_stale(_LIVES):
            with suppress(Unreachable):  # the answer stands, whatever comes after it
                self._poll(journal)
        return answer

    def _worked(self, work: Callable[[PostgresJournal], _R], *, sends: bool = True) -> _R:
        """Send what waits and do some work on the server, or note why that is not possible."""
        try:
            return self._reconnected(work, sends=sends)
        except sqlite3.Error as error:
            self._failed(f"the local journal cannot be read: {error}")
            raise Unreachable(self._status.why) from None
        except OSError as error:
            self._failed(str(error.strerror or error))
            raise Unreachable(self._status.why) from None
        except Unreachable as unreachable:
            self._failed(str(unreachable))
            raise

    def _reconnected(self, work: Callable[[PostgresJournal], _R], *, sends: bool) -> _R:
        """Exchange; a connection that was lost since its last use is made again once."""
        known = self._journal
        try:
            return self._exchanged(work, sends=sends)
        except Unreachable:
            if known is None or not known.server.is_lost:
                raise
            return self._exchanged(work, sends=sends)

    def _exchanged(self, work: Callable[[PostgresJournal], _R], *, sends: bool) -> _R:
        journal = self._connected()
        if sends:
            self._due = 0.0
        if sends and not self._read_only and (self._state / NAME).exists():
            if not self._status.about:  # the local journal came into being after we connected
                journal.server.close()
                journal = self._connected()
            self._send(journal)
        done = work(journal)
        self._reached()
        return done

    def _connected(self) -> PostgresJournal:
        if self._journal is not None:
            if not self._journal.server.is_lost:
                return self._journal
            self._journal.server.close()
        checkout = self.checkout
        server = Server.connect(self._sharing.url, checkout.project)
        try:
            ensure(server)
            with server.transaction():
                me = register(server, checkout, self._source(checkout))
        except BaseException:
            server.close()
            raise
        self._status = replace(self._status, several=me.several)
        self._journal = PostgresJournal(server, me, checkout)
        return self._journal

    def _source(self, checkout: Checkout) -> str:
        if self._read_only or not (self._state / NAME).exists():
            return f"reader:{checkout.machine}"
        source = self._local().source()
        about = hashlib.sha256(f"{self.server} {checkout.project} {source}".encode()).hexdigest()
        if self._status.about != about[:16]:
            self._status = status.Status(self.server, about[:16], several=self._status.several)
        return source

    def _send(self, journal: PostgresJournal) -> None:
        outbox = self._local()
        more = outbox.last() > self._status.through
        while more:
            with journal.server.transaction():
                through, more = push(
                    journal.server, journal.me, journal.checkout, outbox, self._status.through
                )
            self._status = replace(self._status, through=through)
            self._sent = time.monotonic()
        attempts = outbox.last_attempt()
        more = attempts != self._attempts
        while more:
            with journal.server.transaction():
                more = push_attempts(journal.server, journal.me, outbox)
        self._attempts = attempts
        if ended := outbox.ended(self._status.ended):
            with journal.server.transaction():
                push_ends(journal.server, journal.me, ended)
            self._status = replace(self._status, ended=ended[-1][1])

    def _local(self) -> Outbox:
        if self._outbox is None:
            self._outbox = Outbox(self._state)
        return self._outbox

    def _reached(self) -> None:
        self._retry, self._next_try = _FIRST_RETRY, 0.0
        self._status = replace(self._status, reached=time.time(), why="")
        if not self._status.is_like(self._saved):
            status.save(self._state, self._status)
            self._saved = self._status

    def _failed(self, why: str) -> None:
        self._next_try = time.monotonic() + self._retry
        self._retry = min(self._retry * 2, _LAST_RETRY)
        self._due = self._due or time.monotonic()
        self._status = self._saved = replace(self._status, failed=time.time(), why=why)
        status.save(self._state, self._status)
