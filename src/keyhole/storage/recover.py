"""Recovery: finish or take back an interrupted entry, and sweep up; nobody's save is lost."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, suppress

from keyhole.disk import failpoints, files, kernel
from keyhole.disk.files import FileMetadata, FileRead
from keyhole.disk.locks import Locked, Locks
from keyhole.fastclasses import dataclass, replace
from keyhole.journal.layout import DAMAGED
from keyhole.journal.model import APPLIED, ROLLED_BACK, ROLLING_BACK, Entry, FileChange
from keyhole.refusals import Refusal, Refused
from keyhole.storage import atomic
from keyhole.storage.atomic import Intruded, is_temporary
from keyhole.storage.paths.walking import directories_below
from keyhole.storage.steps import (
    CommitContext,
    Content,
    Directories,
    FileOutcome,
    Other,
    bench_of,
    directories_of,
    parents_of,
    verdict_of,
)

# Mounted over, not ours, immutable: what the system forbids today it forbids tomorrow.
_FOR_GOOD = frozenset({errno.EBUSY, errno.EPERM, errno.EACCES})


@dataclass(frozen=True, slots=True)
class _Place:
    """One file of an entry: its versions, what is there, what lies at the temporary name.

    `unready`: it was staged and got no further; its bytes may be torn, and do not matter.
    """

    change: FileChange
    directory: str
    name: str
    temp: str
    # The directory of the temporary name.
    beside: str
    # Whether a file and a directory take each other's place.
    swaps: bool
    before: bytes | None
    after: bytes | None
    now: FileRead | Other | None
    displaced: FileRead | Other | None
    unready: bool

    @property
    def verdict(self) -> FileOutcome:
        displaced = self.after if self.unready else _content(self.displaced)
        verdict = verdict_of(self.before, self.after, _content(self.now), displaced)
        if verdict is FileOutcome.PUBLISHED and self.before == self.after and self._has_old_mode:
            return FileOutcome.UNPUBLISHED
        return verdict

    @property
    def _has_old_mode(self) -> bool:
        """Tell whether a change of the mode alone, which the bytes do not show, is not made yet."""
        if self.change.gains is None or not isinstance(self.now, FileRead):
            return False
        return self.now.metadata.mode != self.change.gains.mode


def recover(site: CommitContext, entry: Entry) -> Entry:
    """Bring an unfinished entry to its end; the caller holds the workspace's locks of its files."""
    with _directories(site, entry) as directories:
        directories.lock(directories_of(entry))
        try:
            return finish(site, entry)
        except OSError as error:
            if error.errno not in _FOR_GOOD or entry.state == ROLLING_BACK:
                raise
            # It would be so at every try, and keep every call out.
            return finish(site, site.journal.settle(entry, ROLLING_BACK))


def finish(site: CommitContext, entry: Entry) -> Entry:
    """Bring an unfinished entry to its end while the directories are locked.

    It may be interrupted at any point and started again: each decision is in the journal before it
    is acted on.
    """
    with _directories(site, entry) as directories:
        try:
            return _recover(site, entry, directories)
        except Intruded:
            # Somebody saved while we went forward: from here on the only way is back.
            entry = site.journal.settle(entry, ROLLING_BACK)
            return _recover(site, entry, directories)


def _directories(site: CommitContext, entry: Entry) -> AbstractContextManager[Directories]:
    return site.directories(frozenset(file.path for file in entry.files))


