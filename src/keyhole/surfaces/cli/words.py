"""The words of the command line: arguments are flags, tools are commands, moves can be pasted."""

from __future__ import annotations

from keyhole.fastclasses import dataclass
from keyhole.phrases import ArgumentName, Words
from keyhole.surfaces.cli.grammar import Given

# What a message asks for that is a flag of another command than the one that was given.
_ELSEWHERE = frozenset({"--allow-shrink"})


@dataclass(frozen=True, slots=True)
class Typed(Words):
    """What the command that was given calls things: its flags, and the root that it names."""

    typed: frozenset[str] = frozenset()
    root: str = ""

    def argument(self, argument: ArgumentName) -> str:
        """Return the flag or the argument, and a field of a request by its name."""
        flag = f"--{argument.name.replace('_', '-')}"
        for name in (flag, argument.name.upper()):
            if name in self.typed:
                return name
        return Words.argument(self, argument)

    def tool(self, name: str) -> str:
        """Return the command."""
        return f"`keyhole {name}`"

    def accept(self, accept: str) -> str:
        """Return the command that carries out a candidate."""
        import shlex

        root = f" --root {shlex.quote(self.root)}" if self.root else ""
        return f"run `keyhole edit --accept {accept}{root}`"


def words_of(given: Given) -> Words:
    """Return the words for the answer to a command; a request of JSON has fields, not flags."""
    root = given.text("--root") or ""
    if given.on("--request"):
        return Typed(root=root)
    command = given.command
    flags = {flag.name for flag in command.flags}
    typed = _ELSEWHERE | flags | {each.name for each in command.arguments}
    return Typed(typed=typed, root=root)
