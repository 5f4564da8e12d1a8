"""Versions of files that entries name, and the changes of each entry."""

from __future__ import annotations

from collections.abc import Iterable

from keyhole.fastclasses import dataclass
from keyhole.history.journal_cache import CachedJournal
from keyhole.journal.model import Entries, Entry, FileChange, Span
from keyhole.refusals import Refusal, Refused
from keyhole.text.changes import Change, ChangeSet
from keyhole.text.document import Document


@dataclass(frozen=True, slots=True)
class FileVersion:
    """A version of a file: its bytes by their hash, and how they are read."""

    hash: str
    encoding: str

    @staticmethod
    def before(change: FileChange) -> FileVersion:
        """Return the version that an entry changed."""
        assert change.before is not None, "BUG: the file was there"
        return FileVersion(change.before, change.encoding)

    @staticmethod
    def after(change: FileChange) -> FileVersion:
        """Return the version that an entry left."""
        assert change.after is not None, "BUG: the file is there"
        return FileVersion(change.after, change.encoding)

    def read(self, journal: Entries) -> Document:
        """Return the document, or refuse when the journal lost it."""
        return version(journal, self.hash, self.encoding)

    def text(self, journal: Entries) -> str:
        """Return the text, or refuse when the journal lost it."""
        return self.read(journal).text


def version(journal: Entries, hash_: str, encoding: str) -> Document:
    """Return a version that an entry names, or refuse if the journal lost it."""
    if isinstance(journal, CachedJournal):
        document = journal.document(hash_, encoding)
    else:
        data = journal.image(hash_)
        document = None if data is None else Document.from_bytes(data, encoding)
    if document is None:
        raise Refused(_forgotten(hash_))
    return document


def changes_of(journal: Entries, change: FileChange) -> ChangeSet:
    """Return the exact changes of one file of an entry."""
    before, after = (
        each.text(journal) for each in (FileVersion.before(change), FileVersion.after(change))
    )
    return changes_from_spans(change.spans, before, after)


def changes_from_spans(spans: Iterable[Span], before: str, after: str) -> ChangeSet:
    """Return recorded spans as changes, with the text that stands there after them."""
    changes, shift = [], 0
    for span in spans:
        start = span.start + shift
        changes.append(Change(span.start, span.end, after[start : start + span.length]))
        shift += span.length - (span.end - span.start)
    return ChangeSet(len(before), tuple(changes))


def change_at(entry: Entry, path: str) -> FileChange:
    """Return what an entry did to one path."""
    return next(file for file in entry.files if file.path == path)


def _forgotten(hash_: str) -> Refusal:
    return Refusal(
        "nothing-to-undo",
        f"the journal no longer keeps the version {hash_}",
        help="take the older text from version control",
    )
