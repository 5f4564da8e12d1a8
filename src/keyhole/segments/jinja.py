"""Jinja templates: blocks and macros by name, and those inside them by `parent.child`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from keyhole.segments.code.layout import indent_of, line_end, line_start
from keyhole.segments.outline import Outline, SegmentDraft, Span, line_ranges, name_segments
from keyhole.text.document import plain_lines

KINDS = ("block", "macro")
# Comments and raw parts hold no tags; a tag may hold strings with `%}` in them.
_TAG = re.compile(
    r"\{#.*?(?:#\}|\Z)|\{%[-+]?\s*raw\s*[-+]?%\}.*?(?:\{%[-+]?\s*endraw\s*[-+]?%\}|\Z)"
    r"|\{%[-+]?\s*(?P<word>block|macro|endblock|endmacro)\b\s*(?P<name>\w*)"
    r"(?:[^%'\"]|%(?!\})|\"[^\"]*\"|'[^']*')*%\}",
    re.DOTALL,
)


def read_jinja(text: str) -> Outline:
    """Return the outline of a template."""
    flat = plain_lines(text)
    broken: list[Span] = []
    drafts = tuple(_drafts(flat, broken))
    return Outline("jinja", name_segments(drafts), KINDS, ".", partial(line_ranges, text, broken))


def lone_tags(text: str) -> list[Span]:
    """Return where tags stand that open nothing that is closed, or close nothing that is open."""
    broken: list[Span] = []
    for _ in _drafts(plain_lines(text), broken):
        pass
    return broken


def _drafts(flat: str, broken: list[Span]) -> Iterator[SegmentDraft]:
    """Yield what each opening tag and its end enclose; tags without their other half are noted."""
    open_tags: list[re.Match[str]] = []
    for tag in _TAG.finditer(flat):
        word = tag["word"] or ""
        if word in KINDS:
            open_tags.append(tag)
        elif word and open_tags and word == f"end{open_tags[-1]['word']}":
            path = tuple(each["name"] for each in open_tags)
            yield _draft(flat, open_tags.pop(), tag, path)
        elif word:
            broken.append(tag.span())
    broken += [tag.span() for tag in open_tags]


def _draft(
    flat: str, first: re.Match[str], last: re.Match[str], path: tuple[str, ...]
) -> SegmentDraft:
    span, body = _own_lines(flat, first.start(), last.end()), (first.end(), last.start())
    begins, ends = line_end(flat, body[0]), line_start(flat, body[1])
    if begins <= ends and not flat[body[0] : begins].strip() and not flat[ends : body[1]].strip():
        body = begins, ends
    parts = {"signature": first.span(), "body": body}
    indent = indent_of(flat, first.start())
    return SegmentDraft(first["word"], ".".join(path), path, span, parts, indent, len(path))


def _own_lines(flat: str, start: int, end: int) -> Span:
    """Return whole lines where nothing else stands on the first and the last one."""
    begins, ends = line_start(flat, start), line_end(flat, end)
    if flat[begins:start].strip() or flat[end:ends].strip():
        return start, end
    return begins, ends
