"""Who knows the names of a language: a language server, or a library."""

from __future__ import annotations

from keyhole.engine.rename.found import SymbolPlaces
from keyhole.engine.rename.symbol import Symbol
from keyhole.phrases import FileName, say
from keyhole.refusals import Refusal, Refused
from keyhole.workspace.tree import Tree

# What to install for the languages that a server is known for.
_INSTALL = "install a language server"


def find_symbol(tree: Tree, symbol: Symbol, to: str) -> SymbolPlaces:
    """Return the places of a symbol, or refuse where nobody knows its language."""
    _ = to
    if symbol.language == "python":
        from keyhole.engine.rename.python import python_places

        return python_places(tree, symbol)
    raise Refused(_no_server(symbol, _INSTALL))


def _no_server(symbol: Symbol, install: str) -> Refusal:
    """Return the refusal of a language that nobody here knows the names of."""
    return Refusal(
        "no-language-server",
        say(
            "nothing here knows the names of {}, the language of {}",
            symbol.language,
            FileName(symbol.path),
        ),
        help=say(
            "{}, or change `{}` by {edit:tool} with {glob} and {boundary:bare} identifier",
            install,
            symbol.name,
        ),
        path=symbol.path,
    )
