import shutil
import subprocess
from collections.abc import Callable

import pytest

from keyhole.surfaces.cli.completion import SHELLS
from keyhole.surfaces.cli.grammar import COMMANDS, command
from tests.surfaces.cli.shell import Shell

ASK = """
source /dev/stdin
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _keyhole; printf '%s\n' "${COMPREPLY[@]}"
"""


def completed(keyhole: Shell, *words: str) -> list[str]:
    script = keyhole.ok("completion", "bash").out
    done = subprocess.run(
        ["bash", "-c", ASK, "bash", "keyhole", *words],
        input=script,
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert done.stderr == ""
    return [word for word in done.stdout.split("\n") if word]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["ed"], ["edit"]),
        ([""], [*COMMANDS, "--help", "--version"]),
        (["edit", "--mo"], ["--mode"]),
        (["edit", "a.py", "--mode", "v"], ["verify_only"]),
        (["completion", "z"], ["zsh"]),
        (["task", "e"], ["end"]),
        (["read", "--"], [*(flag.name for flag in command("read").flags), "--help"]),
    ],
    ids=str,
)
def test_bash_completes_commands_flags_and_choices(
    keyhole: Shell, words: list[str], found: list[str]
) -> None:
    assert completed(keyhole, *words) == found


def test_bash_completes_what_there_is_in_the_workspace(keyhole: Shell) -> None:
    keyhole.write("a.py", "def one():\n    return 1\n")
    keyhole.ok("edit", "a.py", "--find", "1", "--content", "2", "--task", "login")
    [past] = keyhole.ok("history", "--json").data["transactions"]

    for kind, words in {
        "transaction": [past["id"]],
        "task": ["login"],
        "proposal": [],
        "segment": ["one"],
    }.items():
        of = ["--of", "a.py"] if kind == "segment" else []
        assert keyhole.ok("completion", "--values", kind, *of).out.split() == words
    assert keyhole.ok("completion", "--values", "segment", "--of", "none.py").out == "\n"
    script = keyhole.ok("completion", "bash").out
    assert '"$(keyhole completion --values transaction 2>/dev/null)"' in script


@pytest.mark.parametrize(
    ("place", "kind"),
    [
        ("*\\ undo\\ --task)", "task"),
        ("*\\ undo\\ --to)", "transaction"),
        ("*\\ diff\\ --since)", "transaction"),
        ("*\\ edit\\ --segment)", "segment"),
        ("3\\ task\\ *)", "task"),
    ],
)
def test_bash_asks_for_what_there_is_wherever_it_is_taken(
    keyhole: Shell, place: str, kind: str
) -> None:
    script = keyhole.ok("completion", "bash").out

    assert f'{place} words="$(keyhole completion --values {kind}' in script


@pytest.mark.parametrize("words", [["edit", ""], ["edit", "--find", "-"], ["read", "--root", "s"]])
def test_bash_leaves_the_rest_to_files(keyhole: Shell, words: list[str]) -> None:
    assert completed(keyhole, *words) == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_script_names_every_flag(keyhole: Shell, shell: str) -> None:
    script = keyhole.ok("completion", shell).out

    spelled = "-l {}" if shell == "fish" else "--{}"
    flags = {flag.name.removeprefix("--") for name in COMMANDS for flag in command(name).flags}
    assert [flag for flag in sorted(flags) if spelled.format(flag) not in script] == []


# bash is everywhere the other tests run; zsh and fish read their scripts where they are installed.
@pytest.mark.parametrize("shell", SHELLS)
def test_every_script_is_one_its_shell_can_read(
    keyhole: Shell, shell: str, record_property: Callable[[str, object], None]
) -> None:
    if shell != "bash" and not shutil.which(shell):
        record_property("counted", f"completion: 0 scripts read, {shell} is not installed")
        return
    script = keyhole.base / "script"
    script.write_text(keyhole.ok("completion", shell).out, encoding="utf-8")

    done = subprocess.run([shell, "-n", str(script)], capture_output=True, check=False)

    assert (done.returncode, done.stderr) == (0, b"")


def test_another_shell_is_a_usage_error(keyhole: Shell) -> None:
    done = keyhole("completion", "cmd")

    assert done.code == 2
    assert done.err.startswith("keyhole completion: SHELL is 'cmd'; it is one of bash, zsh, fish\n")
