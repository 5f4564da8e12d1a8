"""Who knows the names of a language: a language server, or a library."""

from __future__ import annotations

from keyhole.engine.linting.lint import trust_of
from keyhole.engine.rename.found import SymbolPlaces
from keyhole.engine.rename.symbol import Symbol
from keyhole.fastclasses import replace
from keyhole.language_servers.desk import LanguageServers
from keyhole.language_servers.table import FoundServer, servers_for
from keyhole.phrases import FileName, say
from keyhole.refusals import Refusal, Refused
from keyhole.workspace.tree import Tree


def find_symbol(
    tree: Tree, symbol: Symbol, to: str, servers: LanguageServers | None
) -> SymbolPlaces:
    """Return the places of a symbol, or refuse where nobody knows its language."""
    # A notebook is another text for a server, and it runs code of what may only be read.
    is_for_servers = not (symbol.document.stored or tree.options.read_only)
    found = servers.found(symbol.language) if servers and is_for_servers else None
    if servers is None or found is None:
        return _by_library(tree, symbol)
    from keyhole.engine.rename.server import server_places, untrusted

    objection = trust_of(tree).objection()
    if not objection:
        return server_places(tree, symbol, to, servers, found)
    if found.named or not _has_library(symbol):
        raise Refused(untrusted(found, objection))
    return replace(_by_library(tree, symbol), notes=(_not_asked(found, objection),))


def _by_library(tree: Tree, symbol: Symbol) -> SymbolPlaces:
    if symbol.language == "python":
        from keyhole.engine.rename.python import python_places

        return python_places(tree, symbol)
    raise Refused(_no_server(symbol))


def _has_library(symbol: Symbol) -> bool:
    if symbol.language != "python":
        return False
    from keyhole.refactor.python import is_installed

    return is_installed()


def _not_asked(found: FoundServer, objection: str) -> str:
    name = found.server.name
    return f"jedi was asked, and not {name}: {objection}; a person can allow it, `keyhole trust`"


def _no_server(symbol: Symbol) -> Refusal:
    """Return the refusal of a language that nobody here knows the names of, and what to do."""
    known = [f"{each.program} (`{each.install}`)" for each in servers_for(symbol.language)]
    install = f"install {' or '.join(known)} and run `keyhole trust`; or " if known else ""
    return Refusal(
        "no-language-server",
        say(
            "nothing here knows the names of {}, the language of {}",
            symbol.language,
            FileName(symbol.path),
        ),
        help=say(
            "{}change `{}` by {edit:tool} with {glob} and {boundary:bare} identifier",
            install,
            symbol.name,
        ),
        path=symbol.path,
    )
