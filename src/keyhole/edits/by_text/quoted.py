"""Edits by quoted text: find the quote, choose among its places, rewrite them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from keyhole.edits.by_text import explain
from keyhole.edits.by_text.reindent import first_indent, fit_to_place, indent_behind
from keyhole.edits.by_text.target import Target
from keyhole.edits.model.operations import Edit
from keyhole.edits.model.plan import ELSEWHERE, LocatedEdit
from keyhole.fastclasses import replace
from keyhole.matching import ladder
from keyhole.matching.already_applied import around, find_applied
from keyhole.matching.indent_rule import in_file_indent
from keyhole.matching.query import BlockCrossing, Obstacle, Occurrence, Occurrences, Quote, Rewrite
from keyhole.matching.rewrite import rewrite
from keyhole.matching.rewrite_literal import cut_word, cuts_line, of_whole_lines, put, spelled
from keyhole.matching.rungs import MOST_SITES, Scope
from keyhole.matching.view import lines_of
from keyhole.phrases import say
from keyhole.refusals import Refusal, Refused
from keyhole.text.changes import Change
from keyhole.text.indent import indent_of, is_blank, reindented
from keyhole.text.lines import block, line_span

# One place is wanted: that there are more than these need not be counted out.
_MOST_COUNTED = 1000


class Missing(Exception):  # noqa: N818 - an answer with what it offers, not an error
    """A quote stands nowhere in its scope: the caller decides how far to look for what is near."""

    def __init__(self, name: str, quote: Quote, scope: Scope) -> None:
        super().__init__(f"`{name}` is not there")
        self.name, self.quote, self.scope = name, quote, scope


def place_quoted(edit: Edit, target: Target, scope: Scope) -> LocatedEdit:
    """Locate an edit that quotes the text to find, within a scope of the view's flat text."""
    if edit.verbatim:
        exact = replace(edit, match="exact")
        if found := occurrences_of(exact, target, scope):
            if edit.occurrence != "unique":  # where one is wanted, each that overlaps counts
                found = replace(found, found=tuple(_without_overlaps(found.found)))
            return _place_sites(exact, target, found)
        # Which of several places that only look alike is meant, no number can tell.
        edit = replace(edit, occurrence="unique")
    found = occurrences_of(edit, target, scope)
    if isinstance(found, Occurrences):
        return _place_sites(edit, target, found)
    return _place_loosely(edit, target, scope)


def occurrences_of(edit: Edit, target: Target, scope: Scope) -> Occurrences | None:
    """Return every place where the edit's quote stands, or None; refuse what cannot be a quote."""
    if not (edit.find or "").strip() and edit.match != "exact":
        raise Refused(explain.only_blanks("find"))
    quote = quote_of(edit, target)
    most = _MOST_COUNTED if edit.occurrence == "unique" else MOST_SITES
    tolerant = edit.match == "tolerant"
    found = ladder.find(target.view, quote, scope, tolerant=tolerant, most=most)
    if isinstance(found, Obstacle):
        raise Refused(explain.blocked(target.path, target.document, found))
    return found


def quote_of(edit: Edit, target: Target) -> Quote:
    """Return what the edit quotes; its new text only where that replaces the quote itself."""
    plain = target.view.plain
    replaces = edit.action == "replace" and not edit.until
    return Quote(plain(edit.find or ""), plain(edit.content or "") if replaces else None)


def _place_loosely(edit: Edit, target: Target, scope: Scope) -> LocatedEdit:
    """Go on below the line rungs: elisions, the version shown, what is there already, a refusal."""
    quote = quote_of(edit, target)
    if edit.match == "tolerant" and quote.new is not None and not target.view.is_huge:
        rewritten = ladder.find_elided(target.view, quote, scope)
        if isinstance(rewritten, ladder.SeveralPlaces):
            raise Refused(explain.ambiguous("find", target.path, target.document, rewritten))
        crossing = rewritten if isinstance(rewritten, BlockCrossing) else None
        if not isinstance(rewritten, Rewrite):
            shown = (
                ladder.from_base(target.view, base, quote, scope, partial(target.revisions, base))
                for base in target.bases
            )
            rewritten = next(filter(None, shown), None)
        if rewritten:
            return located(edit, target, [rewritten], 1)
        if crossing:
            raise explain.Offering(
                explain.outside_its_block("find", target.path, target.view, crossing)
            )

        if made := find_applied(target.view, target.bases, quote, scope):
            return _already(edit, target, *made)
    raise Missing("find", quote, scope)


def _already(edit: Edit, target: Target, site: Occurrence, why: str) -> LocatedEdit:
    start, end = target.view.offset(site.start), target.view.offset(site.end)
    line = target.document.place_shown(target.document.line_at(start))
    note = f"the new text already stands at line {line}, and {why}"
    there = LocatedEdit(0, (), site.rung, notes=(note,), reason=edit.reason, span=(start, end))
    return replace(there, already_applied=True)


