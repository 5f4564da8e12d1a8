"""Docstrings and doc comments, written whole or added to."""

from __future__ import annotations

import re
from collections.abc import Sequence

from keyhole.edits.by_name.segment_target import SegmentChanges, SegmentTarget, no_inside, put_lines
from keyhole.refusals import Refused
from keyhole.segments.outline import Span
from keyhole.segments.python.strings import STRING
from keyhole.text.indent import indent_of, is_blank, margin

_QUOTED = re.compile(r"[ \t]*[rRuU]?(?:\"|')")
_DOCSTRING = re.compile(
    r"(?s)(?P<open>[rRuU]?)(?P<quote>\"\"\"|'''|\"|')(?P<text>.*)(?P=quote)"
    r"(?P<tail>[ \t]*(?:#[^\n]*)?)"
)
_FIRST = re.compile(
    rf"(?>(?:[ \t]*(?:#[^\n]*)?\n)*)[ \t]*[rRuU]?(?:{STRING})[ \t]*(?:;|(?:#[^\n]*)?(?:\n|\Z))"
)
_STAR = re.compile(r"^[ \t]*(?:/\*+!?|\*)[ \t]?")
_MARK = re.compile(r"[ \t]*(?P<mark>///?!?|//!|--+|#+)(?P<space> ?)")


def begins_with_doc(lines: Sequence[str]) -> bool:
    """Tell whether the first statement of Python text is a string, as a docstring is."""
    return _FIRST.match("\n".join(lines)) is not None


def quoted_doc(lines: list[str]) -> tuple[list[str], tuple[str, ...]]:
    """Return a docstring with its quotes; text that came without them gets them, with a note."""
    if _QUOTED.match(lines[0]):
        return lines, ()
    text = "\n".join(lines)
    quote = "'''" if '"""' in text or text.endswith('"') else '"""'
    prefix = "r" if "\\" in text else ""
    common = margin(lines)
    bare = [line.removeprefix(common) for line in lines]
    closing = [quote] if len(bare) > 1 else []
    bare[0] = f"{prefix}{quote}{bare[0]}" + ("" if closing else quote)
    return [*bare, *closing], ("quotes were put around the docstring",)


def insert_into_doc(spot: SegmentTarget, span: Span, lines: list[str]) -> SegmentChanges:
    """Put lines at the top or the bottom of a docstring or doc comment."""
    if not spot.is_lines(span):
        raise Refused(no_inside(spot))
    present = spot.lines(span)
    indent = indent_of(present[0])
    common = margin(lines)
    new = [line.removeprefix(common) for line in lines]
    at_top = spot.edit.action == "prepend"
    if spot.language == "python":
        return put_lines(spot, span, _in_docstring(present, indent, new, at_top=at_top))
    if present[0].strip().startswith("/*"):
        return put_lines(spot, span, _in_comment(present, indent, new, at_top=at_top))
    mark = _MARK.match(present[0])
    if not mark:
        raise Refused(no_inside(spot))
    marked = [indent + _marked(line, mark["mark"]) for line in new]
    return put_lines(spot, span, [*marked, *present] if at_top else [*present, *marked])


def _marked(line: str, mark: str) -> str:
    """Return a line of a comment: behind its mark, if it did not come so."""
    own = _MARK.match(line)
    # A heading in a doc comment begins with a sign that marks comments elsewhere.
    return line if own and own["mark"][0] == mark[0] else f"{mark} {line}".rstrip()


def _in_docstring(present: list[str], indent: str, new: list[str], *, at_top: bool) -> list[str]:
    found = _DOCSTRING.fullmatch("\n".join(present).strip(" \t"))
    if not found:
        return present
    quote = found["quote"] if len(found["quote"]) == 3 else found["quote"] * 3
    old = found["text"].rstrip(" \t\n").split("\n")
    moved = [indent + line if not is_blank(line) else "" for line in new]
    first, *rest = [*new[:1], *moved[1:], "", indent + old[0].lstrip(), *old[1:]] if at_top else old
    if not at_top:
        rest += ["", *moved] if len(old) == 1 else moved
    return [f"{indent}{found['open']}{quote}{first}", *rest, f"{indent}{quote}{found['tail']}"]


def _in_comment(present: list[str], indent: str, new: list[str], *, at_top: bool) -> list[str]:
    """Return a block comment with more lines, each behind the star that the others have."""
    if len(present) == 1:
        inner = present[0].strip().removeprefix("/**").removeprefix("/*").removesuffix("*/").strip()
        opening = "/**" if present[0].strip().startswith("/**") else "/*"
        present = [f"{indent}{opening}", f"{indent} * {inner}", f"{indent} */"]
    if new[0].startswith("/*") and new[-1].endswith("*/"):
        new = [_STAR.sub("", line).rstrip() for line in "\n".join(new)[:-2].strip().split("\n")]
        new = new if new[0] else new[1:]
    star = next((line for line in present[1:-1] if line.strip().startswith("*")), None)
    prefix = indent_of(star) + "* " if star else indent + "   "
    lines = [(prefix + line).rstrip() for line in new]
    at = 1 if at_top else len(present) - 1
    return [*present[:at], *lines, *present[at:]]
