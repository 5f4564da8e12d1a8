"""Segments as packages tell them: by lines, found through entry points of `keyhole.segments`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Protocol

from keyhole.fastclasses import dataclass
from keyhole.segments.outline import Outline, SegmentDraft, name_segments
from keyhole.text.document import Document
from keyhole.text.indent import indent_of

GROUP = "keyhole.segments"


@dataclass(frozen=True, slots=True)
class SegmentLocation:
    """A segment of a file: its lines from 1, both ends included, and what stands there.

    `name` is its address, such as `Worker.process`; `base_indentation` is in columns.
    """

    name: str
    start_line: int
    end_line: int
    base_indentation: int = 0
    content: str = ""
    kind: str = "segment"


class Detects(Protocol):
    """What a package brings along: `keyhole.SegmentDetector` is the class to extend."""

    language: str
    extensions: tuple[str, ...]

    def detect(self, content: str, file_path: str) -> Mapping[str, SegmentLocation]:
        """Return the segments of a text by their addresses."""


def outline_by_detector(path: str, document: Document) -> Outline | None:
    """Return the outline of a file that a package has a detector for, None if none has."""
    name = path.rpartition("/")[2].lower()
    for detector in detectors():
        if any(name.endswith(f".{each.lower()}") for each in detector.extensions):
            return _outline_by(detector, path, document)
    return None


def _outline_by(detector: Detects, path: str, document: Document) -> Outline:
    found = detector.detect(document.text, path)
    segments = name_segments(_drafts(document, found))
    kinds = tuple(dict.fromkeys(each.kind for each in found.values()))
    return Outline(detector.language or "text", segments, kinds)


def _drafts(document: Document, found: Mapping[str, SegmentLocation]) -> Iterator[SegmentDraft]:
    for address, each in found.items():
        if not 1 <= each.start_line <= each.end_line <= document.line_count:
            continue  # a detector that counts otherwise names no place
        span = document.span_of_lines(each.start_line, each.end_line)
        path = tuple(address.split("."))
        indent = indent_of(document.text[slice(*span)])
        yield SegmentDraft(each.kind, address, path, span, {"body": span}, indent, len(path))


@lru_cache(maxsize=1)
def detectors() -> tuple[Detects, ...]:
    """Return the detectors of installed packages; a name that cannot be loaded counts as none."""
    from importlib.metadata import entry_points

    found = []
    for point in entry_points(group=GROUP):
        try:
            found.append(point.load()())
        except (ImportError, AttributeError, TypeError):
            continue
    return tuple(found)
