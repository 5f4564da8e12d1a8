"""Place a hunk of a patch: by its lines, where they stand once; the stated line decides ties."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise

from keyhole.edits.by_text import explain
from keyhole.edits.by_text.anchors import Anchored, anchored_scope, find_anchored
from keyhole.edits.by_text.quoted import Missing
from keyhole.edits.by_text.target import Target
from keyhole.edits.model.hunk import ADD, KEEP, REMOVE, Hunk
from keyhole.edits.model.operations import Edit
from keyhole.edits.model.plan import LocatedEdit
from keyhole.fastclasses import dataclass, replace
from keyhole.matching.already_applied import around, beside, find_applied
from keyhole.matching.indent_rule import in_file_indent
from keyhole.matching.ladder import SeveralPlaces, from_base, several
from keyhole.matching.query import Obstacle, Occurrence, Occurrences, Quote, Rewrite
from keyhole.matching.rewrite import lines_change
from keyhole.matching.rungs import find_lines
from keyhole.matching.view import View, keys_of
from keyhole.phrases import FileName, say
from keyhole.refusals import Refusal, Refused
from keyhole.text.changes import Change
from keyhole.text.document import Document
from keyhole.text.lines import block


def stands_at(hunk: Hunk, document: Document, line: int) -> int | None:
    """Return the offset of a line (from 1) where the hunk's old lines stand to the byte."""
    if not 1 <= line <= len(document.starts) or not hunk.old:
        return None
    start = document.starts[line - 1]
    old = "".join(_ended(hunk.old, is_open=hunk.open_before))
    if not document.text.startswith(old, start):
        return None
    # Only the last line of a file can lack its end, before and afterwards.
    if (hunk.open_before or hunk.open_after) and start + len(old) != len(document.text):
        return None
    return start


def changes_at(hunk: Hunk, start: int) -> tuple[Change, ...]:
    """Return the changes of a hunk whose old lines stand at this offset."""
    return tuple(_changes(hunk, start))


def _changes(hunk: Hunk, start: int) -> Iterator[Change]:
    old = iter(_ended(hunk.old, is_open=hunk.open_before))
    new = iter(_ended(hunk.new, is_open=hunk.open_after))
    end, text = start, ""
    for mark, _ in [*hunk.lines, (KEEP, "")]:
        if mark == KEEP:
            if end > start or text:
                yield Change(start, end, text)
            start = end = end + len(next(old, ""))
            text = ""
            next(new, "")
        if mark == REMOVE:
            end += len(next(old))
        if mark == ADD:
            text += next(new)


def _ended(lines: Sequence[str], *, is_open: bool) -> list[str]:
    """Return lines with their ends; the last may have none."""
    ended = [f"{line}\n" for line in lines]
    if ended and is_open:
        ended[-1] = lines[-1]
    return ended


_LEAST_KEPT = 2
_HELP = "read the file again, and send the hunk for the lines as they stand there"


def refuse_twin(hunk: Hunk, view: View, line: int) -> None:
    """Refuse a hunk that fits only at `line`, if its stated line has the place it was made for.

    There its kept lines enclose changed ones, or it was carried out: the other place is a twin.
    """
    if not hunk.line or hunk.line == line or _is_within(hunk, line):
        return
    if _is_changed(hunk, view):
        how = "its kept lines stand around lines that are not as it says"
    elif _is_done(hunk, view):
        how = "its lines stand as it makes them"
    else:
        return
    headline = f"at line {hunk.line}, which the hunk is for, {how}; its old lines stand elsewhere"
    raise Refused(Refusal("ambiguous", headline, where=f"line {line}", help=_HELP))


def _is_within(hunk: Hunk, line: int) -> bool:
    """Tell whether the lines from the hunk's own line on, as many as it keeps, are its place."""
    kept = sum(mark == KEEP for mark, _ in hunk.lines)
    return line <= hunk.line and hunk.line + kept <= line + len(hunk.old)


def _is_changed(hunk: Hunk, view: View) -> bool:
    """Tell whether the kept lines stand there, around lines that are others or gone."""
    marks = [mark for mark, _ in hunk.lines if mark != ADD]
    kept = keys_of("\n".join(text for mark, text in hunk.lines if mark == KEEP))
    stands = keys_of("\n".join(view.lines[hunk.line - 1 : hunk.line - 1 + len(marks)]))
    around = [key for mark, key in zip(marks, stands, strict=False) if mark == KEEP]
    is_telling = sum(map(bool, kept)) >= _LEAST_KEPT
    return is_telling and kept in (around, stands[: len(kept)])


def _is_done(hunk: Hunk, view: View) -> bool:
    stands = view.lines[hunk.line - 1 : hunk.line - 1 + len(hunk.new)]
    return any(mark == ADD and text.strip() for mark, text in hunk.lines) and stands == hunk.new


