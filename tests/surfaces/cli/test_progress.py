import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from tests import forked
from tests.surfaces.cli.shell import Shell, read_terminal

WAITS = """
import sys
from keyhole.surfaces.cli.session import waiting
with waiting("7 edits"):
    sys.stdin.read()
print("done")
"""


@contextmanager
def on_terminal(shell: Shell) -> Iterator[tuple["subprocess.Popen[bytes]", int]]:
    """Run the block with its messages on a terminal; give the process and the terminal."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", WAITS],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=theirs,
        env={**shell.environment, **forked.counting()},
    )
    os.close(theirs)
    yield process, ours
    os.close(ours)


def test_a_bar_moves_when_a_call_takes_longer_than_a_second(keyhole: Shell) -> None:
    seen = b""
    with on_terminal(keyhole) as (process, terminal):
        while b"7 edits" not in seen and (more := read_terminal(terminal)):
            seen += more
        out, _ = process.communicate()

    assert b"7 edits" in seen
    assert (process.returncode, out) == (0, b"done\n")


def test_a_short_call_shows_none(keyhole: Shell) -> None:
    with on_terminal(keyhole) as (process, terminal):
        out, _ = process.communicate(b"")
        seen = read_terminal(terminal)

    assert (process.returncode, out, seen) == (0, b"done\n", b"")


def test_a_pipe_shows_none(keyhole: Shell) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WAITS],
        input=b"",
        capture_output=True,
        env={**keyhole.environment, **forked.counting()},
        check=False,
    )

    assert (done.stdout, done.stderr) == (b"done\n", b"")
