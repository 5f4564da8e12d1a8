"""The table of hosts: the page shows it, and the command line names its rows."""

from pathlib import Path

import pytest

from keyhole.hosts.model import DIRECTORIES, Host, HostFile, ServerEntry, located
from keyhole.hosts.table import HOSTS
from keyhole.surfaces.cli.mcp import HOSTS as NAMES

PAGE = Path(__file__).parents[2] / "docs" / "hosts.md"


def rows() -> list[str]:
    """The table as the page has to show it."""
    return [_row(name, host) for name, host in HOSTS.items()]


def _row(name: str, host: Host) -> str:
    is_user = host.project is None or bool(host.user and host.user.root == ".")
    cells = [
        f"`{name}`",
        _file(host.user, usual=is_user),
        _file(host.project, usual=not is_user),
        _root((host.user if is_user else host.project) or HostFile(())),
        ", ".join(f"`{each}`" for each in host.only.values) if host.only else "no",
        f"`{host.instructions}`",
        "host" if host.tried else "documentation",
    ]
    return f"| {' | '.join(cells)} |"


def _file(file: HostFile | None, *, usual: bool) -> str:
    if file is None:
        return "–"
    path = file.paths[0].replace("{applications}", "{config}")
    name, _, rest = path[1:].partition("}") if path.startswith("{") else ("", "", path)
    shown = f"`{DIRECTORIES[name][1]}{rest}`" if name else f"`{rest}`"
    return f"**{shown}**" if usual else shown


def _root(file: HostFile) -> str:
    return {"/": "the project's path", "": "the client's roots"}.get(file.root, f"`{file.root}`")


@pytest.mark.parametrize("row", rows())
def test_the_page_has_the_row(row: str) -> None:
    assert row in PAGE.read_text(encoding="utf-8").split("\n")


def test_the_command_line_knows_every_host() -> None:
    assert tuple(HOSTS) == NAMES


@pytest.mark.parametrize("host", HOSTS.values(), ids=HOSTS)
def test_an_entry_holds_the_command_and_the_environment(host: Host) -> None:
    server = ServerEntry("keyhole", ("/opt/k", "mcp", "--root", "."), {"XDG_STATE_HOME": "/s"})

    said = str(host.entry(server))

    assert all(repr(word) in said for word in ("/opt/k", "mcp", "--root", ".", "/s"))


def test_variables_move_files() -> None:
    moved = {"HOME": "/h", "CODEX_HOME": "/c", "XDG_CONFIG_HOME": "/x"}

    def at(path: str, *, mac: bool = False) -> str:
        return located(path, moved, "/p", mac=mac)

    assert at("{codex}/config.toml") == "/c/config.toml"
    assert at("{claude}/.claude.json") == "/h/.claude.json"
    assert at("{applications}/Code/x") == "/x/Code/x"
    assert at("{applications}/Code/x", mac=True) == "/h/Library/Application Support/Code/x"
    assert at(".mcp.json") == "/p/.mcp.json"
