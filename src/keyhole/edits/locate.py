"""Locate one edit: from where the caller says it is to the exact changes it makes."""

from __future__ import annotations

from collections.abc import Mapping

from keyhole.edits.by_text import explain
from keyhole.edits.by_text.columns import check_column
from keyhole.edits.by_text.quoted import place_quoted
from keyhole.edits.by_text.reindent import fit_to_place
from keyhole.edits.by_text.spans import place_expression, place_until
from keyhole.edits.by_text.target import Target
from keyhole.edits.model.operations import Edit, LineRange
from keyhole.edits.model.plan import CandidateEdit, LocatedEdit
from keyhole.fastclasses import replace
from keyhole.matching.already_there import around, beside
from keyhole.matching.rungs import Scope
from keyhole.matching.view import lines_of
from keyhole.phrases import FileName, say
from keyhole.refusals import Refusal, Refused
from keyhole.text.indent import indent_of
from keyhole.text.lines import block

Offered = Mapping[str, CandidateEdit]


def locate(edit: Edit, target: Target, offered: Offered) -> LocatedEdit:
    """Return the edit with its place and changes, or refuse."""
    if edit.accept:
        return replace(_accepted(edit, target, offered), again=True)
    _must_be_text(edit, target)
    placed = _locate(edit, target)
    if edit.find or edit.lines:
        placed = check_column(edit, target, placed)
    if edit.match == "exact" and not edit.verbatim:
        placed = replace(placed, again=True)
    return _with_heading_note(edit, target, placed) if edit.segment else placed


def _with_heading_note(edit: Edit, target: Target, placed: LocatedEdit) -> LocatedEdit:
    """Return an edit of a segment with a note if its name matched a heading as it is shown."""
    from keyhole.edits.by_name.segment_target import HEADING, heading_note

    note = heading_note(edit, target)
    if not note:
        return placed
    matched = HEADING if placed.matched == "exact" else placed.matched
    return replace(placed, matched=matched, notes=(note, *placed.notes))


def _locate(edit: Edit, target: Target) -> LocatedEdit:
    if edit.find:
        place = place_expression if edit.regex else place_until if edit.until else place_quoted
        return place(edit, target, scope_of(edit, target))
    if not edit.pattern and not edit.segment:
        return _place_lines(edit, target)
    from keyhole.edits.by_name import named

    return named.place_pattern(edit, target) if edit.pattern else named.place_segment(edit, target)


def _must_be_text(edit: Edit, target: Target) -> None:
    """Refuse every edit of a binary file that is no exact quote."""
    if target.document.is_binary and not (edit.find and edit.match == "exact"):
        raise Refused(
            Refusal(
                "not-text",
                say("{} is not text: it holds NUL bytes", FileName(target.path)),
                help=say(
                    "use {find} with {match:bare} exact, or convert it: "
                    "UTF-16 needs a byte-order mark"
                ),
            )
        )


def scope_of(edit: Edit, target: Target) -> Scope:
    """Return the part of the view's flat text that a quote is searched in."""
    view = target.view
    if edit.segment:
        from keyhole.edits.by_name import named

        start, end = named.scope_of_segment(edit, target)
    elif isinstance(edit.lines, LineRange):
        start, end = span_of_lines(edit.lines, target)
    else:
        return 0, len(view.flat)
    return view.flat_offset(start), view.flat_offset(end)


def span_of_lines(lines: LineRange, target: Target) -> tuple[int, int]:
    """Return the offsets of a range of lines, or refuse one beyond the end."""
    document = target.document
    if lines.is_edge:
        at = 0 if lines.first == 0 else len(document.text)
        return at, at
    count = document.line_count
    last = lines.last or count
    if lines.from_end:
        if lines.first > count:
            raise Refused(explain.no_such_line(f"-{lines.first}", target.path, document))
        return document.span_of_lines(count - lines.first + 1, count)
    beyond = next((number for number in (lines.first, last) if number > count), None)
    if beyond is not None:
        raise Refused(explain.no_such_line(beyond, target.path, document))
    return document.span_of_lines(lines.first, last)


def _place_lines(edit: Edit, target: Target) -> LocatedEdit:
    """Replace, delete or add whole lines; without `lines`, at the start or the end of the file."""
    document = target.document
    edge = LineRange(0) if edit.action == "prepend" else LineRange(-1)
    where = edit.lines if isinstance(edit.lines, LineRange) else edge
    start, end = span_of_lines(where, target)
    place = indent_of(document.text[start:end] or "")
    if edit.action in {"before", "prepend"}:
        end = start
    elif edit.action in {"after", "append"}:
        start = end
    lines = lines_of(target.view.plain(edit.content or ""))
    lines, note = fit_to_place(lines, place, target.style, edit.indent)
    change = block(document, start, end, lines)
    changes = (change,) if document.text[change.start : change.end] != change.text else ()
    stands = around(document, (start, end), changes) if end > start else beside(document, change)
    notes = (note,) if note else ()
    placed = LocatedEdit(0, changes, reason=edit.reason, span=(start, end), notes=notes)
    return replace(placed, stands=stands, by_number=True)


def _accepted(edit: Edit, target: Target, offered: Offered) -> LocatedEdit:
    """Carry out the candidate of an earlier refusal, if the file is as it was then."""
    offer = offered.get(edit.accept or "")
    if offer is None or offer.path != target.path:
        raise Refused(unknown_accept(edit.accept or ""))
    if offer.hash != target.document.hash:
        raise Refused(
            Refusal(
                "stale",
                say(
                    "candidate {} was offered for another version of {}",
                    edit.accept,
                    FileName(target.path),
                ),
                help="send the edit itself again; it will be located on the file as it stands",
                hash_current=target.document.hash,
            )
        )
    return LocatedEdit(0, offer.changes, "accepted", reason=edit.reason, span=offer.span)


def unknown_accept(accept: str) -> Refusal:
    """Refuse an id that no refusal offered, or that is too old."""
    return Refusal(
        "not-found",
        f"no candidate has the id {accept}",
        help="ids come with a refusal and are kept for a while; send the edit itself again",
        data={"field": "accept"},
    )


def numbered(placed: LocatedEdit, index: int) -> LocatedEdit:
    """Return a placed edit with its number in the call."""
    return replace(placed, index=index) if placed.index != index else placed
