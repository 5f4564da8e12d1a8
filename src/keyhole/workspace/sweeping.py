"""Temporary files of transactions that died before they were recorded."""

from __future__ import annotations

import os
import stat
from contextlib import suppress

from keyhole.workspace.atomic import is_temporary
from keyhole.workspace.locks import Locked, Locks
from keyhole.workspace.site import Site
from keyhole.workspace.walking import directories_below


def sweep_after(site: Site, locked: Locked) -> int:
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


def sweep_notes(site: Site, locks: Locks) -> int:
    """Do the same for every lock that nobody holds."""
    swept = 0
    for stripe in locks.used():
        with locks.try_stripe(stripe) as locked:
            if locked is not None:
                swept += sweep_after(site, locked)
    return swept


def sweep_everywhere(site: Site) -> int:
    """Search the whole tree for our temporary files; for after a power cut, when notes may be lost.

    The caller makes sure that nobody is committing.
    """
    unfinished = {entry.draft.token for entry in site.journal.pending()}
    swept = 0
    for path, fd in directories_below(site.root):
        del path
        for name in filter(is_temporary, os.listdir(fd)):
            token = name.split("-")[1]
            status = os.stat(name, dir_fd=fd, follow_symlinks=False)
            mine = stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid()
            if mine and token not in unfinished:
                with suppress(FileNotFoundError):
                    os.unlink(name, dir_fd=fd)
                    swept += 1
    return swept
