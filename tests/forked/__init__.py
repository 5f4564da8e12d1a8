"""Commands without their start: forked from a process that has loaded what they import.

To start Python and load keyhole takes ten times as long as most commands do. A forked command has
its own process, environment, directory and streams, as one that a shell starts; and the branches
that it runs are counted, though a fence may keep it from writing them anywhere.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from socket import socket
from tempfile import TemporaryDirectory, TemporaryFile

from coverage import Coverage, CoverageData

from tests.forked import call

_RULES = Path(__file__).parent.parent.parent / "pyproject.toml"
# Counting costs more than most commands: what was typed before like this is not counted again.
_COUNTED: set[tuple[object, ...]] = set()


def run(
    words: Sequence[str | bytes], environment: Mapping[str, str], directory: Path, feed: bytes = b""
) -> subprocess.CompletedProcess[bytes]:
    """Run a command, and return what it said."""
    with TemporaryFile() as source, TemporaryFile() as out, TemporaryFile() as err:
        source.write(feed)
        source.seek(0)
        handles = [stream.fileno() for stream in (source, out, err)]
        code = call.code_from(begun(words, environment, directory, handles, feed))
        out.seek(0)
        err.seek(0)
        return subprocess.CompletedProcess(words, code, out.read(), err.read())


def begun(
    words: Sequence[str | bytes],
    environment: Mapping[str, str],
    directory: Path,
    handles: Sequence[int],
    feed: bytes = b"",
) -> socket:
    """Begin a command with its three streams; `call.code_from` waits for it."""
    named = [os.fsdecode(word) for word in words]
    typed = (*named, feed, *map(os.isatty, handles), *sorted(_own(environment)))
    is_new = typed not in _COUNTED
    _COUNTED.add(typed)
    address = str(_home() / "socket")
    return call.sent(address, named, environment, str(directory), handles, is_counted=is_new)


def _own(environment: Mapping[str, str]) -> set[tuple[str, str]]:
    """Return what a test sets in the environment, but for its scratch directories."""
    differing = environment.items() - os.environ.items()
    return {(name, value) for name, value in differing if not os.path.isabs(value)}  # noqa: PTH117


def command(*words: str) -> list[str]:
    """Return how a client starts a command that is forked."""
    return [sys.executable, "-I", "-S", call.__file__, str(_home() / "socket"), *words]


def counting() -> dict[str, str]:
    """Return the environment in which a command that is started counts what it runs."""
    measuring = Coverage.current()
    if not measuring:
        return {}
    data = Path(str(measuring.get_option("run:data_file"))).absolute()
    return {"COVERAGE_PROCESS_START": str(_RULES), "COVERAGE_FILE": str(data)}


@cache
def _home() -> Path:
    """Start the process that forks, and return its directory; it ends when this process does."""
    home = TemporaryDirectory(prefix="forked-")
    flags = ["--count"] if Coverage.current() else []
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.forked.server", home.name, *flags],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdin
    assert process.stdout
    process.stdout.readline()  # it listens

    def end() -> None:
        with process:
            process.communicate()
        home.cleanup()

    atexit.register(end)
    return Path(home.name)


def gather() -> None:
    """Take over what commands counted."""
    measuring = Coverage.current()
    if not measuring or not _home.cache_info().currsize:
        return
    total = measuring.get_data()
    for counted in _home().glob("counted-*"):
        if body := counted.read_bytes():
            one = CoverageData(no_disk=True)
            one.loads(body)
            total.update(one)
        counted.unlink()
