"""Candidates of a call with several edits: accepting one carries out the others with it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

from keyhole.edits.by_text.explain import offer_of
from keyhole.edits.model.plan import CandidateEdit, LocatedEdit, Plan
from keyhole.fastclasses import replace
from keyhole.phrases import Accept, Phrase, say
from keyhole.refusals import Refusal

_ALONE = "{}; an id carries out this edit alone, so send the others again"


def with_rest(offered: Sequence[CandidateEdit], plan: Plan) -> list[CandidateEdit]:
    """Return candidates that carry out a plan of the call's other edits too."""
    rest = [
        offer_of(file.path, file.before, LocatedEdit(0, file.changes.changes))
        for file in plan.files
        if file.before is not None and file.changes.changes
    ]
    ids = tuple(each.accept for each in rest)
    return [*rest, *(replace(each, accept=_id(each.accept, ids), rest=ids) for each in offered)]


def renamed(
    refusal: Refusal, before: Sequence[CandidateEdit], after: Sequence[CandidateEdit]
) -> Refusal:
    """Return a refusal that names its candidates by the ids they have afterwards."""
    news = after[len(after) - len(before) :]
    ids = {one.accept: other.accept for one, other in zip(before, news, strict=True)}
    candidates = (
        replace(each, accept=ids.get(each.accept, each.accept)) for each in refusal.candidates
    )
    return replace(refusal, candidates=tuple(candidates), help=_respelt(refusal.help, ids))


def alone(refusal: Refusal) -> Refusal:
    """Return a refusal that says that its candidates do not carry out the rest of the call."""
    if not any(each.accept for each in refusal.candidates):
        return refusal
    return replace(refusal, help=say(_ALONE, refusal.help))


def _id(accept: str, rest: tuple[str, ...]) -> str:
    return hashlib.sha256(repr((accept, rest)).encode()).hexdigest()[:12]


def _respelt(message: str, ids: Mapping[str, str]) -> str:
    if not isinstance(message, Phrase):
        return message
    pieces = (
        Accept(ids.get(each.id, each.id)) if isinstance(each, Accept) else each
        for each in message.pieces
    )
    return Phrase(tuple(pieces), message.kind)
