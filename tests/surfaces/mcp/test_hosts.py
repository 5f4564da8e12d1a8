import json
import re
import shlex
import subprocess
import tomllib
from pathlib import Path

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


@pytest.mark.parametrize("name", HOSTS)
def test_the_readme_shows_what_is_printed(name: str) -> None:
    page = (Path(__file__).parents[3] / "README.md").read_text(encoding="utf-8")
    command = ["/home/me/.local/bin/keyhole", "mcp", "--root", "/home/me/project"]
    wanted = configuration(name, command)

    blocks = re.findall(r"^```(\w+)\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    if name == "claude-code":
        assert any(wanted in body for _, body in blocks)
    elif name == "codex":
        assert f"{wanted}\n" in [body for kind, body in blocks if kind == "toml"]
    else:
        assert json.loads(wanted) in [json.loads(body) for kind, body in blocks if kind == "json"]


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


@pytest.mark.parametrize(
    ("flags", "code", "said"),
    [
        (["--http", "127.0.0.1:0"], 2, "--http and --print-config are both given"),
        (["--tools", "bogus"], 1, "there are no tools 'bogus'"),
        (["--limit", "bogus=1"], 1, "the limit 'bogus=1' is none"),
    ],
    ids=str,
)
def test_what_would_not_start_is_not_printed(
    host: Host, flags: list[str], code: int, said: str
) -> None:
    command = host.command("--print-config", "zed", *flags)
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)

    assert (done.returncode, done.stdout) == (code, "")
    assert said in done.stderr


@pytest.mark.parametrize("flag", ["--allow-ext", "--tools", "--limit"])
def test_a_restriction_that_says_nothing_is_refused(host: Host, flag: str) -> None:
    command = host.command(flag, " , ")
    done = subprocess.run(
        command, input="", env=host.environment, capture_output=True, encoding="utf-8", check=False
    )

    said = f"{flag} is empty; give it a value, or leave it out"
    assert (done.returncode, done.stderr.split("\n")[0]) == (2, f"keyhole mcp: {said}")
