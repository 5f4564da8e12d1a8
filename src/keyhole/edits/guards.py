"""Guards on new text: placeholders left in by mistake, before they cost code."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from keyhole.edits.operations import Edit
from keyhole.matching.elision import speaks_of_omission
from keyhole.matching.view import plain_newlines
from keyhole.refusals import Refusal, Refused
from keyhole.text.changes import Change
from keyhole.text.document import Document

_LEAST_ECHO = 4


def guard_content(edit: Edit, document: Document) -> None:
    """Refuse a placeholder for omitted code that neither the quote nor the file has."""
    content = plain_newlines(edit.content or "", document.terminator)
    if (
        "..." not in content
        and "\u2026" not in content
        and "of" not in content
        and "code" not in content
    ):
        return
    find = plain_newlines(edit.find or "", document.terminator)
    quoted = {line.strip() for line in find.split("\n")}
    for number, line in enumerate(content.split("\n"), 1):
        marker = line.strip()
        if speaks_of_omission(line) and marker not in quoted and marker not in document.text:
            raise Refused(_left(number, marker))


def _left(number: int, marker: str) -> Refusal:
    return Refusal(
        "elision-left",
        f"line {number} of `content` is a placeholder for code that would be lost: {marker[:80]}",
        help="write the code out, or put the same line into `find`: what it stands for is kept",
    )


def echoes(document: Document, changes: Iterable[Change]) -> Iterator[str]:
    """Yield a note for new text that repeats the line just outside it, which is often a slip."""
    text, mark = document.text, document.terminator
    for change in changes:
        lines = [line.strip() for line in change.text.split(mark) if line.strip()]
        if not lines:
            continue
        above = text[
            text.rfind(mark, 0, max(change.start - 1, 0)) + 1 : max(change.start - 1, 0)
        ].strip()
        end = text.find(mark, change.end)
        below = text[change.end : end if end >= 0 else None].strip()
        starts_line = change.start == 0 or text[change.start - 1] == mark
        ends_line = change.text.endswith(mark)
        if starts_line and above == lines[0] and len(above) >= _LEAST_ECHO:
            yield f"the new text begins with the line above, which now stands twice: {above[:80]}"
        if ends_line and below == lines[-1] and len(below) >= _LEAST_ECHO:
            yield f"the new text ends with the line below, which now stands twice: {below[:80]}"
