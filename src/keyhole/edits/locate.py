"""Locate one edit: from where the caller says it is to the exact changes it makes."""

from __future__ import annotations

from collections.abc import Mapping

from keyhole.edits.by_text import explain
from keyhole.edits.by_text.explain import ExplainedRefusal, displaced
from keyhole.edits.by_text.quoted import Missing, place_quoted
from keyhole.edits.by_text.reindent import fit_to_place, indent_behind
from keyhole.edits.by_text.target import Target
from keyhole.edits.model.hunk import Hunk
from keyhole.edits.model.operations import Edit, LineRange, bad
from keyhole.edits.model.plan import CandidateEdit, LocatedEdit
from keyhole.fastclasses import replace
from keyhole.matching.already_applied import around, beside
from keyhole.matching.follow import LostPlace, Span, follow
from keyhole.matching.ladder import find, find_elided
from keyhole.matching.query import Occurrence, Occurrences, Quote, Rewrite
from keyhole.matching.rungs import MOST_SITES, Scope
from keyhole.matching.view import View, lines_of
from keyhole.phrases import ArgumentName, FileName, say
from keyhole.refusals import Refusal, Refused
from keyhole.text.indent import indent_of
from keyhole.text.lines import block

Offered = Mapping[str, CandidateEdit]


def locate(edit: Edit, target: Target, offered: Offered) -> LocatedEdit:
    """Return the edit with its place and changes, or refuse."""
    if edit.accept:
        placed = replace(_accepted(edit, target, offered), again=True)
        if not target.document.stored:
            return placed
        from keyhole.edits.cell_marks import settled

        return settled(edit, target, placed)
    _must_be_text(edit, target)
    placed = _in_notebook(edit, target) if target.document.stored else _locate(edit, target)
    if placed.changes and (edit.find or edit.lines) and _may_leave_block(edit):
        from keyhole.edits.by_text.columns import check_column

        placed = check_column(edit, target, placed)
    if edit.match == "exact" and not edit.verbatim:
        placed = replace(placed, again=True)
    if edit.until or edit.regex or placed.matched == "elision" or not (edit.find or edit.lines):
        placed = replace(placed, is_unquoted=True)
    return _with_heading_note(edit, target, placed) if edit.segment else placed


def _may_leave_block(edit: Edit) -> bool:
    """Tell by the call alone whether new text may stand further left than its place."""
    find, content = edit.find or "", edit.content or ""
    if not content.strip():
        return False
    is_dedented = edit.match != "exact" and len(indent_of(find)) > len(indent_of(content))
    return edit.indent != "auto" or is_dedented


def _with_heading_note(edit: Edit, target: Target, placed: LocatedEdit) -> LocatedEdit:
    """Return an edit of a segment with a note if its name matched a heading as it is shown."""
    from keyhole.edits.by_name.segment_target import HEADING, heading_note

    note = heading_note(edit, target)
    if not note:
        return placed
    matched = HEADING if placed.matched == "exact" else placed.matched
    return replace(placed, matched=matched, notes=(note, *placed.notes))


def locate_hunk(hunk: Hunk, target: Target) -> LocatedEdit:
    """Return a hunk with its place and changes, or refuse."""
    from keyhole.edits.by_text.hunks import place_hunk

    if not target.document.stored:
        return place_hunk(hunk, target)
    from keyhole.edits.cell_marks import of_source, settled

    try:
        placed = place_hunk(hunk, target)
    except Missing:
        if (other := of_source(hunk)) is None:
            raise
        hunk, placed = other, place_hunk(other, target)
    return settled(hunk, target, placed)


def _in_notebook(edit: Edit, target: Target) -> LocatedEdit:
    from keyhole.edits.cells import place_in_notebook

    return place_in_notebook(edit, target, _locate)


def _locate(edit: Edit, target: Target) -> LocatedEdit:
    if not target.document.stored:
        _check_has_cells(edit, target)
    if edit.find:
        return _place_by_text(edit, target)
    if not edit.pattern and not edit.segment:
        if edit.cell_type and not edit.lines:
            from keyhole.edits.by_name.script_cells import place_new_cell

            return place_new_cell(edit, target)
        return _place_lines(edit, target)
    from keyhole.edits.by_name import named

    return named.place_pattern(edit, target) if edit.pattern else named.place_segment(edit, target)