def _place_sites(edit: Edit, target: Target, found: Occurrences) -> LocatedEdit:
    sites = choose(edit, target, found)
    if cut := [site for site in sites if cuts(edit, target, site, edit.find)]:
        alone = _offered_whole(edit, target, cut[0]) if len(sites) == 1 else None
        raise explain.Offering(explain.cut("find", target.path, target.view, cut[0], alone))
    rewritten = [rewrite_at(edit, target, site) for site in sites]
    notes = dict.fromkeys(note for site in sites for note in _cut(edit, target, site))
    taken = {site.start for site in sites}
    if others := [site for site in found.found if site.start not in taken]:
        shown = target.document.place_shown
        lines = [shown(target.view.line_of(site.start) + 1) for site in others]
        notes[say("{find} also stands at {}", explain.lines_as_words(lines), kind=ELSEWHERE)] = None
    done = located(edit, target, rewritten, len(found.found))
    elsewhere = tuple(target.view.offset(site.start) for site in others)
    return replace(done, notes=(*done.notes, *notes), others=elsewhere) if notes else done


def cuts(edit: Edit, target: Target, site: Occurrence, quoted: str | None) -> bool:
    """Tell whether a quote of lines cuts a line in two, and `match` is not exact."""
    plain = target.view.plain(quoted or "")
    return edit.match == "tolerant" and cuts_line(target.view, site, plain)


def _offered_whole(edit: Edit, target: Target, site: Occurrence) -> Rewrite | None:
    """Return what the edit does to the whole lines that its quote cuts, if they can take it."""
    try:
        return rewrite_at(edit, target, of_whole_lines(target.view, site))
    except Refused:
        return None


def _cut(edit: Edit, target: Target, site: Occurrence) -> Sequence[str]:
    word = "" if edit.match == "exact" or site.pairs else cut_word(target.view, site)
    return (say("{find} is only a part of the word {}", word),) if word else ()


def choose(edit: Edit, target: Target, found: Occurrences) -> Sequence[Occurrence]:
    """Return the sites the edit's `occurrence` names, or refuse."""
    sites = found.found
    if found.more or (edit.occurrence == "unique" and len(sites) > 1):
        several = ladder.several(target.view, found)
        raise Refused(explain.ambiguous("find", target.path, target.document, several))
    if edit.occurrence == "all":
        return _without_overlaps(sites)[: edit.most or None]
    names = {"unique": 1, "first": 1, "last": len(sites)}
    number = names.get(str(edit.occurrence), edit.occurrence)
    assert isinstance(number, int), "BUG: an occurrence of no known kind"
    if number > len(sites):
        lines = [target.view.line_of(site.start) + 1 for site in sites]
        raise Refused(explain.too_few(edit, target.path, lines))
    return sites[number - 1 : number]


def _without_overlaps(sites: Sequence[Occurrence]) -> Sequence[Occurrence]:
    kept: list[Occurrence] = []
    for site in sites:
        if not kept or site.start >= kept[-1].end:
            kept.append(site)
    return kept


def rewrite_at(edit: Edit, target: Target, site: Occurrence) -> Rewrite:
    """Return the changes of the edit's action at one site, or refuse."""
    rewritten = _try_rewrite(edit, target, site)
    if isinstance(rewritten, Obstacle):
        raise explain.obstructed(target.path, target.document, rewritten)
    return rewritten


def _try_rewrite(edit: Edit, target: Target, site: Occurrence) -> Rewrite | Obstacle:
    start, end = target.view.offset(site.start), target.view.offset(site.end)
    if edit.action == "delete":
        return removal(target, site)
    if edit.action != "replace":
        change = _insertion(edit, target, site)
        if _is_inline(edit, target, (start, end)):
            at = target.document.line_at(start if edit.action == "before" else end)
            line = target.document.place_shown(at)
            site = replace(site, notes=(*site.notes, f"inserted inside line {line}"))
    elif edit.indent in {"auto", "keep"}:
        exact, follows = edit.match == "exact", edit.indent == "auto"
        view = target.view
        if exact:
            return put(view, site)
        return rewrite(
            view, _with_file_tabs(target, site) if follows else site, follow_indent=follows
        )
    else:
        change = _at_column(edit, target, site)
    if isinstance(change, Obstacle):
        return change
    return Rewrite(start, end, site.rung, (change,), site.notes)


def _with_file_tabs(target: Target, site: Occurrence) -> Occurrence:
    """Return an occurrence with the file's tabs or spaces in its new text, learnt from other edits.

    This quote has no indented line, but another edit of the call has tabs for the file's spaces,
    or the other way round.
    """
    new = (site.quote.new or "").split("\n")
    if site.pairs or not any(map(indent_of, new)) or not target.exchange:
        return site
    old = site.quote.old.split("\n")
    if reindented(old, target.exchange) != old:
        return site
    lines = reindented(new, target.exchange)
    return replace(site, quote=Quote(site.quote.old, "\n".join(lines))) if lines else site


