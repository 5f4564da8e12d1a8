"""Code: declarations with their lines, comments and attributes, as segments."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from functools import partial
from sys import intern

from keyhole.segments.code.declarations import BLOCKS, Declaration, find_declarations
from keyhole.segments.code.layout import (
    begins_line,
    closes_flush,
    content,
    empty_body,
    ends_surely,
    indent_of,
    inside,
    line_end,
    line_start,
    opening_of,
    own_lines,
    trimmed_end,
    with_end_mark,
)
from keyhole.segments.code.parser import FoundNode, is_beyond_parsing, read_nodes
from keyhole.segments.languages.language import Language
from keyhole.segments.outline import Outline, SegmentDraft, Span, line_ranges, name_segments
from keyhole.text.document import plain_lines

_BLANKS = re.compile(r"\s*")
# Comments about the file or the block they stand in, not about what follows.
_NOT_ATTACHED = re.compile(r"//!|/\*!|#!|//\s?#?(?:end)?region\b")


class LeadingNodes:
    """The comments and attributes of a text, by where they begin and end."""

    def __init__(self, flat: str, nodes: Collection[FoundNode]) -> None:
        self._flat = flat
        kept = [node for node in nodes if node.role in {"comment", "attribute"}]
        self._by_start = {node.start: node for node in kept}
        self._by_end = {trimmed_end(flat, node.start, node.end): node for node in kept}
        self._comments = {
            trimmed_end(flat, node.start, node.end): node.start
            for node in nodes
            if node.role in {"comment", "aside"}
        }

    def before(self, start: int, floor: int) -> list[FoundNode]:
        """Return what is attached before `start` and not above `floor`, in file order."""
        lead: list[FoundNode] = []
        while (node := self._by_end.get(self._end_of_text_before(start))) and node.start >= floor:
            if not self._is_attached(node, start):
                break
            lead.insert(0, node)
            start = node.start
        return lead

    def within(self, start: int) -> tuple[list[FoundNode], int]:
        """Return the attributes a declaration begins with, and where it goes on behind them."""
        lead: list[FoundNode] = []
        while node := self._by_start.get(start):
            lead.append(node)
            blanks = _BLANKS.match(self._flat, trimmed_end(self._flat, node.start, node.end))
            assert blanks, "BUG: the pattern of blanks matches everywhere"
            start = blanks.end()
        return lead, start

    def own_end(self, start: int, end: int) -> int:
        """Return where a declaration ends without comments below it that are not inside it.

        The parser extends a declaration without a closing bracket to the next word, over comments
        of the next declaration. Comments that are not indented deeper are not its own.
        """
        flat = self._flat
        end = trimmed_end(flat, start, end)
        column = start - line_start(flat, start)
        while (comment := self._comments.get(end, -1)) > start and begins_line(flat, comment):
            if comment - line_start(flat, comment) > column:
                break
            end = self._end_of_text_before(comment)
        return end

    def parts(self, lead: list[FoundNode]) -> dict[str, Span]:
        """Return the spans of the doc comment and of the decorators, which together are `lead`.

        Comments above the attributes are the doc, or else those below; others go with them.
        """
        roles = [node.role for node in lead]
        if "attribute" not in roles:
            return {"doc": self._hull(lead)} if lead else {}
        first, behind = roles.index("attribute"), len(roles) - roles[::-1].index("attribute")
        doc, decorators = (lead[:first], lead[first:]) if first else (lead[behind:], lead[:behind])
        parts = {"doc": self._hull(doc)} if doc else {}
        return parts | {"decorators": self._hull(decorators)}

    def _hull(self, nodes: list[FoundNode]) -> Span:
        start = nodes[0].start
        end = trimmed_end(self._flat, nodes[-1].start, nodes[-1].end)
        return own_lines(self._flat, start, end) or (start, end)

    def _end_of_text_before(self, at: int) -> int:
        """Return the offset behind the last character before `at` that is not blank."""
        flat = self._flat
        while at and flat[at - 1] in " \t\r\n\f":
            at -= 1
        return at

    def _is_attached(self, node: FoundNode, start: int) -> bool:
        """Tell whether a node belongs to what begins at `start`: a comment only directly above."""
        if node.role == "attribute":
            return True
        between = self._flat.count("\n", self._end_of_text_before(start), start)
        is_about_this = not _NOT_ATTACHED.match(self._flat, node.start)
        return between <= 1 and begins_line(self._flat, node.start) and is_about_this


_DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(if|el|endif)", re.MULTILINE)


class Conditionals:
    """The lines of a text that open, part and close conditionals, those in comments left out."""

    def __init__(self, flat: str, nodes: Iterable[FoundNode]) -> None:
        comments = {node.start: node.end for node in nodes if node.role == "comment"}
        starts = sorted(comments)
        self._lines: list[tuple[int, str]] = []
        for found in _DIRECTIVE.finditer(flat):
            index = bisect_left(starts, found.start())
            if not index or comments[starts[index - 1]] <= found.start():
                self._lines.append((found.start(), found[1]))

    def leave_whole(self, span: Span) -> bool:
        """Tell whether a declaration cuts no conditional in two.

        Of `#if`, one head, `#else`, another head, `#endif`, one body the parser makes a declaration
        with an `#endif` inside whose `#if` is outside.
        """
        depth = 0
        for at in range(bisect_left(self._lines, (span[0], "")), len(self._lines)):
            start, word = self._lines[at]
            if start >= span[1]:
                break
            depth += {"if": 1, "endif": -1}.get(word, 0)
            if depth < 0 or (word == "el" and not depth):
                return False
        return depth == 0


_WORD = re.compile(r"[\w*&]$")


class ParseErrors:
    """The errors of one text, by where they begin and by the lines they begin and end on."""

    def __init__(self, flat: str, spans: Iterable[Span]) -> None:
        self._flat = flat
        self._spans = sorted(spans)
        self._known = set(self._spans)
        self._ends = {trimmed_end(flat, *span) for span in self._spans}
        self._begin_on: defaultdict[int, list[int]] = defaultdict(list)
        self._end_on: defaultdict[int, list[int]] = defaultdict(list)
        for start, end in self._spans:
            self._begin_on[line_start(flat, start)].append(start)
            self._end_on[line_start(flat, max(start, end - 1))].append(end)

    def precede(self, span: Span) -> bool:
        """Tell whether an error stands before the end of a declaration."""
        return bool(self._spans) and self._spans[0][0] < span[1]

    def follow(self, span: Span) -> bool:
        """Tell whether an error stands below the beginning of a declaration."""
        return bool(self._spans) and self._spans[-1][1] > span[0]

    def leave(self, span: Span, head: int) -> bool:
        """Tell whether it is certain, in spite of errors, where a declaration begins and ends.

        An error beside it on its first or last line may be a part of it; with one inside it, the
        indentation must bear out its end, from its `head` on, which is below its comments.
        """
        if not self._spans:
            return True
        start, end = span
        first, last = line_start(self._flat, start), line_start(self._flat, end - 1)
        before = any(error <= start for error in self._end_on.get(first, ()))
        behind = any(error >= end for error in self._begin_on.get(last, ()))
        if before or behind or self._leads_to(start):
            return False
        index = bisect_left(self._spans, (start, -1))
        has_inside = index < len(self._spans) and self._spans[index][0] < end
        return not has_inside or ends_surely(self._flat, (line_start(self._flat, head), end))

    def _leads_to(self, start: int) -> bool:
        """Tell whether an error on the line above ends with a word: it may begin a declaration.

        `LIB_API int LIB_CALL` on one line and `run(int a);` on the next are one prototype.
        """
        first = line_start(self._flat, start)
        above = line_start(self._flat, max(first - 1, 0))
        line = self._flat[above:first].rstrip()
        return bool(_WORD.search(line)) and above + len(line) in self._ends

    def lines(self, sound: Iterable[Span], broken: Iterable[Span]) -> tuple[Span, ...]:
        """Return the lines of errors without the sound declarations inside them, and `broken`."""
        pieces = [piece for piece in broken if self._flat[slice(*piece)].strip()]
        places = sorted(sound)
        for start, end in self._spans:
            at = start
            for index in range(bisect_left(places, (start, -1)), len(places)):
                first, last = places[index]
                if first >= end:
                    break
                # An error may end before the line does that it ends on.
                if at <= first and first + len(self._flat[first:last].rstrip()) <= end:
                    pieces.append((at, first))
                    at = last
            pieces.append((at, end))
        seen = (piece for piece in pieces if self._is_seen(piece))
        return line_ranges(self._flat, seen)

    def _is_seen(self, piece: Span) -> bool:
        return bool(self._flat[slice(*piece)].strip()) or piece in self._known


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
    leads = LeadingNodes(flat, nodes)
    errors = ParseErrors(flat, ((node.start, node.end) for node in nodes if node.role == "error"))
    conditionals = Conditionals(flat, nodes) if language.has_conditionals else None
    drafts: list[SegmentDraft] = []
    broken: list[Span] = []
    declarations = find_declarations(flat, nodes)
    del nodes
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
    unreadable = partial(errors.lines, [draft.span for draft in drafts], broken)
    merged = _merge(language, flat, list(_clipped(drafts)))
    del drafts
    if conditionals:
        merged = list(_over_conditionals(flat, merged, conditionals))
    return Outline(language.name, name_segments(merged), language.kinds, language.join, unreadable)


def _is_wide(flat: str, item: Declaration, end: int) -> bool:
    """Tell whether a declaration may have swallowed what follows, because a bracket is missing."""
    is_closed = item.kind not in BLOCKS or closes_flush(flat, (item.start, end))
    return item.holds_flush or not is_closed


def _with_floors(declarations: list[Declaration]) -> Iterator[tuple[Declaration, int]]:
    """Yield each declaration with the end of the one before it, its upper limit.

    The list is used up: of a long text the declarations take as much memory as its outline.
    """
    opened: list[Declaration] = []
    floor = 0
    declarations.reverse()
    while declarations:
        item = declarations.pop()
        while opened and opened[-1].end <= item.start:
            floor = max(floor, opened.pop().end)
        # A comment above the imports is mostly about the file.
        yield item, item.start if item.kind == "imports" else floor
        opened.append(item)


def _draft(
    language: Language, flat: str, item: Declaration, lead: list[FoundNode], leads: LeadingNodes
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
    return SegmentDraft(item.kind, stem, item.path, span, parts, intern(indent_of(flat, own)))


def _clipped(drafts: list[SegmentDraft]) -> Iterator[SegmentDraft]:
    """Yield drafts that end with what encloses them, which may end before a line does."""
    enclosing: list[Span] = []
    for draft in sorted(drafts, key=_outer_first):
        while enclosing and enclosing[-1][1] <= draft.span[0]:
            enclosing.pop()
        start, end = draft.span
        end = min(end, enclosing[-1][1]) if enclosing else end
        enclosing.append((start, end))
        if end == draft.span[1] and all(start <= a <= b <= end for a, b in draft.parts.values()):
            yield draft
            continue
        parts = {
            name: part if name == "separator" else _within(part, start, end)
            for name, part in draft.parts.items()
        }
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
    """Join neighbours of one name, if the language spreads one thing over several declarations."""
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
