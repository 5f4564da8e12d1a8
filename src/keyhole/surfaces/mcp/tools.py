"""The tools of a server: our own, and those of other interfaces."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from keyhole import toolsets
from keyhole.refusals import Refusal, Refused
from keyhole.toolsets.base import Tool
from keyhole.toolsets.native.tools import TOOLS

NATIVE = TOOLS
SETS = ("native", *toolsets.SETS)


def chosen(names: tuple[str, ...]) -> dict[str, Tool]:
    """Return the tools of a server: the sets or single tools named, none with another's name."""
    found: dict[str, Tool] = {}
    owners: dict[str, str] = {}
    for name in names or ("native",):
        for tool in _named(name):
            if found.get(tool.name, tool) is not tool:
                raise Refused(_clash(tool.name, owners[tool.name], name))
            found[tool.name] = tool
            owners[tool.name] = name
    return found


def offered(tools: Iterable[Tool], *, read_only: bool) -> list[Tool]:
    """Return the tools to list: without those that only write, if nothing may be written."""
    return [tool for tool in tools if tool.looks or not (read_only and tool.writes)]


def sets_of(names: Sequence[str]) -> list[str]:
    """Return the sets that a server offers all or some of, by the names it was told."""
    native = {"native", *(tool.name for tool in NATIVE)}
    singles = {*names} - native - {*SETS}
    owners = [one for one in toolsets.SETS if singles and _has(one, singles)]
    owners += [name.partition(":")[0] for name in names]
    own = ["native"] if not names or native & {*names, *owners} else []
    return [*own, *(name for name in toolsets.SETS if name in owners)]


def _has(name: str, tools: Collection[str]) -> bool:
    return any(tool.name in tools for tool in toolsets.tools_of(name))


def _named(name: str) -> Sequence[Tool]:
    """Return the tools of a set, or the one tool of that name that some set has."""
    if name == "native":
        return NATIVE
    if name in toolsets.SETS:
        return toolsets.tools_of(name)
    owner, _, single = name.partition(":")
    if single and owner in {"native", *toolsets.SETS}:
        return [toolsets.tool_named(single, (owner,))]
    native = [tool for tool in NATIVE if tool.name == name]
    others = {one: toolsets.tools_of(one) for one in toolsets.SETS} if not native else {}
    owners = [one for one, tools in others.items() if any(tool.name == name for tool in tools)]
    if len(owners) > 1:
        raise Refused(_clash(name, *owners[:2]))
    found = [*native]
    found += [tool for one in owners for tool in others[one] if tool.name == name]
    if not found:
        known = [*SETS, *(tool.name for tool in NATIVE)]
        headline = f"there are no tools {name[:40]!r}"
        raise Refused(Refusal("bad-request", headline, help=f"name one of {', '.join(known)}"))
    return found


def _clash(tool: str, one: str, other: str) -> Refusal:
    headline = f"`{one}` and `{other}` both have a tool `{tool[:40]}`"
    return Refusal("bad-request", headline, help="offer one of them in this server")
