"""Use cases that change all places of something at once: sweeps, and symbols by their names."""

from __future__ import annotations

from collections.abc import Callable

from keyhole.answers.receipt import Receipt
from keyhole.engine.edit.requests import Request
from keyhole.engine.options import Options
from keyhole.engine.sweep.request import Sweep
from keyhole.engine.sweep.sweep import swept
from keyhole.refusals import Refused
from keyhole.workspace.tree import Tree


class Refactoring:
    """Many files as one transaction, by the walk that every edit takes."""

    def __init__(
        self,
        tree: Tree,
        carry_out: Callable[[Request, Options], Receipt],
        refused: Callable[[Refused, Options, str], Receipt],
    ) -> None:
        self._tree, self._carry_out, self._refused = tree, carry_out, refused

    def sweep(self, sweep: Sweep, options: Options) -> Receipt:
        """Show the places of a sweep, or change those that the call means: all of them or none."""
        try:
            return swept(self._tree, sweep, options, self._carry_out)
        except Refused as refused:
            return self._refused(refused, options, sweep.path)
