"""Write keys and items of JSON, YAML and TOML; commas, comments and layout stay right."""

from __future__ import annotations

import re

from keyhole.edits.by_name.beside import delete_segment, insert_beside, with_blanks
from keyhole.edits.by_name.compose import block_of, fit_text, indented_text
from keyhole.edits.by_name.inside import deeper
from keyhole.edits.by_name.lost import with_name_note
from keyhole.edits.by_name.parts import put_inline
from keyhole.edits.by_name.segment_target import (
    SegmentChanges,
    SegmentTarget,
    no_inside,
    no_such_part,
    not_alone,
    put_lines,
    put_text,
    shares_line,
    with_action,
)
from keyhole.edits.by_name.tokens import (
    has_tail,
    is_pair,
    joined,
    last_value,
    tokens,
    without_comma,
)
from keyhole.phrases import say
from keyhole.refusals import Refusal, Refused
from keyhole.segments.outline import Segment, Span
from keyhole.text.indent import indent_of, is_blank

_OPEN = re.compile(r"[ \t]*[{\[]")


def is_separated(spot: SegmentTarget) -> bool:
    """Tell whether the segment and its siblings are kept apart by commas."""
    if spot.language == "json" or "separator" in spot.segment.parts:
        return True
    parent = spot.target.outline.by_address.get(spot.segment.parent)
    return parent is not None and _brackets(spot, parent) is not None


def brackets_of(spot: SegmentTarget) -> Span | None:
    """Return what lies between the brackets of the segment's value, if it has such."""
    return _brackets(spot, spot.segment)


def _brackets(spot: SegmentTarget, segment: Segment) -> Span | None:
    body = segment.parts.get("body")
    if not body or segment.kind == "frontmatter":
        return None
    start, end = spot.flat_span(body)
    opening = _OPEN.match(spot.flat, start, end)
    if not opening:
        return None
    close = last_value(spot.language, spot.flat, (start, end))[0] - 1
    return (opening.end(), close) if spot.flat[close] in "}]" else None


def add_beside(spot: SegmentTarget, core: Span, lines: list[str]) -> SegmentChanges:
    """Put a member before or after another one."""
    lines = without_comma(spot.language, lines)
    is_before = spot.edit.action == "before"
    if not spot.is_lines(spot.span):
        at = core[0] if is_before else core[1]
        text = _inline(spot, lines)
        return put_text(spot, (at, at), f"{text}, " if is_before else f", {text}")
    at = spot.span[0] if is_before else spot.span[1]
    new = indented_text(spot, block_of(spot, lines, (at, at), spot.segment.indent))
    if is_before:
        return put_lines(spot, (at, at), with_comma(spot, new))
    if "separator" in spot.segment.parts:
        return put_lines(spot, (at, at), with_comma(spot, new))
    return _after_last(spot, core[1], at, new)


def _inline(spot: SegmentTarget, lines: list[str]) -> str:
    """Return members as text for one line, or refuse a comment that would swallow what follows."""
    text = joined(spot.language, lines)
    if text is None:
        raise Refused(shares_line(spot))
    return text


def with_comma(spot: SegmentTarget, lines: list[str]) -> list[str]:
    """Return lines with a comma behind the last value, before a comment."""
    text = "\n".join(lines)
    end, comma = last_value(spot.language, text, (0, len(text)))
    return lines if comma >= 0 else (text[:end] + "," + text[end:]).split("\n")


def _after_last(spot: SegmentTarget, value_end: int, at: int, new: list[str]) -> SegmentChanges:
    """Put lines after the last member, which gets a comma."""
    tail = spot.flat[value_end:at].removesuffix("\n")
    return put_text(spot, (value_end, value_end + len(tail)), "\n".join(["," + tail, *new]))


def add_to_brackets(spot: SegmentTarget, inner: Span, lines: list[str]) -> SegmentChanges:
    """Put members at the top or the bottom of what brackets hold."""
    start, end = inner
    text = spot.flat[start:end]
    lines = without_comma(spot.language, lines)
    value_end, comma = last_value(spot.language, spot.flat, inner)
    if value_end == start:
        return _into_empty(spot, inner, lines)
    first = start + len(text) - len(text.lstrip())
    is_top = spot.edit.action == "prepend"
    if is_top and "\n" not in spot.flat[start:first]:
        return put_text(spot, (first, first), f"{_inline(spot, lines)}, ")
    if not is_top and "\n" not in spot.flat[value_end:end]:
        at = value_end if comma < 0 else comma
        return put_text(spot, (at, at), f"{',' if comma < 0 else ''} {_inline(spot, lines)}")
    return _among_lines(spot, (start, value_end), lines, comma)


