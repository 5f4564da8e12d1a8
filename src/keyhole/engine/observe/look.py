"""One look at the tree: quiet where nothing changed, so that a hook loads nothing that records.

The order of the steps makes a kill harmless. The tree that counts as kept is the last thing that a
look changes, so the next look finds the same changes again, and those that are recorded by then it
knows from the journal.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from keyhole.answers.observation import Observation
from keyhole.checkpoints.happenings import Happening
from keyhole.checkpoints.store import CheckpointStore
from keyhole.engine.observe.glance import Glance, glance_at
from keyhole.fastclasses import dataclass
from keyhole.git.shadow import GitFailed, ShadowRepository
from keyhole.refusals import Refusal, Refused

if TYPE_CHECKING:
    from keyhole.workspace.tree import Tree


@dataclass(frozen=True, slots=True)
class Watched:
    """A workspace to look at; its tree is opened where there is something to record."""

    root: str
    state: Path
    max_bytes: int
    tree: Callable[[], Tree]


def look(tree: Tree, happening: Happening | None = None, patience: float = 30.0) -> Observation:
    """Look at the whole tree, record what others did, and mark what happens."""
    if tree.options.read_only:
        from keyhole.workspace.held import read_only

        raise Refused(read_only())
    watched = Watched(tree.root.path, tree.state, tree.options.max_bytes, lambda: tree)
    return look_at(watched, happening or Happening(), patience)


def look_in_passing(tree: Tree) -> None:
    """Look at an observed tree when a server starts: nobody waits for it, and trouble is nobody's.

    What is missed is found by the next look.
    """
    import sqlite3  # a hook loads it while git is at work

    with suppress(Refused, OSError, sqlite3.Error):
        look(tree, patience=1.0)


def look_at(watched: Watched, happening: Happening, patience: float = 30.0) -> Observation:
    """Look at a workspace that nobody need have opened."""
    store = CheckpointStore(watched.state, watched.root)
    if not store.is_there:
        _ = watched.tree().journal  # its directory is made
    try:
        with store.held(patience) as repository:
            try:
                return _look(watched, store, repository, happening)
            except GitFailed:
                if repository.is_sound():
                    raise
            # What a power cut left of it tells nothing: this look is a first one.
            repository.begin_again()
            return _look(watched, store, repository, happening)
    except GitFailed as failed:
        raise Refused(_no_git(str(failed))) from None
    finally:
        store.close()


def _look(
    watched: Watched, store: CheckpointStore, repository: ShadowRepository, happening: Happening
) -> Observation:
    glance = _glance(watched, store, repository)
    if repository.is_there and glance.is_nothing(store.marks):
        with store.marks.together():
            store.marks.remember("git", glance.git)
            store.marks.remember("looked", repr(glance.time))
            return Observation(store.marks.add(happening, glance.newest or 0, glance.time).id)
    from keyhole.engine.observe.record import TreeLook  # a hook that finds nothing ends above

    return TreeLook(watched.tree(), store.marks, repository).carry_out(happening, glance)


def _glance(watched: Watched, store: CheckpointStore, repository: ShadowRepository) -> Glance:
    """See what differs from the last look, and what the journal had before anybody asked git.

    Where the journal was hardly written since, git is asked at once; where it was, once more.
    """
    root, limit = watched.root, watched.max_bytes

    def newest() -> int | None:
        from keyhole.journal.layout import newest_settled  # git is at work while this loads

        return newest_settled(watched.state)

    if store.is_last_written:
        glance = glance_at(root, repository, newest, limit)
        if glance.is_current(store.marks):
            return glance
    before = newest()
    if before is None:
        from keyhole.engine.observe.record import settled

        before = settled(watched.tree())
    return glance_at(root, repository, lambda: before, limit)


def _no_git(said: str) -> Refusal:
    return Refusal(
        "journal",
        f"the tree cannot be observed: {said}",
        help="see that git is there and the state directory has room; edits go on as usual",
    )
