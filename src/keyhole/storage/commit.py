"""Carry a plan to the disk: stage, record the intent, exchange and verify, flush, clean up."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial

from keyhole import deferred
from keyhole.disk import failpoints, files, kernel
from keyhole.disk.errors import refusal_of
from keyhole.disk.files import FileMetadata, Flush
from keyhole.edits.model.plan import Plan
from keyhole.fastclasses import replace
from keyhole.journal.model import (
    APPLIED,
    ROLLED_BACK,
    ROLLING_BACK,
    Call,
    Entry,
    EntryDraft,
    Regions,
)
from keyhole.phrases import FileName, say
from keyhole.refusals import Refusal, Refused
from keyhole.storage import atomic
from keyhole.storage.atomic import Intruded
from keyhole.storage.recover import finish
from keyhole.storage.steps import (
    Bench,
    FileStep,
    Images,
    directories_of,
    parents_of,
    steps_of,
)
from keyhole.text.document import hash_of

# Temporary files that are open at a time while they wait for their flush.
_BATCH = 128
_NO_EXCHANGE = "this file system cannot exchange files: a save at that moment could be lost"
_NO_LOCKS = (
    "this file system cannot lock directories: an edit through another workspace at that moment "
    "could be lost"
)


def commit(  # noqa: PLR0913, PLR0917 - what one transaction is made of
    bench: Bench,
    plan: Plan,
    call: Call,
    gains: Mapping[str, FileMetadata],
    regions: Callable[[], Mapping[str, Regions]],
    fence: Callable[[], None] | None = None,
) -> Entry:
    """Make every file of the plan new, or none; acknowledged means durable.

    What needs the hash of a large file, as `regions` do, is made while the disk writes the file.
    `fence` is the last check before the intent is recorded: later, nothing can be refused.
    """
    try:
        return _commit(bench, plan, call, gains, regions, fence)
    finally:
        bench.directories.unlock()


def _commit(  # noqa: PLR0913, PLR0917 - what one transaction is made of
    bench: Bench,
    plan: Plan,
    call: Call,
    gains: Mapping[str, FileMetadata],
    regions: Callable[[], Mapping[str, Regions]],
    fence: Callable[[], None] | None,
) -> Entry:
    token = os.urandom(6).hex()
    steps = steps_of(plan, bench.seen, gains, token)
    assert steps, "BUG: a plan without a change is not committed"
    _check_writable(bench, steps)
    flush = Flush(durable=bench.site.root.kernel.durable)
    made: list[str] = []
    try:
        _stage_all(bench, steps, token, made, flush)
        failpoints.reach("staged")
        if fence is not None:
            fence()
        changes = tuple(step.change for step in steps)
        draft = EntryDraft(token, time.time(), call, changes, tuple(made))
        entry = bench.site.journal.begin(draft, Images(steps), regions())
    except BaseException as error:
        with suppress(Refused):
            flush.finish()
        if _is_unrecorded(error):
            _unstage(bench, steps, made)
        if isinstance(error, OSError):
            raise Refused(refusal_of(error, steps[0].path)) from error
        raise
    failpoints.reach("intended")
    _await(flush, bench, entry, steps)
    failpoints.reach("temp-flushed")
    try:
        alone = shut_out(bench, steps)
    except Refused as refused:
        raise _withdrawn(bench, entry, steps, refused) from None
    entry = _publish(bench, entry, steps)
    bench.locked.end_note()
    return entry if alone else weakly(entry, _NO_LOCKS)


def shut_out(bench: Bench, steps: Sequence[FileStep]) -> bool:
    """Keep other workspaces from these directories until we are done, if the disk knows locks.

    Refuse if another workspace was faster: from here on no keyhole changes what was read.
    """
    alone = bench.directories.lock(_directories(steps))
    refusals = [_saved_meanwhile(bench, step) for step in steps if not _is_as_read(bench, step)]
    if refusals:
        raise Refused(*refusals)
    failpoints.reach("alone")
    return alone


def _directories(steps: Sequence[FileStep]) -> set[str]:
    return {each for step in steps for each in (step.directory, step.beside)}


def _is_as_read(bench: Bench, step: FileStep) -> bool:
    fd = bench.directories.get(step.directory)
    if fd is None or bench.directories.has_both(step.path):
        # A file and a directory take each other's place.
        return step.seen is None
    held = step.path in bench.held
    return atomic.is_as_read(fd, step.name, step.seen, held=held)


def _check_writable(bench: Bench, steps: Sequence[FileStep]) -> None:
    refusals = [_write_protected(step.path) for step in steps if not _may_write(bench, step)]
    if refusals:
        raise Refused(*refusals)


def _may_write(bench: Bench, step: FileStep) -> bool:
    """Tell whether the user's own editor would save this file without being forced."""
    if step.seen is None:
        return True
    if not step.seen.metadata.mode & 0o222:
        return False
    if os.geteuid() in {0, step.seen.metadata.uid}:
        return True
    fd = bench.directories.get(step.directory)
    return os.access(step.name, os.W_OK, dir_fd=fd, effective_ids=True)


