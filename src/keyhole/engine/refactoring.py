"""Use cases that change all places of something at once: sweeps, and symbols by their names."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from keyhole.answers.reading import Hits
from keyhole.answers.receipt import Receipt
from keyhole.engine.edit.requests import Request
from keyhole.engine.options import Options
from keyhole.engine.rename.request import Rename
from keyhole.engine.sweep.request import Sweep
from keyhole.engine.sweep.sweep import swept
from keyhole.refusals import Refused
from keyhole.workspace.tree import Tree

if TYPE_CHECKING:
    from keyhole.engine.rename.found import SymbolPlaces
    from keyhole.engine.rename.symbol import Symbol
    from keyhole.language_servers.desk import LanguageServers


class Refactoring:
    """Many files as one transaction, by the walk that every edit takes."""

    def __init__(
        self,
        tree: Tree,
        carry_out: Callable[[Request, Options], Receipt],
        refused: Callable[[Refused, Options, str], Receipt],
        servers: Callable[[], LanguageServers] | None = None,
    ) -> None:
        self._tree, self._carry_out, self._refused = tree, carry_out, refused
        self._servers = servers

    def rename(self, wanted: Rename, options: Options) -> Receipt:
        """Rename a symbol with its definition, imports and uses, or change nothing and say why."""
        from keyhole.engine.rename.rename import renamed

        try:
            return renamed(self._tree, wanted, options, self._find, self._carry_out)
        except Refused as refused:
            return self._refused(refused, options, wanted.path)

    def references(self, path: str, segment: str, limit: int = 100) -> Hits:
        """Return the places of a symbol that a segment of a file defines."""
        from keyhole.engine.rename.references import references

        return references(self._tree, path, segment, limit, self._find)

    def _find(self, tree: Tree, symbol: Symbol, to: str) -> SymbolPlaces:
        """Return the places of a symbol, from whoever knows its language."""
        from keyhole.engine.rename.sources import find_symbol

        return find_symbol(tree, symbol, to, self._servers and self._servers())

    def sweep(self, sweep: Sweep, options: Options) -> Receipt:
        """Show the places of a sweep, or change those that the call means: all of them or none."""
        try:
            return swept(self._tree, sweep, options, self._carry_out)
        except Refused as refused:
            return self._refused(refused, options, sweep.path)
