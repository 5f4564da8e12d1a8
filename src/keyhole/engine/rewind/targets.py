"""What a rewind takes back: what a session, all agents or everybody did since a point."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from keyhole.checkpoints.kept_out import ListedFile
from keyhole.checkpoints.marks import Mark
from keyhole.engine.history.recall import UndoRequest
from keyhole.engine.rewind.points import Makers, owners_of, point_of, store_of
from keyhole.history import targets
from keyhole.history.undo_refusals import Clashes, brought_back
from keyhole.history.versions import CachedJournal
from keyhole.journal.model import Entry, FileChange, Undone
from keyhole.phrases import say
from keyhole.refusals import Refusal, Refused
from keyhole.workspace.tree import Tree

# No host names a session so: whose work goes is said by a person, and agents are many.
EVERYBODY, AGENTS = "\0everybody", "agents"


def targets_since(tree: Tree, journal: CachedJournal, wish: UndoRequest) -> tuple[Undone, ...]:
    """Return what somebody did since a point and what still counts, newest first, or refuse."""
    mark, whose, made = _made_since(tree, journal, wish)
    chosen = {entry.id for entry, of in made if of is None or _is_by(whose, of)}
    found = [entry for entry, _ in reversed(made)]
    taken = targets.since(journal, found, mark.position, lambda entry: entry.id in chosen)
    if not taken:
        raise Refused(_nothing(wish.prompt, whose))
    return taken


def _made_since(
    tree: Tree, journal: CachedJournal, wish: UndoRequest
) -> tuple[Mark, str, list[tuple[Entry, Makers | None]]]:
    """Return a point, whose work goes, and all entries since, oldest first, with their makers."""
    store = store_of(tree)
    try:
        mark = point_of(store.marks, wish.prompt)
        _check_kept(journal, mark.position)
        whose = wish.session or mark.happening.session or AGENTS
        found = [*targets.applied_since(journal, mark.position)][::-1]
        if whose == EVERYBODY:
            return mark, whose, [(entry, None) for entry in found]
        return mark, whose, [*owners_of(store.marks, found, mark)]
    finally:
        store.close()


def _is_by(whose: str, of: Makers) -> bool:
    return of.is_agents if whose == AGENTS else of.are(whose)


def returned(
    tree: Tree, journal: CachedJournal, taken: Sequence[Undone], wish: UndoRequest
) -> Clashes | None:
    """Return what may have been taken away and brought back by the same hand, so that it stands.

    Worked example: a session and another one were at work when lines were stashed, and the session
    alone when they came back. The first is not surely its own and stands, so the second must too.
    """
    _, whose, made = _made_since(tree, journal, wish)
    ours = {target.entry for target in taken}
    away = _TakenAway(journal)
    found: dict[tuple[str, str], Refusal] = {}
    for entry, of in made:
        unsure = of is not None and bool(of.sessions) and (whose in {AGENTS, *of.sessions})
        for file in entry.files:
            if entry.id not in ours:
                if unsure:
                    away.note(entry, file)
            elif first := away.by(entry, file):
                found[entry.id, file.path] = brought_back(entry, file.path, first)
    return Clashes([*found.values()], found.keys()) if found else None


class _TakenAway:
    """What entries that are not surely anybody's took away: versions of files, and lines."""

    def __init__(self, journal: CachedJournal) -> None:
        self._journal = journal
        self._versions: dict[tuple[str, str | None], Entry] = {}
        self._noted: dict[str, list[tuple[Entry, FileChange]]] = {}

    def note(self, entry: Entry, file: FileChange) -> None:
        """Note what an entry found and did not leave."""
        if file.before != file.after:
            self._versions[file.path, file.before] = entry
            self._noted.setdefault(file.path, []).append((entry, file))

    def by(self, entry: Entry, file: FileChange) -> Entry | None:
        """Return who took away what an entry brought back; git merges what it brings back."""
        if file.before == file.after:
            return None
        first = self._versions.get((file.path, file.after))
        if first is not None or not entry.call.details.get("git"):
            return first
        came = self._lines(file.after) - self._lines(file.before)
        for other, noted in self._noted.get(file.path, ()):
            if came & (self._lines(noted.before) - self._lines(noted.after)):
                return other
        return None

    def _lines(self, hash_: str | None) -> Counter[bytes]:
        data = self._journal.image(hash_) if hash_ else b""
        return Counter(line for line in (data or b"").split(b"\n") if line.strip())


def unkept_since(tree: Tree, wish: UndoRequest) -> list[ListedFile]:
    """Return what was written since a point and no look keeps: a rewind leaves it as it is."""
    store = store_of(tree)
    try:
        return store.marks.unkept_since(point_of(store.marks, wish.prompt).time)
    finally:
        store.close()


def _check_kept(journal: CachedJournal, order: int) -> None:
    """Refuse to go back further than the journal remembers."""
    first = journal.entry(str(order + 1))
    newest = targets.newest(journal)
    if first is None and newest > order:
        headline = "the journal no longer keeps what was done right after that point"
        raise Refused(Refusal("nothing-to-undo", headline, help="choose a later point"))


def _nothing(point: str, whose: str) -> Refusal:
    who = {EVERYBODY: "nobody", AGENTS: "no agent"}.get(whose, f"session {whose[:60]}")
    did = (
        "changed anything that still stands" if whose in {EVERYBODY, AGENTS} else "changed nothing"
    )
    headline = say("{} {} since {}", who, did, point[:80])
    return Refusal("nothing-to-undo", headline, help=say("see {history:tool} for who did what"))
