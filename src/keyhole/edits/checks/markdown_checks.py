"""Markdown checks: headings, anchors, links and fences that an edit has put out of order."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from urllib.parse import unquote

from keyhole.edits.checks.syntax.problem import Problem
from keyhole.edits.model.plan import FilePlan
from keyhole.fastclasses import dataclass
from keyhole.segments.markdown import Element, elements, heading_title
from keyhole.segments.mdx import blanker_of
from keyhole.segments.outline import holds, merged
from keyhole.text.document import plain_lines

Exists = Callable[[str], bool]

_ELSEWHERE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//|\{\{|\{%|<|$")
_NOT_IN_ANCHORS = re.compile(r"[^\w\- ]")
_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)(?:[^`\n]|\n(?!\s*\n)|(?!\1(?!`))`)+\1(?!`)")
_HTML_ANCHOR = re.compile(r"""<\w[^<>]{0,200}?\b(?:id|name)\s*=\s*["']([^"'<>]+)["']""")
_REFERENCE = re.compile(r"(?<![\]\\!\w])!?\[(?P<text>[^\[\]]+)\]\[(?P<label>[^\[\]]*)\]")
_DEFINED = re.compile(r"(?m)^ {0,3}\[(?P<label>[^\[\]]+)\]:")
_LINK_MARKS = re.compile(r"!?\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])")
_MARKS = re.compile(r"[#\[\]`~<]|^[ \t]*(?:=+|-+)[ \t\r]*$", re.MULTILINE)
_UNDERLINE = re.compile(r"[ \t]*(?:=+|-+)[ \t\r]*(?:\n|$)")
_FENCE = re.compile(r"[ \t>]*(?P<fence>`{3,}|~{3,})")


@dataclass(frozen=True, slots=True)
class _Heading:
    """A heading: its level, the anchor that sites make of it, and the heading that it is below."""

    level: int
    anchor: str
    title: str
    below: str
    start: int
    end: int


def may_touch_structure(file: FilePlan, lines: Sequence[tuple[int, str]]) -> bool:
    """Tell whether marks of headings, links or fences come or go; most prose has none."""
    before = file.before.text if file.before else ""
    after = file.after.text if file.after else ""
    gone = any(_MARKS.search(before, change.start, change.end) for change in file.changes.changes)
    return gone or any(
        _MARKS.search(text) or _UNDERLINE.match(after, start + len(text)) for start, text in lines
    )


def new_warnings(path: str, before: str | None, after: str, exists: Exists) -> list[Problem]:
    """Return what is out of order in a text and was not before."""
    found = list(_warnings(path, after, exists))
    if not found or before is None:
        return found
    old = Counter((each.code, each.message) for each in _warnings(path, before, exists))
    new = []
    for each in found:
        key = each.code, each.message
        if not old[key]:
            new.append(each)
        old[key] -= old[key] > 0
    return new


def _warnings(path: str, text: str, exists: Exists) -> Iterator[Problem]:
    """Yield all that is out of order; messages name no line, so that they say the same later."""
    flat = plain_lines(text)
    found = list(elements(text, blanker_of(path)))
    headings = list(_headings(flat, found))
    yield from _jumps(headings)
    yield from _twice(headings)
    yield from _links(path, flat, found, headings, exists)
    yield from _references(flat, found)
    yield from _open_fences(flat, found)


def _warning(span: tuple[int, int], message: str, code: str) -> Problem:
    return Problem(*span, message, doubtful=True, code=code)


def _headings(flat: str, found: Sequence[Element]) -> Iterator[_Heading]:
    above: list[tuple[int, str]] = []
    for each in found:
        if each.kind != "Heading":
            continue
        level = int(each.label)
        title = heading_title(flat[each.start : each.end])
        while above and above[-1][0] >= level:
            above.pop()
        below = above[-1][1] if above else ""
        anchor = _anchor(title)
        above.append((level, f"{below}/{anchor}"))
        yield _Heading(level, anchor, title, below, each.start, each.end)


def _anchor(title: str) -> str:
    plain = _LINK_MARKS.sub(r"\1", title).replace("`", "").replace("*", "").lower()
    return _NOT_IN_ANCHORS.sub("", plain).strip().replace(" ", "-")


def _jumps(headings: Sequence[_Heading]) -> Iterator[Problem]:
    last = 0
    for heading in headings:
        if last and heading.level > last + 1:
            message = f"heading `{heading.title}` is of level {heading.level} below level {last}"
            yield _warning((heading.start, heading.end), message, "heading-jump")
        last = heading.level


def _twice(headings: Sequence[_Heading]) -> Iterator[Problem]:
    """Yield headings whose anchor an earlier one has.

    Where several anchors repeat below different headings, as in a changelog, only repetitions below
    one heading count.
    """
    count = Counter(heading.anchor for heading in headings)
    is_pattern = sum(number > 1 for number in count.values()) > 1
    seen: set[tuple[str, str]] = set()
    for heading in headings:
        key = (heading.below if is_pattern else ""), heading.anchor
        if key in seen:
            message = f"the anchor #{heading.anchor} is there twice"
            yield _warning((heading.start, heading.end), message, "duplicate-anchor")
        seen.add(key)


def _links(
    path: str, flat: str, found: Sequence[Element], headings: Sequence[_Heading], exists: Exists
) -> Iterator[Problem]:
    anchors = {heading.anchor for heading in headings} | set(_HTML_ANCHOR.findall(flat))
    count = Counter(heading.anchor for heading in headings)
    anchors |= {f"{name}-{number}" for name in count for number in range(1, count[name])}
    folded = {name.lower() for name in anchors}
    for each in found:
        if each.kind not in {"Link", "Image"} or _ELSEWHERE.match(each.label):
            continue
        target, _, fragment = each.label.partition("#")
        if not target:
            if unquote(fragment).lower() not in folded:
                message = f"no heading has the anchor #{fragment}"
                yield _warning((each.start, each.end), message, "broken-link")
        elif not _is_there(path, target, exists):
            message = f"the link leads to {target}, which does not exist"
            yield _warning((each.start, each.end), message, "broken-link")


def _is_there(path: str, target: str, exists: Exists) -> bool:
    plain = unquote(target.partition("?")[0])
    if plain.startswith("/"):
        # Sites root such a link where they like.
        return True
    joined = posixpath.normpath(posixpath.join(posixpath.dirname(path), plain))
    return joined.startswith("..") or exists(joined)


def _references(flat: str, found: Sequence[Element]) -> Iterator[Problem]:
    """Yield references in brackets to a label that is defined nowhere."""
    if "][" not in flat:
        return
    links = (each for each in found if each.kind in {"Link", "Image", "CodeBlock"})
    codes = (match.span() for match in _CODE_SPAN.finditer(flat))
    taken = merged([*((each.start, each.end) for each in links), *codes])
    defined = {_label(match["label"]) for match in _DEFINED.finditer(flat)}
    for match in _REFERENCE.finditer(flat):
        label = match["label"] or match["text"]
        if not holds(taken, match.start()) and _label(label) not in defined:
            message = f"no link is defined for [{label}]"
            yield _warning(match.span(), message, "undefined-reference")


def _label(label: str) -> str:
    return " ".join(label.split()).casefold()


def _open_fences(flat: str, found: Sequence[Element]) -> Iterator[Problem]:
    for each in found:
        fence = _FENCE.match(flat, each.start) if each.kind == "CodeBlock" else None
        if not fence:
            continue
        last = flat[each.start : each.end].rstrip().rpartition("\n")[2].lstrip("> \t").rstrip()
        mark = fence["fence"]
        is_closed = len(last) >= len(mark) and not last.strip(mark[0])
        if not is_closed or "\n" not in flat[each.start : each.end].strip():
            line_end = flat.find("\n", each.start)
            end = line_end if line_end >= 0 else each.end
            yield _warning((each.start, end), "a code fence is not closed", "unclosed-fence")
