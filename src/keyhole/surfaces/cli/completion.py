"""keyhole completion: print a completion script for a shell."""

from __future__ import annotations

from keyhole.surfaces.cli import shells
from keyhole.surfaces.cli.flags import Argument, Command, Given
from keyhole.surfaces.cli.output import DONE, say

SHELLS = ("bash", "zsh", "fish")


def run(given: Given) -> int:
    """Print the script; it knows every command and flag, so completing starts no program."""
    say(shells.script(given.text("SHELL") or "bash"))
    return DONE


COMMAND = Command(
    "completion",
    "print a completion script for a shell",
    run,
    about="The script completes commands, flags, their choices, and files.",
    example="""\
$ keyhole completion bash > ~/.local/share/bash-completion/completions/keyhole
$ keyhole completion zsh > ~/.zfunc/_keyhole
$ keyhole completion fish > ~/.config/fish/completions/keyhole.fish""",
    arguments=(Argument("SHELL", "which shell", kind="text", choices=SHELLS),),
    groups={},
)
