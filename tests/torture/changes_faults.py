"""Looks with one thing left out, and a rewind that takes too much: the judge has to notice."""

from __future__ import annotations

from collections.abc import Callable

from keyhole.checkpoints import actors
from keyhole.engine.observe import record
from keyhole.engine.rewind.points import Makers
from keyhole.git.shadow import ShadowRepository, StagedChange


def _blind_for_returns() -> None:
    """Look only at what differs from the last look."""
    record.TreeLook._put_back = lambda *_: iter(())  # type: ignore[method-assign]


def _unbounded_tools() -> None:
    """Take each tool for one that may change any file."""
    vars(actors)["_written"] = lambda *_: None


def _kept_too_early() -> None:
    """Let the tree count as kept before the history has what changed."""
    staged = ShadowRepository.staged

    def early(self: ShadowRepository) -> list[StagedChange]:
        found = staged(self)
        self.keep()
        return found

    ShadowRepository.staged = early  # type: ignore[method-assign]


def _everybodys() -> None:
    """Take back what people did, too."""
    Makers.are = lambda *_: True  # type: ignore[method-assign]


LOOKS: dict[str, Callable[[], None]] = {
    "what is put back is not seen": _blind_for_returns,
    "tools may write anything": _unbounded_tools,
    "the tree is kept before the history": _kept_too_early,
}
FAULTS = {**LOOKS, "what people did goes too": _everybodys}
