"""Segment blame: which transactions changed a file, a function or a section."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from keyhole.answers.history import PastTransaction
from keyhole.engine.history.recall import past_of, records
from keyhole.engine.history.timeline import Item
from keyhole.fastclasses import dataclass, field, replace
from keyhole.history.steps_since import carry
from keyhole.history.versions import changes_of, version
from keyhole.journal.model import APPLIED, Entry, FileChange, Origin, Query, Records
from keyhole.refusals import Refusal, Refused
from keyhole.segments.outline import Segment
from keyhole.segments.registry import outline
from keyhole.text.changes import ChangeSet
from keyhole.text.diff import diff
from keyhole.text.document import Document
from keyhole.workspace.tree import Tree

# How far back to look.
_MOST_ENTRIES = 500
_PAGE = 50
_MOST_OTHERS = 200

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class SegmentTouch:
    """A change of a segment: the transaction and the reason, or somebody outside keyhole."""

    past: PastTransaction | None
    reason: str = ""
    edit: int | None = None


@dataclass(frozen=True, slots=True)
class SegmentBlame:
    """A segment as it stands, and what changed it, the latest first."""

    address: str
    kind: str
    lines: tuple[int, int]
    touches: tuple[SegmentTouch, ...] = ()
    # Only so many transactions of the file were looked at, for there are more; 0 if all were.
    looked_at: int = 0


@dataclass(slots=True)
class _SegmentTrail:
    """Where a segment lay in older versions, and what was found on the way back."""

    span: Span
    touches: list[SegmentTouch] = field(default_factory=list)
    looked_at: int = 0


def blame(tree: Tree, path: str) -> tuple[SegmentBlame, ...]:
    """Return every segment of a file with the last change of it that is known."""
    document, segments = _outlined(tree, path)
    trails = {each.address: _SegmentTrail(each.span) for each in segments}
    waiting = dict(trails)
    for _ in _walk_back(records(tree), path, document, waiting):
        for name in [name for name, trail in waiting.items() if trail.touches]:
            del waiting[name]
        if not waiting:
            break
    return tuple(_blamed(each, document, trails[each.address]) for each in segments)


def history_of(tree: Tree, path: str, address: str) -> SegmentBlame:
    """Return one segment with every change of it that is known, following it through versions."""
    document, segments = _outlined(tree, path)
    found = next((each for each in segments if each.address == address), None)
    if found is None:
        near = ", ".join(each.address for each in segments[:20])
        headline = f"{path} has no segment {address[:80]!a} any more"
        help_line = f"it has {near}" if near else ""
        raise Refused(Refusal("unknown-segment", headline, help=help_line, path=path))
    trail = _SegmentTrail(found.span)
    for _ in _walk_back(records(tree), path, document, {address: trail}):
        pass
    return _blamed(found, document, trail)


def _outlined(tree: Tree, path: str) -> tuple[Document, tuple[Segment, ...]]:
    document = tree.read(path)
    return document, () if document.is_binary else outline(path, document).segments


def _blamed(segment: Segment, document: Document, trail: _SegmentTrail) -> SegmentBlame:
    lines = document.lines_shown(document.lines_of(segment.span))
    return SegmentBlame(segment.address, segment.kind, lines, tuple(trail.touches), trail.looked_at)


def _walk_back(
    journal: Records, path: str, document: Document, trails: Mapping[str, _SegmentTrail]
) -> Iterator[None]:
    """Go back version by version and note on each trail what touched it; yield after each."""
    text, others = document.text, _Others(journal, path)
    for step in _back(journal, path, document.hash):
        if isinstance(step, int):
            for trail in trails.values():
                trail.looked_at = step
            break
        entry, change = step
        try:
            after = version(journal, change.after or "", change.encoding).text
            before = _before(journal, change)
            made = changes_of(journal, change) if before is not None else None
        except Refused:  # the journal no longer keeps it
            break
        if after != text:
            _step(trails, diff(after, text), after, others.within(text))
            yield
        past = past_of(journal, entry)
        if made is None or before is None:
            for trail in trails.values():
                trail.touches.append(SegmentTouch(past, _reason(change, None)))
            return
        _step_by_edit(trails, made, before, change, past)
        text = before
        yield
    for trail in trails.values():
        found = None if trail.touches else others.maker(text[slice(*trail.span)])
        trail.touches += [found] if found else []


def _before(journal: Records, change: FileChange) -> str | None:
    return version(journal, change.before, change.encoding).text if change.before else None


def _back(journal: Records, path: str, hash_: str) -> Iterator[tuple[Entry, FileChange] | int]:
    """Yield the applied changes that led to a file, newest first, following it through moves.

    If it stops early, it yields how many it looked at. Changes of another checkout are among them
    where this file came from there unchanged.
    """
    query, count, wanted = Query(path=path, limit=_PAGE), 0, hash_
    while count < _MOST_ENTRIES:
        page = journal.entries(query)
        for entry in page:
            count += 1
            change = _own(entry, query.path)
            if change is None or (entry.is_elsewhere and change.after != wanted):
                continue
            if change.after is None:
                return  # an older life of the name
            if change.moved_from:
                query = replace(query, path=change.moved_from, before=entry.order)
                break
            wanted = change.before or ""
            yield entry, change
        else:
            if len(page) < _PAGE:
                return
            query = replace(query, before=page[-1].order)
    if journal.entries(replace(query, limit=1)):
        yield count


def _own(entry: Entry, path: str) -> FileChange | None:
    if entry.state != APPLIED:
        return None
    return next((file for file in entry.files if file.path == path), None)


class _Others:
    """What other checkouts did to a file, for texts that came here by way of a merge."""

    def __init__(self, journal: Records, path: str) -> None:
        self._journal, self._path = journal, path
        self._changes: list[tuple[Entry, FileChange]] | None = None

    def within(self, text: str) -> Callable[[Span], SegmentTouch]:
        """Return a function that tells which other checkout made a span of a text."""
        return lambda span: self.maker(text[slice(*span)]) or SegmentTouch(None)

    def maker(self, text: str) -> SegmentTouch | None:
        """Return the latest change of another checkout that made this very text."""
        if not text.strip():
            return None
        return next(
            (found for each in self._known() if (found := self._changes_by_others(*each, text))),
            None,
        )

    def _known(self) -> list[tuple[Entry, FileChange]]:
        if self._changes is None:
            entries = self._journal.entries(Query(path=self._path, limit=_MOST_OTHERS))
            both = ((each, _own(each, self._path)) for each in entries if each.is_elsewhere)
            self._changes = [(entry, change) for entry, change in both if change is not None]
        return self._changes

    def _changes_by_others(
        self, entry: Entry, change: FileChange, text: str
    ) -> SegmentTouch | None:
        try:
            after = version(self._journal, change.after, change.encoding) if change.after else None
            at = after.text.find(text) if after else -1
            before = _before(self._journal, change) if at >= 0 else None
            if at < 0 or (before is not None and text in before):
                return None
            spans = list(changes_of(self._journal, change).spans_after()) if before else []
        except Refused:  # the journal no longer keeps it
            return None
        edit = _edit_at(change, spans, (at, at + len(text)))
        past = past_of(self._journal, entry)
        return SegmentTouch(past, _reason(change, edit) or entry.call.reason, edit)


def _edit_at(change: FileChange, spans: Sequence[Span], place: Span) -> int | None:
    owners = {at: record.index for record in change.edits for at in record.spans}
    met = next((at for at, each in enumerate(spans) if _meets(place, each)), None)
    return owners.get(met) if met is not None else None


def _step(
    trails: Mapping[str, _SegmentTrail],
    made: ChangeSet,
    before: str,
    toucher: Callable[[Span], SegmentTouch],
) -> None:
    spans = list(made.spans_after())
    inverse = made.invert(before)
    for trail in trails.values():
        if any(_meets(trail.span, each) for each in spans):
            trail.touches.append(toucher(trail.span))
        trail.span = carry(trail.span, inverse.changes)


def _step_by_edit(
    trails: Mapping[str, _SegmentTrail],
    made: ChangeSet,
    before: str,
    change: FileChange,
    past: PastTransaction,
) -> None:
    spans = list(made.spans_after())

    def toucher(span: Span) -> SegmentTouch:
        edit = _edit_at(change, spans, span)
        return SegmentTouch(past, _reason(change, edit) or past.entry.call.reason, edit)

    _step(trails, made, before, toucher)


def _meets(span: Span, change: Span) -> bool:
    """Tell whether a change lies in a segment; a deletion does if it lies inside."""
    if change[0] == change[1]:
        return span[0] < change[0] < span[1]
    return max(span[0], change[0]) < min(span[1], change[1])


def _reason(change: FileChange, edit: int | None) -> str:
    own = [each.reason for each in change.edits if edit is None or each.index == edit]
    return next((reason for reason in own if reason), "")


def homes(items: Iterable[Item], path: str) -> tuple[str, ...]:
    """Return the other checkouts in which a file was when it was last heard of, newest first."""
    found: dict[int, Origin | None] = {}
    for item in items:
        entry = item.past.entry if item.past else None
        change = _own(entry, path) if entry else None
        if entry is None or change is None or entry.origin is None or entry.origin.mine:
            continue
        found.setdefault(entry.origin.checkout, entry.origin if change.after else None)
    return tuple(str(origin) for origin in found.values() if origin)
