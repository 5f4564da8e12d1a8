"""The root of a workspace that nobody named: found from a directory upwards, never the home."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from keyhole.engine.settings import home_of_user, state_home
from keyhole.refusals import Refusal, Refused

_MARKS = ("keyhole.toml", ".git")


def find_root(here: Path, environment: Mapping[str, str] | None = None) -> Path:
    """Return the nearest directory with a journal, `keyhole.toml` or `.git`, else `here` itself.

    Only directories of the user on the file system of `here` count. The home directory, and what
    is above it, has to be named: everything the user owns would be one workspace.
    """
    environment = os.environ if environment is None else environment
    real = Path(os.path.realpath(here))
    above_home = _homes(environment)
    if real in above_home:
        raise Refused(_home(real))
    state = state_home(environment) / "keyhole"
    for directory in _candidates(real):
        if directory in above_home:
            break
        if _is_marked(directory, state):
            return directory
    return real


def check_served(spelling: str, environment: Mapping[str, str] | None = None) -> None:
    """Refuse a relative root that is the home directory or above: whoever wrote it meant a project.

    Configurations of hosts say `--root .`, and a host may be started anywhere.
    """
    environment = os.environ if environment is None else environment
    real = Path(os.path.realpath(spelling))
    if not Path(spelling).is_absolute() and real in _homes(environment):
        raise Refused(_home(real))


def nested(root: str, environment: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """Return the workspaces above `root` and below it that have journals of their own."""
    environment = os.environ if environment is None else environment
    state = state_home(environment) / "keyhole"
    above = [str(each) for each in Path(root).parents if _has_journal(each, state)]
    return (*above, *_below(Path(root), state))


def overlaps(root: str) -> tuple[str, ...]:
    """Say which workspaces lie around this one or in it: what is edited there is not known here."""
    return tuple(
        f"{path} {'holds' if root.startswith(f'{path}/') else 'lies in'} this workspace and has a "
        f"history of its own; name the one that you mean with --root"
        for path in nested(root)
    )


def _below(root: Path, state: Path) -> Iterator[str]:
    """Yield the directories below a root that have journals, of the first that are looked at."""
    known = {each.name for each in _entries(state) if (each / "journal.db").is_file()}
    known -= {_state_name(str(root))}
    if not known:
        return
    looked = 0
    for at, names, _ in os.walk(root):
        names[:] = sorted(name for name in names if name not in _SKIPPED)
        for name in names:
            if _state_name(path := f"{at}/{name}") in known:
                yield path
        looked += len(names)
        if looked > _MOST_DIRECTORIES:
            return


_SKIPPED = frozenset({".git", ".hg", ".svn", ".jj", "node_modules", "__pycache__", ".venv"})
_MOST_DIRECTORIES = 20_000


def _entries(directory: Path) -> list[Path]:
    try:
        return list(directory.iterdir())
    except OSError:
        return []


def _candidates(here: Path) -> Iterator[Path]:
    """Yield a directory and those above it, up to one of another owner or file system."""
    yield here
    try:
        device = here.stat().st_dev
        for directory in here.parents:  # pragma: no branch: the last lies above the user's home
            status = directory.stat()
            if status.st_dev != device or status.st_uid != os.geteuid():
                return
            yield directory
    except OSError:
        return


def _is_marked(directory: Path, state: Path) -> bool:
    if any(os.path.lexists(directory / mark) for mark in _MARKS):
        return True
    return _has_journal(directory, state)


def _has_journal(directory: Path, state: Path) -> bool:
    return (state / _state_name(str(directory)) / "journal.db").is_file()


def _state_name(directory: str) -> str:
    # A server checks its roots before it lists its tools, and loads no workspace for that.
    from keyhole.journal.place import workspace_id

    return workspace_id(directory)


def _homes(environment: Mapping[str, str]) -> frozenset[Path]:
    """Return the user's home, as environment and system have it, and every directory above."""
    named = environment.get("HOME", "")
    homes = {Path(os.path.realpath(home)) for home in (named, home_of_user()) if home}
    return frozenset(each for home in homes for each in (home, *home.parents))


def _home(here: Path) -> Refusal:
    return Refusal(
        "path-denied",
        f"{here} is the home directory or above it, which is no workspace unless it is named",
        help=f"change into a project, or name the directory with --root {here}",
    )