def _place_by_text(edit: Edit, target: Target) -> LocatedEdit:
    scope = scope_of(edit, target)
    if not edit.regex and not edit.until:
        return place_quoted(edit, target, scope)
    from keyhole.edits.by_text.spans import place_expression, place_until

    place = place_expression if edit.regex else place_until
    return place(edit, target, scope)


def _check_has_cells(edit: Edit, target: Target) -> None:
    """Refuse what only cells have where none is named, and two names of one place."""
    if edit.cell_type or edit.clear_outputs or edit.to:
        _check_is_cell(edit, target)
    if edit.segment and edit.lines:
        bad("lines", say("and {} both name the place; give one of them", ArgumentName("segment")))


def _check_is_cell(edit: Edit, target: Target) -> None:
    """Refuse what is for cells, unless the edit is of a cell of a script, or makes one."""
    from keyhole.edits.by_name.segment_target import found_segment

    name = next(name for name in ("cell_type", "clear_outputs", "to") if getattr(edit, name))
    if not target.outline.cells:
        bad(name, "is for the cells of a notebook, and the file has none")
    segment = found_segment(target, edit.segment, edit.match).segment if edit.segment else None
    is_new = edit.action in {"prepend", "append"} and bool(edit.cell_type) and segment is None
    is_whole = segment in target.outline.cells and not (edit.find or edit.pattern)
    if not is_new and not is_whole:
        bad(name, "is for cells; name one")


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
                mend="name a file that is text",
            )
        )


def scope_of(edit: Edit, target: Target) -> Scope:
    """Return the part of the view's flat text that a quote is searched in."""
    view = target.view
    if edit.segment:
        from keyhole.edits.by_name import named

        start, end = named.scope_of_segment(edit, target)
    elif isinstance(edit.lines, LineRange):
        start, end = span_of_lines(edit.lines, target, is_scope=True)
    else:
        return 0, len(view.flat)
    return view.flat_offset(start), view.flat_offset(end)


def span_of_lines(lines: LineRange, target: Target, *, is_scope: bool = False) -> tuple[int, int]:
    """Return the offsets of a range of lines, or refuse one beyond the end.

    A scope to look in is the last lines or all there are; lines to change must be there.
    """
    document = target.document
    if lines.is_edge:
        at = 0 if lines.first == 0 else len(document.text)
        return at, at
    count = document.line_count
    last = lines.last or count
    if lines.from_end:
        if is_scope and count:
            lines = replace(lines, first=min(lines.first, count))
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
    if edit.action == "prepend" and not edit.lines:
        start = end = _first_place(target)
    place = indent_of(document.text[start:end])
    if edit.action in {"before", "prepend"}:
        end = start
    elif edit.action in {"after", "append"}:
        place = indent_behind(lines_of(target.view.plain(document.text[start:end])) or [""])
        start = end
    lines = lines_of(target.view.plain(edit.content or ""))
    lines, note = fit_to_place(lines, place, target.style, edit.indent)
    change = block(document, start, end, lines)
    changes = (change,) if document.text[change.start : change.end] != change.text else ()
    stands = around(document, (start, end), changes) if end > start else beside(document, change)
    notes = (note,) if note else ()
    placed = LocatedEdit(0, changes, reason=edit.reason, span=(start, end), notes=notes)
    return replace(placed, stands=stands, by_number=True)


def _first_place(target: Target) -> int:
    """Return where new text goes at the start of a file: below front matter, or a `#!` line."""
    flat = target.view.flat
    if flat.startswith("#!"):
        return target.document.span_of_lines(1, 1)[1]
    if not flat.startswith(("---", "+++")) or target.outline.language not in {"markdown", "mdx"}:
        return 0
    from keyhole.segments.markdown import front_matter

    found = front_matter(flat)
    return target.view.offset(found.span[1]) if found else 0


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
    return LocatedEdit(
        0,
        offer.changes,
        offer.matched,
        found=offer.found,
        replaced=offer.replaced,
        reason=edit.reason,
        span=offer.span,
    )


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


