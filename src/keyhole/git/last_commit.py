"""The last commit of a checkout: when it was made, and the bytes that files have in it."""

from __future__ import annotations

import os
from collections.abc import Iterable

from keyhole.git import command
from keyhole.git.repository import Repository

_SECONDS = 5.0
_NEVER = ("-c", "core.fsmonitor=false", "-c", "log.showSignature=false")


def committed(repository: Repository, paths: Iterable[str]) -> dict[str, bytes] | None:
    """Return the bytes that files have in the last commit, by one call; None without a commit."""
    asked = [path for path in paths if "\n" not in path]
    if not _said(repository, "rev-parse", "--verify", "HEAD^{commit}"):
        return None
    lines = b"".join(b"HEAD:" + os.fsencode(path) + b"\n" for path in asked)
    answer = _output(repository, "cat-file", "--batch", data=lines)
    found: dict[str, bytes] = {}
    at = 0
    for path in asked:
        end = answer.find(b"\n", at)
        words = answer[at:end].split()
        at = end + 1
        if len(words) != 3 or not words[2].isdigit():  # there is no such file
            continue
        size = int(words[2])
        if words[1] == b"blob":
            found[path] = answer[at : at + size]
        at += size + 1
    return found


def commit_time(repository: Repository) -> float:
    """Return when the last commit was made, 0 without one."""
    said = _said(repository, "log", "-1", "--format=%ct")
    return float(said) if said.isdecimal() else 0.0


def _said(repository: Repository, *words: str) -> str:
    return _output(repository, *words).decode("utf-8", "replace").strip()


def _output(repository: Repository, *words: str, data: bytes = b"") -> bytes:
    done = command.run(["-C", repository.top, *_NEVER, *words], _SECONDS, data=data)
    return done.stdout if done.returncode == 0 else b""
