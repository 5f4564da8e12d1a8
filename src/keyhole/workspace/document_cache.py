"""A cache of the documents that were read or written last."""

from __future__ import annotations

from collections.abc import Iterable
from threading import Lock

from keyhole.edits.model.plan import FilePlan
from keyhole.text.document import Document

_MOST_FILES = 32
_MOST_CHARACTERS = 1 << 20


class DocumentCache:
    """A few documents by path; one is used only if the file still has the same bytes.

    Agents edit one file many times; its hash, its lines and its outline stay computed.
    """

    def __init__(self, encoding: str | None) -> None:
        self._encoding = encoding
        self._documents: dict[str, Document] = {}
        self._lock = Lock()

    def document(self, path: str, data: bytes) -> Document:
        """Return the document of a file with these bytes."""
        document = Document.from_bytes(data, self._encoding, self._documents.get(path))
        self._keep(path, document)
        return document

    def keep(self, files: Iterable[FilePlan]) -> None:
        """Remember the files of a plan that was carried out."""
        for file in files:
            if file.after is not None:
                self._keep(file.path, file.after)

    def _keep(self, path: str, document: Document) -> None:
        if len(document.text) > _MOST_CHARACTERS:
            return
        with self._lock:
            self._documents.pop(path, None)
            self._documents[path] = document
            while len(self._documents) > _MOST_FILES:
                del self._documents[next(iter(self._documents))]
