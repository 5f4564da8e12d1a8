"""A journal that cannot be used: what to tell the caller, and where a damaged one goes."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from keyhole.refusals import Refusal, Refused
from keyhole.workspace.journal.schema import NAME, VERSION

# In a refusal's data: says that the journal itself is damaged, not merely out of reach.
DAMAGED = "damaged"

BEGUN_ANEW = Refusal(
    "busy",
    "the journal was damaged, and another process has begun a new one",
    help="send the same request again; nothing was changed",
)


class Damaged(Exception):  # noqa: N818 - it names what was found
    """The file is not a sound journal of ours."""


@contextmanager
def reporting() -> Iterator[None]:
    """Turn trouble with the database into a refusal."""
    try:
        yield
    except sqlite3.Error as error:
        raise Refused(journal_refusal(error)) from error


def journal_refusal(error: sqlite3.Error) -> Refusal:
    """Return what a failing journal means to the caller."""
    if isinstance(error, sqlite3.OperationalError) and "locked" in str(error):
        return Refusal(
            "busy",
            "the journal is in use by another process for longer than the time limit",
            help="send the same request again; nothing was changed",
        )
    return Refusal(
        "journal",
        f"the journal cannot be used: {error}",
        help="run `keyhole doctor`; no file of the workspace was changed",
        data={DAMAGED: True} if is_damage(error) else {},
    )


def is_damage(error: sqlite3.Error) -> bool:
    """Tell whether the database itself is broken: its pages, or what they hold."""
    passing = (sqlite3.OperationalError, sqlite3.InterfaceError, sqlite3.ProgrammingError)
    return isinstance(error, sqlite3.DatabaseError) and not isinstance(error, passing)


def is_damaged(refused: Refused) -> bool:
    """Tell whether a refusal says that the journal is damaged."""
    return any(DAMAGED in refusal.data for refusal in refused.refusals)


def other_version(version: int) -> Refusal:
    """Say that another keyhole wrote this journal."""
    return Refusal(
        "journal",
        f"the journal has layout {version}, and this keyhole knows layout {VERSION}",
        help="use the version of keyhole that wrote it, or move the state directory aside",
    )


def older_at_work(who: str) -> Refusal:
    """Say that a keyhole of an older version has the journal open."""
    named = f": {who}" if who else ""
    return Refusal(
        "journal",
        f"an older version of keyhole is at work in this workspace{named}",
        help="end it, or the host that started it, then send the same request again; nothing was "
        "changed",
    )


def set_aside(directory: Path, why: str) -> Refusal:
    """Rename a journal that cannot be used; files of the workspace stay as they are."""
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
    aside = f"{NAME}.damaged-{stamp}-{os.getpid()}"
    for suffix in ("", "-wal", "-shm"):
        with suppress(FileNotFoundError):
            os.rename(directory / f"{NAME}{suffix}", directory / f"{aside}{suffix}")
    return Refusal(
        "journal",
        f"the journal was damaged and is set aside: {why}",
        where=str(directory / aside),
        help="send the request again to begin a new journal; edits before it cannot be undone",
    )
