"""Who knows the names of a language: a language server, or a library."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial

from keyhole.engine.linting.lint import trust_of
from keyhole.engine.rename.found import SymbolPlaces, joined
from keyhole.engine.rename.symbol import Symbol, symbol_of
from keyhole.fastclasses import replace
from keyhole.language_servers.desk import LanguageServers
from keyhole.language_servers.table import FoundServer, servers_for
from keyhole.phrases import FileName, say
from keyhole.refusals import Refusal, Refused
from keyhole.segments.registry import outline
from keyhole.workspace.tree import Tree

_NOT_FOLLOWED = "too many files have the name: methods that override it were not looked for"


def find_symbol(
    tree: Tree, symbol: Symbol, to: str, servers: LanguageServers | None
) -> SymbolPlaces:
    """Return the places of a symbol, or refuse where nobody knows its language."""
    # A notebook is another text for a server, and it runs code of what may only be read.
    is_for_servers = not (symbol.document.stored or tree.options.read_only)
    found = servers.found(symbol.language) if servers and is_for_servers else None
    if servers is None or found is None:
        return _by_library(tree, symbol, to)
    from keyhole.engine.rename.server import server_places, untrusted

    objection = trust_of(tree).objection()
    if not objection:
        python = symbol.language == "python" and _has_library(symbol)
        asked = partial(server_places, tree, to=to, servers=servers, found=found)
        return _with_related(tree, symbol, to, asked) if python else asked(symbol)
    if found.named or not _has_library(symbol):
        raise Refused(untrusted(found, objection))
    return replace(_by_library(tree, symbol, to), notes=(_not_asked(found, objection),))


def _with_related(
    tree: Tree, symbol: Symbol, to: str, ask: Callable[[Symbol], SymbolPlaces]
) -> SymbolPlaces:
    """Return what a server says of a symbol of Python and of all that has to be called as it is."""
    from keyhole.engine.rename.python import overriding
    from keyhole.engine.rename.same_scope import with_scope_mates

    found = ask(symbol)
    family, outside = [symbol], ""
    if symbol.is_member:
        try:
            family, outside = overriding(tree, symbol)
        except Refused:  # more files than are looked at
            found = replace(found, notes=(*found.notes, _NOT_FOLLOWED))
    related = [*family, *(stub for each in family for stub in _stubs(tree, each))]
    while related:
        for each in related:
            if each.start not in found.offsets.get(each.path, ()):
                found = joined(found, ask(each))
        if symbol.is_member:
            break
        found, bound = with_scope_mates(found, symbol.name, to)
        related = [
            replace(symbol, path=path, document=found.documents[path], start=start)
            for path, start in bound
        ]
    return replace(found, overrides=outside)


def _stubs(tree: Tree, symbol: Symbol) -> Iterator[Symbol]:
    """Yield what the file of types beside a file has under the same address, and the reverse."""
    path = symbol.path.removesuffix("i") if symbol.path.endswith(".pyi") else f"{symbol.path}i"
    segment = outline(symbol.path, symbol.document).enclosing(symbol.start)
    with suppress(Refused):
        yield symbol_of(tree, path, segment.address if segment else symbol.address)


def _by_library(tree: Tree, symbol: Symbol, to: str) -> SymbolPlaces:
    if symbol.language == "python":
        from keyhole.engine.rename.python import python_places

        return python_places(tree, symbol, to)
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