def _recover(site: CommitContext, entry: Entry, directories: Directories) -> Entry:
    places = [_observe(site, directories, entry, nth) for nth in range(len(entry.files))]
    warnings = [_rescue(site, directories, place) for place in places if place.verdict.rescues]
    conflicts = any(place.verdict.conflicts for place in places) or _is_kept(places)
    if entry.state != ROLLING_BACK and conflicts:
        entry = site.journal.settle(entry, ROLLING_BACK)
    failpoints.reach("recovery-decided")
    if entry.state == ROLLING_BACK:
        _go_back(directories, places)
    else:
        _go_forward(site, directories, places)
    directories.flush(directories_of(entry) | parents_of(entry.draft.made))
    failpoints.reach("recovery-durable")
    _clean(directories, places)
    if entry.state == ROLLING_BACK:
        directories.unmake(entry.draft.made)
    failpoints.reach("recovery-clean")
    end = ROLLED_BACK if entry.state == ROLLING_BACK else APPLIED
    return replace(site.journal.settle(entry, end), warnings=tuple(warnings))


def _is_kept(places: Sequence[_Place]) -> bool:
    """Tell whether somebody saved a file that we were to delete, and have not.

    Its bytes alone do not tell. But deletions come first, and what they displace stays until all
    files are published: so before that, a deletion that displaced nothing was not made.
    """
    return any(place.verdict is FileOutcome.UNPUBLISHED for place in places) and any(
        place.after is None and place.displaced is None and place.verdict is FileOutcome.OVERTAKEN
        for place in places
    )


def _go_forward(site: CommitContext, directories: Directories, places: Sequence[_Place]) -> None:
    for place in sorted(places, key=lambda place: place.after is not None):
        if place.verdict is FileOutcome.UNPUBLISHED:
            _publish(directories, place, exchange=site.root.kernel.exchange)
        failpoints.reach("recovered-one")


def _go_back(directories: Directories, places: Sequence[_Place]) -> None:
    # What came goes first: a file that it replaced may need its name, or that of its directory.
    for place in sorted(places, key=lambda place: place.after is None):
        if place.verdict in {FileOutcome.PUBLISHED, FileOutcome.INTRUDED}:
            # What somebody put into a directory since stays there; the journal has our file.
            with suppress(Intruded):
                _take_back(directories, place)
        failpoints.reach("recovered-one")


def _observe(site: CommitContext, directories: Directories, entry: Entry, nth: int) -> _Place:
    change = entry.files[nth]
    directory, _, name = change.path.rpartition("/")
    temp = atomic.temporary_name(entry.draft.token, nth)
    before, after = _image(site, change.before), _image(site, change.after)
    # One of the versions may be larger than what is edited: a person may put such a file back.
    most = max(site.max_bytes, len(before or b""), len(after or b""))
    beside = bench_of(change.path, directories.files)
    swaps = beside != directory or change.path in directories.above
    fd, waits = directories.get(directory), directories.get(beside)
    now = displaced = None
    unready = False
    if waits is not None:
        unready = atomic.is_unready(waits, temp)
        _undo_half_link(waits, temp)
        displaced = _look(waits, temp, change.path, most)
    if fd is not None and not directories.has_both(change.path):
        now = _look(fd, name, change.path, most)
    found = now, displaced, unready
    return _Place(change, directory, name, temp, beside, swaps, before, after, *found)


def _look(fd: int, name: str, path: str, limit: int) -> FileRead | Other | None:
    """Read what is there; what cannot be one of our versions is not read at all."""
    try:
        status = os.stat(name, dir_fd=fd, follow_symlinks=False)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(status.st_mode) or status.st_size > limit:
        return Other.OTHER
    return files.read(fd, name, path, limit)


def _content(found: FileRead | Other | None) -> Content:
    return found.data if isinstance(found, FileRead) else found


def _undo_half_link(fd: int, temp: str) -> None:
    """Bring an interrupted weak replacement to a state that the strong one knows too."""
    kept = temp.removesuffix(".tmp") + ".old"
    try:
        os.link(kept, temp, src_dir_fd=fd, dst_dir_fd=fd, follow_symlinks=False)
    except FileNotFoundError:
        return
    except FileExistsError:
        pass
    os.unlink(kept, dir_fd=fd)


def _image(site: CommitContext, hash_: str | None) -> bytes | None:
    if hash_ is None:
        return None
    data = site.journal.image(hash_)
    if data is None:
        raise Refused(_lost_image(hash_))
    return data


