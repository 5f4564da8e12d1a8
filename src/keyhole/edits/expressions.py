"""Edits by regular expression: every match is a place, and its groups fill the content."""

from __future__ import annotations

from itertools import islice

from keyhole.edits.operations import Edit
from keyhole.edits.plan import Placed
from keyhole.edits.quoted import carried_out, chosen, placed
from keyhole.edits.target import Target
from keyhole.matching.place import Laid, Quote, Site, Sites
from keyhole.matching.regex import Hit, expand, hits
from keyhole.matching.rungs import MOST_SITES, Scope
from keyhole.refusals import Refusal, Refused
from keyhole.values import replace


def place_expression(edit: Edit, target: Target, scope: Scope) -> Placed:
    """Locate an edit whose `find` is a regular expression, within a scope of the view's text."""
    pattern, content = edit.find or "", target.view.plain(edit.content or "")
    matches = list(islice(hits(pattern, target.view.flat, *scope), MOST_SITES + 1))
    if not matches:
        raise Refused(_no_match(pattern, target.path))
    sites = tuple(_site(target, hit, content) for hit in matches[:MOST_SITES])
    found = Sites("exact", sites, more=len(matches) > MOST_SITES)
    picked = chosen(edit, target, found)
    return placed(edit, [_laid(edit, target, site) for site in picked], len(sites))


def _site(target: Target, hit: Hit, content: str) -> Site:
    quote = Quote(target.view.flat[hit.start : hit.end], expand(content, hit))
    return Site(hit.start, hit.end, "exact", quote)


def _laid(edit: Edit, target: Target, site: Site) -> Laid:
    """Carry the edit out to the character: a pattern says exactly what it means."""
    content = None if edit.action == "delete" else site.quote.new
    literal = replace(edit, match="exact", content=content)
    return carried_out(literal, target, site)


def _no_match(pattern: str, path: str) -> Refusal:
    return Refusal(
        "not-found",
        f"the pattern `{pattern[:80]}` matches nothing in {path}",
        help="patterns are RE2, case-sensitive unless they begin with (?i)",
    )
