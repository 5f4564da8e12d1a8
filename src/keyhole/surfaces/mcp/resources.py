"""Resources: recent history, one transaction, the outline of a file; and completions for them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING
from urllib.parse import unquote

from mcp import types

from keyhole.answers.history import History
from keyhole.answers.reading import Outlined
from keyhole.engine.history.recall import HistoryRequest
from keyhole.engine.reading import Shape
from keyhole.refusals import Refused
from keyhole.surfaces.mcp.answers import clean
from keyhole.surfaces.mcp.workspaces import Workspaces

if TYPE_CHECKING:
    from keyhole.answers.history import PastTransaction

HISTORY = "keyhole://history"
TRANSACTION = "keyhole://transaction/"
OUTLINE = "keyhole://outline/"
_TEXT = "text/plain"
_MOST = 100  # what the protocol lets one completion hold
_MOST_WALKED = 20_000
_MOST_SHOWN = 50


def listed() -> types.ListResourcesResult:
    """Return the history; it names the transactions, so that the list never changes."""
    recent = types.Resource(
        uri=HISTORY,
        name="history",
        title="Recent transactions",
        description="The last 50 transactions: who, when, why, which files",
        mime_type=_TEXT,
    )
    return types.ListResourcesResult(resources=[recent])


def _newest(workspaces: Workspaces, limit: int) -> list[PastTransaction]:
    listed = (workspaces.named(each, each.history(HistoryRequest())) for each in workspaces.engines)
    past = [one for each in listed for one in each.transactions]
    return sorted(past, key=lambda one: one.entry.time, reverse=True)[:limit]


def templates() -> types.ListResourceTemplatesResult:
    """Return the resources that need a name."""
    return types.ListResourceTemplatesResult(
        resource_templates=[
            types.ResourceTemplate(
                uri_template=f"{TRANSACTION}{{id}}",
                name="transaction",
                title="One transaction",
                description="Its reasons and its diff",
                mime_type=_TEXT,
            ),
            types.ResourceTemplate(
                uri_template=f"{OUTLINE}{{+path}}",
                name="outline",
                title="Outline of a file",
                description="Its segments with their addresses and lines",
                mime_type=_TEXT,
            ),
        ]
    )


def read(workspaces: Workspaces, uri: str) -> types.ReadResourceResult | None:
    """Return a resource; None where there is none of that name."""
    text = _text(workspaces, uri)
    if text is None:
        return None
    content = types.TextResourceContents(uri=uri, mime_type=_TEXT, text=clean(text))
    return types.ReadResourceResult(contents=[content])


def _text(workspaces: Workspaces, uri: str) -> str | None:
    if uri == HISTORY:
        return History(tuple(_newest(workspaces, _MOST_SHOWN))).as_text()
    try:
        if uri.startswith(TRANSACTION):
            name = unquote(uri.removeprefix(TRANSACTION))
            engine = workspaces.knowing(name)
            return workspaces.named(engine, engine.show(name)).as_text()
        if uri.startswith(OUTLINE):
            path = unquote(uri.removeprefix(OUTLINE))
            engine = workspaces.at(path)
            return workspaces.named(engine, engine.outline(path, Shape())).as_text()
    except Refused:
        return None
    return None


def completed(workspaces: Workspaces, name: str, begun: str, path: str) -> types.CompleteResult:
    """Return how an argument can go on: a path, an address in a file, the id of a transaction."""
    found = [clean(one) for one in _values(workspaces, name, path) if one.startswith(begun)]
    completion = types.Completion(
        values=found[:_MOST], total=len(found), has_more=len(found) > _MOST
    )
    return types.CompleteResult(completion=completion)


def _values(workspaces: Workspaces, name: str, path: str) -> list[str]:
    if name in {"id", "to", "transaction"}:
        return [past.entry.id for past in _newest(workspaces, _MOST)]
    if name == "segment" and path:
        return _addresses(workspaces, path)
    if name == "path":
        return list(islice(_paths(workspaces), _MOST_WALKED))
    return []


def _paths(workspaces: Workspaces) -> Iterator[str]:
    """Yield every file as a call names it: in full, if it is not below the first root."""
    yield from workspaces.first.files()
    for engine in workspaces.engines[1:]:
        yield from (f"{engine.root}/{path}" for path in engine.files())


def _addresses(workspaces: Workspaces, path: str) -> list[str]:
    try:
        found = workspaces.at(path).outline(path, Shape())
    except Refused:
        return []
    return [row.address for row in found.rows] if isinstance(found, Outlined) else []