def removal(target: Target, site: Occurrence) -> Rewrite | Obstacle:
    """Return the change that takes a site out; whole lines go with their ends."""
    if site.pairs:
        lines = site.quote.old.removesuffix("\n") + "\n"
        return rewrite(target.view, replace(site, quote=Quote(lines, "")))
    start, end = target.view.offset(site.start), target.view.offset(site.end)
    change = Change(start, end, "")
    if is_whole(target, start, end):
        change = block(target.document, *line_span(target.document, start, end), [])
    return Rewrite(start, end, site.rung, (change,), site.notes)


def is_whole(target: Target, start: int, end: int) -> bool:
    """Tell whether a span covers all the words on its lines."""
    first, last = line_span(target.document, start, end)
    text = target.document.text
    return is_blank(text[first:start]) and is_blank(text[end:last].rstrip("\r\n"))


def _at_column(edit: Edit, target: Target, site: Occurrence) -> Change:
    """Return the change that puts the content in place of whole lines, at the column asked for."""
    start, end = target.view.offset(site.start), target.view.offset(site.end)
    if not is_whole(target, start, end):
        raise Refused(no_column())
    lines = lines_of(site.quote.new or "")
    lines, _ = fit_to_place(lines, "", target.style, edit.indent)
    return block(target.document, *line_span(target.document, start, end), lines)


def no_column() -> Refusal:
    """Refuse a column where the place has no lines of its own."""
    return Refusal(
        "bad-request",
        say("{indent} is a column, and the place is only a part of a line"),
        help=say("name whole lines, or leave {indent} out"),
        data={"field": "indent"},
    )


def _insertion(edit: Edit, target: Target, site: Occurrence) -> Change | Obstacle:
    """Return the change that puts the content beside a site, in lines of its own or into one."""
    start, end = target.view.offset(site.start), target.view.offset(site.end)
    at = start if edit.action in {"before", "prepend"} else end
    content = target.view.plain(edit.content or "")
    is_own = _has_own_line(edit, target, (start, end), content)
    if edit.action in {"prepend", "append"} or not (is_own or is_whole(target, start, end)):
        if isinstance(edit.indent, int):
            raise Refused(no_column())
        return Change(at, at, spelled(target.view, content, at, at))
    first, last = line_span(target.document, start, end)
    at = first if edit.action == "before" else last
    if is_own:
        lead = indent_of(target.document.text[first:last])
        new, _ = fit_to_place([content], lead, target.style, edit.indent)
        return block(target.document, at, at, new)
    lines = _in_frame(edit, target, site, lines_of(content))
    return lines if isinstance(lines, Obstacle) else block(target.document, at, at, lines)


def _has_own_line(edit: Edit, target: Target, span: tuple[int, int], content: str) -> bool:
    """Tell whether text beside a part of a line is a line: the part is at that edge of its line."""
    (start, end), text = span, target.document.text
    if edit.match == "exact" or isinstance(edit.indent, int):
        return False
    if "\n" in content or not content or is_whole(target, start, end):
        return False
    first, last = line_span(target.document, start, end)
    beside = text[first:start] if edit.action == "before" else text[end:last].rstrip("\r\n")
    return edit.action in {"before", "after"} and is_blank(beside)


def _is_inline(edit: Edit, target: Target, span: tuple[int, int]) -> bool:
    """Tell whether text goes into a line that it was put beside a part of, and nobody said so."""
    content = target.view.plain(edit.content or "")
    if edit.match == "exact" or edit.action not in {"before", "after"} or not content:
        return False
    return not is_whole(target, *span) and not _has_own_line(edit, target, span, content)


def _in_frame(
    edit: Edit, target: Target, site: Occurrence, lines: list[str]
) -> Sequence[str] | Obstacle:
    """Return lines moved as the quote was: without an indent if the quote came without one."""
    if edit.indent != "auto":
        return fit_to_place(lines, "", target.style, edit.indent)[0]
    if edit.match == "exact":
        return lines
    if site.pairs:
        return in_file_indent(target.view, site, lines)
    if first_indent(site.quote.old.split("\n")):
        return lines
    first, last = (target.view.line_of(at) for at in (site.start, max(site.start, site.end - 1)))
    quoted = target.view.lines[first : last + 1]
    indent = indent_behind(quoted) if edit.action == "after" else indent_of(quoted[0])
    return fit_to_place(lines, indent, target.style, "auto")[0]


def located(edit: Edit, target: Target, rewritten: Sequence[Rewrite], found: int) -> LocatedEdit:
    """Return an edit that was laid onto its places."""
    stands = [around(target.document, (one.start, one.end), one.changes) for one in rewritten]
    changes = tuple(change for piece in rewritten for change in piece.changes)
    notes = tuple(dict.fromkeys(note for piece in rewritten for note in piece.notes))
    if edit.action == "replace" and edit.find == edit.content:
        notes = (*notes, say("{find} and {content} are the same text"))
    return LocatedEdit(
        0,
        changes,
        matched=rewritten[0].rung,
        found=found,
        replaced=len(rewritten),
        reason=edit.reason,
        notes=notes,
        span=(rewritten[0].start, rewritten[-1].end),
        stands=stands[0] if all(stands) else None,
    )
