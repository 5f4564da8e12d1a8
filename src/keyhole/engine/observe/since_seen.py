"""What others did to a file since a caller last saw it, for the next answer about that file.

Worked example: a caller read `a` as "1, 2, 3", a person made it "0, 1, 2, 3", and the caller's own
shell made the last line "three". Then the caller is told of line 1, not of line 4.

Who is told knows it: the answer shows the present version, or leaves one of the caller's own.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from keyhole.answers.file_receipt import lines_of
from keyhole.checkpoints.actors import GIT, PERSON, actors_now
from keyhole.checkpoints.file_changes import by_ends
from keyhole.checkpoints.marks import Marks
from keyhole.checkpoints.store import CheckpointStore
from keyhole.edits.model.plan import FilePlan
from keyhole.fastclasses import dataclass
from keyhole.history.versions import change_at
from keyhole.journal.model import Entry, Query
from keyhole.phrases import FileName, say
from keyhole.text.changes import ChangeSet
from keyhole.text.diff import diff
from keyhole.text.document import Document
from keyhole.workspace.tree import Tree

# Texts are compared line by line up to this size together; beyond, by their ends.
_MOST_TEXT = 2 << 20
# Entries that are followed one by one, and stretches of lines that an answer names.
_MOST_STEPS = 100
_MOST_NAMED = 5
_MOST_SPANS = 200

Span = tuple[int, int]
# A change that somebody made, and who; None for the caller's own.
_Step = tuple[str | None, ChangeSet]


def others_since(
    tree: Tree, path: str, present: Document, actor: str, plan: FilePlan | None = None
) -> tuple[str, ...]:
    """Return a sentence for each of those who changed a file since the caller last saw it.

    The lines are those of the present file, or those it has when a plan is carried out.
    """
    seen = _last_seen(tree, path, actor)
    if seen is None or seen.document.hash == present.hash:
        return ()
    store = CheckpointStore(tree.state, tree.root.path)
    try:
        spans = _spans(_Way(tree, store.marks, path, actor, seen).to(present))
    finally:
        store.close()
    shown = present
    if plan is not None and plan.after is not None:
        spans = {who: [*map(plan.changes.carried, own)] for who, own in spans.items()}
        shown = plan.after
    return tuple(_sentence(who, own, shown, path, seen.how) for who, own in spans.items())


@dataclass(frozen=True, slots=True)
class _Seen:
    """The version of a file that a caller knows last, when that was, and how it came to know it."""

    time: float
    document: Document
    how: str


def _last_seen(tree: Tree, path: str, actor: str) -> _Seen | None:
    shown = [_Seen(when, document, "read") for when, document in tree.shown_at(path, actor)[:1]]
    own = []
    for entry in tree.journal.entries(Query(path, actor, limit=1, alone=True)):
        change = change_at(entry, path)
        image = tree.journal.image(change.after) if change.after else None
        if image is not None:
            document = Document.from_bytes(image, change.encoding)
            own.append(_Seen(entry.time, document, "edited"))
    return max((*shown, *own), key=lambda each: each.time, default=None)


@dataclass(frozen=True, slots=True)
class _Way:
    """The way of a file from the version that a caller saw last."""

    tree: Tree
    marks: Marks
    path: str
    actor: str
    seen: _Seen

    def to(self, present: Document) -> list[_Step]:
        """Return the steps to the present version, oldest first."""
        entries = self._entries()
        own = own_sessions(self.marks, self.actor, self.seen.time)
        texts, makers = [self.seen.document.text], list[str | None]()
        for entry in entries or ():
            change = change_at(entry, self.path)
            for hash_, who in ((change.before, _SOMEBODY), (change.after, self._maker(entry, own))):
                image = self.tree.journal.image(hash_) if hash_ else b""
                text = Document.from_bytes(image or b"", change.encoding).text
                if text != texts[-1]:
                    texts.append(text)
                    makers.append(who)
        if texts[-1] != present.text:
            texts.append(present.text)
            makers.append(self._at_work(own))
        pairs = pairwise(texts)
        return [(who, _changes(*pair)) for who, pair in zip(makers, pairs, strict=True)]

    def _entries(self) -> Sequence[Entry]:
        """Return the entries since; of a version that the journal never had, those made later."""
        journal = self.tree.journal
        found = journal.reached(self.path, self.seen.document.hash)
        if found is not None:
            later = journal.later(self.path, found[0] - (not found[1]), _MOST_STEPS + 1)
        else:
            query = Query(self.path, since=self.seen.time, limit=_MOST_STEPS + 1, alone=True)
            later = journal.entries(query)[::-1]
        return later if len(later) <= _MOST_STEPS else later[-1:]

    def _maker(self, entry: Entry, own: Collection[str]) -> str | None:
        details = entry.call.details
        if not details.get("observed"):
            return None if entry.call.actor == self.actor else entry.call.actor
        among = details.get("among")
        makers = among if isinstance(among, list) else [details]
        sessions = {str(each.get("host_session", "")) for each in makers}
        return None if sessions <= {*own} else _named(entry.call.actor)

    def _at_work(self, own: Collection[str]) -> str | None:
        """Return who made what no look has found yet."""
        who = actors_now(self.tree.root.path, self.marks, time.time()).of(self.path)
        sessions = {each.session for each in who.among}
        is_own = sessions and sessions <= {*own} and not who.or_person
        return None if is_own else _named(who.actor)


_SOMEBODY = "somebody"


def _named(actor: str) -> str:
    return {PERSON: "a person", GIT: "git"}.get(actor, actor)


def own_sessions(marks: Marks, actor: str, since: float) -> frozenset[str]:
    """Return the session of a host that a caller speaks for, as far as hosts told; or none.

    It is the only one of its host since then, or the only one with a tool at work.
    """
    hosts = marks.hosts()
    own = {host for host in hosts if host.partition("-")[0] in actor.lower()}
    told = marks.sessions(own, since)
    if len(told) == 1:
        return told
    at_work = marks.at_work(time.time())
    busy = frozenset(each.session for each in at_work if each.host in (own or hosts))
    return busy if len(busy) == 1 else frozenset()


def _changes(before: str, after: str) -> ChangeSet:
    size = len(before) + len(after)
    return diff(before, after) if size <= _MOST_TEXT else by_ends(before, after)


def _spans(steps: Iterable[_Step]) -> Mapping[str, list[Span]]:
    """Return what each of the others changed, in the text that the last step leaves."""
    found: dict[str, list[Span]] = {}
    for who, changes in steps:
        found = {one: [*map(changes.carried, own)] for one, own in found.items()}
        if who is not None:
            found.setdefault(who, []).extend(changes.spans_after())
            found[who] = _few(found[who])
    return found


def _few(spans: list[Span]) -> list[Span]:
    """Return stretches in their order; of too many, the last ones as one."""
    spans.sort()
    if len(spans) <= _MOST_SPANS:
        return spans
    rest = spans[_MOST_SPANS - 1 :]
    return [*spans[: _MOST_SPANS - 1], (rest[0][0], max(end for _, end in rest))]


def _sentence(who: str, spans: Iterable[Span], shown: Document, path: str, how: str) -> str:
    places = [lines_of(shown, span) for span in sorted(spans)]
    lines = [*_joined(shown.lines_shown(each) for each in places if each[0] <= each[1])]
    gone = [last for first, last in places if first > last]
    what = [f"changed {_listed(lines)}"] if lines else []
    if gone:
        after = ", ".join(str(line) for line in dict.fromkeys(gone[:_MOST_NAMED]))
        what.append(f"took away what was behind line {after}")
    return say("{} {} of {} since you {} it", who, " and ".join(what), FileName(path), how)


def _joined(lines: Iterable[Span]) -> Iterator[Span]:
    """Yield ranges of lines, those that touch as one."""
    begun: Span | None = None
    for first, last in lines:
        if begun is not None and first <= begun[1] + 1:
            begun = begun[0], max(last, begun[1])
            continue
        if begun is not None:
            yield begun
        begun = first, last
    if begun is not None:
        yield begun


def _listed(lines: Sequence[Span]) -> str:
    """Say ranges of lines; of many the first ones."""
    named = lines[:_MOST_NAMED]
    ranges = ", ".join(str(one) if one == other else f"{one}-{other}" for one, other in named)
    more = f" and {len(lines) - len(named)} more places" if lines[len(named) :] else ""
    is_one = len(lines) == 1 and lines[0][0] == lines[0][1]
    return f"{'line' if is_one else 'lines'} {ranges}{more}"
