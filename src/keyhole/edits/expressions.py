"""Edits by regular expression: every match is a place, and its groups fill the content."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from keyhole.edits.operations import Edit
from keyhole.edits.plan import LocatedEdit
from keyhole.edits.quoted import carried_out, chosen, placed
from keyhole.edits.target import Target
from keyhole.matching.place import Occurrence, Occurrences, Quote, Rewrite
from keyhole.matching.regex import RegexMatch, Template, expanded, hits
from keyhole.matching.rungs import MOST_SITES, Scope
from keyhole.phrases import FileName, say
from keyhole.refusals import Refusal, Refused
from keyhole.values import replace

# What all places of an edit together are given, in characters: as much as a file may have.
MOST_NEW = 32 * 1024 * 1024


def place_expression(edit: Edit, target: Target, scope: Scope) -> LocatedEdit:
    """Locate an edit whose `find` is a regular expression, within a scope of the view's text."""
    pattern, content = edit.find or "", target.view.plain(edit.content or "")
    matches = list(islice(hits(pattern, target.view.flat, *scope), MOST_SITES + 1))
    if not matches:
        raise Refused(_no_match(pattern, target.path))
    kept = matches[:MOST_SITES]
    new = expanded(Template.of(content), kept, MOST_NEW)
    sites = tuple(_site(target, *each) for each in zip(kept, new, strict=True))
    found = Occurrences("exact", sites, more=len(matches) > MOST_SITES)
    picked = chosen(edit, target, found)
    return placed(edit, target, _laid(edit, target, picked), len(sites))


def _site(target: Target, hit: RegexMatch, new: str) -> Occurrence:
    return Occurrence(
        hit.start, hit.end, "exact", Quote(target.view.flat[hit.start : hit.end], new)
    )


def _laid(edit: Edit, target: Target, sites: Sequence[Occurrence]) -> list[Rewrite]:
    """Carry the edit out to the character: a pattern says exactly what it means."""
    # An edit is checked when it is made: one for each new text, not one for each place.
    literal: dict[str | None, Edit] = {}
    laid = []
    for site in sites:
        content = None if edit.action == "delete" else site.quote.new
        if content not in literal:
            literal[content] = replace(edit, match="exact", content=content)
        laid.append(carried_out(literal[content], target, site))
    return laid


def _no_match(pattern: str, path: str) -> Refusal:
    return Refusal(
        "not-found",
        say("the pattern `{}` matches nothing in {}", pattern[:80], FileName(path)),
        help="patterns are RE2, case-sensitive unless they begin with (?i)",
    )