def _among_lines(spot: SegmentTarget, inner: Span, lines: list[str], comma: int) -> SegmentChanges:
    """Put members among others that stand on lines of their own."""
    start, value_end = inner
    below = spot.line_end(start)
    first = next((line for line in spot.lines((below, value_end)) if not is_blank(line)), "")
    indent = indent_of(first) if first else deeper(spot)
    is_top = spot.edit.action == "prepend"
    at = below if is_top else spot.line_end(value_end)
    new = indented_text(spot, block_of(spot, lines, (at, at), indent))
    if is_top or comma >= 0:
        return put_lines(spot, (at, at), with_comma(spot, new))
    return _after_last(spot, value_end, at, new)


def _into_empty(spot: SegmentTarget, inner: Span, lines: list[str]) -> SegmentChanges:
    """Put the first members between brackets, below the comments if there are some."""
    start, end = inner
    indent = indent_of(spot.flat[spot.line_start(start) : start])
    comments = spot.flat[start:end].rstrip()
    if spot.language != "json" and len(lines) == 1 and not comments:
        return put_text(spot, inner, lines[0].strip())
    at = start + len(comments)
    new = indented_text(spot, block_of(spot, lines, (at, at), deeper(spot)))
    rest = spot.flat[at:end] if comments and "\n" in spot.flat[at:end] else f"\n{indent}"
    return put_text(spot, (at, end), "\n" + "\n".join(new) + rest)


def delete_between_commas(spot: SegmentTarget, core: Span) -> SegmentChanges:
    """Take a member out, and the one comma that goes with it."""
    separator = spot.part("separator")
    if separator:
        return _without(spot, core, separator[1])
    comma = _comma_before(spot, core[0])
    if comma < 0:
        return _without_only(spot, core)
    if not spot.is_lines(spot.span):
        return put_text(spot, (comma, core[1]), "")
    kept = spot.flat[comma + 1 : spot.span[0]]
    return put_text(spot, (comma, spot.span[1]), kept)


def _comma_before(spot: SegmentTarget, at: int) -> int:
    """Return the offset of the comma that stands last before a member, or -1 for the first one."""
    last = None
    for token in tokens(spot.language, spot.flat, (0, at)):
        last = last if token["comment"] else token
    return last.start() if last and last["comma"] else -1


def _without_only(spot: SegmentTarget, core: Span) -> SegmentChanges:
    """Take the only member out; brackets with nothing in them close up."""
    parent = spot.target.outline.by_address.get(spot.segment.parent)
    inner = _brackets(spot, parent) if parent else None
    rest = spot.flat[inner[0] : core[0]] + spot.flat[core[1] : inner[1]] if inner else "."
    return (
        put_text(spot, inner, "") if inner and not rest.strip() else _without(spot, core, core[1])
    )


def _without(spot: SegmentTarget, core: Span, end: int) -> SegmentChanges:
    if spot.is_lines(spot.span):
        return put_lines(spot, spot.span, [])
    return put_text(spot, with_blanks(spot, (core[0], end)), "")


_DASHES = re.compile(r" *(?:- +)+")
_DASH = re.compile(r"\s*-(?:\s|$)")
_COLON = re.compile(r":(?=\s|\Z)")
_COMMENT = re.compile(r"\s#")
_OPENS_BLOCK = re.compile(r"(?:.*[\s-])?[|>][-+\d]*\s*|.*:\s*|\s*-\s*")


def is_block(lines: list[str]) -> bool:
    """Tell whether a value is a mapping or a list in block form, which stands below its key."""
    return _DASH.match(lines[0]) is not None or is_pair("yaml", lines[0])


def as_item(lines: list[str]) -> list[str]:
    """Return lines as an item of a list: with a dash, if they came without one."""
    if _DASH.match(lines[0]):
        return lines
    return [f"- {lines[0].strip()}", *(f"  {line}" if line.strip() else "" for line in lines[1:])]


def put_beside_first(spot: SegmentTarget, lines: list[str]) -> SegmentChanges | None:
    """Put keys beside a key behind a dash, at its column; None where the segment is no such key."""
    start, end = spot.span
    column = start - spot.line_start(start)
    if spot.segment.kind != "key" or not _DASHES.fullmatch(spot.flat, start - column, start):
        return None
    indent = " " * column
    if spot.edit.action == "before":
        new = fit_text(spot, block_of(spot, lines, (start, start), indent))
        return put_text(spot, (start, start), "\n".join([*new, indent]).removeprefix(indent))
    at = spot.line_end(max(start, end - 1))
    return put_lines(spot, (at, at), fit_text(spot, block_of(spot, lines, (at, at), indent)))