def _rescue(site: CommitContext, directories: Directories, place: _Place) -> str:
    if isinstance(place.displaced, FileRead):
        return site.rescue(place.change.path, place.displaced.data)
    fd = directories.get(place.beside)
    assert fd is not None, "BUG: what was displaced lies in a directory"
    # Not a file that could be copied: it gets a name that nobody takes for a temporary one.
    kept = f"{place.name[:200]}.rescued-{place.temp[4:16]}"
    os.rename(place.temp, kept, src_dir_fd=fd, dst_dir_fd=fd)
    return f"another program saved {place.change.path}; what it saved is kept beside it as {kept}"


def _publish(directories: Directories, place: _Place, *, exchange: bool) -> None:
    """Do the rest of the commit, with the bytes of the journal, not of the temporary file."""
    fd, beside = _room(directories, place)
    atomic.discard(beside, place.temp)
    now = place.now if isinstance(place.now, FileRead) else None
    if place.after is None:
        assert now is not None, "BUG: an unpublished deletion has its file"
        atomic.remove(fd, place.name, place.temp, beside, now)
        return
    _stage(beside, place.temp, place.after, place.change.gains or (now.metadata if now else None))
    if now is None:
        atomic.create(fd, place.name, place.temp, beside)
    else:
        atomic.replace(fd, place.name, place.temp, now, exchange=exchange)


def _room(directories: Directories, place: _Place) -> tuple[int, int]:
    """Return the directories of a file and of its temporary name, with room for the file."""
    if place.swaps:
        directories.make_room(place.change.path, place.directory)
    directories.make(place.directory, [])
    fd, beside = directories.get(place.directory), directories.get(place.beside)
    assert fd is not None, "BUG: the directory was just made"
    assert beside is not None, "BUG: it holds the other directory"
    return fd, beside


def _take_back(directories: Directories, place: _Place) -> None:
    """Put the file back as it was, unless somebody else's bytes got there first."""
    if not place.swaps and directories.get(place.directory) is None:
        return
    fd, beside = _room(directories, place)
    if place.displaced is None and place.before is not None:
        atomic.discard(beside, place.temp)
        _stage(beside, place.temp, place.before, place.change.metadata)
    if place.before is None and place.displaced is not None:
        os.unlink(place.temp, dir_fd=beside)
    try:
        if not isinstance(place.now, FileRead):
            atomic.create(fd, place.name, place.temp, beside)
        elif place.before is None:
            atomic.remove(fd, place.name, place.temp, beside, place.now)
        else:
            atomic.replace(fd, place.name, place.temp, place.now, exchange=True)
    except Intruded as intruded:
        # A second save landed on ours: it is the newest, so it goes back to its place.
        if intruded.exchanged:
            atomic.put_back(fd, place.name, place.temp, beside)


def _stage(fd: int, temp: str, data: bytes, metadata: FileMetadata | None) -> None:
    staged = atomic.stage(fd, temp, data, metadata)
    try:
        kernel.flush(staged)
    finally:
        os.close(staged)
    atomic.make_ready(fd, temp)
    failpoints.reach("restaged")


def _clean(directories: Directories, places: Sequence[_Place]) -> None:
    for place in places:
        fd = directories.get(place.beside)
        if fd is not None:
            atomic.discard(fd, place.temp)


def _lost_image(hash_: str) -> Refusal:
    return Refusal(
        "journal",
        f"the journal lost the image {hash_} of an unfinished edit",
        help="run `keyhole doctor`; no file of the workspace was changed",
        data={DAMAGED: True},
    )


def sweep_after(site: CommitContext, locked: Locked, notes: Iterable[tuple[str, list[str]]]) -> int:
    """Delete what holders of these locks noted, staged and never recorded; return how much."""
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
            if locked is not None and (notes := locked.notes_left()):
                swept += sweep_after(site, locked, notes)
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
