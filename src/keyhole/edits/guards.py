"""Guards on new text: placeholders left in by mistake, before they cost code."""

from __future__ import annotations

from keyhole.edits.operations import Edit
from keyhole.matching.elision import speaks_of_omission
from keyhole.matching.view import plain_newlines
from keyhole.refusals import Refusal, Refused
from keyhole.text.document import Document


def guard_content(edit: Edit, document: Document) -> None:
    """Refuse a placeholder for omitted code that neither the quote nor the file has."""
    content = plain_newlines(edit.content or "")
    if "..." not in content and "\u2026" not in content and "of" not in content and "code" not in content:
        return
    quoted = {line.strip() for line in plain_newlines(edit.find or "").split("\n")}
    for number, line in enumerate(content.split("\n"), 1):
        marker = line.strip()
        if speaks_of_omission(line) and marker not in quoted and marker not in document.text:
            raise Refused(_left(number, marker))


def _left(number: int, marker: str) -> Refusal:
    return Refusal(
        "elision-left",
        f"line {number} of `content` is a placeholder for code that would be lost: {marker[:80]}",
        help="write the code out, or put the same placeholder line into `find`, so that what it stands for is kept",
    )
