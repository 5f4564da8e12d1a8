"""Which edits changed one segment: by its name, inside it, or by adding or removing it."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from keyhole.history.versions import version
from keyhole.journal.model import Entries, FileChange
from keyhole.refusals import Refused
from keyhole.segments.addresses import find_segment
from keyhole.segments.outline import Outline
from keyhole.segments.registry import outline
from keyhole.text.document import Document

_LONGEST_OUTLINED = 500_000
_NOTHING = Outline("text")


def segment_at(path: str, document: Document, offset: int) -> str:
    """Return the address of the innermost segment around a place, "" where there is none."""
    found = _outlined(path, document).enclosing(offset)
    return found.address if found else ""


def edited_in(journal: Entries, file: FileChange, segment: str) -> bool:
    """Tell whether an edit named a segment or something in it, was inside of it, or made it.

    The segment may be spelt as in an edit: each version says itself what the spelling means.
    """
    named = [edit.segment for edit in file.edits if edit.segment]
    if any(_is_in(address, [segment]) for address in named):
        return True
    try:
        return _edited_before(journal, file, segment, named) or _wrote_segment(
            journal, file, segment
        )
    except Refused:  # the journal no longer keeps it
        return False


def _edited_before(
    journal: Entries, file: FileChange, segment: str, named: Collection[str]
) -> bool:
    """Tell whether an edit was made in the segment as it was, or took it away with its file."""
    if file.before is None:
        return False
    before = version(journal, file.before, file.encoding)
    meant = _meant(file.path, before, segment)
    if file.after is None:
        return bool(meant) and not file.moved_to
    if any(_is_in(address, meant) for address in named):
        return True
    starts = {file.spans[at].start for edit in file.edits for at in edit.spans if not edit.segment}
    return any(_is_in(segment_at(file.path, before, start), meant) for start in starts)


def _wrote_segment(journal: Entries, file: FileChange, segment: str) -> bool:
    """Tell whether the segment lies in what an edit wrote, as a whole."""
    if file.after is None or file.moved_from:
        return False
    after = version(journal, file.after, file.encoding)
    meant = _meant(file.path, after, segment)
    if file.before is None:
        return bool(meant)
    spans = [_outlined(file.path, after).by_address[address].span for address in meant]
    new = list(_spans_after(file))
    return any(
        # The line end behind its last line may have been there before.
        start <= span[0] and len(after.text[: span[1]].rstrip()) <= end
        for span in spans
        for start, end in new
    )


def _spans_after(file: FileChange) -> Iterator[tuple[int, int]]:
    shift = 0
    for span in sorted(file.spans, key=lambda each: each.start):
        start = span.start + shift
        yield start, start + span.length
        shift += span.length - (span.end - span.start)


def _is_in(address: str, segments: Collection[str]) -> bool:
    return any(address == one or address.startswith((f"{one}.", f"{one}::")) for one in segments)


def _meant(path: str, document: Document, segment: str) -> tuple[str, ...]:
    """Return the addresses that a spelling fits in one version of a file."""
    outline = _outlined(path, document)
    if not outline.segments:
        return ()
    try:
        return (find_segment(outline, segment, document).address,)
    except Refused as refused:
        refusal = refused.refusals[0]
        return refusal.suggestions if refusal.code == "ambiguous" else ()


def _outlined(path: str, document: Document) -> Outline:
    if document.is_binary or len(document.text) > _LONGEST_OUTLINED:
        return _NOTHING
    return outline(path, document)
