"""Edits by structural pattern: find what has its shape, fill the content with what it caught."""

from __future__ import annotations

from collections.abc import Sequence

from keyhole.edits import explain
from keyhole.edits.naming.filling import check_size, filled_lines, filled_text
from keyhole.edits.naming.scope import scope_of_segment
from keyhole.edits.operations import Edit
from keyhole.edits.plan import ELSEWHERE, LocatedEdit
from keyhole.edits.quoted import is_whole, no_column
from keyhole.edits.target import Target
from keyhole.matching.ladder import Several
from keyhole.matching.literal import spelled
from keyhole.matching.place import Occurrence, Quote, Rewrite
from keyhole.matching.standing import around
from keyhole.matching.transplant import rewrite
from keyhole.matching.view import lines_of
from keyhole.phrases import FileName, say
from keyhole.refusals import Refusal, Refused
from keyhole.segments.outline import Span
from keyhole.segments.patterns import PatternHit, check_patterns, find_pattern
from keyhole.text.blocks import block, line_span
from keyhole.text.changes import Change
from keyhole.values import replace

# How much all patterns of a call may look through, in characters.
_MOST_LOOKED = 10_000_000


def place_pattern(edit: Edit, target: Target) -> LocatedEdit:
    """Return an edit of what has the shape of a pattern, as changes; or refuse."""
    assert edit.pattern, "BUG: no pattern"
    hits = _hits(edit.pattern, target)
    if edit.segment:
        scope = scope_of_segment(edit, target)
        hits = tuple(hit for hit in hits if _holds(scope, hit.span))
    if not hits:
        raise Refused(_no_match(edit.pattern, target.path))
    spans = [hit.span for hit in hits]
    picked = _chosen(edit, target, spans)
    check_size(target, [hits[index] for index in picked], edit.content or "")
    each = [(spans[index], _changes(edit, target, hits[index])) for index in picked]
    changes = [change for _, own in each for change in own]
    stands = [around(target.document, span, own) for span, own in each]
    taken = set(picked)
    others = [target.document.line_at(span[0]) for n, span in enumerate(spans) if n not in taken]
    return LocatedEdit(
        0,
        tuple(changes),
        found=len(hits),
        replaced=len(picked),
        reason=edit.reason,
        notes=(say("{pattern} also fits at {}", explain.listed(others), kind=ELSEWHERE),)
        if others
        else (),
        span=(spans[picked[0]][0], spans[picked[-1]][1]),
        stands=stands[0] if all(stands) else None,
    )


def _hits(pattern: str, target: Target) -> Sequence[PatternHit]:
    """Return what has the shape of a pattern; each that a call has looks through the whole file."""
    target.looked += len(target.document.text)
    if target.looked > max(_MOST_LOOKED, len(target.document.text)):
        raise Refused(_too_many(target.path))
    check_patterns(target.path, target.document)
    return find_pattern(target.path, target.document, pattern, target.syntax_tree)


def _too_many(path: str) -> Refusal:
    return Refusal(
        "too-large",
        say(
            "the patterns of this call look through over {} characters of {}",
            _MOST_LOOKED,
            FileName(path),
        ),
        help="send fewer patterns in one call",
    )


def _chosen(edit: Edit, target: Target, spans: Sequence[Span]) -> Sequence[int]:
    """Return the numbers of the hits that the edit's `occurrence` names, or refuse."""
    everything = range(len(spans))
    if edit.occurrence == "all":
        return _outermost(spans)
    if edit.occurrence == "unique":
        if len(spans) > 1:
            raise Refused(_ambiguous(target, spans))
        return everything
    number = {"first": 1, "last": len(spans)}.get(str(edit.occurrence), edit.occurrence)
    if not isinstance(number, int) or number > len(spans):
        lines = [target.document.line_at(span[0]) for span in spans]
        raise Refused(explain.too_few(edit, target.path, lines))
    return everything[number - 1 : number]


def _outermost(spans: Sequence[Span]) -> Sequence[int]:
    """Return the numbers of the spans that no earlier one holds; they come in file order."""
    kept, reach = [], -1
    for number, (_, end) in enumerate(spans):
        if end > reach:
            kept.append(number)
            reach = end
    return kept


def _ambiguous(target: Target, spans: Sequence[Span]) -> Refusal:
    several = Several("exact", tuple(spans))
    refusal = explain.ambiguous("pattern", target.path, target.document, several)
    move = say(
        "write more of the pattern, name the {segment:bare}, "
        "or set {occurrence:bare} (first, last, all, or a number)"
    )
    return replace(refusal, help=move)


def _holds(outer: Span, inner: Span) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1]


def _changes(edit: Edit, target: Target, hit: PatternHit) -> Sequence[Change]:
    """Return the changes of the edit's action at one hit."""
    span, document = hit.span, target.document
    whole = line_span(document, *span)
    has_lines = is_whole(target, *span)
    if edit.action == "delete":
        return [block(document, *whole, [])] if has_lines else [Change(*span, "")]
    if not has_lines and isinstance(edit.indent, int):
        raise Refused(no_column())
    content = target.view.plain(edit.content or "")
    if edit.action == "replace":
        return _replaced(edit, target, hit, content)
    is_before = edit.action in {"before", "prepend"}
    if has_lines:
        at = whole[0] if is_before else whole[1]
        text = "\n".join(filled_lines(target, hit, lines_of(content), edit.indent))
        return [block(document, at, at, text.split("\n") if text else [])]
    at = span[0] if is_before else span[1]
    text = filled_text(target, hit, content, keep=True)
    return [Change(at, at, spelled(target.view, text, at, at))]


def _replaced(edit: Edit, target: Target, hit: PatternHit, content: str) -> Sequence[Change]:
    """Write the content in place of a hit, which is whole lines or begins within one."""
    view, (start, end) = target.view, hit.span
    lines = lines_of(content) if edit.indent != "keep" and is_whole(target, start, end) else []
    if lines:
        start = line_span(target.document, start, end)[0]
        new = "\n".join(filled_lines(target, hit, lines, edit.indent))
    else:
        new = filled_text(target, hit, content, keep=edit.indent == "keep")
    start, end = view.flat_offset(start), view.flat_offset(end)
    site = Occurrence(start, end, "exact", Quote(view.flat[start:end], new))
    laid = rewrite(view, site, follow_indent=False)
    assert isinstance(laid, Rewrite), "BUG: an exact site can always be written to"
    return laid.changes


def _no_match(pattern: str, path: str) -> Refusal:
    shown = pattern[:80].replace("\n", "\\n")
    return Refusal(
        "not-found",
        say("nothing in {} has the shape `{}`", FileName(path), shown),
        help="write code of the file's language, with $NAME for one node and $$$NAME for several",
    )
