"""The lines that a diff says its hunks are for: they may speak against a place, never for one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from keyhole.edits.hunk import ADD, KEEP, Hunk
from keyhole.edits.operations import Edit
from keyhole.edits.plan import LocatedEdit
from keyhole.matching.view import View, keys_of
from keyhole.refusals import Refusal, Refused
from keyhole.text.document import Document

_LEAST_KEPT = 2
_HELP = "read the file again, and send the hunk for the lines as they stand there"


def must_be_free(hunk: Hunk, view: View, line: int) -> None:
    """Refuse a hunk that stands at `line` only, if its own line has the place it was made for.

    There its kept lines stand around other ones, or it was carried out: what stands elsewhere is a
    twin.
    """
    if not hunk.line or hunk.line == line or _is_within(hunk, line):
        return
    if _is_changed(hunk, view):
        how = "its kept lines stand around lines that are not as it says"
    elif _is_done(hunk, view):
        how = "its lines stand as it makes them"
    else:
        return
    headline = f"at line {hunk.line}, which the hunk is for, {how}; its old lines stand elsewhere"
    raise Refused(Refusal("ambiguous", headline, where=f"line {line}", help=_HELP))


def _is_within(hunk: Hunk, line: int) -> bool:
    """Tell whether the lines from the hunk's own line on, as many as it keeps, are its place."""
    kept = sum(mark == KEEP for mark, _ in hunk.lines)
    return line <= hunk.line and hunk.line + kept <= line + len(hunk.old)


def _is_changed(hunk: Hunk, view: View) -> bool:
    """Tell whether the kept lines stand there, around lines that are others or gone."""
    marks = [mark for mark, _ in hunk.lines if mark != ADD]
    kept = keys_of("\n".join(text for mark, text in hunk.lines if mark == KEEP))
    stands = keys_of("\n".join(view.lines[hunk.line - 1 : hunk.line - 1 + len(marks)]))
    around = [key for mark, key in zip(marks, stands, strict=False) if mark == KEEP]
    told = sum(map(bool, kept)) >= _LEAST_KEPT
    return told and kept in (around, stands[: len(kept)])


def _is_done(hunk: Hunk, view: View) -> bool:
    stands = view.lines[hunk.line - 1 : hunk.line - 1 + len(hunk.new)]
    return any(mark == ADD and text.strip() for mark, text in hunk.lines) and stands == hunk.new


def must_keep_order(
    document: Document, edits: Sequence[tuple[int, Edit | Hunk]], placed: Sequence[LocatedEdit]
) -> None:
    """Refuse two hunks that would change places: both the patch and its numbers say otherwise."""
    spans = {one.index: one.span for one in placed if one.changes}
    hunks = [
        (hunk, index, spans[index])
        for index, hunk in edits
        if isinstance(hunk, Hunk) and hunk.line and hunk.old and index in spans
    ]
    for (one, index, span), (other, _, behind) in pairwise(hunks):
        if one.line < other.line and span[0] >= behind[0]:
            lines = document.line_at(span[0]), document.line_at(behind[0])
            headline = (
                f"the hunk for line {one.line} stands at line {lines[0]}, "
                f"not above the one for line {other.line}, which stands at line {lines[1]}"
            )
            raise Refused(Refusal("ambiguous", headline, help=_HELP, edit=index))