def refuse_swapped(
    document: Document, edits: Sequence[tuple[int, Edit | Hunk]], placed: Sequence[LocatedEdit]
) -> None:
    """Refuse two hunks that would change places: both the patch and its numbers say otherwise."""
    spans = {one.index: one.span for one in placed if one.changes}
    hunks = [
        (hunk, index, spans[index])
        for index, hunk in edits
        if isinstance(hunk, Hunk) and hunk.line and hunk.old and index in spans
    ]
    for (one, index, span), (other, _, behind) in pairwise(hunks):
        if one.line < other.line and span[0] >= behind[0]:
            starts = document.line_at(span[0]), document.line_at(behind[0])
            lines = [document.place_shown(line) for line in starts]
            headline = (
                f"the hunk for line {one.line} stands at line {lines[0]}, "
                f"not above the one for line {other.line}, which stands at line {lines[1]}"
            )
            raise Refused(Refusal("ambiguous", headline, help=_HELP, edit=index))


_NO_PLACE = "give a line of context above or below, or an @@ anchor"


@dataclass(frozen=True, slots=True)
class _Group:
    """Lines that follow each other and change: old lines `[start, end)` become `added`."""

    start: int
    end: int
    added: tuple[str, ...]


def place_hunk(hunk: Hunk, target: Target) -> LocatedEdit:
    """Return the hunk with its place and changes, or refuse."""
    hunk = hunk.spelled(target.document)
    if stands_at(hunk, target.document, hunk.line) is not None:
        return _to_the_byte(hunk, target, hunk.line)
    _must_be_text(target)
    raw, hunk, view = hunk, hunk.plain, target.view
    anchored = anchored_scope(hunk, target)
    if not hunk.old:
        return _place_insertion(raw, target, anchored)
    quote = _quote(hunk)
    found = find_anchored(quote, target, anchored)
    if (found is None or found.rung != "exact") and (other := _other_reading(hunk, target, found)):
        return place_hunk(other, target)
    if found is None:
        return _place_otherwise(hunk, target, anchored, quote)
    site = _choose(hunk, target, found)
    line = view.line_of(site.start) + 1
    refuse_twin(hunk, view, line)
    if stands_at(raw, target.document, line) is not None and not anchored.refusal:
        return _to_the_byte(raw, target, line)
    changes = _hunk_changes(hunk, target, site)
    span = view.offset(site.start), view.offset(site.end)
    passed_over = (anchored.refusal.headline,) if anchored.refusal else ()
    told = (*_offset(hunk, line, target), *_goes_on(hunk, target, span[1]))
    notes = (*hunk.notes, *passed_over, *told)
    stands = around(target.document, span, changes)
    placed = LocatedEdit(0, changes, site.rung, reason=hunk.reason, notes=notes, span=span)
    return replace(placed, stands=stands)


def _other_reading(hunk: Hunk, target: Target, found: Occurrences | None) -> Hunk | None:
    """Return the hunk as it may be meant too, if that alone stands once to the character.

    It must be the place that the hunk itself has, if that stands somewhere.
    """
    fits: dict[tuple[Change, ...], Hunk] = {}
    first = target.view.line_of(found.found[0].start) if found else 0
    for lines in hunk.readings_at(target.view.lines[first : first + len(hunk.old)]):
        other = replace(hunk, lines=lines, readings=())
        sites = find_lines(target.view, _quote(other), (0, len(target.view.flat)))
        if sites is None or sites.rung != "exact" or sites.more or len(sites.found) != 1:
            continue
        site = sites.found[0]
        if found is None or [site.start] == [each.start for each in found.found]:
            fits.setdefault(_hunk_changes(other, target, site), other)
    return next(iter(fits.values())) if len(fits) == 1 else None


def _to_the_byte(hunk: Hunk, target: Target, line: int) -> LocatedEdit:
    """Place a hunk whose lines, line ends included, stand at this line of the file."""
    start = stands_at(hunk, target.document, line)
    assert start is not None, "BUG: the lines stand there"
    changes = changes_at(hunk, start)
    last = min(line + len(hunk.old) - 1, target.document.line_count)
    span = start, target.document.span_of_lines(line, last)[1]
    notes = (*hunk.notes, *_offset(hunk, line, target))
    stands = around(target.document, span, changes)
    placed = LocatedEdit(0, changes, "exact", reason=hunk.reason, notes=notes, span=span)
    return replace(placed, stands=stands)


def _must_be_text(target: Target) -> None:
    if target.document.is_binary:
        headline = say(
            "{} is not text, and the hunk is not in it to the byte", FileName(target.path)
        )
        move = say("edit it with {find} and {match:bare} exact")
        raise Refused(Refusal("not-text", headline, help=move, mend="name a file that is text"))


