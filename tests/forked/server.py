"""The process that forks commands: python -m tests.forked.server DIRECTORY [--count]."""

from __future__ import annotations

import gc
import importlib
import json
import os
import pkgutil
import select
import socket
import sys
import tempfile
from pathlib import Path
from typing import NoReturn

from coverage import Coverage

import keyhole
from keyhole.__main__ import run

# What functions of keyhole import when they need it.
_LATER = ("ast_grep_py", "jinja2", "psycopg", "pygments.lexers", "re2", "rich.console")


def main(home: Path, *, counts: bool) -> None:
    """Fork for everybody who asks, until standard input ends."""
    own = (module.name for module in pkgutil.walk_packages(keyhole.__path__, "keyhole."))
    for name in (*_LATER, *own):
        importlib.import_module(name)
    gc.freeze()
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(home / "socket"))
        listening.listen(64)
        sys.stdout.write("listening\n")
        sys.stdout.flush()
        while listening in select.select([listening, sys.stdin], [], [])[0]:
            line, _ = listening.accept()
            if not os.fork():
                listening.close()
                _carry_out(line, home if counts else None)
            line.close()
            _reap()


def _reap() -> None:
    """Let go of the commands that have ended."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return


def _carry_out(line: socket.socket, counts_at: Path | None) -> NoReturn:
    """Be a command, and say its exit code; what Python would tidy up at its end is a copy."""
    own, code, counting, leave = os.getpid(), 1, None, os._exit
    try:
        _, streams, _, _ = socket.recv_fds(line, 1, 3)
        with line.makefile("rb") as asked:
            words, environment, directory, is_counted = json.loads(asked.readline())
        if counts_at and is_counted:
            counting = _Counting(counts_at)
        _enter(words, environment, directory, streams)
        if words[:1] == ["hook"]:  # which leaves at once, and would not be counted
            vars(os)["_exit"] = sys.exit
        run()
    except SystemExit as left:
        code = left.code if isinstance(left.code, int) else int(left.code is not None)
    except BaseException:  # noqa: BLE001 - as Python itself does at the end of a program
        sys.excepthook(*sys.exc_info())
    sys.stdout.flush()
    sys.stderr.flush()
    if counting:
        counting.keep()
    if os.getpid() == own:  # and no process that the command forked
        line.sendall(str(code).encode())
    leave(code)


def _enter(
    words: list[str], environment: dict[str, str], directory: str, streams: list[int]
) -> None:
    """Take on the words, environment, directory and streams of a command."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(directory)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["keyhole", *words]
    errors = ("strict", "strict", "backslashreplace")
    sys.stdin, sys.stdout, sys.stderr = (
        open(number, mode, encoding="utf-8", errors=errors[number], closefd=False)  # noqa: SIM115
        for number, mode in enumerate("rww")
    )


class _Counting:
    """Counts what a command runs, also behind a fence: where it goes is opened before."""

    def __init__(self, home: Path) -> None:
        own = str(Path(*keyhole.__path__) / "*")
        self._coverage = Coverage(None, branch=True, include=[own], config_file=False)
        self._home = home
        self._open()
        os.register_at_fork(after_in_child=self._open)
        self._coverage.start()

    def _open(self) -> None:
        self._at, _ = tempfile.mkstemp(dir=self._home, prefix="counted-")

    def keep(self) -> None:
        """Write down what was counted."""
        self._coverage.stop()
        os.write(self._at, self._coverage.get_data().dumps())


if __name__ == "__main__":
    main(Path(sys.argv[1]), counts="--count" in sys.argv)
