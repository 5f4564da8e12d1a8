"""What others did, as an entry of the journal; and before an edit, for the files it changes."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from keyhole.checkpoints.actors import Attribution, actors_now
from keyhole.checkpoints.file_changes import ChangeRecorder, OutsideChange, images_of
from keyhole.checkpoints.kept_out import ListedFile, is_secret
from keyhole.checkpoints.store import CheckpointStore
from keyhole.disk.files import FileRead
from keyhole.journal.model import APPLIED, Call, Entry, EntryDraft, FileChange, Journal, Query
from keyhole.text.document import Document, hash_of

TOOL = "observed"
# Entries that are looked at for the last one that was applied.
_LAST = 4


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


def record_outsiders(
    state: Path, root: str, journal: Journal, seen: Mapping[str, FileRead | None]
) -> None:
    """Record what others did to files since the journal last knew them, where that is observed.

    So the entry of an edit follows the one of what it was made on. A file that the journal does not
    know is left to the next look.
    """
    store = CheckpointStore(state, root)
    if not store.is_there:
        return
    changes = [each for path, now in seen.items() if (each := _outside(journal, path, now))]
    if not changes:
        return
    now = time.time()
    try:
        who = actors_now(root, store.marks, now)
    finally:
        store.close()
    groups: dict[Attribution, list[OutsideChange]] = {}
    for each in changes:
        groups.setdefault(who.of(each.path), []).append(each)
    for one, own in groups.items():
        recorder = ChangeRecorder(one.reason)
        files = tuple(map(recorder.record, own))
        record_outside(journal, files, images_of(own), one, now)


def _outside(journal: Journal, path: str, now: FileRead | None) -> OutsideChange | None:
    last = _last(journal, path)
    if last is None or is_secret(path):
        return None
    found = _hash(now)
    if last.after == found:
        return None
    before = journal.image(last.after) if last.after else None
    program = bool(now and now.metadata.is_program)
    known = last.gains or last.metadata
    was = known.is_program if known and last.after else program
    return OutsideChange(path, before, now.data if now else None, was, program)


def _last(journal: Journal, path: str) -> FileChange | None:
    for entry in journal.entries(Query(path, limit=_LAST)):
        if entry.state == APPLIED:
            return next((file for file in entry.files if file.path == path), None)
    return None


def _hash(now: FileRead | None) -> str | None:
    if now is None:
        return None
    return now.source.hash if isinstance(now.source, Document) else hash_of(now.source)
