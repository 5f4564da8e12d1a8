"""Parts of a segment: edit its body, signature, doc or decorators alone."""

from __future__ import annotations

from keyhole.edits.by_name.attached import is_comment, with_leading_parts, with_own_comment
from keyhole.edits.by_name.beside import is_only_statement
from keyhole.edits.by_name.compose import (
    Definitions,
    block_of,
    definitions_in,
    fit_text,
    indented_text,
)
from keyhole.edits.by_name.doc_comments import begins_with_doc, insert_into_doc, quoted_doc
from keyhole.edits.by_name.inside import (
    BodyLines,
    find_inside,
    insert_inside,
    inside_of_segment,
    opened,
)
from keyhole.edits.by_name.lost import with_name_note
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
from keyhole.edits.by_name.separators import blank_below
from keyhole.phrases import say
from keyhole.refusals import Refusal, Refused
from keyhole.segments.outline import Span
from keyhole.text.indent import indent_of


def edit_part(spot: SegmentTarget, lines: list[str]) -> SegmentChanges:
    """Carry out the edit on the part that it names."""
    name, action = spot.edit.part, spot.edit.action
    span = spot.part(name)
    is_removed = spot.is_removed(lines)
    if span is None:
        if is_removed or action not in {"replace", "prepend", "append"}:
            raise Refused(no_such_part(spot))
        return _add(spot, lines)
    if is_removed:
        return _remove(spot, span)
    if action == "replace":
        return _replace(spot, span, lines)
    return _insert(spot, span, lines)


def _add(spot: SegmentTarget, lines: list[str]) -> SegmentChanges:
    """Put a part that is not there yet where it belongs."""
    name, signature = spot.edit.part, spot.part("signature")
    if signature is None or name not in {"doc", "decorators"}:
        raise Refused(no_such_part(spot))
    if name == "doc" and spot.language == "python":
        return _add_docstring(spot, lines, signature)
    if not spot.is_lines(spot.span):
        raise Refused(shares_line(with_action(spot, "before")))
    at = spot.span[0] if name == "doc" else spot.line_start(signature[0])
    return _lines_at(spot, at, lines, spot.segment.indent)


def _add_docstring(spot: SegmentTarget, lines: list[str], signature: Span) -> SegmentChanges:
    inside = inside_of_segment(spot)
    lines, notes = quoted_doc(lines)
    new = fit_text(spot, block_of(spot, lines, (signature[1], signature[1]), inside.indent))
    if not inside.is_open:
        return opened(with_action(spot, "prepend"), inside, new)
    at = spot.line_end(signature[1])
    return put_lines(spot, (at, at), new, notes)


def _lines_at(spot: SegmentTarget, at: int, lines: list[str], indent: str) -> SegmentChanges:
    new = fit_text(spot, block_of(spot, lines, (at, at), indent))
    return put_lines(spot, (at, at), new)


def _replace(spot: SegmentTarget, span: Span, lines: list[str]) -> SegmentChanges:
    match spot.edit.part:
        case "body":
            return _replace_body(spot, span, lines)
        case "signature":
            return _replace_signature(spot, span, lines)
        case "doc" if spot.language == "python":
            lines, notes = quoted_doc(lines)
            return _replace_lines(spot, span, lines, notes)
        case _:
            return _replace_lines(spot, span, lines)


def _replace_lines(
    spot: SegmentTarget, span: Span, lines: list[str], notes: tuple[str, ...] = ()
) -> SegmentChanges:
    if not spot.is_lines(span):
        return put_inline(spot, span, lines, notes)
    indent = indent_of(next(iter(spot.lines(span)), ""))
    return put_lines(spot, span, fit_text(spot, block_of(spot, lines, span, indent)), notes)


def put_inline(
    spot: SegmentTarget, span: Span, lines: list[str], notes: tuple[str, ...] = ()
) -> SegmentChanges:
    """Write new text into a line, its later lines at the indent of that line."""
    new = indented_text(spot, block_of(spot, lines, span, _hanging(spot, span)))
    return put_text(spot, span, "\n".join(new).lstrip(" \t"), notes)


def _hanging(spot: SegmentTarget, span: Span) -> str:
    """Return the indent of the later lines of a text that begins inside a line."""
    own = spot.span[0]
    decides = spot.has("layout") and spot.language != "python"
    if decides and spot.line_start(own) != own:
        return " " * (own - spot.line_start(own))  # the column of a key behind a dash
    return indent_of(spot.flat[spot.line_start(span[0]) : span[0]])


def _replace_signature(spot: SegmentTarget, span: Span, lines: list[str]) -> SegmentChanges:
    lines, notes = _closed(spot, span, lines)
    if spot.line_start(span[0]) != span[0]:
        text = "\n".join(lines).strip()
        place, text, led = with_leading_parts(spot, span, text)
        return with_name_note(spot, put_inline(spot, place, text.split("\n"), (*notes, *led)))
    new = fit_text(spot, block_of(spot, lines, span, spot.segment.indent))
    place, text, led = with_leading_parts(spot, span, "\n".join(new))
    if place == span:
        count = next((n for n, line in enumerate(new) if not is_comment(line, spot.language)), 0)
        place, new, led = with_own_comment(spot, span, new, count)
        text = "\n".join(new)
    return with_name_note(spot, put_text(spot, place, text, (*notes, *led)))