# Rungs that found the place in the version shown, or by an accepted id.
_TOLD = {"base", "accepted"}
_DELETED = "that place was taken out since"
_SEVERAL = "lines of that place stand at several places by now"
_MOVED = "the quoted text was moved since the version last shown"


class DisplacedQuote(Exception):  # noqa: N818 - an answer with what it offers, not an error
    """A quote stands at another place than in the version that the caller was shown."""

    def __init__(self, explained: ExplainedRefusal) -> None:
        super().__init__(explained.refusal.headline)
        self.explained = explained


def at_meant_place(edit: Edit | Hunk, placed: LocatedEdit, target: Target) -> LocatedEdit:
    """Return an edit at what became of the place that its author was shown, or refuse.

    Text that was cut out there and stands once elsewhere was moved, and is the place.
    """
    quote = _quote(edit, target)
    if quote is None or placed.matched in _TOLD or not placed.changes or not target.is_unseen:
        return placed
    for base in target.bases:
        span = _only_place(base, quote, edit, target)
        if isinstance(span, int):
            if span:
                return placed
            continue
        place = follow(span, target.revisions(base))
        if place is LostPlace.DELETED and _may_be_moved(edit):
            return replace(placed, notes=(*placed.notes, _MOVED))
        if isinstance(place, LostPlace) or not _overlap(place, placed.span):
            was = _DELETED if place is LostPlace.DELETED else _SEVERAL
            there = was if isinstance(place, LostPlace) else place
            raise DisplacedQuote(
                displaced(_name(edit), target.path, target.document, placed, there)
            )
        return placed
    return placed


def _quote(edit: Edit | Hunk, target: Target) -> Quote | None:
    """Return what an edit quotes from its place; None if it names the place in another way."""
    if isinstance(edit, Hunk):
        plain = edit.spelled(target.document).plain
        return Quote("".join(f"{line}\n" for line in plain.old)) if plain.old else None
    if not edit.find or edit.regex or edit.occurrence == "all":
        return None
    return Quote(target.view.plain(edit.find))


def _name(edit: Edit | Hunk) -> str:
    return "hunk" if isinstance(edit, Hunk) else "find"


def _may_be_moved(edit: Edit | Hunk) -> bool:
    """Tell whether a quote that was cut out of its place was moved to where it stands now.

    Where lines or occurrences are counted, another copy may have moved up instead.
    """
    return isinstance(edit, Hunk) or (edit.occurrence == "unique" and not edit.lines)


def _only_place(base: View, quote: Quote, edit: Edit | Hunk, target: Target) -> Span | int:
    """Return where a quote stands in a version, or the number of places if it is not one."""
    scope = _scope(base, edit, target)
    if scope is None:
        return 0
    occurrence = "unique" if isinstance(edit, Hunk) else edit.occurrence
    found = find(base, quote, scope, most=2 if occurrence == "unique" else MOST_SITES)
    if isinstance(found, Occurrences):
        site = _counted(found, occurrence)
        return (base.offset(site.start), base.offset(site.end)) if site else len(found.found)
    rewritten = find_elided(base, replace(quote, new=quote.old), scope) if found is None else None
    return (rewritten.start, rewritten.end) if isinstance(rewritten, Rewrite) else 0


def _scope(base: View, edit: Edit | Hunk, target: Target) -> Span | None:
    """Return where a quote is looked for in a version; None if the version has no such part."""
    if isinstance(edit, Hunk) or not (edit.segment or edit.lines):
        return 0, len(base.flat)
    try:
        return scope_of(edit, Target(target.path, base.document))
    except Refused:
        return None


def _counted(found: Occurrences, occurrence: str | int) -> Occurrence | None:
    """Return the place that an occurrence counts to, if there is one."""
    sites = found.found
    if occurrence == "unique":
        return sites[0] if len(sites) == 1 else None
    at = {"first": 0, "last": -1}.get(str(occurrence), 0)
    if isinstance(occurrence, int):
        at = occurrence - 1
    return sites[at] if at < len(sites) else None


def _overlap(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]
