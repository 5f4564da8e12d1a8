import json
import subprocess
import tomllib

import anyio
import pytest
from mcp import Client, StdioServerParameters

from keyhole.hosts.table import HOSTS
from tests.engine.install.configurations import read_yaml
from tests.surfaces.mcp.host import KEYHOLE, Data, Host

# One host of each way to write an entry, and of each root.
KINDS = ("codex", "opencode", "cline", "continue", "goose", "claude-desktop", "cursor")


def printed(host: Host, name: str, *flags: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [KEYHOLE, "mcp", *flags, "--print-config", name],
        cwd=host.root,
        env=host.environment,
        capture_output=True,
        encoding="utf-8",
        check=True,
    )


def words(name: str, text: str) -> tuple[str, list[str], dict[str, str]]:
    """The server's name, command and environment, read as the host reads its configuration."""
    read: Data = {"codex": tomllib.loads, "continue": read_yaml, "goose": read_yaml}
    data = read.get(name, json.loads)(text)
    for key in HOSTS[name].keys:
        data = data[key]
    if isinstance(data, list):
        [entry], called = data, data[0]["name"]
    else:
        [(called, entry)] = data.items()
    entry = entry.get("transport", entry)
    environment = entry.get("env") or entry.get("environment") or entry.get("envs")
    if isinstance(entry.get("command"), list):
        return called, entry["command"], environment
    return called, [entry.get("command") or entry["cmd"], *entry["args"]], environment


@pytest.mark.parametrize("name", HOSTS)
def test_every_host_has_something_to_paste(host: Host, name: str) -> None:
    done = printed(host, name)

    called, command, environment = words(name, done.stdout)
    own = ["--root", str(host.root)]
    roots: tuple[list[str], ...] = ([], ["--root", "."], ["--root", "${workspaceFolder}"], own)
    is_shared = name in {"vscode", "cursor", "zed", "jetbrains"}
    assert command[:2] == ["keyhole" if is_shared else KEYHOLE, "mcp"]
    assert command[2:] in roots
    assert called == "keyhole" or (called, command[2:]) == (f"keyhole-{host.root.name}", own)
    own_state = {"XDG_STATE_HOME": host.environment["XDG_STATE_HOME"]}
    assert environment == (None if is_shared else own_state)
    assert done.stderr.startswith(f"{HOSTS[name].title}: put this into /")


@pytest.mark.parametrize("name", KINDS)
def test_what_is_printed_starts_a_server_from_anywhere(host: Host, name: str) -> None:
    flags = ["--root", ".", "--read-only", "--tools", "read,search"]
    _, [command, *arguments], _ = words(name, printed(host, name, *flags).stdout)

    async def main() -> list[str]:
        server = StdioServerParameters(
            command=command, args=arguments, env=host.environment, cwd=host.base
        )
        async with Client(server) as client:
            return [tool.name for tool in (await client.list_tools()).tools]

    assert arguments[:3] == ["mcp", "--root", str(host.root)]
    assert anyio.run(main) == ["read", "search"]


@pytest.mark.parametrize(
    ("flags", "code", "said"),
    [
        (["--http", "127.0.0.1:0"], 2, "--http and --print-config are both given"),
        (["--tools", "bogus"], 1, "there are no tools 'bogus'"),
        (["--limit", "bogus=1"], 1, "the limit 'bogus=1' is none"),
        (["--from", "keyhole"], 1, "`--from keyhole` is no wheel and no repository"),
        (["--project", "--root", "/"], 2, "--root is given twice with --project"),
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


@pytest.mark.parametrize("words", [["--project"], ["--from", "./k.whl"], ["--trust"]], ids=str)
def test_flags_of_a_configuration_start_no_server(host: Host, words: list[str]) -> None:
    command = host.command(*words)
    done = subprocess.run(command, input="", capture_output=True, encoding="utf-8", check=False)

    assert (done.returncode, done.stdout) == (2, "")
    assert f"{words[0]} says what --print-config prints" in done.stderr


def test_the_shared_file_is_printed_for_the_project_that_is_named(host: Host) -> None:
    done = printed(host, "claude-code", "--project", "--root", ".", "--read-only")

    called, command, environment = words("claude-code", done.stdout)
    assert called == "keyhole"
    assert not environment
    assert command == ["keyhole", "mcp", "--root", ".", "--read-only"]
    assert done.stderr.startswith(f"Claude Code: put this into {host.root}/.mcp.json\n")


def test_a_server_does_not_serve_the_home_directory_by_accident(host: Host) -> None:
    (host.base / "home").mkdir(exist_ok=True)
    done = subprocess.run(
        [KEYHOLE, "mcp", "--root", "."],
        cwd=host.base / "home",
        env=host.environment,
        input="",
        capture_output=True,
        encoding="utf-8",
        check=False,
    )

    assert done.returncode == 1
    assert "path-denied" in done.stderr


@pytest.mark.parametrize("flag", ["--allow-ext", "--tools", "--limit"])
def test_a_restriction_that_says_nothing_is_refused(host: Host, flag: str) -> None:
    command = host.command(flag, " , ")
    done = subprocess.run(
        command, input="", env=host.environment, capture_output=True, encoding="utf-8", check=False
    )

    said = f"{flag} is empty; give it a value, or leave it out"
    assert (done.returncode, done.stderr.split("\n")[0]) == (2, f"keyhole mcp: {said}")
