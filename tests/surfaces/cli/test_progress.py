import os
import pty
import subprocess
import sys

from tests.surfaces.cli.shell import Shell, read_terminal

WAITS = """
import sys
from keyhole.surfaces.cli.progress import waiting
with waiting("7 edits"):
    sys.stdin.read()
print("done")
"""


def test_a_bar_moves_when_a_call_takes_longer_than_a_second(keyhole: Shell) -> None:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", WAITS],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=theirs,
        env=keyhole.environment,
    )
    os.close(theirs)
    seen = b""
    while b"7 edits" not in seen and (more := read_terminal(ours)):
        seen += more
    out, _ = process.communicate()
    os.close(ours)

    assert b"7 edits" in seen
    assert (process.returncode, out) == (0, b"done\n")


def test_a_short_call_shows_none(keyhole: Shell) -> None:
    keyhole.write("a.txt", "one\n")
    edit = ("edit", "a.txt", "--find", "one", "--content", "two", "--json")

    done = keyhole.on_terminal(*edit)

    assert done.data["ok"]


def test_a_pipe_shows_none(keyhole: Shell) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WAITS],
        input=b"",
        capture_output=True,
        env=keyhole.environment,
        check=False,
    )

    assert (done.stdout, done.stderr) == (b"done\n", b"")
