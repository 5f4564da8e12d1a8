"""A thread beside the work: it answers questions, and looks around when nobody asks."""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Generic, TypeVar

from keyhole.sharing.server import Unreachable

_R = TypeVar("_R")

# A fault that nobody foresaw must not end the thread: it may pass, and whoever asks will see it.
_AFTER_TROUBLE = 15.0


class PendingQuestion(Generic[_R]):
    """A question on its way to the thread, and the answer on its way back."""

    def __init__(self, work: Callable[[], _R]) -> None:
        self._work = work
        self._done = threading.Event()
        self._answer: list[_R] = []
        self._error: BaseException | None = None
        self._given_up = False

    def carry_out(self) -> None:
        """Find the answer, unless whoever asked is gone."""
        if self._given_up:
            return
        try:
            self._answer.append(self._work())
        except BaseException as error:  # noqa: BLE001 - raised again where it was asked for
            self._error = error
        self._done.set()

    @property
    def went_well(self) -> bool:
        """Tell whether there is an answer."""
        return bool(self._answer)

    @property
    def is_done(self) -> bool:
        """Tell whether there is an answer, of whatever kind."""
        return self._done.is_set()

    def give_up(self) -> None:
        """Drop the question if nobody has begun with it."""
        self._given_up = True

    def answer(self, seconds: float) -> _R:
        """Return the answer, or say that it did not come in time."""
        if not self._done.wait(seconds):
            raise Unreachable(f"no answer within {seconds:g} s")
        if self._error is not None:
            raise self._error
        return self._answer[0]


class Worker:
    """The thread: it starts with the first question, and works by itself when nobody asks.

    `idle` is called after each wait and returns how long the next may take.
    """

    def __init__(self, idle: Callable[[], float]) -> None:
        self._idle = idle
        self._jobs: SimpleQueue[PendingQuestion[object] | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._waiting = 0

    def ask(self, work: Callable[[], _R], seconds: float) -> _R:
        """Let the thread do something, and wait for it as long as `seconds`."""
        job = PendingQuestion(work)
        with self._lock:
            self._waiting += 1
        try:
            self._put(job)  # type: ignore[arg-type]
            return job.answer(seconds)
        finally:
            job.give_up()
            with self._lock:
                self._waiting -= 1

    def begin(self, work: Callable[[], _R]) -> PendingQuestion[_R]:
        """Let the thread do something, and go on."""
        job = PendingQuestion(work)
        self._put(job)  # type: ignore[arg-type]
        return job

    @property
    def is_busy(self) -> bool:
        """Tell whether somebody waits for the thread."""
        return self._waiting > 0

    def wake(self) -> None:
        """Let the thread look around now."""
        self._put(PendingQuestion(lambda: None))

    def close(self, seconds: float) -> None:
        """Stop the thread; what it does at the moment it may finish within `seconds`."""
        with self._lock:
            thread, self._thread = self._thread, None
        if thread is not None:
            self._jobs.put(None)
            thread.join(seconds)

    def _put(self, job: PendingQuestion[object] | PendingQuestion[None]) -> None:
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="keyhole", daemon=True)
                self._thread.start()
        self._jobs.put(job)  # type: ignore[arg-type]

    def _alone(self) -> float:
        """Work without being asked; what goes wrong then is raised for the next who asks."""
        job = PendingQuestion(self._idle)
        job.carry_out()
        return job.answer(0) if job.went_well else _AFTER_TROUBLE

    def _run(self) -> None:
        wait = 0.0
        while True:
            try:
                job = self._jobs.get(timeout=max(wait, 0.001))
            except Empty:
                wait = self._alone()
                continue
            if job is None:
                return
            job.carry_out()
            wait = 0.0
