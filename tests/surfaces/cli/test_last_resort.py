import subprocess
import sys

from tests import forked
from tests.surfaces.cli.shell import Shell

# A command that breaks: the table of commands is real, what it carries out is not.
BROKEN = """
import sys
from keyhole.surfaces.cli import grammar, main
from keyhole.surfaces.cli.grammar import Command

def run(given):
    raise ValueError("two\\nlines")

grammar.COMMANDS["broken"] = "breaks"
sys.modules["keyhole.surfaces.cli.broken"] = sys
sys.COMMAND = Command("broken", "breaks", run, "", {})
sys.argv = ["keyhole", "broken"]
main.run()
"""


def break_it(shell: Shell) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", BROKEN],
        env={**shell.environment, **forked.counting()},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def test_an_unexpected_exception_is_one_line_and_exit_code_3(keyhole: Shell) -> None:
    done = break_it(keyhole)

    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == (
        "internal error: ValueError: two lines\n"
        "  help: set KEYHOLE_TRACE=1 and run it again for the trace, and report it as a bug\n"
    )


def test_the_trace_is_there_for_those_who_ask(keyhole: Shell) -> None:
    done = break_it(keyhole.with_environment(KEYHOLE_TRACE="1"))

    assert done.returncode == 3
    assert done.stderr.startswith("Traceback (most recent call last):\n")
    assert done.stderr.endswith("ValueError: two\nlines\n")
