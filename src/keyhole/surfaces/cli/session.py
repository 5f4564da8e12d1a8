"""From flags to the engine: the workspace they name, the options, the spelling of paths."""

from __future__ import annotations

import codecs
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from keyhole.arguments import duration
from keyhole.engine import Engine
from keyhole.surfaces.cli.flags import Given, Usage
from keyhole.surfaces.cli.progress import waiting
from keyhole.surfaces.settings import open_place
from keyhole.walks.options import Options


@contextmanager
def opened(given: Given) -> Iterator[Engine]:
    """Open the workspace that the flags name for one call, and close it again."""
    with held(given) as engine, waiting(f"keyhole {given.command.name}"):
        yield engine


@contextmanager
def held(given: Given) -> Iterator[Engine]:
    """Open the workspace that the flags name for as long as the block takes."""
    _check_encoding(given.text("--encoding"))
    engine = open_place(
        Path(given.text("--root") or "."),
        read_only=given.on("--read-only"),
        max_bytes=given.number("--max-bytes", 0),
        encoding=given.text("--encoding") or "",
        journal=given.text("--journal") or "",
    ).engine
    try:
        yield engine
    finally:
        engine.close()


def _check_encoding(name: str | None) -> None:
    try:
        codecs.lookup(name or "utf-8")
    except (LookupError, ValueError):
        raise Usage(f"--encoding {name!r} is no encoding") from None


def options_of(given: Given) -> Options:
    """Return the options of a writing call."""
    return Options(
        expected_hash=expected_hash(given.all("--expected-hash")),
        mode=given.text("--mode") or "strict",
        dry_run=given.on("--dry-run"),
        on_conflict=given.text("--on-conflict") or "refuse",
        task=given.text("--task") or "",
        claim=seconds(given, "--claim", 0.0),
        propose=given.on("--propose"),
        reason=given.text("--reason") or "",
        actor=actor_of(given),
        tool=f"cli {given.command.name}",
    )


def seconds(given: Given, name: str, default: float) -> float:
    """Return a stretch of time that a flag gives."""
    said = given.text(name)
    if said is None:
        return default
    found = duration(said)
    if found is None:
        raise Usage(f"{name} is {said!r}; it is 90s, 10m, 2h or 1d")
    return found


def actor_of(given: Given) -> str:
    """Return who asks: as they say, or the user that the command runs as."""
    return Options(actor=given.text("--actor") or f"cli:{_user()}").actor


def _user() -> str:
    if os.name != "posix":
        return os.getlogin()
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())


def expected_hash(values: tuple[str, ...]) -> str | dict[str, str]:
    """Return one hash, or one for each path that is named."""
    pairs = {path: found for path, equals, found in (v.rpartition("=") for v in values) if equals}
    if not pairs and len(values) <= 1:
        return "".join(values)
    if len(pairs) != len(values):
        raise Usage("--expected-hash is given more than once; say PATH=HASH for each file")
    return pairs


def path_in(root: str, spelling: str) -> str:
    """Return a path as the engine takes it: relative to the root.

    `./x` and `../x` are relative to the current directory if that is inside the root. Every other
    relative path is relative to the root. What exists where plays no part, so one spelling always
    means one file.
    """
    here = Path.cwd()
    names = spelling.split("/")
    if names[0] not in {".", ".."} or not here.is_relative_to(root):
        return spelling
    while names and names[0] in {".", "..", ""}:
        here = here.parent if names.pop(0) == ".." else here
    if not here.is_relative_to(root):
        return spelling
    return "/".join([*here.relative_to(root).parts, *names]) or "."
