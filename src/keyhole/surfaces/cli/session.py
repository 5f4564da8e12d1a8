"""From flags to the engine: the workspace they name, the options, inputs, progress."""

from __future__ import annotations

import codecs
import errno
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

from keyhole.arguments import duration
from keyhole.engine.facade import Engine
from keyhole.engine.install.answers import INSTALLATION
from keyhole.engine.opening import open_place
from keyhole.engine.options import Options
from keyhole.engine.root import find_root
from keyhole.engine.settings import read_input
from keyhole.fastclasses import replace
from keyhole.refusals import Refusal, Refused
from keyhole.surfaces.cli.grammar import Given, Usage

if TYPE_CHECKING:
    import threading

_PATIENCE = 1.0


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """Show a moving bar if the block takes longer than a second; it is gone when the block ends."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield
        return
    import threading

    finished = threading.Event()
    bar = threading.Thread(target=_bar, args=(what, finished), daemon=True)
    bar.start()
    try:
        yield
    finally:
        finished.set()
        bar.join()


def _bar(what: str, finished: threading.Event) -> None:
    if finished.wait(_PATIENCE):
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        progress.add_task(what, total=None)
        finished.wait()


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
        durability=given.text("--durability") or "",
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
        expected_hash=_hashes(given),
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


def reviewer_of() -> str:
    """Return the name under which the user of the command reviews."""
    return _user()


def _user() -> str:
    if os.name != "posix":  # pragma: no cover: pwd is on every system that the tests run on
        return os.getlogin()
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())


def _hashes(given: Given) -> str | dict[str, str]:
    said = expected_hash(given.all("--expected-hash"))
    if isinstance(said, str):
        return said
    return {path_in(given, given.found, path): found for path, found in said.items()}


def expected_hash(values: tuple[str, ...]) -> str | dict[str, str]:
    """Return one hash, or one for each path that is named."""
    pairs = {path: found for path, equals, found in (v.rpartition("=") for v in values) if equals}
    if not pairs and len(values) <= 1:
        return "".join(values)
    if len(pairs) != len(values):
        raise Usage("--expected-hash is given more than once; say PATH=HASH for each file")
    return pairs


def rooted(given: Given) -> Given:
    """Return what was given with the root that was found, where none is named and one is asked for.

    Messages and commands to paste name a root that is not the current directory.
    """
    wanted = any(flag.name == "--root" and not flag.many for flag in given.command.flags)
    is_installation = (given.text("ID") or "").startswith(INSTALLATION)
    if not wanted or given.on("--root") or is_installation:
        return given
    here = os.path.realpath(".")
    root = str(find_root(Path(here)))
    if root == here:
        return given
    return replace(given, found=root, values={**given.values, "--root": (root,)})


def path_in(given: Given, root: str, spelling: str) -> str:
    """Return a path as the engine takes it: relative to the root.

    Paths are relative to the root that the user names, and to the current directory if the root was
    found. `./x` and `../x` are relative to the current directory in any case, if that is inside the
    root. What exists where plays no part, so one spelling always means one file.
    """
    here = Path(os.path.realpath("."))
    names = spelling.split("/")
    is_here = names[0] in {".", ".."} or (given.found and names[0])
    if not is_here or not here.is_relative_to(root):
        return spelling
    while names and names[0] in {".", "..", ""}:
        here = here.parent if names.pop(0) == ".." else here
    if not here.is_relative_to(root):
        return spelling
    return "/".join([*here.relative_to(root).parts, *names]) or "."


# Twice the largest file that is read unless the user says otherwise.
MOST_INPUT = 64 * 1024 * 1024
_MOVE = f"give a regular file, or a pipe with -, of at most {MOST_INPUT} bytes"
_CHUNK = 1024 * 1024
# As the shell names `<(command)`.
_DESCRIPTOR = re.compile(r"/(dev|proc/self)/fd/\d+|/dev/stdin")


def text_of(given: Given, name: str) -> str | None:
    """Return the value of `--name`, or the text of the file that `--name-file` names."""
    plain, file = given.text(f"--{name}"), given.text(f"--{name}-file")
    if file is None:
        return plain
    if plain is not None:
        raise Usage(f"--{name} and --{name}-file are both given")
    return decoded(given, name, raw(file))


def at_most_one_from_stdin(given: Given, *names: str) -> None:
    """Refuse a command that would read standard input twice."""
    readers = [name for name in names if given.text(name) == "-"]
    if len(readers) > 1:
        raise Usage(f"{' and '.join(readers)} both read standard input")


def raw(file: str) -> bytes:
    """Return the bytes of a file; `-` is standard input."""
    if file == "-":
        if sys.stdin is None:
            raise Usage("standard input is closed")
        return _stream(sys.stdin.buffer, "standard input")
    try:
        if _DESCRIPTOR.fullmatch(file):
            with Path(file).open("rb", buffering=0) as stream:
                return _stream(stream, file)
        if Path(file).is_dir():
            raise Usage(f"{file} cannot be read: {os.strerror(errno.EISDIR)}")
        body = read_input(file, MOST_INPUT, _MOVE)
    except OSError as error:
        raise Usage(f"{file} cannot be read: {error.strerror}") from None
    except ValueError:
        raise Usage(f"{file!r} is no file name") from None
    if body is None:
        raise Usage(f"{file} cannot be read: {os.strerror(errno.ENOENT)}")
    return body


def _stream(stream: IO[bytes], name: str) -> bytes:
    """Read a stream to its end, within the limit: some have none."""
    pieces, size = [], 0
    while piece := stream.read(_CHUNK):
        size += len(piece)
        if size > MOST_INPUT:
            headline = f"{name} has more than {MOST_INPUT} bytes"
            raise Refused(Refusal("too-large", headline, help=_MOVE))
        pieces.append(piece)
    return b"".join(pieces)


def piped(otherwise: str) -> bytes:
    """Return what comes through a pipe; at a terminal nobody would know what is waited for."""
    if sys.stdin is None or sys.stdin.isatty():
        raise Usage(f"standard input is no pipe: {otherwise}")
    return raw("-")


def decoded(given: Given, name: str, body: bytes) -> str:
    """Return bytes as text, in the encoding that the flags name or UTF-8."""
    encoding = given.text("--encoding") or "utf-8"
    try:
        return body.decode(encoding)
    except UnicodeDecodeError as error:
        headline = f"`{name}` is not {encoding} at byte {error.start}"
        help_line = "send it in that encoding, or name the one it has with --encoding"
        raise Refused(Refusal("encoding", headline, help=help_line, data={"field": name})) from None
    except LookupError:
        raise Usage(f"--encoding {encoding!r} is no encoding") from None
