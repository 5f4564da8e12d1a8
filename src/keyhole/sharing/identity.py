"""The identity of a workspace: its project, its checkout, its machine."""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from pathlib import Path

from keyhole.disk.bounded import GIT_FILE, UnfitFile, read_bounded
from keyhole.disk.broker import Broker
from keyhole.fastclasses import dataclass
from keyhole.git.repository import Repository, repository_of, root_commit
from keyhole.sharing.server import Unreachable

_MARK = "keyhole-checkout"


@dataclass(frozen=True, slots=True)
class Sharing:
    """The user's settings of sharing: the server, and names that replace the detected ones."""

    url: str
    project: str = ""
    machine: str = ""
    # How long the shared history is kept, where the role may forget at all.
    keep_days: int = 365
    # Whether the workspace's own file names a project, and nobody trusts that file.
    ignores_project: bool = False


@dataclass(frozen=True, slots=True)
class Checkout:
    """A checkout of a project on a machine; `prefix` leads from its top to the workspace."""

    project: str
    key: str
    machine: str
    worktree: str
    prefix: str = ""
    repository: Repository | None = None

    def outward(self, path: str) -> bytes:
        """Return a path as the project knows it, wherever in it the workspace begins."""
        return os.fsencode(self.prefix + path)

    def inward(self, path: bytes) -> str:
        """Return a path of the project as this workspace names it."""
        return os.fsdecode(path).removeprefix(self.prefix)


def checkout_of(root: str, state: Path, sharing: Sharing, broker: Broker | None = None) -> Checkout:
    """Return the identity of a workspace; git is asked once."""
    repository = repository_of(root, broker)
    machine = sharing.machine or os.uname().nodename
    project = sharing.project or _project(repository, state, sharing)
    if repository is None:
        key = _digest(_machine_id(), root)
        return Checkout(project, key, machine, root)
    inside = os.path.relpath(root, repository.top)
    prefix = "" if inside == "." else f"{inside}/"
    return Checkout(project, _key(repository), machine, repository.top, prefix, repository)


def _project(repository: Repository | None, state: Path, sharing: Sharing) -> str:
    """Return the name that all clones and worktrees share: the first commit."""
    move = "name the project with KEYHOLE_PROJECT"
    if sharing.ignores_project:
        move += ", or let the name in keyhole.toml count with `keyhole trust`"
    if repository is None:
        raise Unreachable(f"this is no git repository: {move}")
    cache, place = state / "project.json", os.stat(repository.common)
    stamp = [repository.common, place.st_dev, place.st_ino]
    with suppress(OSError, ValueError, KeyError, TypeError):
        known = json.loads(cache.read_text(encoding="utf-8"))
        if known["of"] == stamp and known["commit"]:
            return f"git:{known['commit']}"
    commit = root_commit(repository)
    if not commit:
        raise Unreachable(f"the first commit cannot be told (none yet, or a shallow clone): {move}")
    with suppress(OSError):
        write_quickly(cache, json.dumps({"of": stamp, "commit": commit}))
    return f"git:{commit}"


def _key(repository: Repository) -> str:
    """Return the name of one checkout, the same on every machine that mounts it.

    A mark in its git directory tells checkouts apart, and the number of that directory tells it
    from a copy that took the mark along.
    """
    path = os.path.join(repository.directory, _MARK)
    with suppress(OSError):
        if not os.path.exists(path):
            _make_mark(path)
    try:
        mark = (read_bounded(path, GIT_FILE) or b"").decode("ascii")
    except (UnfitFile, UnicodeDecodeError):
        mark = ""
    # Where nobody may write, nobody else did.
    mark = mark or f"{_machine_id()}:{repository.directory}"
    return _digest(mark, str(os.stat(repository.directory).st_ino))


def _make_mark(path: str) -> None:
    """Make a mark that is whole as soon as it is there, whoever makes it first."""
    beside = f"{path}.{os.urandom(6).hex()}"
    with open(beside, "w", encoding="ascii") as file:
        file.write(os.urandom(16).hex())
    try:
        os.link(beside, path)
    finally:
        os.unlink(beside)


def _machine_id() -> str:
    try:
        with open("/etc/machine-id", encoding="ascii", errors="replace") as file:
            return file.read().strip() or os.uname().nodename
    except OSError:
        return os.uname().nodename


def _digest(*parts: str) -> str:
    text = "\0".join(parts).encode("utf-8", "surrogateescape")
    return hashlib.sha256(text).hexdigest()[:32]


def write_quickly(path: Path, text: str) -> None:
    """Replace a small file that may be lost without harm."""
    beside = path.with_name(f"{path.name}.{os.getpid()}.{os.urandom(3).hex()}")
    beside.write_text(text, encoding="utf-8")
    os.replace(beside, path)
