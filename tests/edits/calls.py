"""Calls for tests: edits of one file in memory, and what comes of them."""

from collections.abc import Mapping

from keyhole.edits.model.operations import Edit
from keyhole.edits.model.plan import CandidateEdit, FilePlan, LocatedEdit, Snapshot
from keyhole.edits.resolve import Unresolved, resolve
from keyhole.refusals import Refusal, Refused
from keyhole.text.document import Document

PATH = "file.txt"


def read(text: str | bytes) -> Document:
    """Return a document as the workspace would read it."""
    return Document.from_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))


def edited(text: str | bytes, *edits: Mapping[str, object], shown: str = "") -> FilePlan:
    """Return the plan of edits of one file."""
    versions = {PATH: (read(shown),)} if shown else {}
    listed = [Edit.of({"path": PATH, **edit}) for edit in edits]
    (file,) = resolve(listed, Snapshot({PATH: read(text)}, versions)).files
    return file


def after(text: str | bytes, *edits: Mapping[str, object]) -> str:
    """Return the text after edits of one file."""
    file = edited(text, *edits)
    assert file.after is not None
    return file.after.text


def placed(text: str, **edit: object) -> LocatedEdit:
    """Return how one edit was placed."""
    (found,) = edited(text, edit).edits
    return found


def refused(text: str | bytes, *edits: Mapping[str, object]) -> tuple[Refusal, ...]:
    """Return the refusals of a call that must be refused."""
    try:
        file = edited(text, *edits)
    except Refused as answer:
        return answer.refusals
    raise AssertionError(f"not refused: {file.after!r}")


def refusal(text: str | bytes, **edit: object) -> Refusal:
    """Return the one refusal of a call with one edit."""
    (found,) = refused(text, edit)
    return found


def offers(text: str, **edit: object) -> tuple[CandidateEdit, ...]:
    """Return what the refusal of a call offers instead."""
    try:
        edited(text, edit)
    except Unresolved as answer:
        return answer.offered
    raise AssertionError("not refused")
