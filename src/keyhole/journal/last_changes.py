"""What was last done to each file, as far as one process knows without reading an entry again."""

from __future__ import annotations

from keyhole.journal.model import Entry, FileChange, Journal

_MOST = 4096


class LastChanges:
    """The changes that this process recorded last, each with the number of its entry."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[int, FileChange]] = {}

    def keep(self, entry: Entry) -> None:
        """Keep what an entry did, which was carried out."""
        if len(self._known) > _MOST:
            self._known.clear()
        for file in entry.files:
            self._known[file.path] = entry.order, file

    def of(self, journal: Journal, path: str) -> FileChange | None:
        """Return the last change of a file, None where another process has made it, or nobody."""
        number, change = self._known.get(path, (0, None))
        return change if change and journal.last_touch(path) == number else None
