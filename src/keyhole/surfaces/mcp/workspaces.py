"""The workspaces of one server: which root a call is about.

A relative path belongs to the first root, an absolute one to the root it lies in. What exists where
plays no part, so one spelling always means one file.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from keyhole.answers.file_receipt import FileReceipt
from keyhole.answers.history import History, PastTransaction, ProposalSummary
from keyhole.answers.reading import Hits, OutlinedTree
from keyhole.answers.receipt import Receipt
from keyhole.answers.sweep import SweepSummary
from keyhole.engine.opening import OpenWorkspace, open_place
from keyhole.fastclasses import dataclass, replace
from keyhole.refusals import Refusal, Refused

if TYPE_CHECKING:
    from keyhole.engine.facade import Engine
    from keyhole.engine.history.recall import UndoRequest

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
    durability: str = ""


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
                        durability=allowed.durability,
                    )
                wanted.append(held[name])
        except BaseException:
            Workspaces([place for name, place in held.items() if name not in there]).close()
            raise
        return Workspaces(list(dict.fromkeys(wanted)), held)

    def observe(self) -> None:
        """Look for what others did since the last look, where that is observed."""
        for place in self.places:
            place.observe()

    def fence(self) -> bool:
        """Confine this process to its roots and its state; programs run outside of the fence.

        Only threads that are started from now on are confined with it.
        """
        return OpenWorkspace.confine(self.places)

    def end(self, session: str) -> None:
        """End the task of a session that is over, where it wrote; nobody waits for trouble here."""
        if "engines" not in self.__dict__:
            return
        for engine in self.engines:
            with suppress(Refused):
                engine.end_session(session)

    def close(self) -> None:
        """Let go of every root."""
        for place in {*self.places, *self.held.values()}:
            place.close()

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
            names = ", ".join(sorted(engine.root for engine in found.values()))
            help_line = "make one call for each root"
            headline = f"one call is one transaction of one root; these paths lie in {names}"
            raise Refused(Refusal("bad-request", headline, help=help_line))
        return next(iter(found.values()), self.first)

    def _at(self, path: str) -> Engine:
        if len(self.engines) == 1 or not Path(path).is_absolute():
            return self.first
        fitting = [engine for engine in self.engines if engine.holds(path)]
        return max(fitting, key=lambda one: len(one.root), default=self.first)

    def named(self, engine: Engine, answer: T) -> T:
        """Return an answer of one workspace with names of files that mean the same in a call."""
        if engine is self.first:
            return answer

        return in_full(engine.root, answer)

    def offered(self, accept: str) -> str:
        """Return the full path of the file that a refusal offered to edit, "" if nobody did."""
        for engine in self.engines if accept else ():
            if path := engine.offered(accept):
                return f"{engine.root}/{path}"
        return ""

    def knowing(self, name: str) -> Engine:
        """Return the workspace whose journal has a transaction, else the first, which says no."""
        if len(self.engines) == 1:
            return self.first
        known = (one for one in self.engines if one.knows(name))
        return next(known, self.first)

    def meant(self, wish: UndoRequest, actor: str) -> Engine:
        """Return the workspace that an undo is about."""
        if len(self.engines) == 1:
            return self.first
        if wish.id or wish.to:
            return self.knowing(wish.id or wish.to)
        latest = ((one.undoes_at(wish, actor), one) for one in self.engines)
        found = [(time, one) for time, one in latest if time is not None]
        if wish.task and len(found) > 1:
            headline = f"task {wish.task[:80]} edited several roots; one undo is for one root"
            help_line = "undo its transactions by id; `history` with task lists them"
            raise Refused(Refusal("bad-request", headline, help=help_line))
        return max(found, key=lambda pair: pair[0], default=(0.0, self.first))[1]


def in_full(base: str, answer: T) -> T:
    """Return an answer about the root at `base` with every file named from `/` on."""
    named = _named(base, answer)
    assert isinstance(named, type(answer)), "BUG: an answer of another kind"
    return named


def _named(base: str, answer: object) -> object:
    match answer:
        case Hits():
            return replace(answer, hits=tuple(_moved(base, hit) for hit in answer.hits))
        case OutlinedTree():
            return replace(answer, files=tuple(_moved(base, file) for file in answer.files))
        case Receipt():
            return _receipt(base, answer)
        case History():
            return replace(
                answer,
                transactions=tuple(_past(base, each) for each in answer.transactions),
                proposals=tuple(_offer(base, each) for each in answer.proposals),
            )
        case PastTransaction():
            return _past(base, answer)
        case ProposalSummary():
            return _offer(base, answer)
    return answer


def _full(base: str, path: str) -> str:
    return f"{base}/{path}" if path and not path.startswith("/") else path


def _moved(base: str, value: T) -> T:
    """Return a value with its paths in full: its own, and those a move has."""
    names = ("path", "moved_from", "moved_to", "like")
    paths = {name: getattr(value, name) for name in names if hasattr(value, name)}
    changed = {name: _full(base, path) for name, path in paths.items()}
    moved: T = replace(value, **changed)  # type: ignore[type-var]
    return moved


def _receipt(base: str, receipt: Receipt) -> Receipt:
    conflicts = ({**each, "path": _full(base, str(each["path"]))} for each in receipt.conflicts)
    return replace(
        receipt,
        files=tuple(_file(base, file) for file in receipt.files),
        refusals=tuple(
            each.spelt({path: _full(base, path) for path in each.files})
            for each in receipt.refusals
        ),
        conflicts=tuple(conflicts),
        sweep=receipt.sweep and _sweep(base, receipt.sweep),
        took_back=tuple(
            replace(each, paths=tuple(_full(base, path) for path in each.paths))
            for each in receipt.took_back
        ),
    )


def _sweep(base: str, sweep: SweepSummary) -> SweepSummary:
    return replace(sweep, listed=tuple(_moved(base, file) for file in sweep.listed))


def _file(base: str, file: FileReceipt) -> FileReceipt:
    # The diff goes by the path of the plan, and is for the root whatever the file is called.
    plan = replace(_moved(base, file.plan), path=file.plan.path)
    return replace(file, path=_full(base, file.path), plan=plan)


def _past(base: str, past: PastTransaction) -> PastTransaction:
    draft = past.entry.draft
    draft = replace(draft, files=tuple(_moved(base, change) for change in draft.files))
    return replace(past, entry=replace(past.entry, draft=draft), diffs=_keyed(base, past.diffs))


def _offer(base: str, offer: ProposalSummary) -> ProposalSummary:
    plan = offer.proposed.plan
    plan = replace(plan, files=tuple(_moved(base, file) for file in plan.files))
    return replace(
        offer, proposed=replace(offer.proposed, plan=plan), diffs=_keyed(base, offer.diffs)
    )


def _keyed(base: str, diffs: Mapping[str, str] | None) -> dict[str, str] | None:
    return None if diffs is None else {_full(base, path): diff for path, diff in diffs.items()}
