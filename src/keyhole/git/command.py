"""Run git with words of ours; nothing that a repository names is executed, and nothing is fetched.

The environment that a hook or a shell set for git (`GIT_DIR`, `GIT_INDEX_FILE`) is left out.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from threading import Thread
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from keyhole.git.pipes import Pipes

# Nothing that a repository's own configuration names may run here, and nothing is fetched.
_ENVIRONMENT = {"GIT_NO_LAZY_FETCH": "1", "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
_FAILED = 128


def environment(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment that git runs in."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return {**own, **_ENVIRONMENT, **(more or {})}


def run(  # noqa: PLR0913 - what a program may be given, each by its name
    words: Sequence[str],
    seconds: float,
    *,
    data: bytes = b"",
    more: Mapping[str, str] | None = None,
    keeping: Sequence[int] = (),
    at: str | None = None,
    pipes: Pipes | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """Run git to its end; where it cannot run or takes too long, the result says that it failed.

    The descriptors in `keeping` stay open in git: a lock on one of them is held until git ends,
    however its parent ends. Where git comes to wait at one of `pipes`, it goes on.
    """
    try:
        with subprocess.Popen(  # noqa: S603 - git, with words of ours
            ["git", *words],  # noqa: S607 - the user's own git
            env=environment(more),
            stdin=subprocess.PIPE if data else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=keeping,
            cwd=at,
        ) as git:
            _feed(git, data)
            output, errors = _answer(git, seconds, pipes)
            return subprocess.CompletedProcess([], git.returncode, output, errors)
    except (OSError, subprocess.TimeoutExpired) as error:
        return subprocess.CompletedProcess([], _FAILED, b"", str(error).encode())


def _answer(
    git: subprocess.Popen[bytes], seconds: float, pipes: Pipes | None
) -> tuple[bytes, bytes]:
    """Return what git says; one that takes too long, or whose reader is stopped, is killed."""
    end = time.monotonic() + seconds
    try:
        while pipes is not None:
            try:
                return git.communicate(None, min(pipes.patience, seconds))
            except subprocess.TimeoutExpired:
                if time.monotonic() >= end:
                    raise
                pipes.let_go_on()
        return git.communicate(None, seconds)
    except BaseException:
        git.kill()
        raise


def _feed(git: subprocess.Popen[bytes], data: bytes) -> None:
    """Let a thread write what git reads, until it has all or ends.

    A second `communicate` would write no more of what the first one began to.
    """
    stdin, git.stdin = git.stdin, None
    if stdin is not None:
        Thread(target=_write, args=(stdin, data), daemon=True).start()


def _write(stdin: IO[bytes], data: bytes) -> None:
    with suppress(OSError), stdin:
        stdin.write(data)


def begun(
    words: Sequence[str], more: Mapping[str, str], keeping: Sequence[int], at: str
) -> subprocess.Popen[bytes]:
    """Start git in a directory for a conversation over its pipes."""
    return subprocess.Popen(  # noqa: S603 - git, with words of ours
        ["git", *words],  # noqa: S607 - the user's own git
        env=environment(more),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        pass_fds=keeping,
        cwd=at,
    )
