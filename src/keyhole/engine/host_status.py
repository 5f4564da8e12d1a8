"""Which hosts have keyhole in their configuration, and whether they have called it here."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping

from keyhole.disk.files import UnfitFile, read_bounded
from keyhole.engine.host_files import ConfigText
from keyhole.fastclasses import dataclass
from keyhole.hosts.model import Host, HostFile, located
from keyhole.hosts.table import HOSTS
from keyhole.hosts.text import format_of
from keyhole.text.document import Document
from keyhole.workspace.tree import Tree

_MOST_BYTES = 32 << 20


@dataclass(frozen=True, slots=True)
class HostStatus:
    """A server of ours in the configuration of a host, and whether that host has called it."""

    host: str
    title: str
    path: str
    server: str
    met: bool

    def as_data(self) -> dict[str, object]:
        """Return the status as a JSON object."""
        return {"host": self.host, "path": self.path, "server": self.server, "met": self.met}

    def as_text(self) -> str:
        """Return the status as a line."""
        met = "has called keyhole here" if self.met else "has not called keyhole here yet"
        return f"{self.title} (`{self.server}` in {self.path}) {met}"


def set_up(tree: Tree, environment: Mapping[str, str] | None = None) -> tuple[HostStatus, ...]:
    """Return every server of ours in the configurations of the user and of a workspace."""
    environment = os.environ if environment is None else environment
    actors = [actor.casefold() for actor in tree.actors()]
    found = [
        HostStatus(name, host.title, path, server, any(host.client in each for each in actors))
        for name, host in HOSTS.items()
        for file in (host.user, host.project)
        for path in _paths(file, environment, tree.root.path)
        for server in _servers(host, path)
    ]
    return tuple(found)


def _paths(file: HostFile | None, environment: Mapping[str, str], root: str) -> Iterator[str]:
    for path in file.paths if file else ():
        yield located(path, environment, root, mac=sys.platform == "darwin")


def _servers(host: Host, path: str) -> Iterator[str]:
    """Yield the names of the servers in a file that are ours by their name."""
    try:
        body = read_bounded(path, _MOST_BYTES)
    except UnfitFile:
        return
    if body is None:
        return
    file = ConfigText.of(path, format_of(path), Document.from_bytes(body))
    below = host.keys
    if host.is_list:
        yield from (["keyhole"] if file.item(host.keys, "keyhole") else [])
        return
    names = dict.fromkeys(
        each.path[len(below)]
        for each in file.outline.segments
        if each.path[: len(below)] == below and len(each.path) > len(below)
    )
    yield from (name for name in names if name == "keyhole" or name.startswith("keyhole-"))
