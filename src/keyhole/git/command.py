"""Run git with words of ours; nothing that a repository names is executed, and nothing is fetched.

The environment that a hook or a shell set for git (`GIT_DIR`, `GIT_INDEX_FILE`) is left out. Git is
started by the system's own call: to load `subprocess` takes longer than git takes for a small tree.
"""

from __future__ import annotations

import os
import select
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING

from keyhole.fastclasses import dataclass

if TYPE_CHECKING:
    import subprocess

    from keyhole.git.pipes import Pipes

# Nothing that a repository's own configuration names may run here, and nothing is fetched.
_ENVIRONMENT = {"GIT_NO_LAZY_FETCH": "1", "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
_FAILED = 128
_CHUNK = 1 << 16
_KILL = 9


def environment(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment that git runs in."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return {**own, **_ENVIRONMENT, **(more or {})}


@dataclass(frozen=True, slots=True)
class Finished:
    """How git ended, and what it said; below 0 it was killed by that signal."""

    returncode: int
    stdout: bytes
    stderr: bytes


def run(  # noqa: PLR0913 - what a program may be given, each by its name
    words: Sequence[str],
    seconds: float,
    *,
    data: bytes = b"",
    more: Mapping[str, str] | None = None,
    keeping: Sequence[int] = (),
    at: str | None = None,
    pipes: Pipes | None = None,
) -> Finished:
    """Run git to its end; where it cannot run or takes too long, the result says that it failed.

    The descriptors in `keeping` stay open in git: a lock on one of them is held until git ends,
    however its parent ends. Where git comes to wait at one of `pipes`, it goes on.
    """
    try:
        with started(words, more=more, keeping=keeping, at=at) as git:
            return git.finished(seconds, data, pipes)
    except OSError as error:
        return Finished(_FAILED, b"", str(error).encode())


class Git:
    """A git that runs, with the ends of its pipes."""

    def __init__(self, number: int, feed: int, said: int, errors: int) -> None:
        self._number, self._feed = number, feed
        self._heard: dict[int, list[bytes]] = {said: [], errors: []}
        self._is_over = False

    def finished(self, seconds: float, data: bytes = b"", pipes: Pipes | None = None) -> Finished:
        """Give git what it reads, and return what it said and how it ended."""
        self._converse(data, time.monotonic() + seconds, pipes)
        said, errors = (b"".join(each) for each in self._heard.values())
        return Finished(self._wait(), said, errors)

    def _converse(self, data: bytes, end: float, pipes: Pipes | None) -> None:
        """Give git what it reads and hear what it says, until it has said all."""
        left, waiting = memoryview(data), select.poll()
        for each in self._heard:
            waiting.register(each, select.POLLIN)
        os.set_blocking(self._feed, False)
        waiting.register(self._feed, select.POLLOUT)
        is_open = {*self._heard}
        while is_open:
            rest = end - time.monotonic()
            if rest <= 0:
                raise TimeoutError("git takes too long")
            patience = min(rest, pipes.patience) if pipes else rest
            ready = waiting.poll(patience * 1000)
            if not ready and pipes:
                pipes.let_go_on()
            for one, _ in ready:
                if one == self._feed:
                    left = self._give(left, waiting)
                elif piece := os.read(one, _CHUNK):
                    self._heard[one].append(piece)
                else:
                    waiting.unregister(one)
                    is_open.discard(one)

    def _give(self, left: memoryview, waiting: select.poll) -> memoryview:
        """Write what fits; where all is written, or nobody reads, that is the end of it."""
        with suppress(BlockingIOError):
            try:
                left = left[os.write(self._feed, left[:_CHUNK]) :] if left else left
            except BrokenPipeError:
                left = left[:0]
        if not left:
            waiting.unregister(self._feed)
            os.close(self._feed)
            self._feed = -1
        return left

    def _wait(self) -> int:
        self._is_over = True
        try:
            return os.waitstatus_to_exitcode(os.waitpid(self._number, 0)[1])
        except ChildProcessError:  # whoever started this one lets the system bury its children
            return 0

    def close(self) -> None:
        """Let git go; one that has not ended is killed."""
        if not self._is_over:
            with suppress(ProcessLookupError):
                os.kill(self._number, _KILL)
            self._wait()
        for each in (self._feed, *self._heard):
            if each >= 0:
                os.close(each)


@contextmanager
def started(
    words: Sequence[str],
    *,
    more: Mapping[str, str] | None = None,
    keeping: Sequence[int] = (),
    at: str | None = None,
) -> Iterator[Git]:
    """Start git; at the end of the block it has ended."""
    vector = ["git", *(["-C", at] if at else []), *words]
    with ExitStack() as opened:
        theirs, ours = [], []
        for nth in range(3):
            pair = [_high(each) for each in os.pipe()]
            theirs.append(pair[nth > 0])
            ours.append(pair[nth == 0])
            opened.callback(os.close, theirs[-1])
        # What is duplicated is open in the child, onto its own number too.
        actions = [(os.POSIX_SPAWN_DUP2, one, nth) for nth, one in enumerate(theirs)]
        actions += [(os.POSIX_SPAWN_DUP2, one, one) for one in keeping]
        try:
            number = os.posix_spawnp("git", vector, environment(more), file_actions=actions)
        except BaseException:
            for each in ours:
                os.close(each)
            raise
    git = Git(number, *ours)
    try:
        yield git
    finally:
        git.close()


def _high(one: int) -> int:
    """Return a descriptor above those of the three streams, which a caller may have closed."""
    if one > 2:
        return one
    import fcntl

    other = fcntl.fcntl(one, fcntl.F_DUPFD_CLOEXEC, 3)
    os.close(one)
    return other


def begun(
    words: Sequence[str], more: Mapping[str, str], keeping: Sequence[int], at: str
) -> subprocess.Popen[bytes]:
    """Start git in a directory for a conversation over its pipes."""
    import subprocess  # a look that finds nothing holds no conversation

    return subprocess.Popen(  # noqa: S603 - git, with words of ours
        ["git", *words],  # noqa: S607 - the user's own git
        env=environment(more),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        pass_fds=keeping,
        cwd=at,
    )