def put_after_colon(spot: SegmentTarget, body: Span | None, lines: list[str]) -> SegmentChanges:
    """Write a value of the other form: a block below the key, or a plain value behind the colon."""
    start, end = spot.span
    comment = _COMMENT.search(spot.flat, start, end)
    limit = body[0] if body else comment.start() if comment else end
    at = max(found.end() for found in _COLON.finditer(spot.flat, start, limit))
    to = start + len(spot.flat[start : body[1]].rstrip()) if body else at
    above, behind = _comment_behind(spot, at) if body else "", _comment_behind(spot, to)
    if is_block(lines):
        new = fit_text(spot, block_of(spot, lines, (at, at), _below(spot)))
        return put_text(spot, (at, to + len(behind)), behind + "\n" + "\n".join(new))
    new = fit_text(spot, block_of(spot, lines, (at, at), spot.segment.indent))
    first = 0 if _opens_block(lines) else -1
    new[first] += above + behind
    return put_text(spot, (at, to + len(behind)), " " + "\n".join(new).strip())


def _comment_behind(spot: SegmentTarget, at: int) -> str:
    """Return the comment of YAML that is all the rest of a line, with the blanks before it."""
    rest = spot.flat[at : spot.line_end(at)].rstrip()
    return rest if spot.language == "yaml" and re.match(r"\s+#", rest) else ""


def _opens_block(lines: list[str]) -> bool:
    """Tell whether lines end inside of what the first one opens, such as the text behind a `|`."""
    return len(lines) > 1 and _OPENS_BLOCK.fullmatch(lines[0]) is not None


def _with_comment_first(
    spot: SegmentTarget, core: Span, lines: list[str]
) -> tuple[Span, list[str]]:
    """Return place and text with the comment behind the place in the first line of a block.

    At the end of a text such as `|` begins, a comment would be a part of the text.
    """
    comment = _comment_behind(spot, core[1])
    if not comment or not _opens_block(lines):
        return core, lines
    return (core[0], core[1] + len(comment)), [lines[0].rstrip() + comment, *lines[1:]]


def _below(spot: SegmentTarget) -> str:
    """Return the indent one level below a key, which may stand behind the dash of an item."""
    start = spot.span[0]
    dashes = start - spot.line_start(start)
    return " " * max(dashes - len(spot.segment.indent), 0) + deeper(spot)


_VALUE_ONLY = ("the new text is a value alone: the key stays",)


def edit_key(spot: SegmentTarget, lines: list[str]) -> SegmentChanges:
    """Carry out the edit on a key, an item, or its value."""
    part, action = spot.edit.part, spot.edit.action
    if part not in {"whole", "body"}:
        raise Refused(no_such_part(spot))
    if spot.is_removed(lines):
        if part == "body":
            raise Refused(not_alone(spot))
        return _delete(spot)
    if action in {"prepend", "append"}:
        return _insert_inside(spot, lines)
    if action in {"before", "after"}:
        return _insert_beside(spot, lines)
    if part == "body":
        _refuse_pair(spot, lines)
        return _replace_value(spot, lines)
    return _replace(spot, lines)


def _refuse_pair(spot: SegmentTarget, lines: list[str]) -> None:
    """Refuse a value that comes with its key: the key would be doubled."""
    key, name = _key_of(spot), spot.segment.name
    below = spot.target.outline.children(spot.segment.address)
    is_pair_again = key and lines[0].lstrip().startswith(key) and spot.segment.kind == "key"
    if not is_pair_again or any(child.name == name for child in below):
        return
    first, rest = len(indent_of(lines[0])), lines[1:] if spot.language == "yaml" else lines[1:-1]
    if all(is_blank(line) or len(indent_of(line)) > first for line in rest):
        headline = f"the new text is `{name}` as a whole, not its value"
        move = say("leave {part} out, or send the value alone")
        raise Refused(Refusal("wrong-segment-kind", headline, help=move))


def _key_of(spot: SegmentTarget) -> str:
    """Return a key as it is written, with the sign behind it."""
    body, core = spot.part("body"), core_of(spot)
    return spot.flat[core[0] : body[0] if body else core[1]].strip()


def core_of(spot: SegmentTarget) -> Span:
    """Return a key and its value, without a comma, a comment or the end of the line behind it."""
    start, end = spot.span
    body = spot.part("body")
    if spot.language == "yaml" and body:
        return start, start + len(spot.flat[start : body[1]].rstrip())
    return start, last_value(spot.language, spot.flat, (start, end))[0]


def _replace(spot: SegmentTarget, lines: list[str]) -> SegmentChanges:
    """Write another key and value in place; the comma and a comment behind them stay."""
    lines = [*lines[:-1], lines[-1].rstrip()]
    if is_separated(spot):
        lines = without_comma(spot.language, lines)
    if spot.segment.kind == "item":
        lines = as_item(lines) if _is_dashed(spot) else lines
    elif not is_pair(spot.language, lines[0]):
        return _replace_value(spot, lines)._replace(notes=_VALUE_ONLY)
    core, lines = _with_comment_first(spot, core_of(spot), lines)
    if has_tail(spot.language, lines):
        core, lines = _with_tail(spot, core, lines)
    if spot.line_start(core[0]) != core[0]:
        written = put_inline(spot, core, lines)
    else:
        new = fit_text(spot, block_of(spot, lines, core, spot.segment.indent))
        written = put_text(spot, core, "\n".join(new))
    return written if _has_key(spot, lines) else with_name_note(spot, written)


