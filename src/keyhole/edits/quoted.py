"""Edits by quoted text: find it, choose among its places, lay the edit onto them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from keyhole.edits import explain
from keyhole.edits.operations import Edit
from keyhole.edits.plan import Placed
from keyhole.edits.reindent import first_indent, fit_to_place
from keyhole.edits.target import Target
from keyhole.matching import ladder
from keyhole.matching.literal import spelled
from keyhole.matching.place import Laid, Obstacle, Quote, Site, Sites
from keyhole.matching.regex import expand, hits
from keyhole.matching.rungs import Scope
from keyhole.matching.transplant import indent_rule, lay
from keyhole.matching.view import lines_of, plain_newlines
from keyhole.refusals import Refusal, Refused
from keyhole.text.blocks import block, line_span
from keyhole.text.changes import Change
from keyhole.text.indent import indent_of, is_blank, reindented


class Missing(Exception):  # noqa: N818 - an answer with what it offers, not an error
    """A quote was not found: carries the refusal and the edits it offers instead."""

    def __init__(self, explained: explain.Explained) -> None:
        super().__init__(explained.refusal.headline)
        self.explained = explained


def place_quoted(edit: Edit, target: Target, scope: Scope) -> Placed:
    """Locate an edit that has `find`, within a scope of the view's flat text."""
    assert edit.find is not None, "BUG: no quote"
    if edit.regex:
        return _place_regex(edit, target, scope)
    if not edit.find.strip() and edit.match != "exact":
        raise Refused(explain.only_blanks("find"))
    quote = Quote(plain_newlines(edit.find), _wanted(edit))
    if edit.until:
        return _place_until(edit, target, scope, quote)
    found = ladder.find(target.view, quote, scope, tolerant=edit.match == "tolerant")
    if isinstance(found, Sites):
        return _place_sites(edit, target, found)
    return _place_loosely(edit, target, scope, quote)


def _wanted(edit: Edit) -> str | None:
    if edit.action == "replace" and not edit.until:
        return plain_newlines(edit.content or "")
    return None


def _place_loosely(edit: Edit, target: Target, scope: Scope, quote: Quote) -> Placed:
    """Go on below the line rungs: elisions, the version shown, then what is there already, then a refusal."""
    if edit.match == "tolerant" and quote.new is not None and not target.view.is_huge:
        laid: object = ladder.elided(target.view, quote, scope)
        if isinstance(laid, ladder.Several):
            raise Refused(explain.ambiguous("find", target.path, target.document, laid))
        for base in () if isinstance(laid, Laid) else target.bases:
            laid = ladder.from_base(target.view, base, quote) or laid
        if isinstance(laid, Laid):
            return _placed(edit, [laid], 1)
        if there := ladder.already_there(target.view, quote, scope):
            return _already(edit, target, there)
    raise Missing(explain.not_found("find", target.path, target.view, quote, scope))


def _already(edit: Edit, target: Target, site: Site) -> Placed:
    start, end = target.view.offset(site.start), target.view.offset(site.end)
    line = target.document.line_at(start)
    note = f"the new text already stands at line {line}, and the quoted text is gone"
    return Placed(0, (), site.rung, notes=(note,), reason=edit.reason, span=(start, end), already_applied=True)


def _place_sites(edit: Edit, target: Target, found: Sites) -> Placed:
    sites = chosen(edit, target, found)
    laid = [_carried_out(edit, target, site) for site in sites]
    placed = _placed(edit, laid, len(found.found))
    others = [site for site in found.found if site not in sites]
    if others:
        lines = [target.view.line_of(site.start) + 1 for site in others]
        note = f"`find` also stands at {explain.listed(lines)}"
        placed = replace(placed, notes=(*placed.notes, note))
    return placed


def chosen(edit: Edit, target: Target, found: Sites) -> Sequence[Site]:
    """Return the sites the edit's `occurrence` names, or refuse."""
    sites = found.found
    if edit.occurrence == "all":
        return _without_overlaps(sites)
    if edit.occurrence == "unique":
        if len(sites) > 1:
            several = ladder.several(target.view, found)
            raise Refused(explain.ambiguous("find", target.path, target.document, several))
        return sites
    number = {"first": 1, "last": len(sites)}.get(str(edit.occurrence), edit.occurrence)
    if not isinstance(number, int) or number > len(sites):
        lines = [target.view.line_of(site.start) + 1 for site in sites]
        raise Refused(explain.too_few(edit, target.path, lines))
    return sites[number - 1 : number]


def _without_overlaps(sites: Sequence[Site]) -> Sequence[Site]:
    kept: list[Site] = []
    for site in sites:
        if not kept or site.start >= kept[-1].end:
            kept.append(site)
    return kept


def _carried_out(edit: Edit, target: Target, site: Site) -> Laid:
    """Return the changes of the edit's action at one site."""
    if edit.action == "replace":
        laid = lay(target.view, site, follow_indent=edit.indent != "keep" and edit.match == "tolerant")
        if isinstance(laid, Obstacle):
            raise Refused(explain.blocked(target.path, target.document, laid))
        return laid
    start, end = target.view.offset(site.start), target.view.offset(site.end)
    change = _removal(target, start, end) if edit.action == "delete" else _insertion(edit, target, site)
    return Laid(start, end, site.rung, (change,), site.notes)


