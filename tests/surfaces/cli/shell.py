"""A shell for tests: the real command, forked into a process of its own, in a scratch tree."""

import json
import os
import pty
import sys
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from tests import forked
from tests.scene import put

# What JSON holds; the tests know its shape, and a wrong guess fails them.
Data = Any
KEYHOLE = str(Path(sys.executable).with_name("keyhole"))


@dataclass(frozen=True, slots=True)
class Done:
    """How a command ended, and what it said."""

    code: int
    out: str
    err: str = ""

    @property
    def data(self) -> Data:
        return json.loads(self.out)

    @property
    def refusal(self) -> Data:
        """The one refusal of an answer in JSON."""
        assert self.code == 1, self
        [refusal] = self.data["refusals"]
        return refusal


@dataclass(frozen=True, slots=True)
class Shell:
    """A directory with files, a home of its own, and the command."""

    base: Path
    extra: dict[str, str] = field(default_factory=dict)

    @property
    def root(self) -> Path:
        return self.base / "root"

    @property
    def environment(self) -> dict[str, str]:
        known = {name: value for name, value in os.environ.items() if not _is_private(name)}
        home = {"HOME": str(self.base / "home"), "XDG_STATE_HOME": str(self.base / "state")}
        return {**known, **home, "TERM": "xterm", **self.extra}

    def with_environment(self, **extra: str) -> "Shell":
        return Shell(self.base, extra)

    def write(self, path: str, body: str | bytes) -> Path:
        return put(self.root, path, body)

    def read(self, path: str) -> bytes:
        return (self.root / path).read_bytes()

    def __call__(
        self, *words: str | bytes, feed: str | bytes = b"", cwd: Path | None = None
    ) -> Done:
        body = feed.encode() if isinstance(feed, str) else feed
        done = forked.run(words, self.environment, cwd or self.root, body)
        return Done(done.returncode, _text(done.stdout), _text(done.stderr))

    def ok(self, *words: str | bytes, feed: str | bytes = b"") -> Done:
        """Run a command that must be carried out."""
        done = self(*words, feed=feed)
        assert done.code == 0, done
        return done

    def on_terminal(self, *words: str, stdin_too: bool = False, typed: str = "") -> Done:
        """Run a command whose answer goes to a terminal, at which something may be typed.

        Its other messages do not: on a busy machine a sign of life would be among them.
        """
        ours, theirs = pty.openpty()
        with open(os.devnull, "rb") as nothing, TemporaryFile() as err:  # noqa: PTH123
            source = theirs if stdin_too or typed else nothing.fileno()
            streams = [source, theirs, err.fileno()]
            os.write(ours, typed.encode())
            line = forked.begun(words, self.environment, self.root, streams, typed.encode())
            os.close(theirs)
            body = b"".join(iter(lambda: read_terminal(ours), b""))
            os.close(ours)
            code = forked.call.code_from(line)
            err.seek(0)
            return Done(code, _text(body).replace("\r\n", "\n"), _text(err.read()))


def read_terminal(fd: int) -> bytes:
    """Read what a terminal shows; nothing when the program behind it has left."""
    try:
        return os.read(fd, 65536)
    except OSError:
        return b""


def _is_private(name: str) -> bool:
    own = {"NO_COLOR", "KEYHOLE_TRACE", "COLUMNS", "PYTHONUNBUFFERED"}
    return name.startswith("XDG_") or name in own


def _text(body: bytes) -> str:
    return body.decode("utf-8", "surrogateescape")
