"""Keys and items of JSON, YAML and TOML: written so that commas, comments and layout stay right."""

from __future__ import annotations

from keyhole.edits.naming.brackets import (
    add_beside,
    add_to_brackets,
    brackets_of,
    delete_between_commas,
    is_separated,
    with_comma,
)
from keyhole.edits.naming.compose import block_of, fitted
from keyhole.edits.naming.lost import told_name
from keyhole.edits.naming.parts import put_inline
from keyhole.edits.naming.refused import no_inside, no_such_part, not_alone
from keyhole.edits.naming.siblings import delete_segment, insert_beside
from keyhole.edits.naming.spot import SegmentTarget, acting
from keyhole.edits.naming.tokens import has_tail, is_pair, last_value, without_comma
from keyhole.edits.naming.written import Written, put_lines, put_text
from keyhole.edits.naming.yaml_values import as_item, is_block, put_after_colon, put_beside_first
from keyhole.phrases import say
from keyhole.refusals import Refusal, Refused
from keyhole.segments.outline import Span
from keyhole.text.indent import indent_of, is_blank

LANGUAGES = frozenset({"json", "yaml", "toml"})
_VALUE_ONLY = ("the new text is a value alone: the key stays",)


def is_keyed(spot: SegmentTarget) -> bool:
    """Tell whether the segment is a key or an item of a configuration file."""
    return spot.language in LANGUAGES and spot.segment.kind in {"key", "item"}


def edit_key(spot: SegmentTarget, lines: list[str]) -> Written:
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
    """Refuse a value that comes with its key: it would be inside itself."""
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


def _replace(spot: SegmentTarget, lines: list[str]) -> Written:
    """Write another key and value in place; the comma and a comment behind them stay."""
    lines = [*lines[:-1], lines[-1].rstrip()]
    if is_separated(spot):
        lines = without_comma(spot.language, lines)
    if spot.segment.kind == "item":
        lines = as_item(lines) if _is_dashed(spot) else lines
    elif not is_pair(spot.language, lines[0]):
        return _replace_value(spot, lines)._replace(notes=_VALUE_ONLY)
    core = core_of(spot)
    if has_tail(spot.language, lines):
        core, lines = _with_tail(spot, core, lines)
    if spot.line_start(core[0]) != core[0]:
        written = put_inline(spot, core, lines)
    else:
        new = fitted(spot, block_of(spot, lines, core, spot.segment.indent))
        written = put_text(spot, core, "\n".join(new))
    return written if _has_key(spot, lines) else told_name(spot, written)


def _has_key(spot: SegmentTarget, lines: list[str]) -> bool:
    """Tell whether new text begins with the key that it replaces; an item of a list has none."""
    return spot.segment.kind == "item" or lines[0].lstrip().startswith(_key_of(spot))


def _with_tail(spot: SegmentTarget, core: Span, lines: list[str]) -> tuple[Span, list[str]]:
    """Return the place and the text with the comment behind them, where the text brings one."""
    separator = spot.part("separator")
    end = spot.line_end(max(core[1], separator[1] if separator else 0))
    if separator:
        lines = with_comma(spot, lines)
    return (core[0], end - spot.flat.endswith("\n", 0, end)), lines


def _is_dashed(spot: SegmentTarget) -> bool:
    return spot.language == "yaml" and spot.flat[spot.span[0] :].lstrip(" ").startswith("-")


def _replace_value(spot: SegmentTarget, lines: list[str]) -> Written:
    """Write another value behind the key."""
    body = spot.part("body")
    lines = without_comma(spot.language, lines) if is_separated(spot) else lines
    if spot.language == "yaml" and spot.segment.kind == "key":
        is_lines = body is not None and spot.line_start(body[0]) == body[0]
        if body is None or is_lines != is_block(lines):
            return put_after_colon(spot, body, lines)
    assert body, "BUG: only a key of YAML has no value"
    if spot.line_start(body[0]) != body[0]:
        return put_inline(spot, body, lines)
    if spot.segment.kind == "item" and _is_dashed(spot):
        lines = as_item(lines)  # an empty item is nothing but its dash
    start, end = body[0], last_value(spot.language, spot.flat, body)[0]
    end = end if spot.language != "yaml" else body[1]
    indent = indent_of(spot.flat[start : spot.line_end(start)])
    new = fitted(spot, block_of(spot, lines, (start, end), indent))
    if spot.language == "yaml" and spot.is_lines(body):
        return put_lines(spot, body, new)
    # What the key of an item holds ends with the item, which may end before its line.
    return put_text(spot, (start, end), "\n".join(new))


def _delete(spot: SegmentTarget) -> Written:
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


def _insert_beside(spot: SegmentTarget, lines: list[str]) -> Written:
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
    return insert_beside(spot, fitted(spot, block), ())


def _insert_inside(spot: SegmentTarget, lines: list[str]) -> Written:
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
    new = fitted(spot, block_of(acting(spot, "replace"), lines, (at, at), indent_of(first)))
    if at != spot.line_start(at):
        return put_text(spot, (at, at), "\n" + "\n".join(new))
    return put_lines(spot, (at, at), new)
