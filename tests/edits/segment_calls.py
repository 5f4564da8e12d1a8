"""Edits by name for tests: one edit of one file in memory, and what comes of it."""

import pytest

from keyhole.edits.by_name.named import place_pattern, place_segment
from keyhole.edits.by_name.segment_target import SegmentTarget, target_of
from keyhole.edits.by_text.target import Target
from keyhole.edits.model.operations import Edit
from keyhole.edits.model.plan import LocatedEdit
from keyhole.refusals import Refusal, Refused
from keyhole.text.changes import ChangeSet
from keyhole.text.document import Document


def target(path: str, text: str) -> Target:
    return Target(path, Document.from_bytes(text.encode()))


def spot(path: str, text: str, segment: str, **fields: object) -> SegmentTarget:
    """Return a segment of a text; the edit does not matter."""
    edit = Edit.of({"segment": segment, "content": "", **fields})
    return target_of(edit, target(path, text))


def placed(path: str, text: str, **fields: object) -> LocatedEdit:
    edit = Edit.of(fields)
    place = place_pattern if edit.pattern else place_segment
    return place(edit, target(path, text))


def after(path: str, text: str, **fields: object) -> str:
    """Return the text after one edit."""
    changes = ChangeSet.of(len(text), placed(path, text, **fields).changes)
    assert isinstance(changes, ChangeSet)
    return changes.apply(text)


def notes(path: str, text: str, **fields: object) -> tuple[str, ...]:
    return placed(path, text, **fields).notes


def refusal(path: str, text: str, **fields: object) -> Refusal:
    """Return the refusal of an edit that must be refused."""
    with pytest.raises(Refused) as refused:
        placed(path, text, **fields)
    (found,) = refused.value.refusals
    return found
