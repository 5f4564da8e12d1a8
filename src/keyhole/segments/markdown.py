"""Markdown: sections, preamble, code blocks, lists and tables, as CommonMark reads them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from keyhole.segments.outline import Outline, Segment, SegmentDraft, Span, name_segments
from keyhole.text.document import masked, plain_lines

# What stands alone on the first line, and what may close the block then.
MARKS = {"---": r"(?:---|\.\.\.)", "+++": r"\+\+\+"}
_OPENING = re.compile(r"(?P<mark>---|\+\+\+)[ \t]*\r?\n")
_CLOSING = {
    mark: re.compile(rf"^{closing}[ \t]*\r?$\n?", re.MULTILINE) for mark, closing in MARKS.items()
}
_YAML_LINE = re.compile(
    r"[^\s#:\-][^:\n]*:(?:[ \t]|$)|\"[^\"\n]*\"[ \t]*:|#|-(?:[ \t]|$)|[ \t]|[\]})]|$"
)
_YAML_KEY = re.compile(r"^[^\s#:\-][^:\n]*:(?:[ \t]|$)", re.MULTILINE)
_KEY_BELOW = re.compile(r"(?:\s*#[^\n]*\n)*\s*[\"']?[^\W\d][\w .-]*[\"']?\s*[:=]")


class FrontMatter(NamedTuple):
    """The body of a block that opens a text, and where what follows begins.

    `end` and `behind` are -1 if the block is not closed.
    """

    syntax: str
    start: int
    end: int
    behind: int


def front_matter(flat: str) -> SegmentDraft | None:
    """Return the front matter of a text; a paragraph between two rules is none."""
    found = opening_block(flat)
    if found is None or found.end < 0:
        return None
    body = found.start, found.end
    if found.syntax == "yaml" and not _is_yaml(flat[slice(*body)]):
        return None
    span = 0, found.behind
    return SegmentDraft("frontmatter", "frontmatter", ("frontmatter",), span, {"body": body})


def intended_front_matter(flat: str) -> FrontMatter | None:
    """Return what is meant as front matter, sound or not: a key stands right below the mark."""
    found = opening_block(flat)
    return found if found and _KEY_BELOW.match(flat, found.start) else None


def opening_block(flat: str) -> FrontMatter | None:
    """Return the block between two marks that opens a text, whatever it holds."""
    opening = _OPENING.match(flat)
    if opening is None:
        return None
    syntax = "toml" if opening["mark"] == "+++" else "yaml"
    closing = _CLOSING[opening["mark"]].search(flat, opening.end())
    end, behind = closing.span() if closing else (-1, -1)
    return FrontMatter(syntax, opening.end(), end, behind)


def _is_yaml(body: str) -> bool:
    """Tell whether every line can be one of a YAML mapping; an empty block counts."""
    lines = body.split("\n")
    if not body.strip():
        return "\n" not in body[:2]
    return bool(_YAML_KEY.search(body)) and all(map(_YAML_LINE.match, lines))


_IN_MATTER = "frontmatter."


def _matter_keys(flat: str, matter: SegmentDraft) -> Iterator[SegmentDraft]:
    """Yield the keys of front matter, items and tables: `frontmatter.title`.

    Their names are whole addresses, so that a heading `title` is not taken for the key.
    """
    start, end = matter.parts["body"]
    for key in _read_matter(flat[start:end], is_toml=flat.startswith("+++")).segments:
        parts = {name: (start + one, start + two) for name, (one, two) in key.parts.items()}
        span = start + key.span[0], start + key.span[1]
        stem = f"{_IN_MATTER}{'.'.join(key.path)}"
        yield SegmentDraft(key.kind, stem, (stem,), span, parts, key.indent)


def is_in_matter(segment: Segment) -> bool:
    """Tell whether a segment of a markdown text is a key, an item or a table of front matter."""
    is_kind = segment.kind in {"key", "item", "table"}
    return is_kind and len(segment.path) == 1 and segment.name.startswith(_IN_MATTER)


def _read_matter(body: str, *, is_toml: bool) -> Outline:
    if is_toml:
        from keyhole.segments.toml import read_toml

        return read_toml(body)
    from keyhole.segments.code.outline import read_code
    from keyhole.segments.languages.table import row_of

    return read_code(row_of("yaml"), body)


KINDS = ("section", "preamble", "frontmatter", "code_block", "list", "table", "key", "item")

# The mark of a list item, as CommonMark has it, and how far a line is indented before it.
ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t\n]|$)")
_ATX = re.compile(r"#{1,6}(?:[ \t]+|$)")
_CLOSING_HASHES = re.compile(r"(?:^|[ \t]+)#+$")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_LANGUAGE = re.compile(r"[^\s,{}.:]+")


_Seen = Callable[[str], str]


class _Found(NamedTuple):
    """A block of the document; `label` is the level of a heading or the info of a fence."""

    kind: str
    start: int
    end: int
    label: str


class _Section(NamedTuple):
    path: tuple[str, ...]
    level: int
    start: int
    below: int
    end: int


class Element(NamedTuple):
    """A heading, code block, link or image; `label` is its level, its info or its target."""

    kind: str
    label: str
    start: int
    end: int


def elements(text: str, seen: _Seen = str) -> Iterator[Element]:
    """Yield what begins in a markdown text behind its front matter, wherever it stands."""
    flat, _, start = _opened(text)
    source = seen(flat[start:])
    found = list(_events(source))
    at = _positions(source, [offset for *_, begin, end in found for offset in (begin, end)])
    for kind, label, begin, end in found:
        yield Element(kind, label, start + at[begin], start + at[end])


class Heading(NamedTuple):
    """A heading as it is written: its title without marks, and its level."""

    title: str
    level: int


def heading_of(text: str) -> Heading:
    """Return the heading that a text begins with."""
    flat = text.strip(" \t\r\n")
    first, _, rest = flat.partition("\n")
    if opening := _ATX.match(first):
        level = len(opening.group().strip())
        return Heading(_title(first) or "#" * level, level)
    underline = rest.partition("\n")[0].strip()
    return Heading(first.strip(), 1 if underline.startswith("=") else 2)


def heading_title(source: str) -> str:
    """Return the text of a heading without its marks."""
    return _title(source.strip(" \t\r\n"))


def read_markdown(text: str, seen: _Seen = str) -> Outline:
    """Return the outline of a markdown text; `seen` makes of it what CommonMark is to read."""
    flat, matter, start = _opened(text)
    found = list(_blocks(seen(flat[start:]), start))
    sections = list(_sections(flat, [block for block in found if block.kind == "section"]))
    drafts = [matter, *_matter_keys(flat, matter)] if matter else []
    drafts.extend(_preamble(flat, start, sections))
    drafts.extend(_section_draft(flat, section) for section in sections)
    drafts.extend(_block_drafts(flat, found, sections))
    return Outline("markdown", name_segments(drafts), KINDS, "::")


def _opened(text: str) -> tuple[str, SegmentDraft | None, int]:
    """Return a text as it is read, its front matter, and where what follows that begins."""
    flat = masked(plain_lines(text))
    matter = front_matter(flat)
    return flat, matter, matter.span[1] if matter else 0


def _blocks(source: str, start: int) -> Iterator[_Found]:
    """Yield headings and blocks outside quotes; of what a list holds, only code blocks."""
    found: list[tuple[str, int, int, str]] = []
    quoted = listed = -1
    for kind, label, begin, end in _events(source):
        if begin < quoted:
            continue
        if kind == "BlockQuote":
            quoted = end
        elif begin < listed and kind != "CodeBlock":
            continue
        elif kind in _KINDS_OF:
            listed = end if kind == "List" else listed
            found.append((_KINDS_OF[kind], begin, end, label))
    at = _positions(source, [offset for _, begin, end, _ in found for offset in (begin, end)])
    for kind, begin, end, label in found:
        yield _Found(kind, start + at[begin], start + at[end], label)


_KINDS_OF = {"Heading": "section", "CodeBlock": "code_block", "List": "list", "Table": "table"}


def _events(source: str) -> Iterator[tuple[str, str, int, int]]:
    """Yield what begins: its kind, its label, and its range in bytes."""
    from pyromark import Markdown, Options

    reader = Markdown(options=Options.ENABLE_TABLES)
    for event, place in reader.events_with_range(source):
        if type(event) is not dict or "Start" not in event:
            continue
        tag = event["Start"]
        if type(tag) is not dict:
            continue
        ((kind, value),) = tag.items()
        yield kind, _label(kind, value), place["start"], place["end"]


def _label(kind: str, value: object) -> str:
    match kind, value:
        case "Heading", {"level": str(level)}:
            return level[1:]
        case "CodeBlock", {"Fenced": str(info)}:
            return info
        case "Link" | "Image", {"dest_url": str(target)}:
            return target
        case _:
            return ""


def _positions(source: str, offsets: list[int]) -> Mapping[int, int]:
    """Map byte offsets to character offsets in one pass over the text."""
    if source.isascii():
        return {offset: offset for offset in offsets}
    data, at, characters = source.encode(), 0, 0
    positions: dict[int, int] = {}
    for offset in sorted(set(offsets)):
        characters += len(data[at:offset].decode())
        positions[offset] = characters
        at = offset
    return positions


def _sections(flat: str, headings: list[_Found]) -> Iterator[_Section]:
    """Yield each section: it runs to the next heading of its level or higher."""
    ends: list[int] = []
    later: list[tuple[int, int]] = []
    for heading in reversed(headings):
        level = int(heading.label)
        while later and later[-1][0] > level:
            later.pop()
        ends.append(later[-1][1] if later else len(flat))
        later.append((level, _line_start(flat, heading.start)))
    above: list[tuple[int, str]] = []
    for heading, end in zip(headings, reversed(ends), strict=True):
        level = int(heading.label)
        while above and above[-1][0] >= level:
            above.pop()
        title = _title(flat[heading.start : heading.end].strip(" \t\r\n")) or "#" * level
        above.append((level, title))
        start = _line_start(flat, heading.start)
        below = _line_end(flat, heading.start + len(flat[heading.start : heading.end].rstrip()))
        path = tuple(title for _, title in above)
        yield _Section(path, level, start, below, _content_end(flat, start, end))


def _title(source: str) -> str:
    """Return the text of a heading without its marks."""
    if opening := _ATX.match(source):
        return _CLOSING_HASHES.sub("", source[opening.end() :].rstrip(" \t"))
    lines = source.split("\n")[:-1]
    return " ".join(line.strip(" \t\r") for line in lines)


def _section_draft(flat: str, section: _Section) -> SegmentDraft:
    body = min(_skip_blank(flat, section.below, section.end), section.end)
    parts = {"heading": (section.start, section.below), "body": (body, section.end)}
    span = section.start, section.end
    return SegmentDraft(
        "section", "::".join(section.path), section.path, span, parts, "", section.level
    )


def _preamble(flat: str, start: int, sections: list[_Section]) -> Iterator[SegmentDraft]:
    end = sections[0].start if sections else len(flat)
    begin = _skip_blank(flat, start, end)
    if begin < end:
        span = begin, _content_end(flat, begin, end)
        yield SegmentDraft("preamble", "preamble", ("preamble",), span, {"body": span})


def _block_drafts(
    flat: str, found: Iterable[_Found], sections: list[_Section]
) -> Iterator[SegmentDraft]:
    """Yield code blocks, lists and tables, each under the path of the section that holds it."""
    blocks = [block for block in found if block.kind != "section" and _begins_line(flat, block)]
    codes = sum(block.kind == "code_block" for block in blocks)
    number = index = 0
    path: tuple[str, ...] = ()
    for block in blocks:
        while index < len(sections) and sections[index].start <= block.start:
            path = sections[index].path
            index += 1
        stem = block.kind
        if block.kind == "code_block":
            number += 1
            language = _LANGUAGE.search(block.label)
            # Without a language it counts among all blocks: `code#3` is the third of all.
            plain = "code" if codes == 1 else f"code#{number}"
            stem = f"code:{language.group()}" if language else plain
        yield _block_draft(flat, block, stem, (*path, stem))


def _block_draft(flat: str, block: _Found, stem: str, path: tuple[str, ...]) -> SegmentDraft:
    start = _line_start(flat, block.start)
    span = start, _content_end(flat, start, block.end)
    body = _inside_fences(flat, span) if block.kind == "code_block" else span
    opening = flat[start : block.start]
    indent = opening if block.kind == "code_block" and body != span else ""
    return SegmentDraft(block.kind, stem, path, span, {"body": body}, indent)


def _inside_fences(flat: str, span: Span) -> Span:
    """Return what lies between the fences of a code block; all of an indented one."""
    start, end = span
    fence = _FENCE.match(flat, start)
    if not fence:
        return span
    body = _line_end(flat, start)
    last = _line_start(flat, end - 1)
    closing = re.compile(rf"[ \t]*{re.escape(fence.group(1))}{fence.group(1)[0]}*[ \t]*\Z")
    is_closed = last >= body and closing.match(flat[last:end].rstrip("\r\n"))
    return min(body, end), last if is_closed else end


def _begins_line(flat: str, block: _Found) -> bool:
    """Tell whether nothing but blanks stands before a block on its first line."""
    return not flat[_line_start(flat, block.start) : block.start].strip(" \t")


def _line_start(flat: str, at: int) -> int:
    return flat.rfind("\n", 0, at) + 1


def _line_end(flat: str, at: int) -> int:
    return flat.find("\n", at) + 1 or len(flat)


def _content_end(flat: str, start: int, end: int) -> int:
    """Return the end of the last line of [start, end) that is not blank."""
    return _line_end(flat, start + len(flat[start:end].rstrip(" \t\r\n")))


def _skip_blank(flat: str, start: int, end: int) -> int:
    """Return the start of the first line of [start, end) that is not blank, or `end`."""
    content = start + len(flat[start:end]) - len(flat[start:end].lstrip(" \t\r\n"))
    return max(_line_start(flat, content), start) if content < end else end
