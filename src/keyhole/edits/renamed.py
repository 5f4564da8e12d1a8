"""Edits of the segments that are called nearly what an edit asks for: offered, never made."""

from __future__ import annotations

from keyhole.edits.explain import Explained, offer_of
from keyhole.edits.locate import locate
from keyhole.edits.operations import Edit
from keyhole.edits.plan import CandidateEdit
from keyhole.edits.quoted import Missing
from keyhole.edits.target import Target
from keyhole.phrases import Accept, say
from keyhole.refusals import Candidate, Refusal, Refused
from keyhole.values import replace

_OTHERWISE = "name the segment as the outline does"


def with_offers(refusal: Refusal, edit: Edit, target: Target) -> Explained:
    """Return a refusal of a segment's name; each segment that could take the edit has an id."""
    if refusal.code != "unknown-segment" or not refusal.candidates:
        return Explained(refusal)
    found = [(each, _proposal(each, edit, target)) for each in refusal.candidates]
    offered = tuple(offer for _, offer in found if offer)
    candidates = tuple(
        replace(each, accept=offer.accept) if offer else each for each, offer in found
    )
    told = replace(refusal, candidates=candidates)
    if move := _help(candidates):
        told = replace(told, help=move, mend=_OTHERWISE)
    return Explained(told, offered)


def _proposal(candidate: Candidate, edit: Edit, target: Target) -> CandidateEdit | None:
    """Return the edit on another segment, or None where that would change nothing or is refused."""
    try:
        placed = locate(replace(edit, segment=candidate.segment), target, {})
    except (Refused, Missing):
        return None
    is_sound = bool(placed.changes) and not placed.misplaced
    return offer_of(target.path, target.document, placed) if is_sound else None


def _help(candidates: tuple[Candidate, ...]) -> str:
    offered = next((each for each in candidates if each.accept), None)
    if not offered:
        return ""
    return say("if `{}` is meant, {}; else {}", offered.segment, Accept(offered.accept), _OTHERWISE)
