"""Merge changes of an older text into the present one, line by line.

Worked example: the older text is `one, two` with an end of line each, ours appends `three`, and
they saved `one, two` without the last end of line. Merged by characters the two make `twothree`.
Here every line has its end while the two are merged, and the last line loses it afterwards, as they
wanted: `one, two, three` without a last end.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from keyhole.fastclasses import dataclass, replace
from keyhole.matching.follow import LostPlace, follow, is_certain
from keyhole.matching.revision import ClosedText, Revision, lacks_end, legs
from keyhole.text.align import common_head, common_tail
from keyhole.text.changes import Change, ChangeSet, Clash
from keyhole.text.diff import diff, line_changes
from keyhole.text.document import Document
from keyhole.text.lines import newline_near

_ENDINGS = {"\n": re.compile(r"(\r?\n)"), "\r": re.compile(r"([\r\n])")}


@dataclass(frozen=True, slots=True)
class MergeClash:
    """Changes that cannot be merged, and where the others' change lies in the present text.

    None: lines repeat, and nobody knows which of them is the place.
    """

    span: tuple[int, int] | None


def carry_if_certain(
    place: tuple[int, int], ours: ChangeSet, revisions: Sequence[Revision]
) -> ChangeSet | MergeClash:
    """Return changes as `carry` does, if it is certain where their place is by now."""
    met = carry(ours, revisions)
    if isinstance(met, ChangeSet) and isinstance(follow(place, revisions), LostPlace):
        return MergeClash(None)
    return met


def carry(ours: ChangeSet, revisions: Iterable[Revision]) -> ChangeSet | MergeClash:
    """Return changes of the text before the first revision as changes of the one after the last."""
    met: MergeClash | None = None
    for revision in legs(revisions):
        if met is None:
            made = merged(ours, revision)
            ours, met = (ours, made) if isinstance(made, MergeClash) else (made, None)
        elif met.span:
            changes = revision.changes or diff(revision.before.text, revision.after.text)
            met = MergeClash(changes.carried(met.span))
    return met or ours


def merged(ours: ChangeSet, revision: Revision) -> ChangeSet | MergeClash:
    """Return changes of the text before a revision as changes of the one after it.

    Every resulting line was written by one side: changed line ends join and split no lines. Changes
    of one line, or additions between the same lines, clash.
    """
    was, now, over = revision.was, revision.now, revision.lines
    after = replace(was.document, text=ours.apply(was.document.text))
    own = _closed_changes(ours, was, ClosedText.of(after, was.document))
    flat = was.flattened(own, after)
    blocks = line_changes(was.flat, flat)
    met = _beside(blocks, over, was.flat) or blocks.rebase(over)
    if isinstance(met, Clash):
        return _clash_of(over, met.theirs, now)
    if not _is_known(blocks, revision, was.flat):
        return MergeClash(None)
    if not _is_faithful(own, flat, was, after) or _ends_clash(was, after, over):
        return (
            _clash_of(over, over.changes[-1], now)
            if over.changes
            else MergeClash((0, len(now.text)))
        )
    rebased, raw = flat.rebase(over), own.changes
    if isinstance(rebased, Clash):  # by whole lines they do not meet
        rebased, raw = met, tuple(_with_ends(blocks, was))
    spelled = tuple(_spelled(rebased.changes, raw, was, now))
    return _reopened(ChangeSet(len(now.text), spelled), now, is_open=_is_open(was, after, now))


def _beside(blocks: ChangeSet, over: ChangeSet, text: str) -> Clash | None:
    """Return an addition of ours beside lines that became more or fewer: its place is unknown.

    Lines that were rewritten one for one are still known, and so is the end of an emptied file.
    """
    for theirs in over.changes:
        had, has = text.count("\n", theirs.start, theirs.end), theirs.text.count("\n")
        if had in {0, has} or (theirs.start, theirs.end) == (0, len(text)):
            continue
        for own in blocks.changes:
            if own.start == own.end and own.start in {theirs.start, theirs.end}:
                return Clash(own, theirs)
    return None


def _is_known(blocks: ChangeSet, revision: Revision, text: str) -> bool:
    """Tell whether it is certain where changed lines are after a revision."""
    if revision.is_recorded:
        return True
    over = revision.lines_from_below
    if _beside(blocks, over, text) or isinstance(blocks.rebase(over), Clash):
        return False
    return all(is_certain((each.start, each.end), revision) for each in blocks.changes)


def _closed_changes(ours: ChangeSet, was: ClosedText, after: ClosedText) -> ChangeSet:
    """Return changes as they are between the two texts with an end behind their last lines."""
    whole = was.opening.then(ours).then(after.closing)
    if not (was.added or after.added) or not whole.changes:
        return whole
    last = whole.changes[-1]
    old, new = was.text[last.start : last.end], last.text
    head = common_head(old, new)
    tail = common_tail(old, new, head)
    cut = Change(last.start + head, last.end - tail, new[head : len(new) - tail])
    kept = whole.changes[:-1]
    return ChangeSet(whole.length, (*kept, cut) if cut.text or cut.start < cut.end else kept)


def _is_faithful(own: ChangeSet, flat: ChangeSet, was: ClosedText, after: Document) -> bool:
    """Tell whether flat changes say all that ours do: they lose a change of line ends alone."""
    before = was.flat
    for raw, plain in zip(own.changes, flat.changes, strict=True):
        if before[plain.start : plain.end] == plain.text and (
            was.text[raw.start : raw.end] != raw.text
        ):
            return False
    return flat.apply(before) == ClosedText.of(after, was.document).flat


def _ends_clash(was: ClosedText, after: Document, over: ChangeSet) -> bool:
    """Tell whether ours adds or removes the last line end, and another line may be last by now."""
    if not after.text or lacks_end(after) == bool(was.added):
        return False
    return any(each.end == over.length for each in over.changes)


def _clash_of(over: ChangeSet, theirs: Change, now: ClosedText) -> MergeClash:
    lies = dict(zip(over.changes, over.spans_after(), strict=True))[theirs]
    start, end = (min(now.view.offset(each), len(now.document.text)) for each in lies)
    return MergeClash((start, end))


def _is_open(was: ClosedText, after: Document, now: ClosedText) -> bool:
    """Tell whether the last merged line has no end: the side that changed it decides."""
    ours = lacks_end(after)
    if not after.text or (was.document.text and ours == bool(was.added)):
        return bool(now.added)
    return ours


def _with_ends(blocks: ChangeSet, was: ClosedText) -> Iterator[Change]:
    """Yield flat changes of the older text with its own line ends."""
    for change in blocks.changes:
        start, end = was.view.offset(change.start), was.view.offset(change.end)
        newline = newline_near(was.view.document, start, end)
        yield Change(start, end, change.text.replace("\n", newline))


def _spelled(
    flat: Sequence[Change], raw: Sequence[Change], was: ClosedText, now: ClosedText
) -> Iterator[Change]:
    """Yield flat changes of the present text as it spells its line ends."""
    older, present = was.view.document, now.view.document
    has_ends = now.document.terminator in now.document.text
    for change, own in zip(flat, raw, strict=True):
        start, end = now.view.offset(change.start), now.view.offset(change.end)
        had = newline_near(older, own.start, own.end)
        has = newline_near(present, start, end) if has_ends else had
        pieces = _ENDINGS[older.terminator].split(own.text)
        pieces[1::2] = (_ending(each, had, has) for each in pieces[1::2])
        yield Change(start, end, "".join(pieces))


def _ending(own: str, had: str, has: str) -> str:
    """Return an end of line as the present text has it, or our own if that was another before."""
    is_other_kind = (own == "\r") != (has == "\r")
    return has if own == had or is_other_kind else own


def _reopened(changes: ChangeSet, now: ClosedText, *, is_open: bool) -> ChangeSet:
    """Return changes of the closed text as changes of the text itself."""
    whole = now.closing.then(changes)
    if is_open:
        text = changes.apply(now.text)
        length = len(text)
        cut = 2 if text.endswith("\r\n") else min(length, 1)
        whole = whole.then(ChangeSet(length, (Change(length - cut, length, ""),) if cut else ()))
    kept = (each for each in whole.changes if now.document.text[each.start : each.end] != each.text)
    return ChangeSet(whole.length, tuple(kept))
