"""Edits of a span: from `find` to the end of `until`, or what a regular expression matches."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from keyhole.edits.by_text import explain
from keyhole.edits.by_text.quoted import (
    Missing,
    choose,
    cuts,
    located,
    occurrences_of,
    quote_of,
    removal,
    rewrite_at,
)
from keyhole.edits.by_text.target import Target
from keyhole.edits.model.operations import Edit
from keyhole.edits.model.plan import LocatedEdit
from keyhole.fastclasses import replace
from keyhole.matching import ladder
from keyhole.matching.indent_rule import in_file_indent
from keyhole.matching.query import Obstacle, Occurrence, Occurrences, Quote, Rewrite
from keyhole.matching.regex import RegexMatch, Template, expand_all, hits
from keyhole.matching.rewrite_literal import of_whole_lines, with_lost_indent
from keyhole.matching.rungs import MOST_SITES, Scope
from keyhole.phrases import FileName, say
from keyhole.refusals import Refusal, Refused


def place_until(edit: Edit, target: Target, scope: Scope) -> LocatedEdit:
    """Locate a span by its two ends: `find`, and `until` once behind it."""
    view = target.view
    found = occurrences_of(edit, target, scope)
    if found is None:
        raise Missing("find", quote_of(edit, target), scope)
    head, *rest = choose(edit, target, found)
    if rest:
        raise Refused(_one_end_only())
    tail = _tail(edit, target, (head.end, scope[1]))
    _must_be_of_whole_lines(edit, target, head, tail)
    for end in (head, tail):
        _must_be_as_quoted(target, end)
    rewritten = _rewrite_between(edit, target, head, tail)
    if crossing := ladder.crossing(view, rewritten, (head, tail)):
        raise explain.Offering(explain.outside_its_block("until", target.path, view, crossing))
    return located(edit, target, [rewritten], len(found.found))


def _rewrite_between(edit: Edit, target: Target, head: Occurrence, tail: Occurrence) -> Rewrite:
    """Return what the edit does from the start of one place to the end of another."""
    rung = max(head.rung, tail.rung, key=ladder.looseness)
    text = target.view.flat[head.start : tail.end]
    quote = Quote(text, _content(edit, target, head, tail))
    whole = Occurrence(head.start, tail.end, rung, quote, notes=(*head.notes, *tail.notes))
    return rewrite_at(edit, target, whole)


def _must_be_of_whole_lines(edit: Edit, target: Target, head: Occurrence, tail: Occurrence) -> None:
    """Refuse ends that are quoted as lines and cut one in two."""
    quoted = (("find", head, edit.find), ("until", tail, edit.until))
    cut = [(name, end) for name, end, text in quoted if cuts(edit, target, end, text)]
    if not cut:
        return
    view, ends = target.view, [end for _, end in cut]
    wide = [of_whole_lines(view, end) if end in ends else end for end in (head, tail)]
    whole = _rewrite_between(edit, target, *wide)
    raise explain.Offering(explain.cut(cut[0][0], target.path, view, cut[0][1], whole))


def _tail(edit: Edit, target: Target, behind: Scope) -> Occurrence:
    view, quote = target.view, Quote(target.view.plain(edit.until or ""))
    if not quote.old.strip() and edit.match != "exact":
        raise Refused(explain.only_blanks("until"))
    found = ladder.find(view, quote, behind, tolerant=edit.match == "tolerant")
    if not isinstance(found, Occurrences):
        raise Missing("until", quote, behind)
    if found.more or len(found.found) > 1:
        several = ladder.several(view, found)
        raise Refused(explain.ambiguous("until", target.path, target.document, several))
    return found.found[0]


def _must_be_as_quoted(target: Target, end: Occurrence) -> None:
    """Refuse an end that differs from the file: the edit replaces all of its lines."""
    out = removal(target, end)
    if isinstance(out, Obstacle):
        raise Refused(explain.blocked(target.path, target.document, out))


def _content(edit: Edit, target: Target, head: Occurrence, tail: Occurrence) -> str:
    """Return the new text in the frame in which the head was quoted."""
    content = target.view.plain(edit.content or "")
    if edit.match == "exact" or edit.indent != "auto":
        return content
    if not head.pairs:
        quote = Quote(head.quote.old, content)
        return with_lost_indent(target.view, Occurrence(head.start, tail.end, head.rung, quote))
    lines = in_file_indent(target.view, head, content.split("\n"))
    if isinstance(lines, Obstacle):
        raise Refused(explain.blocked(target.path, target.document, lines))
    return "\n".join(lines)


def _one_end_only() -> Refusal:
    return Refusal(
        "bad-request",
        say("{until} goes with one place, not with {occurrence:bare} all"),
        help="give one edit a place",
        data={"field": "occurrence"},
    )


# What all places of an edit together are given, in characters: as much as a file may have.
MOST_NEW = 32 * 1024 * 1024


def place_expression(edit: Edit, target: Target, scope: Scope) -> LocatedEdit:
    """Locate an edit whose `find` is a regular expression, within a scope of the view's text."""
    pattern, content = edit.find or "", target.view.plain(edit.content or "")
    matches = list(islice(hits(pattern, target.view.flat, *scope), MOST_SITES + 1))
    if not matches:
        raise Refused(_no_match(pattern, target.path))
    kept = matches[:MOST_SITES]
    new = expand_all(Template.of(content), kept, MOST_NEW)
    sites = tuple(_site(target, *each) for each in zip(kept, new, strict=True))
    found = Occurrences("exact", sites, more=len(matches) > MOST_SITES)
    picked = choose(edit, target, found)
    return located(edit, target, _rewrites(edit, target, picked), len(sites))


def _site(target: Target, hit: RegexMatch, new: str) -> Occurrence:
    return Occurrence(
        hit.start, hit.end, "exact", Quote(target.view.flat[hit.start : hit.end], new)
    )


def _rewrites(edit: Edit, target: Target, sites: Sequence[Occurrence]) -> list[Rewrite]:
    """Carry the edit out to the character, as an expression says it."""
    # An edit is checked when it is made: one for each new text, not one for each place.
    literal: dict[str | None, Edit] = {}
    rewritten = []
    for site in sites:
        content = None if edit.action == "delete" else site.quote.new
        if content not in literal:
            literal[content] = replace(edit, match="exact", content=content)
        rewritten.append(rewrite_at(literal[content], target, site))
    return rewritten


def _no_match(pattern: str, path: str) -> Refusal:
    return Refusal(
        "not-found",
        say("the pattern `{}` matches nothing in {}", pattern[:80], FileName(path)),
        help="patterns are RE2, case-sensitive unless they begin with (?i)",
    )
