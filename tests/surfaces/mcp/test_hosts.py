import json
import shlex
import subprocess
import tomllib

import anyio
import pytest
from mcp import Client, StdioServerParameters

from keyhole.refusals import Refused
from keyhole.surfaces.cli.mcp import HOSTS
from keyhole.surfaces.mcp.hosts import AGENTS, configuration
from tests.surfaces.mcp.host import KEYHOLE, Data, Host

COMMAND = ["/opt/with space/keyhole", "mcp", "--root", '/home/me/my "project"']


def words(name: str, text: str) -> list[str]:
    """The command that a host would start, read as the host reads its configuration."""
    if name == "claude-code":
        said = shlex.split(text)
        assert said[:5] == ["claude", "mcp", "add", "keyhole", "--"]
        return said[5:]
    data: Data = tomllib.loads(text) if name == "codex" else json.loads(text)
    [servers] = data.values()
    entry = servers["keyhole"]
    if name == "opencode":
        return list(entry["command"])
    return [entry["command"], *entry["args"]]


def test_the_command_line_knows_every_host() -> None:
    assert tuple(AGENTS) == HOSTS


@pytest.mark.parametrize("name", HOSTS)
def test_a_host_reads_the_command_as_it_was(name: str) -> None:
    assert words(name, configuration(name, COMMAND)) == COMMAND


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("claude-desktop", "mcpServers"),
        ("vscode", "servers"),
        ("cursor", "mcpServers"),
        ("zed", "context_servers"),
        ("gemini-cli", "mcpServers"),
        ("opencode", "mcp"),
    ],
)
def test_the_entry_stands_below_the_key_of_the_host(name: str, key: str) -> None:
    assert list(json.loads(configuration(name, COMMAND))) == [key]


def test_an_unknown_host_is_refused() -> None:
    with pytest.raises(Refused, match="there is no host 'emacs'"):
        configuration("emacs", COMMAND)


@pytest.mark.parametrize("name", HOSTS)
def test_what_is_printed_starts_a_server_from_anywhere(host: Host, name: str) -> None:
    flags = ["--root", ".", "--read-only", "--tools", "read,search", "--print-config", name]
    done = subprocess.run(
        [KEYHOLE, "mcp", *flags],
        cwd=host.root,
        env=host.environment,
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    command, *arguments = words(name, done.stdout)

    async def main() -> list[str]:
        server = StdioServerParameters(
            command=command, args=arguments, env=host.environment, cwd=host.base
        )
        async with Client(server) as client:
            return [tool.name for tool in (await client.list_tools()).tools]

    assert arguments[:3] == ["mcp", "--root", str(host.root)]
    assert anyio.run(main) == ["read", "search"]
    assert AGENTS[name].where in done.stderr
