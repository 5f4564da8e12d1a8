"""Edits by structural pattern: find its matches, and fill the content with what they captured."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache, lru_cache, partial

from keyhole.edits.by_name.segment_target import scope_of_segment
from keyhole.edits.by_text import explain
from keyhole.edits.by_text.quoted import is_whole, no_column
from keyhole.edits.by_text.reindent import first_indent, rebase, spelled_indent
from keyhole.edits.by_text.target import Target
from keyhole.edits.model.operations import Edit
from keyhole.edits.model.plan import ELSEWHERE, LocatedEdit
from keyhole.fastclasses import replace
from keyhole.matching.already_applied import around
from keyhole.matching.ladder import SeveralPlaces
from keyhole.matching.query import Occurrence, Quote, Rewrite
from keyhole.matching.rewrite import rewrite
from keyhole.matching.rewrite_literal import spelled
from keyhole.matching.view import lines_of
from keyhole.phrases import FileName, say
from keyhole.refusals import Refusal, Refused
from keyhole.segments.code.patterns import PatternHit, check_patterns, find_pattern
from keyhole.segments.languages.table import language_of
from keyhole.segments.literals import long_literals, python_literals
from keyhole.segments.outline import Span
from keyhole.text.changes import Change
from keyhole.text.indent import BLANK, indent_of, is_blank
from keyhole.text.lines import block, line_span

_VARIABLE = re.compile(r"\$(?:\$\$)?([A-Z_][A-Z0-9_]*)")
# What all places of an edit together are given, in characters, if that is more than the file has.
MOST_NEW = 2 * 1024 * 1024


def check_size(target: Target, hits: Sequence[PatternHit], content: str) -> None:
    """Refuse a content whose captures would make the file too large."""
    most = max(MOST_NEW, 2 * len(target.document.text))
    counts = Counter(_VARIABLE.findall(content))
    size = len(hits) * len(_VARIABLE.sub("", content))
    for hit in hits:
        size += sum(counts[name] * (end - start) for name, (start, end) in hit.variables.items())
        if size > most:
            headline = f"the new text would have over {most} characters, {size} or more"
            help_line = say("name fewer variables in {content}, or fewer places")
            raise Refused(Refusal("too-large", headline, help=help_line))


def filled_lines(target: Target, hit: PatternHit, lines: list[str], indent: str | int) -> list[str]:
    """Return whole lines for the place of a match, with each variable filled in.

    Lines at column 0 go to the place or the column that is asked for; lines that bring an indent of
    their own are taken as they are.
    """
    if indent != "keep" and not (indent == "auto" and first_indent(lines)):
        at = (
            _line_indent(target, hit)
            if indent == "auto"
            else spelled_indent(int(indent), target.style)
        )
        if at != first_indent(lines):
            lines = rebase(lines, at, target.style, _inside(target, "\n".join(lines)))
    return [_filled(target, hit, line, indent_of(line)) for line in lines]


def filled_text(target: Target, hit: PatternHit, text: str, *, keep: bool) -> str:
    """Return a text that begins within a line; later lines get its indent or `keep` their own."""
    indent, inside = _line_indent(target, hit), _inside(target, text)
    out = []
    for number, line in enumerate(text.split("\n")):
        stays = keep or not number or number in inside or is_blank(line)
        placed = line if stays else indent + line
        out.append(_filled(target, hit, placed, indent_of(placed) if number else indent))
    return "\n".join(out)


def _line_indent(target: Target, hit: PatternHit) -> str:
    """Return the indent of the line that a hit begins on."""
    return _indent_at(target, target.view.flat_offset(hit.span[0]))


def _indent_at(target: Target, at: int) -> str:
    flat = target.view.flat
    return indent_of(flat[flat.rfind("\n", 0, at) + 1 : at])


def _filled(target: Target, hit: PatternHit, line: str, indent: str) -> str:
    """Return a line with each variable filled in; a name that the pattern lacks stays as it is."""
    edge = len(line) - len(line.lstrip(BLANK))
    caught = cache(partial(_captured, target, hit, indent))  # a line may name one very often

    def fill(name: re.Match[str]) -> str:
        span = hit.variables.get(name[1])
        return name[0] if span is None else caught(span, leads=name.start() <= edge)

    return _VARIABLE.sub(fill, line)


def _captured(target: Target, hit: PatternHit, indent: str, span: Span, *, leads: bool) -> str:
    """Return what a variable captured, moved to the indent of the line that it goes to."""
    start, end = map(target.view.flat_offset, span)
    first, *rest = target.view.flat[start:end].split("\n")
    was = _indent_at(target, start) if leads else _line_indent(target, hit)
    if not rest or was == indent:
        return "\n".join([first, *rest])
    _ = target.view.starts  # each hit asks for its line
    number = target.view.line_of(start) + 1
    inside = _inside(target, target.view.flat)
    moved = (
        line if at in inside or not line.startswith(was) else indent + line[len(was) :]
        for at, line in enumerate(rest, number)
    )
    return "\n".join([first, *moved])


def _inside(target: Target, text: str) -> frozenset[int]:
    """Return the lines of a text that begin inside a literal whose indentation is a value."""
    return _in_literals(language_of(target.path, target.document), text)


@lru_cache(maxsize=4)
def _in_literals(language: str, text: str) -> frozenset[int]:
    found = (
        python_literals(text)
        if language == "python"
        else long_literals(language, text, (0, len(text)))
    )
    return frozenset(n for literal in found if not literal.follows for n in literal.inside)


# How much all patterns of a call may look through, in characters.
_MOST_LOOKED = 10_000_000


def place_pattern(edit: Edit, target: Target) -> LocatedEdit:
    """Return the changes of an edit at the matches of its pattern, or refuse."""
    assert edit.pattern, "BUG: no pattern"
    hits = _hits(edit.pattern, target)
    if edit.segment:
        scope = scope_of_segment(edit, target)
        hits = tuple(hit for hit in hits if _holds(scope, hit.span))
    if not hits:
        raise Refused(_no_match(edit.pattern, target.path))
    spans = [hit.span for hit in hits]
    picked = _chosen(edit, target, spans)
    each = _changes_at(edit, target, [hits[index] for index in picked])
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
        notes=(say("{pattern} also fits at {}", explain.lines_as_words(others), kind=ELSEWHERE),)
        if others
        else (),
        span=(spans[picked[0]][0], spans[picked[-1]][1]),
        stands=stands[0] if all(stands) else None,
    )


def pattern_places(edit: Edit, target: Target) -> list[tuple[Span, Sequence[Change]]]:
    """Return every place that the pattern of an edit fits, outermost ones, with its changes."""
    assert edit.pattern, "BUG: no pattern"
    hits = _hits(edit.pattern, target)
    picked = _outermost([hit.span for hit in hits])
    return _changes_at(edit, target, [hits[index] for index in picked])


def _changes_at(
    edit: Edit, target: Target, hits: Sequence[PatternHit]
) -> list[tuple[Span, Sequence[Change]]]:
    """Return the changes of an edit at each hit, beside the hit's place."""
    check_size(target, hits, edit.content or "")
    return [(hit.span, _changes(edit, target, hit)) for hit in hits]


def _hits(pattern: str, target: Target) -> Sequence[PatternHit]:
    """Return the matches of a pattern; each search reads the whole file."""
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
    several = SeveralPlaces("exact", tuple(spans))
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
    rewritten = rewrite(view, site, follow_indent=False)
    assert isinstance(rewritten, Rewrite), "BUG: an exact site can always be written to"
    return rewritten.changes


def _no_match(pattern: str, path: str) -> Refusal:
    shown = pattern[:80].replace("\n", "\\n")
    return Refusal(
        "not-found",
        say("nothing in {} has the shape `{}`", FileName(path), shown),
        help="write code of the file's language, with $NAME for one node and $$$NAME for several",
    )
