"""Use cases around what others do to the tree: look at it, and go back to a point."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from keyhole.answers.receipt import Receipt
from keyhole.engine.history.recall import UndoRequest
from keyhole.fastclasses import replace
from keyhole.refusals import Refused
from keyhole.workspace.tree import Tree

if TYPE_CHECKING:
    from keyhole.answers.history import PastTransaction
    from keyhole.answers.observation import Observation, PromptGroup, Prompts
    from keyhole.checkpoints.happenings import Happening
    from keyhole.engine.options import Options


class Checkpoints:
    """The use cases that ask who else changed the tree."""

    def __init__(self, tree: Tree, undo: Callable[[UndoRequest, Options], Receipt]) -> None:
        self._tree, self._undo = tree, undo

    @property
    def is_observed(self) -> bool:
        """Tell whether anybody looks at this workspace."""
        from keyhole.checkpoints.store import CheckpointStore

        return CheckpointStore(self._tree.state, self._tree.root.path).is_there

    def look(self, happening: Happening | None = None) -> Observation:
        """Look at the tree, record what others did since the last look, and mark what happens."""
        from keyhole.engine.observe.look import look

        return look(self._tree, happening)

    def observe(self) -> None:
        """Look at the tree if it is observed, whatever becomes of it."""
        if self.is_observed:
            from keyhole.engine.observe.look import look_in_passing

            look_in_passing(self._tree)

    def prompts(self, limit: int) -> Prompts:
        """Return the prompts that hosts told of, the latest first."""
        from keyhole.answers.observation import Prompts
        from keyhole.engine.rewind.points import store_of

        store = store_of(self._tree)
        try:
            return Prompts(tuple(store.marks.prompts(limit)))
        finally:
            store.close()

    def by_prompt(self, past: Sequence[PastTransaction], limit: int) -> tuple[PromptGroup, ...]:
        """Return the latest prompts with what belongs to each, of transactions newest first."""
        from keyhole.answers.observation import PromptGroup
        from keyhole.engine.rewind.points import prompts_of, store_of

        here = [each for each in past if not each.entry.is_elsewhere]
        store = store_of(self._tree)
        try:
            marks = store.marks.prompts(limit)
            numbers = prompts_of(store.marks, [each.entry for each in here], marks)
        finally:
            store.close()
        own: dict[int, list[PastTransaction]] = {mark.id: [] for mark in marks}
        for each in here:
            if number := numbers.get(each.entry.id):
                own[number].append(each)
        return tuple(PromptGroup(mark, tuple(own[mark.id])) for mark in marks)

    def rewind(self, wish: UndoRequest, options: Options) -> Receipt:
        """Take back what was done since a point, as one transaction; or say what that would be.

        Who rewinds is a person: what others may not write is put back too.
        """
        from keyhole.engine.rewind.points import point_of, store_of

        try:
            store = store_of(self._tree)
            try:
                said = point_of(store.marks, wish.prompt).happening.said
            finally:
                store.close()
            self.look()
        except Refused as refused:
            return Receipt.refused(refused.refusals)
        reason = options.reason or f"rewind to {wish.prompt}{f': {said}' if said else ''}"
        with self._tree.allowing_all():
            return self._undo(wish, replace(options, reason=reason))
