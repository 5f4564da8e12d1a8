"""What a rewind takes back: what a session, all agents or everybody did since a point."""

from __future__ import annotations

from keyhole.checkpoints.kept_out import ListedFile
from keyhole.engine.history.recall import UndoRequest
from keyhole.engine.rewind.points import owners_of, point_of, store_of
from keyhole.history import targets
from keyhole.history.versions import CachedJournal
from keyhole.journal.model import Undone
from keyhole.phrases import say
from keyhole.refusals import Refusal, Refused
from keyhole.workspace.tree import Tree

# No host names a session so: whose work goes is said by a person, and agents are many.
EVERYBODY, AGENTS = "\0everybody", "agents"


def targets_since(tree: Tree, journal: CachedJournal, wish: UndoRequest) -> tuple[Undone, ...]:
    """Return what somebody did since a point and what still counts, newest first, or refuse."""
    store = store_of(tree)
    try:
        mark = point_of(store.marks, wish.prompt)
        _check_kept(journal, mark.position)
        whose = wish.session or mark.happening.session or AGENTS
        found = list(targets.applied_since(journal, mark.position))
        if whose == EVERYBODY:
            chosen = {entry.id for entry in found}
        else:
            owners = owners_of(store.marks, reversed(found), mark)
            chosen = {
                entry.id
                for entry, of in owners
                if (of.is_agents if whose == AGENTS else of.are(whose))
            }
    finally:
        store.close()
    taken = targets.since(journal, found, mark.position, lambda entry: entry.id in chosen)
    if not taken:
        raise Refused(_nothing(wish.prompt, whose))
    return taken


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