def _stage_all(
    bench: Bench, steps: Sequence[FileStep], token: str, made: list[str], flush: Flush
) -> None:
    """Write every new file beside its target, and let it go to the disk."""
    bench.locked.note(token, sorted({step.beside for step in steps}))
    for directory in sorted({step.directory for step in steps if step.directory == step.beside}):
        bench.directories.make(directory, made)
    # These are made when the file in their place has gone, and recovery has to know of them.
    made += sorted({each for step in steps for each in step.below})
    for step in steps:
        if step.after is None:
            continue
        if len(flush) == _BATCH:
            flush.finish()
        flush.begin(_stage_one(bench, step), step.path)


def _stage_one(bench: Bench, step: FileStep) -> int:
    fd = bench.directories.get(step.beside)
    metadata = step.gains or (step.seen.metadata if step.seen else None)
    assert fd is not None, "BUG: the directory was made before"
    try:
        return atomic.stage(fd, step.temp, step.data, metadata)
    except OSError as error:
        raise Refused(refusal_of(error, step.path)) from None


def _is_unrecorded(error: BaseException) -> bool:
    """Tell whether nothing was recorded; where that is open, recovery will find out."""
    return not (isinstance(error, Refused) and error.refusals[0].data.get("outcome"))


def _unstage(bench: Bench, steps: Sequence[FileStep], made: Sequence[str]) -> None:
    """Leave nothing behind of a transaction that is not in force."""
    for step in steps:
        fd = bench.directories.get(step.beside)
        if fd is not None:
            with suppress(OSError):
                atomic.discard(fd, step.temp)
    bench.directories.unmake(tuple(made))
    bench.locked.end_note()


def _await(flush: Flush, bench: Bench, entry: Entry, steps: Sequence[FileStep]) -> None:
    """Wait until the new files are on the disk.

    They are written while the intent is recorded, which holds the new bytes too, so recovery needs
    no staged file.
    """
    try:
        flush.finish()
    except Refused as refused:
        raise _withdrawn(bench, entry, steps, refused) from None


def _withdrawn(bench: Bench, entry: Entry, steps: Sequence[FileStep], why: Refused) -> Refused:
    """Withdraw the intent before any file has changed."""
    try:
        bench.site.journal.settle(entry, ROLLED_BACK)
    except Refused as refused:
        return Refused(_unfinished(entry, refused))
    _unstage(bench, steps, entry.draft.made)
    return why


def _publish(bench: Bench, entry: Entry, steps: Sequence[FileStep]) -> Entry:
    """Bring a recorded transaction to its end; from here on it never just fails."""
    try:
        strong = _exchange_all(bench, steps)
        # What is left takes most of the time, and nobody has to wait for it.
        bench.directories.unlock()
        failpoints.reach("published")
        above = parents_of(entry.draft.made)
        bench.directories.flush(_directories(steps) | above)
        failpoints.reach("durable")
        _clean(bench, steps)
        failpoints.reach("clean")
        entry = bench.site.journal.settle(entry, APPLIED)
    except Intruded as intruded:
        raise _given_back(bench, entry, writing=intruded.writing) from None
    except (OSError, Refused):
        return _finish_later(bench, entry)
    failpoints.reach("marked")
    return entry if strong else weakly(entry, _NO_EXCHANGE)


def weakly(entry: Entry, why: str) -> Entry:
    """Return an entry with a warning about locks or exchanges that the file system lacks."""
    return replace(entry, guard="weak", warnings=(*entry.warnings, why))


