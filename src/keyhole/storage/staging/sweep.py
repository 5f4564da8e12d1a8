"""Temporary files of transactions that died, and files that somebody else wrote meanwhile."""

from __future__ import annotations

import errno
import os
import stat

from keyhole.disk import files, kernel
from keyhole.disk.errors import refusal_of
from keyhole.disk.locks import Locked, Locks
from keyhole.journal.model import Entry
from keyhole.phrases import FileName, say
from keyhole.refusals import Refusal, Refused
from keyhole.storage.atomic import is_temporary
from keyhole.storage.paths.walking import directories_below
from keyhole.storage.staging.steps import Bench, CommitContext, FileStep
from keyhole.text.document import hash_of


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
    """Sweep for every lock that nobody holds."""
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


def overtaken(bench: Bench, entry: Entry, *, writing: bool) -> list[Refusal]:
    """Return a refusal for each file that is not as it was read."""
    refusals = []
    warnings = " ".join(entry.warnings)
    for file in entry.files:
        current = _current(bench, file.path)
        if current != (file.before or ""):
            refusals.append(_stale(file.path, current, warnings))
    return refusals or [_being_written(entry) if writing else _stale("", "", warnings)]


def saved_meanwhile(bench: Bench, step: FileStep) -> Refusal:
    """Return the refusal of a file that changed between its reading and the first step."""
    return _stale(step.change.path, _current(bench, step.change.path))


def _current(bench: Bench, path: str) -> str:
    """Return the hash of what stands there, or nothing."""
    directory, _, name = path.rpartition("/")
    fd = bench.directories.get(directory)
    seen = files.read(fd, name, path, bench.site.max_bytes) if fd is not None else None
    return hash_of(seen.data) if seen else ""


def _stale(path: str, current: str, warnings: str = "") -> Refusal:
    name = FileName(path) if path else "a file"
    return Refusal(
        "stale",
        say("{} was saved by another program while the edit was written", name),
        where=warnings,
        help="read the file again, then send the edit again; nothing of this call was applied",
        path=path,
        hash_current=current,
    )


def _being_written(entry: Entry) -> Refusal:
    return Refusal(
        "busy",
        say("another program has {} open for writing", FileName(entry.files[0].path)),
        help="send the same request again when that program is done; nothing was changed",
        path=entry.files[0].path,
    )


def unfinished(entry: Entry, error: OSError | Refused) -> Refusal:
    """Return the refusal of a transaction that the next call will finish."""
    return Refusal(
        "busy",
        f"transaction {entry.id} is being taken back, and that is not finished: {error}",
        help="send the request again; the next call finishes it first",
        data={"outcome": "committed_pending", "transaction": entry.id},
    )


def impossible(bench: Bench, entry: Entry, error: OSError) -> Refusal:
    """Return the refusal of a transaction that the system does not let us finish."""
    for file in entry.files if error.errno == errno.EBUSY else ():
        directory, _, name = file.path.rpartition("/")
        fd = bench.directories.get(directory)
        if fd is not None and kernel.is_mount_point(fd, name):
            return _mounted(file.path)
    return refusal_of(error, entry.files[0].path)


def _mounted(path: str) -> Refusal:
    return Refusal(
        "read-only",
        say(
            "{} is mounted by itself (a bind mount), so that nothing can take its place",
            FileName(path),
        ),
        help="edit the file where it is mounted from, or ask the user to mount its directory; "
        "nothing was changed",
        path=path,
    )


def write_protected(path: str) -> Refusal:
    """Say that the file's own mode forbids writing."""
    return Refusal(
        "read-only",
        say("{} is write-protected", FileName(path)),
        help="ask the user to make the file writable (chmod u+w), then send the edit again",
        path=path,
    )
