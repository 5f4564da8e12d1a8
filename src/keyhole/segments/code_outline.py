"""Code: declarations with their lines, comments and attributes, as segments."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import partial

from keyhole.segments.code import FoundNode, is_beyond_parsing, read_nodes
from keyhole.segments.conditionals import Conditionals
from keyhole.segments.declarations import BLOCKS, Declaration, find_declarations
from keyhole.segments.errors import Errors
from keyhole.segments.language import Language
from keyhole.segments.layout import (
    begins_line,
    closes_flush,
    content,
    empty_body,
    indent_of,
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
    Outline,
    SegmentDraft,
    Span,
    line_ranges,
    name_segments,
    plain_lines,
)

# The body of these is their value, brackets included.
_VALUES = frozenset({"key", "item", "variable", "constant", "type", "prototype"})
_COMMA = re.compile(r"[ \t]*(,)")
_COMMENT_LINES = re.compile(r"(?:\s*(?://|--|/\*|\*)[^\n]*)*\s*")
_HASH_LINES = re.compile(r"(?:\s*(?://|#|--|/\*|\*)[^\n]*)*\s*")
_DIRECTIVES = re.compile(r"(?:\s*(?://|/\*|\*|#\s*(?:if|el|endif|pragma))[^\n]*)*\s*")


def read_code(language: Language, text: str) -> Outline:
    """Return the outline of a text in a language of the table."""
    flat = plain_lines(text)
    if is_beyond_parsing(language.name, flat):
        everything = partial(line_ranges, flat, [(0, len(flat))])
        return Outline(language.name, (), language.kinds, language.join, everything)
    nodes = read_nodes(language, flat)
    leads = Leads(flat, nodes)
    errors = Errors(flat, ((node.start, node.end) for node in nodes if node.role == "error"))
    conditionals = Conditionals(flat, nodes) if language.has_conditionals else None
    drafts: list[SegmentDraft] = []
    broken: list[Span] = []
    declarations = find_declarations(flat, nodes)
    for declaration in declarations:
        declaration.end = leads.own_end(declaration.start, declaration.end)
    for declaration, floor in _with_floors(declarations):
        draft = _draft(language, flat, declaration, leads.before(declaration.start, floor), leads)
        is_wide = errors.follow(draft.span) and _is_wide(flat, declaration, draft.span[1])
        is_late = not language.recovers and errors.precede(draft.span)
        is_cut = conditionals and not conditionals.leave_whole(draft.span)
        is_doubtful = declaration.is_astray or is_late or is_cut or is_wide
        head = draft.parts.get("signature", draft.span)[0]
        if not is_doubtful and errors.leave(draft.span, head):
            drafts.append(draft)
        else:
            broken.append((draft.span[0], line_end(flat, declaration.start)))
    merged = _merge(language, flat, list(_clipped(drafts)))
    if conditionals:
        merged = list(_over_conditionals(flat, merged, conditionals))
    unreadable = partial(errors.lines, [draft.span for draft in drafts], broken)
    return Outline(language.name, name_segments(merged), language.kinds, language.join, unreadable)


def _is_wide(flat: str, item: Declaration, end: int) -> bool:
    """Tell whether a declaration may have taken in what follows it, for want of a bracket."""
    is_closed = item.kind not in BLOCKS or closes_flush(flat, (item.start, end))
    return item.holds_flush or not is_closed


def _with_floors(declarations: Iterable[Declaration]) -> Iterator[tuple[Declaration, int]]:
    """Yield each declaration with the end of the last one before it, above which nothing is its."""
    opened: list[Declaration] = []
    floor = 0
    for item in declarations:
        while opened and opened[-1].end <= item.start:
            floor = max(floor, opened.pop().end)
        # A comment above the imports is mostly about the file.
        yield item, item.start if item.kind == "imports" else floor
        opened.append(item)


def _draft(
    language: Language, flat: str, item: Declaration, lead: list[FoundNode], leads: Leads
) -> SegmentDraft:
    """Lay a declaration out: whole lines where they are its own, else its characters."""
    within, own = leads.within(item.start)
    start = lead[0].start if lead else item.start
    end = item.end if item.is_shared else with_end_mark(flat, item.end)
    # The mark at the end of a statement belongs to all whom it declares.
    is_shared = item.is_shared and item.kind != "constructor"
    is_last = is_shared and with_end_mark(flat, end) != end
    span = (None if is_last else own_lines(flat, start, end)) or (start, end)
    parts = leads.parts([*lead, *within])
    if comma := _COMMA.match(flat, end):
        parts["separator"] = comma.span(1)
    parts |= _inner_parts(flat, item, own, is_plain=language.plain_bodies)
    stem = language.join.join(item.path)
    return SegmentDraft(item.kind, stem, item.path, span, parts, indent_of(flat, own))


def _clipped(drafts: list[SegmentDraft]) -> Iterator[SegmentDraft]:
    """Yield drafts that end with what encloses them, which may end before a line does."""
    enclosing: list[Span] = []
    for draft in sorted(drafts, key=_outer_first):
        while enclosing and enclosing[-1][1] <= draft.span[0]:
            enclosing.pop()
        start, end = draft.span
        end = min(end, enclosing[-1][1]) if enclosing else end
        parts = {
            name: part if name == "separator" else _within(part, start, end)
            for name, part in draft.parts.items()
        }
        enclosing.append((start, end))
        yield draft._replace(span=(start, end), parts=parts)


def _within(part: Span, start: int, end: int) -> Span:
    return min(max(part[0], start), end), min(max(part[1], start), end)


def _inner_parts(flat: str, item: Declaration, own: int, *, is_plain: bool) -> dict[str, Span]:
    """Return the signature and the body of a declaration."""
    body, end = item.found.body, item.end
    if body:
        body = body[0], min(body[1], end)
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


def _merge(language: Language, flat: str, drafts: list[SegmentDraft]) -> list[SegmentDraft]:
    """Join neighbours of one name where a language spreads one thing over several declarations."""
    kept: list[SegmentDraft] = []
    opened: list[int] = []
    # Where there are directives, one parts what it stands between.
    between = _COMMENT_LINES if language.has_conditionals else _HASH_LINES
    for draft in sorted(drafts, key=_outer_first):
        before = -1
        # What ends last before this one is the neighbour, and not what is inside the neighbour.
        while opened and kept[opened[-1]].span[1] <= draft.span[0]:
            before = opened.pop()
        is_more = before >= 0 and draft.kind in language.merges
        if is_more and _continues(kept[before], draft, flat, between):
            kept[before] = _joined(flat, kept[before], draft)
            opened.append(before)
            continue
        opened.append(len(kept))
        kept.append(draft)
    return kept


def _over_conditionals(
    flat: str, drafts: list[SegmentDraft], conditionals: Conditionals
) -> Iterator[SegmentDraft]:
    """Yield drafts, imports joined over the conditionals among them that they hold whole."""
    index = 0
    while index < len(drafts):
        held = drafts[index]
        last = at = index
        while held.kind == "imports" and at + 1 < len(drafts) and drafts[at + 1].kind == "imports":
            at += 1
            if not _DIRECTIVES.fullmatch(flat, drafts[at - 1].span[1], drafts[at].span[0]):
                break
            if conditionals.leave_whole((held.span[0], drafts[at].span[1])):
                last = at
        yield _joined(flat, held, drafts[last]) if last > index else held
        index = last + 1


def _joined(flat: str, held: SegmentDraft, draft: SegmentDraft) -> SegmentDraft:
    """Return one draft for two; what does not begin its line ends before the end of one."""
    end = draft.span[1]
    if not begins_line(flat, held.span[0]):
        end = trimmed_end(flat, draft.span[0], end)
    span = held.span[0], end
    later = {name: part for name, part in draft.parts.items() if name != "doc"}
    parts = {"body": span} if draft.kind == "imports" else {**later, **held.parts}
    return held._replace(span=span, parts=parts)


def _outer_first(draft: SegmentDraft) -> Span:
    return draft.span[0], -draft.span[1]


def _continues(
    held: SegmentDraft, draft: SegmentDraft, flat: str, between: re.Pattern[str]
) -> bool:
    is_same = (held.kind, held.path) == (draft.kind, draft.path)
    return is_same and between.fullmatch(flat, held.span[1], draft.span[0]) is not None
