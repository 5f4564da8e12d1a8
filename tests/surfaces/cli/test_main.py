import os
import signal
import subprocess
import sys

import pytest

import keyhole as package
from tests import forked
from tests.surfaces.cli.shell import KEYHOLE, Shell


@pytest.mark.parametrize("flag", ["--version", "-V"])
def test_the_version_is_one_line(keyhole: Shell, flag: str) -> None:
    done = keyhole(flag)

    assert (done.code, done.out, done.err) == (0, f"keyhole {package.__version__}\n", "")


def test_the_package_runs_as_a_module(keyhole: Shell) -> None:
    command = [sys.executable, "-m", "keyhole", "--version"]
    done = subprocess.run(
        command, capture_output=True, env={**keyhole.environment, **forked.counting()}, check=False
    )

    assert (done.returncode, done.stdout) == (0, f"keyhole {package.__version__}\n".encode())


def test_an_interrupt_leaves_with_130_and_no_traceback(keyhole: Shell) -> None:
    process = subprocess.Popen(
        [KEYHOLE, "write", "a.txt"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=keyhole.root,
        env={**keyhole.environment, **forked.counting()},
    )
    assert process.stdin
    # More than a pipe holds: once it is written, the command has begun to read.
    process.stdin.write(b"x" * (1 << 20))
    process.stdin.flush()
    os.kill(process.pid, signal.SIGINT)
    out, err = process.communicate()

    assert (process.returncode, out, err) == (130, b"", b"")
    assert list(keyhole.root.iterdir()) == []
