"""One host as a row of values, and the entry of a server as the host reads it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from keyhole.fastclasses import dataclass, field

# What `--root` says in a configuration file that serves one project only.
ABSOLUTE = "/"
CLIENT = ""


@dataclass(frozen=True, slots=True)
class HostFile:
    """A configuration file: the first of the paths that is there, else the first.

    A path begins with `~`, with a directory of `DIRECTORIES` in braces, or in the project. `root`
    is what the server's `--root` says there: `.` where the host starts servers in the project, a
    variable of the host, `ABSOLUTE` where it has neither, `CLIENT` where it names its roots itself.
    """

    paths: tuple[str, ...]
    root: str = "."
    # What the host asks of a person before it reads the file.
    note: str = ""


@dataclass(frozen=True, slots=True)
class HostSetting:
    """Values that a host wants in a list, or as switches that are off, below some keys."""

    user: HostFile
    project: HostFile
    keys: tuple[str, ...]
    values: tuple[str, ...]
    switches: bool = False


@dataclass(frozen=True, slots=True)
class ServerEntry:
    """A server as every host wants to know it: its name, its command and its environment."""

    name: str
    command: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    # Variables whose values only the host's own environment has.
    inherited: tuple[str, ...] = ()
    # Whether the host may run the tools without asking.
    trusted: bool = False


EntryWriter = Callable[[ServerEntry], dict[str, object]]


@dataclass(frozen=True, slots=True)
class Host:
    """Where a host keeps servers, how an entry looks, and what else it can be told."""

    title: str
    # Below which keys the servers are; by name, or in a list of entries that have one.
    keys: tuple[str, ...]
    entry: EntryWriter
    user: HostFile | None = None
    project: HostFile | None = None
    is_list: bool = False
    # What an entry says where the user lets the host run the tools without asking.
    trusted: Mapping[str, object] = field(default_factory=dict)
    # The key of the variables that a server gets from the host's own environment, if it has one.
    inherited: str = ""
    # What a file begins with that is made for the entry.
    preamble: str = ""
    # Where people write to the model, in the project.
    instructions: str = "AGENTS.md"
    # How the host's own tools for editing are switched off, if they can be.
    only: HostSetting | None = None
    # The program that tells whether the host is here, and the move that shows the server.
    program: str = ""
    see: str = "start it anew and ask it for its tools"
    # How it names itself to a server, as far as it says the same in every version.
    client: str = ""
    # Whether the file was tried with the host itself; else it is as its documentation says.
    tried: bool = False

    def entry_of(self, server: ServerEntry) -> dict[str, object]:
        """Return the whole entry of a server."""
        names = {self.inherited: list(server.inherited)}
        more = names if self.inherited and server.inherited else {}
        return {**self.entry(server), **more, **(self.trusted if server.trusted else {})}

    def file(self, scope: str) -> HostFile | None:
        """Return the configuration file of a scope."""
        return self.project if scope == "project" else self.user


DIRECTORIES: Mapping[str, tuple[str, str]] = {
    "config": ("XDG_CONFIG_HOME", "~/.config"),
    "codex": ("CODEX_HOME", "~/.codex"),
    "claude": ("CLAUDE_CONFIG_DIR", "~"),
    "claude-settings": ("CLAUDE_CONFIG_DIR", "~/.claude"),
    "copilot": ("COPILOT_HOME", "~/.copilot"),
}
# Where programs with windows keep settings on a Mac.
APPLICATIONS = "~/Library/Application Support"


def located(path: str, environment: Mapping[str, str], project: str, *, mac: bool) -> str:
    """Return the full path of a configuration file."""
    home = environment.get("HOME", "")
    if path.startswith("{"):
        name, _, rest = path[1:].partition("}")
        if name == "applications":
            name, path = ("", APPLICATIONS + rest) if mac else ("config", path)
        if name:
            variable, usual = DIRECTORIES[name]
            path = (environment.get(variable) or usual) + rest
    if path.startswith("~"):
        return home + path[1:]
    return path if path.startswith("/") else f"{project}/{path}"


def plain(environment: str = "env", **more: object) -> EntryWriter:
    """Return a writer of the usual entry: a command, its arguments, its environment."""

    def entry(server: ServerEntry) -> dict[str, object]:
        value = {**more, "command": server.command[0], "args": list(server.command[1:])}
        return value | _environment(environment, server)

    return entry


def in_one_list(server: ServerEntry) -> dict[str, object]:
    """Return the entry of opencode and its like: command and arguments in one list."""
    value: dict[str, object] = {"type": "local", "command": list(server.command), "enabled": True}
    return value | _environment("environment", server)


def with_transport(server: ServerEntry) -> dict[str, object]:
    """Return the entry of Cline, which waits three seconds for a server unless it is told."""
    transport = {"type": "stdio", **plain()(server)}
    return {"transport": transport, "timeout": 60}


def named_command(server: ServerEntry) -> dict[str, object]:
    """Return the entry of Goose, with a name of its own and a short word for the command."""
    value: dict[str, object] = {
        "name": server.name,
        "type": "stdio",
        "enabled": True,
        "cmd": server.command[0],
        "args": list(server.command[1:]),
        "timeout": 300,
    }
    return value | _environment("envs", server)


def listed(server: ServerEntry) -> dict[str, object]:
    """Return the entry of a host that keeps servers in a list: with its name in it."""
    return {"name": server.name, **plain()(server)}


def _environment(name: str, server: ServerEntry) -> dict[str, object]:
    return {name: dict(server.environment)} if server.environment else {}


def nested(keys: Sequence[str], value: object) -> object:
    """Return a value below keys."""
    for key in reversed(keys):
        value = {key: value}
    return value