def _removal(target: Target, start: int, end: int) -> Change:
    """Return the change that takes a span out; whole lines go with their ends."""
    if _is_whole(target, start, end):
        return block(target.document, *line_span(target.document, start, end), [])
    return Change(start, end, "")


def _is_whole(target: Target, start: int, end: int) -> bool:
    """Tell whether a span covers all the words on its lines."""
    first, last = line_span(target.document, start, end)
    text = target.document.text
    return is_blank(text[first:start]) and is_blank(text[end:last].rstrip("\r\n"))


def _insertion(edit: Edit, target: Target, site: Site) -> Change:
    """Return the change that puts the content beside a site, as lines of its own or into the line."""
    start, end = target.view.offset(site.start), target.view.offset(site.end)
    at = start if edit.action in {"before", "prepend"} else end
    content = plain_newlines(edit.content or "")
    if edit.action in {"prepend", "append"} or not _is_whole(target, start, end):
        return Change(at, at, spelled(target.view, content, at, at))
    first, last = line_span(target.document, start, end)
    at = first if edit.action == "before" else last
    lines = _in_frame(edit, target, site, lines_of(content))
    return block(target.document, at, at, lines)


def _in_frame(edit: Edit, target: Target, site: Site, lines: list[str]) -> list[str]:
    """Return lines moved as the quote was: text quoted without its indent is read so throughout."""
    if edit.indent != "auto" or edit.match == "exact":
        return fit_to_place(lines, "", target.view.style, edit.indent)[0] if edit.indent != "auto" else lines
    if site.pairs:
        rule = indent_rule(target.view, site)
        return (reindented(lines, rule) if rule else None) or lines
    lead = indent_of(target.view.lines[target.view.line_of(site.start)])
    quoted = first_indent(site.quote.old.split("\n"))
    return lines if quoted else fit_to_place(lines, lead, target.view.style, "auto")[0]


def _placed(edit: Edit, laid: Sequence[Laid], found: int) -> Placed:
    changes = tuple(change for piece in laid for change in piece.changes)
    notes = tuple(dict.fromkeys(note for piece in laid for note in piece.notes))
    if edit.action == "replace" and edit.find == edit.content:
        notes = (*notes, "`find` and `content` are the same text")
    return Placed(
        0,
        changes,
        matched=laid[0].rung,
        found=found,
        replaced=len(laid),
        reason=edit.reason,
        notes=notes,
        span=(laid[0].start, laid[-1].end),
    )


def _place_until(edit: Edit, target: Target, scope: Scope, quote: Quote) -> Placed:
    """Locate a span by its two ends: `find`, and `until` once behind it."""
    view, tolerant = target.view, edit.match == "tolerant"
    found = ladder.find(view, quote, scope, tolerant=tolerant)
    if not isinstance(found, Sites):
        raise Missing(explain.not_found("find", target.path, view, quote, scope))
    (head, *rest) = chosen(edit, target, found)
    if rest:
        raise Refused(_one_end_only())
    behind = (head.end, scope[1])
    tail_quote = Quote(plain_newlines(edit.until or ""))
    tails = ladder.find(view, tail_quote, behind, tolerant=tolerant)
    if not isinstance(tails, Sites):
        raise Missing(explain.not_found("until", target.path, view, tail_quote, behind))
    if len(tails.found) > 1:
        raise Refused(explain.ambiguous("until", target.path, target.document, ladder.several(view, tails)))
    tail = tails.found[0]
    whole = Site(
        head.start,
        tail.end,
        max(head.rung, tail.rung, key=ladder.looseness),
        Quote(view.flat[head.start : tail.end], plain_newlines(edit.content or "")),
        notes=(*head.notes, *tail.notes),
    )
    return _placed(edit, [_carried_out(replace(edit, until=None), target, whole)], len(found.found))


def _one_end_only() -> Refusal:
    return Refusal(
        "bad-request",
        "`until` goes with one place, not with occurrence all",
        help="give one edit a place",
        data={"field": "occurrence"},
    )


def _place_regex(edit: Edit, target: Target, scope: Scope) -> Placed:
    """Locate by regular expression; groups of each match fill the content."""
    assert edit.find is not None, "BUG: no pattern"
    matches = list(hits(edit.find, target.view.flat, *scope))
    if not matches:
        raise Refused(_no_match(edit.find, target.path))
    content = plain_newlines(edit.content or "")
    sites = tuple(
        Site(
            hit.start,
            hit.end,
            "exact",
            Quote(target.view.flat[hit.start : hit.end], expand(content, hit)),
        )
        for hit in matches
    )
    found = Sites("exact", sites)
    picked = chosen(edit, target, found)
    literal = replace(edit, match="exact", indent="keep")
    laid = [
        _carried_out(replace(literal, content=site.quote.new if edit.action != "delete" else None), target, site)
        for site in picked
    ]
    return _placed(edit, laid, len(sites))


def _no_match(pattern: str, path: str) -> Refusal:
    return Refusal(
        "not-found",
        f"the pattern `{pattern[:80]}` matches nothing in {path}".replace("\n", "\\n"),
        help="patterns are RE2, case-sensitive unless they begin with (?i); `search` shows what matches",
    )
