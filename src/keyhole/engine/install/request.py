"""What is asked of an installation, and what an entry starts: a program and its environment.

A file of a project is shared: it names nothing that only this machine has.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from keyhole.fastclasses import dataclass, field
from keyhole.hosts.model import ABSOLUTE, CLIENT, Host, HostFile
from keyhole.hosts.table import HOSTS
from keyhole.refusals import Refusal, Refused

# What a server must know that a host may keep from it.
_MACHINE = ("XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME")
_SHARING = ("KEYHOLE_JOURNAL", "KEYHOLE_PROJECT", "KEYHOLE_MACHINE")
# An address of a package, also one with its name before it: `keyhole @ git+https://...`.
_ADDRESS = re.compile(r"(?:[\w.-]+(?:\[[\w,.-]*\])?\s*@\s*)?((?:git\+)?[a-z]+://\S+)")


@dataclass(frozen=True, slots=True)
class InstallRequest:
    """Which host, for which files, and what is to be written besides the server.

    `project` gives the project when it is asked for: a server of the user needs none.
    """

    host: str
    project: Callable[[], Path]
    program: tuple[str, ...] = ("keyhole",)
    # A wheel or a repository that keyhole is started from, in the place of the program.
    source: str = ""
    # Whether the search path finds this keyhole: the file of a project names no place.
    on_path: bool = True
    # Whether the host may run the tools without asking, where its configuration can say so.
    trust: bool = False
    flags: tuple[str, ...] = ()
    # Roots that the server is to have, whatever the host would say.
    roots: tuple[str, ...] = ()
    scope: str = ""
    only: bool = False
    instructions: bool = False
    # Whether the host is to call keyhole before and after its tools.
    hooks: bool = False
    dry_run: bool = False
    actor: str = ""
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ)


@dataclass(frozen=True, slots=True)
class Environment:
    """Variables of an entry, names that the host is to pass on, and what a person should know."""

    values: Mapping[str, str]
    inherited: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def passed_on(environment: Mapping[str, str], *, shared: bool = False) -> Environment:
    """Return the variables that a server needs and hosts may drop.

    No entry gets a password. A shared one gets no value that another machine has otherwise.
    """
    from keyhole.sharing.server import has_password

    notes: tuple[str, ...] = ()
    found = {name: environment[name] for name in (*_MACHINE, *_SHARING) if environment.get(name)}
    if has_password(found.get("KEYHOLE_JOURNAL", "")):
        del found["KEYHOLE_JOURNAL"]
        notes = (
            "KEYHOLE_JOURNAL has a password, which is written into no configuration; see ~/.pgpass",
        )
    own = tuple(name for name in found if shared and _is_own(name, found[name]))
    return Environment({name: found[name] for name in found if name not in own}, own, notes)


def _is_own(name: str, value: str) -> bool:
    return name in _MACHINE or name == "KEYHOLE_MACHINE" or value.startswith(("/", "~", "file:"))


def started_from(source: str, project: Path | None, root: str) -> tuple[str, ...]:
    """Return the command that starts keyhole from a wheel or repository that the user names.

    `root` is how the host spells the `project` of a shared file, which is None elsewhere. A bare
    name is refused: who owns it in a registry is not known.
    """
    if address := _ADDRESS.fullmatch(source):
        _check_secrets(address[1])
        return ("uvx", "--from", source, "keyhole")
    if not _is_path(source):
        headline = f"`--from {source[:80]}` is no wheel and no repository"
        help_line = "give a path such as ./keyhole.whl, or an address such as git+https://HOST/REPO"
        raise Refused(Refusal("bad-request", headline, help=help_line))
    if not Path(source).exists():
        headline = f"there is no {source[:200]}"
        raise Refused(Refusal("no-file", headline, help="name a wheel that is there"))
    path = os.path.realpath(source)
    if project is not None:
        path = _inside(path, os.path.realpath(project), root)
    return ("uvx", "--from", path, "keyhole")


def _is_path(source: str) -> bool:
    return source.endswith((".whl", ".tar.gz")) or source.startswith(("/", "./", "../"))


def _inside(path: str, project: str, root: str) -> str:
    """Return a path of the project as its host spells it in a shared file."""
    below = os.path.relpath(path, project)
    if below == ".." or below.startswith("../"):
        headline = f"{path} is not in the project, so the project's file cannot name it"
        help_line = "put it into the project, name an address, or install with --user"
        raise Refused(Refusal("bad-request", headline, help=help_line))
    return f"{'.' if root in {ABSOLUTE, CLIENT} else root}/{below}"


def _check_secrets(address: str) -> None:
    parts = urlsplit(address.removeprefix("git+"))
    if parts.password or (parts.username and parts.scheme.startswith("http")):
        headline = "the address has a password or a token in it, which belongs into no file"
        raise Refused(Refusal("bad-request", headline, help="leave it out; git asks for it"))


def check_shared(words: Sequence[str]) -> None:
    """Refuse flags of the server that name a place of this machine in a shared file."""
    for word in words:
        if word.startswith(("/", "~")):
            headline = f"{word[:200]} is a path of this machine, and the project's file is shared"
            raise Refused(Refusal("bad-request", headline, help="leave it out, or install --user"))


def host_named(name: str) -> Host:
    """Return the row of a host."""
    host = HOSTS.get(name)
    if host is None:
        headline = f"there is no host {name[:40]!r}"
        raise Refused(Refusal("bad-request", headline, help=f"name one of {', '.join(HOSTS)}"))
    return host


def usual_scope(host: Host) -> str:
    """Return the scope that nobody named: the user's, unless servers need a root of a project."""
    if host.project is None or (host.user and host.user.root == "."):
        return "user"
    return "project"


def file_for(host: Host, scope: str) -> HostFile:
    """Return the configuration file of a host for a user or a project."""
    file = host.file(scope)
    if file is None:
        headline = f"{host.title} has no configuration file of a {scope} that keyhole knows"
        other = "user" if scope == "project" else "project"
        raise Refused(Refusal("bad-request", headline, help=f"install it with --{other}"))
    return file
