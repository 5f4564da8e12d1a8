"""Files as the last look kept them: git is asked here, or outside the fence."""

from __future__ import annotations

import base64
import sqlite3
import threading
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from keyhole.checkpoints.store import CheckpointStore
from keyhole.disk.broker import Broker, Data
from keyhole.refusals import Refused


class KeptFile(NamedTuple):
    """A file as it was kept: its text, None where there was none, and whether it is a program."""

    text: bytes | None
    is_program: bool


def kept_files(store: CheckpointStore, paths: Sequence[str]) -> Mapping[str, KeptFile]:
    """Return those of some files that looks keep, as the last one did.

    While somebody looks there are none: it will tell of them.
    """
    from keyhole.git.shadow import PROGRAM, GitFailed  # most edits ask for nothing

    try:
        with store.held(0.0) as repository, repository.reading() as blobs:
            came = repository.new(paths) - store.marks.was_listed().keys()
            return {
                one.path: KeptFile(
                    blobs.read(one.after) if one.after else None, one.mode_after == PROGRAM
                )
                for one in repository.kept(paths)
                if one.after or one.path in came
            }
    except (GitFailed, Refused):
        return {}


def kept_outside(state: Path, root: str) -> Broker:
    """Fork a process that asks git for one behind the fence; there must be no other thread yet."""

    def answer(asked: Data, _: threading.Event) -> Data:
        paths = asked["paths"]
        assert isinstance(paths, list), "BUG: paths are a list"
        try:
            with closing(CheckpointStore(state, root)) as store:
                found = kept_files(store, paths)
        except (OSError, sqlite3.Error):
            return {}
        return {path: [_as_text(one.text), one.is_program] for path, one in found.items()}

    return Broker.started(answer)


def ask_for_kept(broker: Broker, paths: Sequence[str]) -> Mapping[str, KeptFile]:
    """Return what `kept_files` does outside the fence; nothing where nobody answers."""
    try:
        told = broker.ask({"paths": [*paths]}) or {}
    except (OSError, ValueError):
        return {}
    found = {}
    for path, said in told.items():
        assert isinstance(said, list), "BUG: a text and a flag are a list"
        text, program = said
        found[path] = KeptFile(None if text is None else base64.b64decode(text), program)
    return found


def _as_text(data: bytes | None) -> str | None:
    return None if data is None else base64.b64encode(data).decode("ascii")
