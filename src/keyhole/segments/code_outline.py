"""Code: declarations with their lines, comments and attributes, as segments."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import partial

from keyhole.segments.code import read_nodes
from keyhole.segments.declarations import Declaration, find_declarations
from keyhole.segments.language import Language
from keyhole.segments.layout import (
    begins_line,
    content,
    empty_body,
    ends_surely,
    inside,
    line_end,
    line_start,
    opening_of,
    own_lines,
    trimmed_end,
    with_end_mark,
)
from keyhole.segments.lead import Leads
from keyhole.segments.outline import (
    Draft,
    Outline,
    Span,
    line_ranges,
    name_segments,
    plain_lines,
)

# The body of these is their value, brackets included.
_VALUES = frozenset({"key", "item", "variable", "constant", "type", "prototype"})
_COMMA = re.compile(r"[ \t]*(,)")
_COMMENT_LINES = re.compile(r"(?:\s*(?://|#|--|/\*|\*)[^\n]*)*\s*")


def read_code(language: Language, text: str) -> Outline:
    """Return the outline of a text in a language of the table."""
    flat = plain_lines(text)
    nodes = read_nodes(language, flat)
    leads = Leads(flat, nodes)
    errors = [(node.start, node.end) for node in nodes if node.role == "error"]
    drafts: list[Draft] = []
    broken: list[Span] = []
    for declaration in find_declarations(language, flat, nodes):
        draft = _draft(language, flat, declaration, leads)
        if _is_sure(flat, draft.span, errors):
            drafts.append(draft)
        else:
            broken.append((draft.span[0], line_end(flat, declaration.start)))
    merged = _merge(flat, drafts, language.merges.split())
    unreadable = partial(_unreadable, text, errors, broken, [draft.span for draft in drafts])
    return Outline(language.name, name_segments(merged), language.kinds, language.join, unreadable)


def _draft(language: Language, flat: str, item: Declaration, leads: Leads) -> Draft:
    """Lay a declaration out: whole lines where they are its own, else its characters."""
    item_end = trimmed_end(flat, item.start, item.end)
    lead = leads.before(item.start) if item.kind != "imports" else []
    within, own = leads.within(item.start)
    start = lead[0].start if lead else item.start
    end = with_end_mark(flat, item_end)
    span = own_lines(flat, start, end) or (start, end)
    parts = leads.parts([*lead, *within])
    if comma := _COMMA.match(flat, end):
        parts["separator"] = comma.span(1)
    parts |= _inner_parts(flat, item, own, item_end, is_plain=language.plain_bodies)
    first = line_start(flat, own)
    indent = flat[first : first + len(flat[first:own]) - len(flat[first:own].lstrip(" \t"))]
    return Draft(item.kind, language.join.join(item.path), item.path, span, parts, indent)


def _inner_parts(
    flat: str, item: Declaration, own: int, end: int, *, is_plain: bool
) -> dict[str, Span]:
    """Return the signature and the body of a declaration."""
    body = item.found.body
    if item.kind == "imports":
        return {"body": own_lines(flat, own, end) or (own, end)}
    if item.kind in _VALUES:
        if not body:
            return {}
        value = body[0], trimmed_end(flat, *body)
        return {"body": own_lines(flat, *value) or value}
    start = line_start(flat, own) if begins_line(flat, own) else own
    if not body or body[0] <= own:
        empty = empty_body(flat, own, end)
        head = trimmed_end(flat, start, empty[0] - 1 if empty else end)
        return {"signature": (start, head)} | ({"body": empty} if empty else {})
    opening = body[0] if is_plain else opening_of(flat, body)
    head = start + len(flat[start:opening].rstrip(" \t\r\n\f{"))
    return {
        "signature": (start, head),
        "body": content(flat, *body) if is_plain else inside(flat, body),
    }


def _is_sure(flat: str, span: Span, errors: list[Span]) -> bool:
    """Tell whether a declaration has no error inside, or ends where its indentation says."""
    index = bisect_left(errors, (span[0], -1))
    if index == len(errors) or errors[index][0] > span[1]:
        return True
    return ends_surely(flat, (line_start(flat, span[0]), span[1]))


def _merge(flat: str, drafts: list[Draft], kinds: list[str]) -> Iterator[Draft]:
    """Join neighbours of one name where a language spreads one thing over several declarations."""
    held: Draft | None = None
    for draft in sorted(drafts, key=lambda draft: draft.span):
        if held and draft.kind in kinds and _continues(flat, held, draft):
            span = held.span[0], draft.span[1]
            parts = {"body": span} if draft.kind == "imports" else {**draft.parts, **held.parts}
            held = held._replace(span=span, parts=parts)
            continue
        if held:
            yield held
        held = draft
    if held:
        yield held


def _continues(flat: str, held: Draft, draft: Draft) -> bool:
    gap = flat[held.span[1] : draft.span[0]]
    return (held.kind, held.path) == (draft.kind, draft.path) and bool(
        _COMMENT_LINES.fullmatch(gap)
    )


def _unreadable(
    text: str, errors: list[Span], broken: list[Span], sound: list[Span]
) -> tuple[Span, ...]:
    """Return the lines of errors, without the sound declarations an error stretches over."""
    pieces: list[Span] = list(broken)
    for start, end in errors:
        at = start
        for first, last in sound:
            if at <= first and last <= end:
                pieces.append((at, first))
                at = last
        pieces.append((at, end))
    return line_ranges(text, [piece for piece in pieces if _is_seen(text, piece, errors)])


def _is_seen(text: str, piece: Span, errors: Iterable[Span]) -> bool:
    return bool(text[slice(*piece)].strip()) or piece in errors