def _quote(hunk: Hunk) -> Quote:
    old = "".join(line + "\n" for line in hunk.old)
    return Quote(old, "".join(line + "\n" for line in hunk.new))


def _place_otherwise(hunk: Hunk, target: Target, anchored: Anchored, quote: Quote) -> LocatedEdit:
    """Place a hunk in the version its author was shown, or find it done already, or refuse."""
    if anchored.refusal:
        _offer_elsewhere(hunk, target, quote, anchored.refusal)
        raise Refused(anchored.refusal)
    scope = anchored.scope
    shown = (
        from_base(target.view, base, quote, scope, partial(target.revisions, base))
        for base in target.bases
    )
    rewritten = next(filter(None, shown), None)
    if isinstance(rewritten, Rewrite):
        span = rewritten.start, rewritten.end
        notes = (*hunk.notes, *rewritten.notes)
        return LocatedEdit(
            0, rewritten.changes, rewritten.rung, reason=hunk.reason, notes=notes, span=span
        )
    if made := find_applied(target.view, target.bases, quote, scope):
        return _already(hunk, target, made[0])
    if scope[0]:
        _offer_elsewhere(hunk, target, quote)
    raise Missing(explain.HUNK, quote, scope)


def _offer_elsewhere(
    hunk: Hunk, target: Target, quote: Quote, refusal: Refusal | None = None
) -> None:
    """Refuse a hunk that stands once, where its anchors do not place it, with that as candidate."""
    found = find_lines(target.view, quote, (0, len(target.view.flat)))
    if found is None or found.more or len(found.found) != 1:
        return
    site = found.found[0]
    try:
        changes = _hunk_changes(hunk, target, site)
    except Refused:
        return
    span = target.view.offset(site.start), target.view.offset(site.end)
    rewritten = Rewrite(*span, site.rung, changes)
    explained = explain.beside_its_anchor(
        target.path, target.document, hunk.anchors, rewritten, refusal
    )
    raise explain.Offering(explained)


def _already(hunk: Hunk, target: Target, site: Occurrence) -> LocatedEdit:
    span = target.view.offset(site.start), target.view.offset(site.end)
    note = "the lines of the hunk are there already"
    placed = LocatedEdit(0, (), site.rung, reason=hunk.reason, notes=(note,), span=span)
    return replace(placed, already_applied=True)


def _choose(hunk: Hunk, target: Target, found: Occurrences) -> Occurrence:
    """Return the one place, or of several the one at the stated line or at the end."""
    view = target.view
    found = _with_end_of_file(hunk, view, found)
    if len(found.found) == 1 and not found.more:
        return found.found[0]
    wanted = [site for site in found.found if view.line_of(site.start) + 1 == hunk.line]
    if hunk.at_end:
        wanted = [site for site in found.found if site.end == len(view.flat)]
    if len(wanted) == 1:
        return wanted[0]
    places: SeveralPlaces = several(view, found)
    raise Refused(explain.ambiguous(explain.HUNK, target.path, target.document, places))


def _with_end_of_file(hunk: Hunk, view: View, found: Occurrences) -> Occurrences:
    """Return the places, and the end of the file if the hunk fits there but for a last blank line.

    Agents add and drop a blank line at the end of a hunk: it tells no places apart.
    """
    lines = list(hunk.lines)
    while lines and lines[-1][0] == KEEP and not lines[-1][1].strip():
        lines.pop()
    core = replace(hunk, lines=tuple(lines))
    count = len(core.old)
    if len(core.lines) == len(hunk.lines) or not 0 < count < len(view.lines):
        return found
    scope = view.starts[len(view.lines) - count], len(view.flat)
    last = find_lines(view, _quote(core), scope)
    if last is None or last.rung != found.rung:
        return found
    return replace(found, found=(*found.found, *last.found))


def _offset(hunk: Hunk, line: int, target: Target) -> Sequence[str]:
    if not hunk.line or hunk.line in {line, target.document.line_shown(line)}:
        return ()
    stands = target.document.place_shown(line)
    return (f"the hunk is for line {hunk.line}, and stands at line {stands}",)


def _goes_on(hunk: Hunk, target: Target, end: int) -> Sequence[str]:
    is_last = end == len(target.document.text)
    if is_last or not (hunk.open_before or hunk.open_after):
        return ()
    return ("the hunk says that its last line has no end, and the file goes on below it",)


def _hunk_changes(hunk: Hunk, target: Target, site: Occurrence) -> tuple[Change, ...]:
    """Return what the marks of the hunk come to, on the file's own lines."""
    changes = []
    for group in _groups(hunk):
        lines = in_file_indent(target.view, site, list(group.added))
        if isinstance(lines, Obstacle):
            raise Refused(explain.blocked(target.path, target.document, lines))
        first, last = _file_lines(target, site, group)
        changes.append(lines_change(target.view, first, last, lines))
    leaves_lines = hunk.new or (changes and changes[-1].start)
    if hunk.open_before != hunk.open_after and leaves_lines:
        changes[-1] = _with_end(target, changes[-1], is_open=hunk.open_after)
    return tuple(changes)


