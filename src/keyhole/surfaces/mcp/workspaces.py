"""The workspaces of one server: which root a call is about.

A relative path belongs to the first root, an absolute one to the root it lies in. What exists where
plays no part, so one spelling always means one file.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from keyhole.refusals import Refusal, Refused
from keyhole.surfaces.settings import OpenWorkspace, open_place
from keyhole.values import dataclass

if TYPE_CHECKING:
    from keyhole.engine import Engine
    from keyhole.walks.recalling import UndoRequest

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Allowed:
    """What the user lets a server do, whatever roots it gets."""

    read_only: bool = False
    extensions: tuple[str, ...] = ()
    task_mode: str = ""
    article: str = ""
    propose: bool = False
    journal: str = ""


class Workspaces:
    """One engine for each root, in the order they were named, when the first call needs them."""

    def __init__(
        self, places: Sequence[OpenWorkspace], held: Mapping[str, OpenWorkspace] | None = None
    ) -> None:
        self.places = tuple(places)
        # All that are open, also roots that the client gave up: calls may still run there.
        self.held = held or {}

    @staticmethod
    def open(
        roots: Iterable[Path], allowed: Allowed, known: Workspaces | None = None
    ) -> Workspaces:
        """Open every root that is not `known` to be open, or refuse and leave no new one open."""
        there = known.held if known else {}
        held, wanted = dict(there), []
        try:
            for root in roots:
                name = str(root.expanduser().resolve())
                if name not in held:
                    held[name] = open_place(
                        root,
                        read_only=allowed.read_only,
                        extensions=allowed.extensions,
                        task_mode=allowed.task_mode,
                        journal=allowed.journal,
                        article=allowed.article,
                        propose=allowed.propose,
                    )
                wanted.append(held[name])
        except BaseException:
            Workspaces([place for name, place in held.items() if name not in there]).close()
            raise
        return Workspaces(list(dict.fromkeys(wanted)), held)

    def fence(self) -> bool:
        """Confine this process to its roots and its state, unless it has programs to run.

        Only threads that are started from now on are confined with it.
        """
        from keyhole.walks.tending import fence

        runs = any(place.linting for place in self.places)
        return not runs and fence([place.tree for place in self.places])

    def close(self) -> None:
        """Let go of every root."""
        for place in {*self.places, *self.held.values()}:
            place.tree.close()

    @cached_property
    def engines(self) -> tuple[Engine, ...]:
        """Return the engines, in the order of the roots."""
        return tuple(place.engine for place in self.places)

    @property
    def first(self) -> Engine:
        """Return the workspace of relative paths."""
        return self.engines[0]

    def at(self, *paths: str) -> Engine:
        """Return the workspace that paths lie in, or refuse if they lie in several."""
        found = {id(engine): engine for engine in map(self._at, paths)}
        if len(found) > 1:
            names = ", ".join(sorted(engine.tree.root.path for engine in found.values()))
            help_line = "make one call for each root"
            headline = f"one call is one transaction of one root; these paths lie in {names}"
            raise Refused(Refusal("bad-request", headline, help=help_line))
        return next(iter(found.values()), self.first)

    def _at(self, path: str) -> Engine:
        if len(self.engines) == 1 or not Path(path).is_absolute():
            return self.first
        fitting = [engine for engine in self.engines if _lies_in(path, engine)]
        return max(fitting, key=lambda one: len(one.tree.root.path), default=self.first)

    def named(self, engine: Engine, answer: T) -> T:
        """Return an answer of one workspace with names of files that mean the same in a call."""
        if engine is self.first:
            return answer
        from keyhole.surfaces.mcp.naming import in_full

        return in_full(engine.tree.root.path, answer)

    def offered(self, accept: str) -> str:
        """Return the full path of the file that a refusal offered to edit, "" if nobody did."""
        for engine in self.engines if accept else ():
            if offer := engine.offers.get(accept):
                return f"{engine.tree.root.path}/{offer.path}"
        return ""

    def knowing(self, name: str) -> Engine:
        """Return the workspace whose journal has a transaction, else the first, which says no."""
        if len(self.engines) == 1:
            return self.first
        known = (one for one in self.engines if _knows(one, name))
        return next(known, self.first)

    def meant(self, wish: UndoRequest, actor: str) -> Engine:
        """Return the workspace that an undo is about."""
        if len(self.engines) == 1:
            return self.first
        if wish.id or wish.to:
            return self.knowing(wish.id or wish.to)
        latest = ((_latest(one, wish, actor), one) for one in self.engines)
        found = [(time, one) for time, one in latest if time is not None]
        if wish.task and len(found) > 1:
            headline = f"task {wish.task[:80]} edited several roots; one undo is for one root"
            help_line = "undo its transactions by id; `history` with task lists them"
            raise Refused(Refusal("bad-request", headline, help=help_line))
        return max(found, key=lambda pair: pair[0], default=(0.0, self.first))[1]


def _latest(engine: Engine, wish: UndoRequest, actor: str) -> float | None:
    """Return when the last transaction was made that an undo would take back here, if any."""
    from keyhole.walks.recalling import targets_of

    journal = engine.tree.journal
    try:
        entry = journal.entry(targets_of(journal, wish, actor)[0].entry)
    except Refused:
        return None
    return entry.time if entry else None


def _knows(engine: Engine, name: str) -> bool:
    from keyhole.walks.proposing import is_proposal, proposals

    if is_proposal(name):
        return any(each.id == name for each in proposals(engine.tree))
    return engine.tree.journal.entry(name) is not None


def _lies_in(path: str, engine: Engine) -> bool:
    root = engine.tree.root
    return any(Path(path).is_relative_to(spelling) for spelling in (root.path, root.spelling))
