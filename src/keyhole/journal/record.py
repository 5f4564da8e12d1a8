"""Entries as JSON and back; the stored bytes are the hashed ones."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import lru_cache
from typing import TypedDict, cast

from keyhole.disk.files import FileMetadata
from keyhole.fastclasses import altered
from keyhole.journal.model import (
    MODE,
    Call,
    EditRecord,
    EntryDraft,
    FileChange,
    Region,
    Span,
    Undone,
)
from keyhole.journal.tallies import CountedCall

# Made once: json.dumps builds a new encoder for every call that names separators.
_ENCODE = json.JSONEncoder(separators=(",", ":")).encode

_Edit = tuple[int, list[int], str, str, str]
_Metadata = tuple[int, int, int, list[tuple[str, str]]]


class _FileRecord(TypedDict):
    path: str
    before: str | None
    after: str | None
    spans: list[tuple[int, int, int]]
    edits: list[_Edit]
    encoding: str
    metadata: _Metadata | None
    gains: _Metadata | None
    moved: tuple[str, str]


class _Body(TypedDict):
    token: str
    time: float
    actor: str
    task: str
    tool: str
    reason: str
    on_conflict: str
    undoes: list[tuple[str, int | None] | tuple[str, int | None, str]]
    details: dict[str, object]
    files: list[_FileRecord]
    made: list[str]


def to_json(draft: EntryDraft) -> str:
    """Return the draft as JSON in plain ASCII, so that any path and any reason can be stored."""
    call = draft.call
    body = _Body(
        token=draft.token,
        time=draft.time,
        actor=call.actor,
        task=call.task,
        tool=call.tool,
        reason=call.reason,
        on_conflict=call.on_conflict,
        undoes=[
            (each.entry, each.edit, each.path) if each.path else (each.entry, each.edit)
            for each in call.undoes
        ],
        details=dict(call.details),
        files=[_file_to_data(file) for file in draft.files],
        made=list(draft.made),
    )
    return _ENCODE(body)


def from_json(text: str) -> EntryDraft:
    """Return the draft that `to_json` wrote."""
    body = cast("_Body", json.loads(text))
    call = Call(
        body["actor"],
        body["task"],
        body["tool"],
        body["reason"],
        body["on_conflict"],
        tuple(Undone(*each) for each in body["undoes"]),
        body["details"],
    )
    files = tuple(_file_from_data(data) for data in body["files"])
    return EntryDraft(body["token"], body["time"], call, files, tuple(body["made"]))


def deed_from_json(text: str, state: str) -> CountedCall:
    """Return what statistics need of a draft, which is faster than reading all of it."""
    body = cast("_Body", json.loads(text))
    files = body["files"]
    return CountedCall(
        body["time"],
        body["actor"],
        body["tool"],
        tuple([file["path"] for file in files]),
        state=state,
        rungs=tuple([edit[4] for file in files for edit in file["edits"] if edit[4] != MODE]),
        modes=tuple(cast("Iterable[str]", body["details"].get("modes", ()))),
        undo=bool(body["undoes"]),
        rewrote=body["tool"].endswith("write") and any(f["before"] and f["after"] for f in files),
    )


def regions_to_json(regions: Iterable[Region], entry: str) -> str:
    """Return regions as JSON; those that name no entry yet are of `entry`."""
    named = tuple([each if each.entry else altered(each, entry=entry) for each in regions])
    text = f"[{','.join(map(_region_to_json, named))}]"
    _keep(text, named)
    return text


def _region_to_json(region: Region) -> str:
    names = f"{_word(region.task)},{_word(region.actor)},{_word(region.time)}"
    return f"[{region.start},{region.end},{names},{_word(region.reason)},{_word(region.entry)}]"


# Regions say the same few names and times again and again.
_word = lru_cache(maxsize=256, typed=True)(_ENCODE)


def regions_from_json(text: str) -> tuple[Region, ...]:
    """Return the regions that `regions_to_json` wrote."""
    found = _KEPT.get(text)
    if found is None:
        found = _keep(text, tuple([Region(*row) for row in json.loads(text)]))
    return found


# A call asks twice, for conflicts and for what to write; the next call asks for what was written.
_KEPT: dict[str, tuple[Region, ...]] = {}
_MOST_KEPT = 16


def _keep(text: str, regions: tuple[Region, ...]) -> tuple[Region, ...]:
    for oldest in [*_KEPT][: len(_KEPT) + 1 - _MOST_KEPT]:
        _KEPT.pop(oldest, None)
    _KEPT[text] = regions
    return regions


def _file_to_data(file: FileChange) -> _FileRecord:
    return _FileRecord(
        path=file.path,
        before=file.before,
        after=file.after,
        spans=[(span.start, span.end, span.length) for span in file.spans],
        edits=[
            (edit.index, list(edit.spans), edit.reason, edit.segment, edit.matched)
            for edit in file.edits
        ],
        encoding=file.encoding,
        metadata=_metadata_to_data(file.metadata) if file.metadata else None,
        gains=_metadata_to_data(file.gains) if file.gains else None,
        moved=(file.moved_from, file.moved_to),
    )


def _file_from_data(data: _FileRecord) -> FileChange:
    return FileChange(
        data["path"],
        data["before"],
        data["after"],
        tuple(Span(*span) for span in data["spans"]),
        tuple(
            EditRecord(index, tuple(spans), reason, segment, matched)
            for index, spans, reason, segment, matched in data["edits"]
        ),
        data["encoding"],
        _metadata_from_data(data["metadata"]) if data["metadata"] else None,
        _metadata_from_data(data["gains"]) if data["gains"] else None,
        *data["moved"],
    )


def _metadata_to_data(metadata: FileMetadata) -> _Metadata:
    attributes = [(name, value.hex()) for name, value in metadata.attributes]
    return metadata.mode, metadata.uid, metadata.gid, attributes


def _metadata_from_data(data: _Metadata) -> FileMetadata:
    mode, uid, gid, attributes = data
    return FileMetadata(
        mode, uid, gid, tuple((name, bytes.fromhex(value)) for name, value in attributes)
    )
