"""Versions of files that entries name, and the changes of each entry."""

from __future__ import annotations

from collections.abc import Iterable

from keyhole.fastclasses import altered, dataclass
from keyhole.journal.model import APPLIED, Entries, Entry, FileChange, FileEntries, Query, Span
from keyhole.refusals import Refusal, Refused
from keyhole.text.changes import Change, ChangeSet
from keyhole.text.document import Document

# Texts that are kept beside those of the files: so many, or as many small ones as have so many
# bytes together, each with what it costs at least. An undo of a task goes through them again.
_MOST_TEXTS, _MOST_BYTES, _LEAST_BYTES = 8, 2 << 20, 1 << 10


class CachedJournal:
    """A journal that remembers the entries and the texts that it was asked for.

    The cache is valid while the files of the undo are locked: make one before, to find out which
    files those are, and continue with what `again` returns once they are locked.
    """

    def __init__(self, journal: FileEntries, documents: Iterable[Document] = ()) -> None:
        self._journal = journal
        self._entries: dict[str, Entry] = {}
        self._files = {(each.hash, each.encoding): each for each in documents}
        self._documents: dict[tuple[str, str], Document] = {}
        self._sizes: dict[tuple[str, str], int] = {}
        self._kept = 0
        # All that was done to a file after some entry, where it was little.
        self._since: dict[str, tuple[int, tuple[Entry, ...]]] = {}

    def again(self, documents: Iterable[Document]) -> CachedJournal:
        """Return a cache for the time that the files, whose texts are `documents`, are locked.

        What an applied entry did stays known; which entries undid it is asked anew.
        """
        made = CachedJournal(self._journal, documents)
        made._remember(
            altered(each, undoers=None) for each in self._entries.values() if each.state == APPLIED
        )
        return made

    def document(self, hash_: str, encoding: str) -> Document | None:
        """Return the file with these bytes, if they are kept; the last few are decoded once."""
        key = hash_, encoding
        found = self._files.get(key) or self._documents.get(key)
        if found is None and (data := self._journal.image(hash_)) is not None:
            found = Document.from_bytes(data, encoding)
            self._documents[key], self._sizes[key] = found, max(len(data), _LEAST_BYTES)
            self._kept += self._sizes[key]
            while len(self._sizes) > _MOST_TEXTS and self._kept > _MOST_BYTES:
                oldest = next(iter(self._documents))
                del self._documents[oldest]
                self._kept -= self._sizes.pop(oldest)
        return found

    def entry(self, name: str) -> Entry | None:
        """Return the entry with this id."""
        if name not in self._entries:
            found = self._journal.entry(name)
            self._remember([found] if found else [])
            return found
        return self._entries[name]

    def entries(self, query: Query) -> tuple[Entry, ...]:
        """Return the entries that fit, newest first."""
        return self._remember(self._journal.entries(query))

    def later(self, path: str, order: int, limit: int) -> tuple[Entry, ...]:
        """Return the applied entries that touched `path` after `order`, oldest first."""
        since, known = self._since.get(path, (order + 1, ()))
        if order >= since:
            return tuple(each for each in known if each.order > order)[:limit]
        found = self._remember(self._journal.later(path, order, limit))
        if len(found) < limit:
            self._since[path] = order, found
        return found

    def departures(self, path: str, order: int) -> tuple[Entry, ...]:
        """Return the applied entries after `order` that left no file at `path`, oldest first."""
        since, known = self._since.get(path, (order + 1, ()))
        if order < since:
            return self._remember(self._journal.departures(path, order))
        left = ((each, file) for each in known for file in each.files if file.path == path)
        return tuple(each for each, file in left if file.after is None and each.order > order)

    def _remember(self, entries: Iterable[Entry]) -> tuple[Entry, ...]:
        found = tuple(entries)
        for each in found:
            self._entries[each.id] = self._entries[str(each.order)] = each
        return found

    def undoers(self, name: str) -> tuple[str, ...]:
        """Return the names of the entries that took some of this one back, oldest first."""
        entry = self._entries.get(name)
        if entry is None or entry.undoers is None:
            return self._journal.undoers(name)
        return tuple(map(str, entry.undoers))

    def image(self, hash_: str) -> bytes | None:
        """Return a file's exact bytes by their hash, if the journal keeps them."""
        return self._journal.image(hash_)

    def touches(self, path: str) -> tuple[int, ...]:
        """Return the applied entries that touched `path`, oldest first, by their order."""
        return self._journal.touches(path)

    def reached(self, path: str, hash_: str) -> tuple[int, bool] | None:
        """Return the last applied entry at `path` that left these bytes (True) or found them."""
        return self._journal.reached(path, hash_)

    def kept(self, name: str) -> bytes | None:
        """Return what was kept under a name."""
        return self._journal.kept(name)

    def keep(self, name: str, data: bytes) -> None:
        """Keep something that could be made again."""
        self._journal.keep(name, data)


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
