"""What to tell the caller when a recorded transaction had to be taken back."""

from __future__ import annotations

import errno

from keyhole.phrases import FileName, say
from keyhole.refusals import Refusal, Refused
from keyhole.text.document import hash_of
from keyhole.workspace.disk import kernel, reading
from keyhole.workspace.journal.base import Entry
from keyhole.workspace.staging.steps import Bench, FileStep
from keyhole.workspace.trouble import refusal_of


def overtaken(bench: Bench, entry: Entry, *, writing: bool) -> list[Refusal]:
    """Return a refusal for each file that is not as it was read."""
    refusals = []
    told = " ".join(entry.warnings)
    for file in entry.files:
        current = _current(bench, file.path)
        if current != (file.before or ""):
            refusals.append(_stale(file.path, current, told))
    return refusals or [_being_written(entry) if writing else _stale("", "", told)]


def saved_meanwhile(bench: Bench, step: FileStep) -> Refusal:
    """Return the refusal of a file that changed between its reading and the first step."""
    return _stale(step.change.path, _current(bench, step.change.path))


def _current(bench: Bench, path: str) -> str:
    """Return the hash of what stands there, or nothing."""
    directory, _, name = path.rpartition("/")
    fd = bench.directories.get(directory)
    seen = reading.read(fd, name, path, bench.site.max_bytes) if fd is not None else None
    return hash_of(seen.data) if seen else ""


def _stale(path: str, current: str, told: str = "") -> Refusal:
    name = FileName(path) if path else "a file"
    return Refusal(
        "stale",
        say("{} was saved by another program while the edit was written", name),
        where=told,
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
    """Say that a transaction is neither here nor there until the next call."""
    return Refusal(
        "busy",
        f"transaction {entry.id} is being taken back, and that is not finished: {error}",
        help="send the request again; the next call finishes it first",
        data={"outcome": "committed_pending", "transaction": entry.id},
    )


def impossible(bench: Bench, entry: Entry, error: OSError) -> Refusal:
    """Return the refusal of what the system does not let us finish, naming the file at fault."""
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