def _has_key(spot: SegmentTarget, lines: list[str]) -> bool:
    """Tell whether new text begins with the key that it replaces; an item of a list has none."""
    return spot.segment.kind == "item" or lines[0].lstrip().startswith(_key_of(spot))


def _with_tail(spot: SegmentTarget, core: Span, lines: list[str]) -> tuple[Span, list[str]]:
    """Return place and text with the comment behind them, if the text brings a comment."""
    separator = spot.part("separator")
    end = spot.line_end(max(core[1], separator[1] if separator else 0))
    if separator:
        lines = with_comma(spot, lines)
    return (core[0], end - spot.flat.endswith("\n", 0, end)), lines


def _is_dashed(spot: SegmentTarget) -> bool:
    return spot.language == "yaml" and spot.flat[spot.span[0] :].lstrip(" ").startswith("-")


def _replace_value(spot: SegmentTarget, lines: list[str]) -> SegmentChanges:
    """Write another value behind the key."""
    body = spot.part("body")
    lines = without_comma(spot.language, lines) if is_separated(spot) else lines
    if spot.language == "yaml" and spot.segment.kind == "key":
        is_lines = body is not None and spot.line_start(body[0]) == body[0]
        if body is None or is_lines != is_block(lines):
            return put_after_colon(spot, body, lines)
    assert body, "BUG: only a key of YAML has no value"
    if spot.line_start(body[0]) != body[0]:
        return put_inline(spot, *_with_comment_first(spot, body, lines))
    if spot.segment.kind == "item" and _is_dashed(spot):
        lines = as_item(lines)  # an empty item is nothing but its dash
    start, end = body[0], last_value(spot.language, spot.flat, body)[0]
    end = end if spot.language != "yaml" else body[1]
    indent = indent_of(spot.flat[start : spot.line_end(start)])
    new = fit_text(spot, block_of(spot, lines, (start, end), indent))
    if spot.language == "yaml" and spot.is_lines(body):
        return put_lines(spot, body, new)
    # What the key of an item holds ends with the item, which may end before its line.
    return put_text(spot, (start, end), "\n".join(new))


def _delete(spot: SegmentTarget) -> SegmentChanges:
    if is_separated(spot):
        return delete_between_commas(spot, core_of(spot))
    if spot.is_lines(spot.span):
        return delete_segment(spot)
    # The first key of a list item shares its line with the dash; the next key takes its place.
    start, end = spot.span
    after = spot.flat[end:]
    following = after.lstrip()
    is_last = not following or indent_of(after.lstrip("\n")) != spot.segment.indent + "  "
    return put_text(spot, (start, end if is_last else len(spot.flat) - len(following)), "")


def _insert_beside(spot: SegmentTarget, lines: list[str]) -> SegmentChanges:
    lines = as_item(lines) if _is_dashed(spot) and spot.segment.kind == "item" else lines
    if is_separated(spot):
        return add_beside(spot, core_of(spot), lines)
    at = spot.span[0] if spot.edit.action == "before" else spot.span[1]
    if not spot.is_lines(spot.span):
        beside = put_beside_first(spot, lines) if spot.language == "yaml" else None
        if beside is None:
            raise Refused(no_inside(spot))
        return beside
    block = block_of(spot, lines, (at, at), spot.segment.indent)
    return insert_beside(spot, fit_text(spot, block), ())


def _insert_inside(spot: SegmentTarget, lines: list[str]) -> SegmentChanges:
    """Add keys or items to the value: a list or a mapping."""
    if brackets := brackets_of(spot):
        return add_to_brackets(spot, brackets, lines)
    if spot.language != "yaml":
        raise Refused(no_inside(spot))
    body = spot.part("body")
    if body is None:
        return put_after_colon(spot, None, lines)
    if spot.line_start(body[0]) != body[0]:
        raise Refused(no_inside(spot))
    first = next(line for line in spot.lines(body) if not is_blank(line))
    lines = as_item(lines) if first.lstrip().startswith("-") else lines
    at = body[0] if spot.edit.action == "prepend" else body[1]
    new = fit_text(spot, block_of(with_action(spot, "replace"), lines, (at, at), indent_of(first)))
    if at != spot.line_start(at):
        return put_text(spot, (at, at), "\n" + "\n".join(new))
    return put_lines(spot, (at, at), new)
