"""What others did, as an entry of the journal; and before an edit, for the files it changes."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from keyhole.checkpoints.actors import Actors, Attribution, actors_now
from keyhole.checkpoints.file_changes import ChangeRecorder, OutsideChange, images_of
from keyhole.checkpoints.kept_out import CLOCKS, ListedFile, is_secret
from keyhole.checkpoints.store import CheckpointStore
from keyhole.disk.files import FileRead
from keyhole.journal.last_changes import LastChanges
from keyhole.journal.model import APPLIED, Call, Entry, EntryDraft, FileChange, Journal, Query
from keyhole.text.document import Document, hash_of

if TYPE_CHECKING:
    from keyhole.disk.broker import Broker

TOOL = "observed"
# Entries that are looked at for the last one that was applied.
_LAST = 4
# More files than these are asked for together.
_FEW = 8


def record_outside(  # noqa: PLR0913, PLR0917 - what an entry is made of
    journal: Journal,
    files: tuple[FileChange, ...],
    images: Mapping[str, bytes],
    who: Attribution,
    now: float,
    news: Sequence[ListedFile] = (),
) -> Entry:
    """Record what others did as an entry of the journal."""
    details = who.details
    if news:
        details["listed"] = [{"path": each.path, "why": each.why} for each in news]
    call = Call(who.actor, "", TOOL, who.reason, details=details)
    return journal.record(EntryDraft(os.urandom(6).hex(), now, call, files), images)


def record_outsiders(  # noqa: PLR0913, PLR0917 - what is known of files, and by whom
    state: Path,
    root: str,
    journal: Journal,
    seen: Mapping[str, FileRead | None],
    outside: Broker | None = None,
    known: LastChanges | None = None,
) -> None:
    """Record what others did to files since the journal last knew them, where that is observed.

    So the entry of an edit follows the one of what it was made on. Of a file that the journal does
    not know, the last look tells, by a process `outside` for who is behind the fence.
    """
    names = [path for path in seen if not is_secret(path)]
    last: dict[str, FileChange | None] = {}
    if known and len(names) <= _FEW:
        last = {path: one for path in names if (one := known.of(journal, path))}
    last |= _last_changes(journal, [path for path in names if path not in last])
    maybe = (_outside(journal, path, seen[path], one) for path, one in last.items() if one)
    changes = [each for each in maybe if each is not None]
    unknown = {path: seen[path] for path, one in last.items() if one is None}
    if not changes and not unknown:
        return
    store = CheckpointStore(state, root)
    if not store.is_there:
        return
    try:
        changes += _since_look(store, root, unknown, outside) if unknown else []
        if not changes:
            return
        now = time.time()
        who = actors_now(root, store.marks, now)
    finally:
        store.close()
    _record(journal, changes, who, now)


def _record(journal: Journal, changes: Sequence[OutsideChange], who: Actors, now: float) -> None:
    """Record changes, those of each maker as one entry."""
    groups: dict[Attribution, list[OutsideChange]] = {}
    for each in changes:
        groups.setdefault(who.of(each.path), []).append(each)
    for maker, own in groups.items():
        recorder = ChangeRecorder(maker.reason)
        files = tuple(map(recorder.record, own))
        record_outside(journal, files, images_of(own), maker, now)


def _since_look(
    store: CheckpointStore,
    root: str,
    seen: Mapping[str, FileRead | None],
    outside: Broker | None,
) -> list[OutsideChange]:
    """Return what others did to files since the last look; while somebody looks, nothing."""
    since = store.kept_at - CLOCKS
    asked = [path for path, now in seen.items() if _is_since(root, path, now, since)]
    if not asked:
        return []
    from keyhole.checkpoints.kept_files import ask_for_kept, kept_files  # most edits need none

    kept = ask_for_kept(outside, asked) if outside else kept_files(store, asked)
    found = []
    for path, was in kept.items():
        now = seen[path]
        text, program = now.data if now else None, _is_program(now)
        found.append(OutsideChange(path, was.text, text, was.is_program, program))
    return [each for each in found if not each.is_nothing]


def _is_since(root: str, path: str, now: FileRead | None, since: float) -> bool:
    """Tell whether a file may have come, changed or gone since a time."""
    if now is not None:
        return now.status.st_ctime >= since
    try:
        return os.stat(os.path.dirname(os.path.join(root, path))).st_mtime >= since
    except OSError:
        return True


def _is_program(now: FileRead | None) -> bool:
    return bool(now and now.metadata.is_program)


def _outside(
    journal: Journal, path: str, now: FileRead | None, last: FileChange
) -> OutsideChange | None:
    is_same = last.after == _hash(now)
    program = _is_program(now)
    known = last.gains or last.metadata
    was = known.is_program if known and last.after else program
    if is_same and was == program:
        return None
    data = now.data if now else None
    before = data if is_same else journal.image(last.after) if last.after else None
    return OutsideChange(path, before, data, was, program)


def _last_changes(journal: Journal, paths: Sequence[str]) -> dict[str, FileChange | None]:
    """Return what was last done to each file; entries of many files are read once."""
    if len(paths) <= _FEW:
        return {path: last_change(journal, path) for path in paths}
    entries: dict[int, dict[str, FileChange]] = {}
    found: dict[str, FileChange | None] = dict.fromkeys(paths)
    for path in paths:
        for number in journal.touches(path)[-1:]:
            if number not in entries:
                entry = journal.entry(str(number))
                entries[number] = {file.path: file for file in entry.files} if entry else {}
            found[path] = entries[number].get(path)
    return found


def last_change(journal: Journal, path: str) -> FileChange | None:
    """Return what was last done to a file, as far as the journal knows."""
    for limit in (1, _LAST):  # mostly the last one stands
        for entry in journal.entries(Query(path, limit=limit, alone=True)):
            if entry.state == APPLIED:
                return next((file for file in entry.files if file.path == path), None)
    return None


def _hash(now: FileRead | None) -> str | None:
    if now is None:
        return None
    return now.source.hash if isinstance(now.source, Document) else hash_of(now.source)