def _closed(spot: SegmentTarget, span: Span, lines: list[str]) -> tuple[list[str], tuple[str, ...]]:
    """Return a signature that ends as the one in the file does, and a note if it was changed."""
    *above, last = lines
    last = last.rstrip()
    if spot.language == "python":
        if last.partition("#")[0].rstrip().endswith(":"):
            return lines, ()
        return [*above, last + ":"], ("a colon was added to the signature",)
    if spot.flat[slice(*span)].endswith(";") and not last.endswith(";"):
        return [*above, last + ";"], ("a semicolon was added to the signature",)
    if last.endswith("{") and spot.flat[span[1] :].lstrip().startswith("{"):
        # The brace that opens the body stays where it is.
        return [*above, last[:-1].rstrip()] if last != "{" else above, ()
    return lines, ()


def _replace_body(spot: SegmentTarget, span: Span, lines: list[str]) -> SegmentChanges:
    inside = find_inside(spot) if spot.part("signature") else None
    if inside is None:
        return _replace_lines(spot, span, lines)
    lines = _without_braces(spot, lines)
    place = _with_docstring(spot, inside, lines)
    block = block_of(spot, lines, place, inside.indent)
    _refuse_whole(spot, definitions_in(spot, block, place))
    new = fit_text(spot, block)
    if inside.is_open:
        return put_lines(spot, place, new, _about_docstring(spot, place, inside, new))
    if len(new) == 1:
        return put_text(spot, inside.span, _on_one_line(spot, inside.text, new[0].strip()))
    return opened(spot, inside, new, replaces=True)


def _with_docstring(spot: SegmentTarget, inside: BodyLines, lines: list[str]) -> Span:
    """Return the place of a body; the docstring is part of it if the new text brings one."""
    doc = spot.part("doc")
    if spot.language != "python" or not doc or not inside.is_open or not begins_with_doc(lines):
        return inside.span
    return min(doc[0], inside.span[0]), inside.span[1]


def _about_docstring(
    spot: SegmentTarget, place: Span, inside: BodyLines, new: list[str]
) -> tuple[str, ...]:
    """Return the note that the docstring was replaced."""
    present = spot.lines(spot.part("doc") or place)
    if place == inside.span or new[: len(present)] == present:
        return ()
    return (f"the docstring of `{spot.segment.name}` is replaced too: the new text has one",)


def _on_one_line(spot: SegmentTarget, old: str, new: str) -> str:
    if spot.language == "python":
        return f" {new}"
    needs_end = spot.language == "bash" and old.endswith(";") and not new.endswith(";")
    return f" {new}{';' if needs_end else ''} "


def _without_braces(spot: SegmentTarget, lines: list[str]) -> list[str]:
    """Return a body without the braces that stay in the file."""
    if spot.language == "python" or lines[0].strip() != "{" or lines[-1].strip() != "}":
        return lines
    return lines[1:-1]


def _refuse_whole(spot: SegmentTarget, new: Definitions) -> None:
    segment = spot.segment
    # A class may hold nothing but its constructor, which has its name.
    kinds = {segment.kind} if segment.kind == "class" else {"function", "method"}
    is_named = [one.name for one in new.segments] == [segment.name]
    is_whole = is_named and new.is_all and new.segments[0].kind in kinds
    if is_whole and segment.kind in {"function", "method", "class"}:
        headline = f"the new text is `{segment.name}` as a whole, not its body"
        move = say("leave {part} out, or send the body alone")
        raise Refused(Refusal("wrong-segment-kind", headline, help=move))


def _remove(spot: SegmentTarget, span: Span) -> SegmentChanges:
    name = spot.edit.part
    if name == "signature":
        raise Refused(not_alone(spot))
    if name == "body" and spot.part("signature") is not None:
        return _empty_body(spot)
    if not spot.is_lines(span):
        behind = spot.flat[span[1] :]
        return put_text(spot, (span[0], span[1] + len(behind) - len(behind.lstrip(" \t"))), "")
    is_docstring = name == "doc" and spot.language == "python"
    if is_docstring and is_only_statement(spot, span):
        return put_lines(spot, span, [indent_of(spot.lines(span)[0]) + "pass"])
    end = (
        blank_below(spot, span[1]) if is_docstring and spot.segment.kind != "docstring" else span[1]
    )
    return put_lines(spot, (span[0], end), [])


def _empty_body(spot: SegmentTarget) -> SegmentChanges:
    inside = inside_of_segment(spot)
    if not inside.is_open:
        return put_text(spot, inside.span, " pass" if spot.language == "python" else "")
    doc = spot.part("doc")
    if spot.language != "python":
        return put_lines(spot, inside.span, [])
    if doc:
        return put_lines(spot, (doc[1], inside.span[1]), [])
    return put_lines(spot, inside.span, [inside.indent + "pass"])


def _insert(spot: SegmentTarget, span: Span, lines: list[str]) -> SegmentChanges:
    """Put lines before or after a part, or inside it."""
    name, action = spot.edit.part, spot.edit.action
    if name == "body":
        return insert_inside(spot, lines)
    if name == "doc" and action in {"prepend", "append"}:
        return insert_into_doc(spot, span, lines)
    if name == "signature" and action in {"prepend", "append"}:
        raise Refused(no_inside(spot))
    if name == "signature" and action == "after":
        return insert_inside(with_action(spot, "prepend"), lines)
    at = spot.line_start(span[0]) if action in {"before", "prepend"} else span[1]
    indent = indent_of(spot.flat[spot.line_start(span[0]) : spot.line_end(span[0])])
    if spot.line_start(at) != at and at != len(spot.flat):
        raise Refused(no_inside(spot))
    return _lines_at(spot, at, lines, indent)
