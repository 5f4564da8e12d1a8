"""A host for tests: the real server in a process of its own, spoken to by the SDK's client."""

import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import anyio
from mcp import Client, StdioServerParameters, types

from keyhole.edits.model.operations import WriteFile
from keyhole.engine.facade import Engine
from keyhole.engine.options import Options
from keyhole.journal.model import Entry, Query
from keyhole.surfaces.mcp.workspaces import Workspaces
from keyhole.workspace.tree import Tree
from tests import forked
from tests.scene import put

KEYHOLE = str(Path(sys.executable).with_name("keyhole"))
# What JSON holds; the tests know its shape, and a wrong guess fails them.
Data = Any
T = TypeVar("T")
# How a client that writes its own messages opens a session.
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "raw", "version": "1"},
    },
}


@dataclass(frozen=True, slots=True)
class Host:
    """A directory with files, a home of its own, and servers for it."""

    base: Path

    @property
    def root(self) -> Path:
        return self.base / "root"

    @property
    def environment(self) -> dict[str, str]:
        known = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
        home = {"HOME": str(self.base / "home"), "XDG_STATE_HOME": str(self.base / "state")}
        return {**known, **home}

    def command(self, *flags: str, root: bool = True) -> list[str]:
        return [KEYHOLE, "mcp", *(["--root", str(self.root)] if root else []), *flags]

    def write(self, path: str, body: str | bytes) -> Path:
        return put(self.root, path, body)

    def read(self, path: str) -> str:
        return (self.root / path).read_bytes().decode()

    def entries(self) -> list[Entry]:
        """What the journal of the root holds, newest first."""
        tree = Tree.open(self.root, state_home=self.base / "state")
        try:
            return list(tree.journal.entries(Query()))
        finally:
            tree.close()

    @asynccontextmanager
    async def client(
        self,
        *flags: str,
        root: bool = True,
        name: str = "tester",
        is_forked: bool = True,
        **more: Data,
    ) -> AsyncIterator[Client]:
        """Give a client of a server; one whose processes a test looks at is not forked."""
        words = self.command(*flags, root=root)
        command, *arguments = forked.command(*words[1:]) if is_forked else words
        server = StdioServerParameters(command=command, args=arguments, env=self.environment)
        info = types.Implementation(name=name, version="1")
        async with Client(server, client_info=info, **more) as client:
            yield client

    def run(self, work: Callable[[Client], Awaitable[T]], *flags: str, **more: Data) -> T:
        """Start a server, do some work as its client, and stop it."""

        async def main() -> T:
            async with self.client(*flags, **more) as client:
                return await work(client)

        return anyio.run(main)

    def call(self, tool: str, *flags: str, **arguments: object) -> types.CallToolResult:
        """Make one call at a server of its own."""
        return self.run(lambda client: client.call_tool(tool, arguments), *flags)


@contextmanager
def engine_of(host: Host) -> Iterator[Engine]:
    """Open the workspace of a host beside its servers."""
    engine = Engine.open(host.root, host.base / "state")
    try:
        yield engine
    finally:
        engine.close()


def data(result: types.CallToolResult) -> Data:
    """The structured content of an answer that was no refusal."""
    assert not result.is_error, text(result)
    return result.structured_content


def text(result: types.CallToolResult) -> str:
    [content] = result.content
    assert isinstance(content, types.TextContent)
    return content.text


def codes(result: types.CallToolResult) -> list[str]:
    """The codes of a refusal; its text says each of them too."""
    assert result.is_error, text(result)
    assert result.structured_content is not None
    found = [refusal["code"] for refusal in result.structured_content["refusals"]]
    # What only looks changes nothing anyway, and does not speak of it.
    assert text(result).partition("\n")[0] in {"refused", "refused: nothing was changed"}
    assert [code for code in found if code not in text(result)] == []
    return found


def written(workspaces: Workspaces, number: int, path: str, task: str = "") -> str:
    """Write a file below one of several roots, and return the transaction."""
    options = Options(actor="me", task=task)
    return workspaces.engines[number].write(WriteFile(path, "x\n"), options).transaction
