"""The revisions of a file since an older version of it, as far as the journal knows them."""

from __future__ import annotations

from collections.abc import Iterator

from keyhole.history.steps_since import runs_since
from keyhole.journal.model import Journal
from keyhole.matching.revision import Revision
from keyhole.text.document import Document


def revisions_since(
    journal: Journal, path: str, older: Document, present: Document
) -> tuple[Revision, ...]:
    """Return the way of a file from an older version to the present one.

    A difference between two entries of the journal is an outsider's revision.
    """
    return tuple(_revisions(journal, path, older, present))


def _revisions(
    journal: Journal, path: str, older: Document, present: Document
) -> Iterator[Revision]:
    now = older
    for run in runs_since(journal, path, older.hash):
        before, after = run.before.read(journal), run.after.read(journal)
        yield from _unrecorded(now, before)
        yield Revision(before, after, run.changes if run.is_stated else None)
        now = after
    yield from _unrecorded(now, present)


def _unrecorded(one: Document, other: Document) -> Iterator[Revision]:
    """Yield an outsider's revision, if there is one.

    Texts are compared, not hashes: the same bytes read differently when a declaration of their
    encoding has come or gone.
    """
    if one.text != other.text:
        yield Revision(one, other)
