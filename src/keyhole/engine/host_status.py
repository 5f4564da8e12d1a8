"""Which hosts have keyhole in their configuration, and whether they have met it here."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

from keyhole.disk.bounded import UnfitFile, read_bounded
from keyhole.engine.host_files import ConfigText
from keyhole.engine.settings import with_home
from keyhole.fastclasses import dataclass
from keyhole.hosts.model import Host, HostFile, located
from keyhole.hosts.table import HOSTS
from keyhole.hosts.text import as_json, format_of
from keyhole.text.document import Document
from keyhole.workspace.tree import Tree

_MOST_BYTES = 32 << 20
# What an entry starts its server with, in JSON, TOML and YAML.
_DURABILITY = re.compile(r"--durability(?:=|[\"',\s-]+)(full|process)\b")


@dataclass(frozen=True, slots=True)
class HostStatus:
    """A server of ours in the configuration of a host, and whether that host has met it."""

    host: str
    title: str
    path: str
    server: str
    met: bool
    # What the entry names: `full`, `process`, or nothing, and then the user's settings count.
    durability: str = ""

    def as_data(self) -> dict[str, object]:
        """Return the status as a JSON object."""
        return {
            "host": self.host,
            "path": self.path,
            "server": self.server,
            "met": self.met,
            "durability": self.durability,
        }

    def as_text(self) -> str:
        """Return the status as a line."""
        met = "has met keyhole here" if self.met else "has not met keyhole here yet"
        lost = "; durability is `process`: a power cut may take edits back"
        end = lost if self.durability == "process" else ""
        return f"{self.title} (`{self.server}` in {self.path}) {met}{end}"


def set_up(tree: Tree, environment: Mapping[str, str] | None = None) -> tuple[HostStatus, ...]:
    """Return every server of ours in the configurations of the user and of a workspace."""
    environment = with_home(os.environ if environment is None else environment)
    names = (*tree.actors(), *_greeted(tree))
    clients = [name.casefold() for name in names]
    found = [
        HostStatus(name, host.title, path, server, _is_met(host, clients), _durability(text))
        for name, host in HOSTS.items()
        for file in (host.user, host.project)
        for path in _paths(file, environment, tree.root.path)
        for server, text in _servers(host, path, tree.root.path)
    ]
    return tuple(found)


def _is_met(host: Host, clients: Sequence[str]) -> bool:
    return any(host.client in each for each in clients)


def _durability(entry: str) -> str:
    found = _DURABILITY.search(entry)
    return found[1] if found else ""


def _greeted(tree: Tree) -> Iterator[str]:
    """Yield the clients that have greeted a server for a workspace."""
    try:
        body = read_bounded(str(tree.state / "greetings"), _MOST_BYTES) or b""
    except UnfitFile:
        return
    for line in filter(None, body.split(b"\n")):
        with suppress(ValueError):
            yield str(json.loads(line))


def _paths(file: HostFile | None, environment: Mapping[str, str], root: str) -> Iterator[str]:
    for path in file.paths if file else ():
        yield located(path, environment, root, mac=sys.platform == "darwin")


def _servers(host: Host, path: str, root: str) -> Iterator[tuple[str, str]]:
    """Yield name and text of the entries that are ours by their name, and not another project's."""
    try:
        body = read_bounded(path, _MOST_BYTES)
    except UnfitFile:
        return
    if body is None:
        return
    file = ConfigText.of(path, format_of(path), Document.from_bytes(body))
    below = host.keys
    if host.is_list:
        if item := file.item(host.keys, "keyhole"):
            yield "keyhole", file.text[slice(*item.span)]
        return
    entries: dict[str, str] = {}
    for each in file.outline.segments:
        if each.path[: len(below)] == below and len(each.path) > len(below):
            name = each.path[len(below)]
            entries[name] = entries.get(name, "") + file.text[slice(*each.span)]
    for name, text in entries.items():
        if name == "keyhole" or (name.startswith("keyhole-") and as_json(root) in text):
            yield name, text