def _groups(hunk: Hunk) -> Iterator[_Group]:
    start = end = 0
    added: list[str] = []
    for mark, text in [*hunk.lines, (KEEP, "")]:
        if mark == KEEP:
            if end > start or added:
                yield _Group(start, end, tuple(added))
            start = end = end + 1
            added = []
        elif mark == ADD:
            added.append(text)
        else:
            end += 1


def _file_lines(target: Target, site: Occurrence, group: _Group) -> tuple[int, int]:
    """Return the file's lines for a group of old lines, or refuse where a blank run differs."""
    places = _line_map(site)
    if group.end > group.start:
        lines = [places.get(index) for index in range(group.start, group.end)]
        if None not in lines:
            return _known(lines[0]), _known(lines[-1]) + 1
    elif _is_within_a_run(_old_count(site), places, group):
        pass
    elif (after := places.get(group.start)) is not None:
        return after, after
    elif (before := places.get(group.start - 1)) is not None:
        return before + 1, before + 1
    reason = "the hunk changes a run of blank lines that has another length in the file"
    span = target.view.offset(site.start), target.view.offset(site.end)
    raise Refused(
        explain.blocked(target.path, target.document, Obstacle("not-found", reason, *span))
    )


def _old_count(site: Occurrence) -> int:
    """Return how many old lines a site stands for."""
    return site.pairs[-1].old_end


def _is_within_a_run(count: int, places: dict[int, int], group: _Group) -> bool:
    """Tell whether blank lines are added beside a blank run that is longer in the file."""
    beside = [at for at in (group.start - 1, group.start) if 0 <= at < count]
    return any(at not in places for at in beside) and not all(map(str.strip, group.added))


def _known(line: int | None) -> int:
    assert line is not None, "BUG: checked before"
    return line


def _line_map(site: Occurrence) -> dict[int, int]:
    """Return where each old line stands; those of a blank run of another length are left out."""
    places: dict[int, int] = {}
    for pair in site.pairs:
        if pair.old_end - pair.old_start == pair.end - pair.start:
            places |= zip(
                range(pair.old_start, pair.old_end), range(pair.start, pair.end), strict=True
            )
    return places


def _with_end(target: Target, change: Change, *, is_open: bool) -> Change:
    """Return the change of the file's last line with the line end the hunk says."""
    if change.end != len(target.document.text):
        return change
    text = change.text.rstrip("\r\n") if is_open else change.text + target.document.newline
    return replace(change, text=text)


def _place_insertion(hunk: Hunk, target: Target, anchored: Anchored) -> LocatedEdit:
    """Place a hunk that only adds: below its anchor, or at an end of the file that it names."""
    if anchored.refusal:
        raise Refused(anchored.refusal)
    document, view = target.document, target.view
    if anchored.scope[0]:  # below an anchor that stands in the file
        at = view.offset(anchored.scope[0])
    elif hunk.at_end or _states_last_line(hunk, target):
        at = len(document.text)
    elif not document.text or hunk.says_start:
        at = 0
    else:
        headline = "the hunk only adds lines, and nothing says where"
        raise Refused(Refusal("not-found", headline, help=_NO_PLACE))
    change = _inserted(hunk, target, at)
    placed = LocatedEdit(0, (change,), "exact", reason=hunk.reason, notes=hunk.notes, span=(at, at))
    return replace(placed, stands=beside(document, change))


def _states_last_line(hunk: Hunk, target: Target) -> bool:
    """Tell whether added lines are for the end of the file; refuse a line beyond the end."""
    count = target.document.line_count
    if hunk.line > max(count, 1):
        below = "the hunk only adds lines, below line {}, and {} has {} line{}"
        headline = say(below, hunk.line, FileName(target.path), count, "s" if count != 1 else "")
        raise Refused(Refusal("not-found", headline, help=_NO_PLACE))
    return 0 < hunk.line == count


def _inserted(hunk: Hunk, target: Target, at: int) -> Change:
    """Return added lines as a change, with the line ends they say, else with those of the file."""
    document, plain = target.document, hunk.plain
    closed = not document.text or document.text.endswith("\n")
    fits = closed and (at == len(document.text) or not hunk.open_after)
    if fits and (plain is not hunk or not document.text):
        return replace(changes_at(hunk, at)[0], start=at, end=at)
    change = block(document, at, at, list(plain.new))
    return _with_end(target, change, is_open=True) if hunk.open_after else change
