"""The detector that is extended for segments of one's own.

A package names a subclass of `SegmentDetector` as an entry point of the group `keyhole.segments`;
docs/segments.md has an example.
"""

from __future__ import annotations

from collections.abc import Mapping

from keyhole.segments.locations import SegmentLocation
from keyhole.segments.outline import Segment
from keyhole.segments.registry import outline
from keyhole.text.document import Document
from keyhole.text.indent import columns

_TAB = 4


class SegmentDetector:
    """Tells the segments of a file; extend it for segments of your own.

    `language` is what answers call the files, `extensions` are the endings of their names. Files
    that keyhole reads itself stay with it.
    """

    language = ""
    extensions: tuple[str, ...] = ()

    def detect(self, content: str, file_path: str) -> Mapping[str, SegmentLocation]:
        """Return the segments of a text by their addresses; here, as keyhole reads the file."""
        document = Document(content)
        found = outline(file_path, document).segments
        return {each.address: _location(document, each) for each in found}


def _location(document: Document, segment: Segment) -> SegmentLocation:
    first, last = document.lines_of(segment.span)
    content = document.text[slice(*segment.span)]
    indent = columns(segment.indent, _TAB)
    return SegmentLocation(segment.address, first, last, indent, content, segment.kind)