def _exchange_all(bench: Bench, steps: Sequence[FileStep]) -> bool:
    strong, exchange = True, bench.site.root.kernel.exchange
    # Deletions first: see recovery, which has to tell whether they were made.
    for step in sorted(steps, key=lambda step: step.after is not None):
        if step.below or (step.after is not None and bench.directories.has_both(step.path)):
            bench.directories.make_room(step.path, step.directory)
        fd, beside = bench.directories.get(step.directory), bench.directories.get(step.beside)
        assert fd is not None, "BUG: the directory was made before"
        assert beside is not None, "BUG: a file waits in a directory"
        if step.after is not None:
            atomic.make_ready(beside, step.temp)
        if step.seen is None:
            atomic.create(fd, step.name, step.temp, beside)
        elif step.after is None:
            atomic.remove(fd, step.name, step.temp, beside, step.seen)
        else:
            strong &= atomic.replace(fd, step.name, step.temp, step.seen, exchange=exchange)
        failpoints.reach("published-one")
    return strong


def _clean(bench: Bench, steps: Sequence[FileStep]) -> None:
    for step in steps:
        fd = bench.directories.get(step.beside)
        if step.seen is not None and fd is not None:
            with suppress(FileNotFoundError):
                _delete(step.temp, fd)


def _delete(name: str, dir_fd: int) -> None:
    """Take a displaced file's name away; where somebody waits, its blocks are freed after that.

    A file without a name lives until its last descriptor is closed, and freeing it takes about as
    long as a flush.
    """
    if deferred.is_possible() and kernel.IS_LINUX:
        with suppress(OSError):
            kept = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=dir_fd)
            deferred.leave(partial(os.close, kept))
    os.unlink(name, dir_fd=dir_fd)


def _given_back(bench: Bench, entry: Entry, *, writing: bool) -> Refused:
    """Take the whole transaction back, because another program saved one of its files."""
    try:
        entry = bench.site.journal.settle(entry, ROLLING_BACK)
        entry = finish(bench.site, entry)
    except (OSError, Refused) as error:
        return Refused(_unfinished(entry, error))
    bench.locked.end_note()
    return Refused(*_overtaken(bench, entry, writing=writing))


def _finish_later(bench: Bench, entry: Entry) -> Entry:
    """Try once more by recovery; else take back, or leave it to the next call."""
    try:
        bench.directories.lock(directories_of(entry))
        entry = finish(bench.site, entry)
    except OSError as error:
        return _give_up(bench, entry, error)
    except Refused as refused:
        return _pending(entry, refused)
    if entry.state == ROLLED_BACK:
        raise Refused(*_overtaken(bench, entry, writing=False))
    return entry


def _give_up(bench: Bench, entry: Entry, error: OSError) -> Entry:
    """Take back what the system does not let us finish: no later call could finish it either."""
    try:
        entry = finish(bench.site, bench.site.journal.settle(entry, ROLLING_BACK))
    except (OSError, Refused) as again:
        return _pending(entry, again)
    bench.locked.end_note()
    raise Refused(_impossible(bench, entry, error)) from error


def _pending(entry: Entry, error: OSError | Refused) -> Entry:
    return replace(entry, warnings=(f"recorded, and not finished yet: {error}",))


def _overtaken(bench: Bench, entry: Entry, *, writing: bool) -> list[Refusal]:
    """Return a refusal for each file that is not as it was read."""
    refusals = []
    warnings = " ".join(entry.warnings)
    for file in entry.files:
        current = _current(bench, file.path)
        if current != (file.before or ""):
            refusals.append(_stale(file.path, current, warnings))
    return refusals or [_being_written(entry) if writing else _stale("", "", warnings)]


def _saved_meanwhile(bench: Bench, step: FileStep) -> Refusal:
    """Return the refusal of a file that changed between its reading and the first step."""
    return _stale(step.path, _current(bench, step.path))


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


def _unfinished(entry: Entry, error: OSError | Refused) -> Refusal:
    """Return the refusal of a transaction that the next call will finish."""
    return Refusal(
        "busy",
        f"transaction {entry.id} is being taken back, and that is not finished: {error}",
        help="send the request again; the next call finishes it first",
        data={"outcome": "committed_pending", "transaction": entry.id},
    )


def _impossible(bench: Bench, entry: Entry, error: OSError) -> Refusal:
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


def _write_protected(path: str) -> Refusal:
    """Say that the file's own mode forbids writing."""
    return Refusal(
        "read-only",
        say("{} is write-protected", FileName(path)),
        help="ask the user to make the file writable (chmod u+w), then send the edit again",
        path=path,
    )
