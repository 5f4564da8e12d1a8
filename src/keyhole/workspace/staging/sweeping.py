"""Temporary files of transactions that died before they were recorded."""

from __future__ import annotations

import os
import stat

from keyhole.workspace.atomic import is_temporary
from keyhole.workspace.locks import Locked, Locks
from keyhole.workspace.paths.walking import directories_below
from keyhole.workspace.staging.site import CommitContext


def sweep_after(site: CommitContext, locked: Locked) -> int:
    """Delete what earlier holders of these locks staged and never recorded; return how much."""
    notes = locked.notes_left()
    if not notes:
        return 0
    unfinished = {entry.draft.token for entry in site.journal.pending()}
    swept = 0
    with site.directories() as directories:
        for token, paths in notes:
            if token not in unfinished:
                swept += sum(directories.sweep(path, token) for path in paths)
    locked.end_notes_left()
    return swept


def sweep_notes(site: CommitContext, locks: Locks) -> int:
    """Do the same for every lock that nobody holds."""
    swept = 0
    for stripe in locks.used():
        with locks.try_stripe(stripe) as locked:
            if locked is not None:
                swept += sweep_after(site, locked)
    return swept


def sweep_everywhere(site: CommitContext, locks: Locks) -> int:
    """Search the whole tree for our temporary files; a power cut may have taken the notes.

    A file is left alone while its transaction is pending, or while anybody commits at all.
    """
    swept = 0
    with locks.hold_all():
        unfinished = {entry.draft.token for entry in site.journal.pending()}
        for fd in directories_below(site.root):
            swept += sum(_sweep_one(fd, name, unfinished) for name in os.listdir(fd))
    return swept


def _sweep_one(fd: int, name: str, unfinished: set[str]) -> bool:
    if not is_temporary(name) or name.split("-")[1] in unfinished:
        return False
    status = os.stat(name, dir_fd=fd, follow_symlinks=False)
    if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid():
        return False
    os.unlink(name, dir_fd=fd)
    return True
