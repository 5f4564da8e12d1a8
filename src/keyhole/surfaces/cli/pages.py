"""Help: the page of one command, and the page that lists them all."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from keyhole.surfaces.cli.commands import COMMANDS
from keyhole.surfaces.cli.flags import Argument, Command, Flag

WIDTH = 96
_INDENT = 30


def overview() -> str:
    """Return what `keyhole --help` says."""
    rows = [f"  {name:<12}{summary}" for name, summary in COMMANDS.items()]
    return "\n".join([_HEAD, *rows, _TAIL])


_HEAD = """\
keyhole: surgical file edits for coding agents, and for the people who answer for them

usage: keyhole COMMAND [arguments] [flags]

commands"""

_TAIL = """
example
  $ keyhole edit app.py --find 'retries = 3' --content 'retries = 5'

`keyhole COMMAND --help` explains one command; `keyhole --version` tells the version.
exit code: 0 done, 1 refused (the answer says why), 2 a usage error, 3 an internal error"""


def page(command: Command) -> str:
    """Return what `keyhole COMMAND --help` says."""
    return "\n".join(_page(command))


def _page(command: Command) -> Iterator[str]:
    yield f"keyhole {command.name}: {command.summary}"
    yield ""
    yield f"usage: {_usage(command)}"
    for paragraph in filter(None, command.about.split("\n\n")):
        yield ""
        yield textwrap.fill(paragraph, WIDTH)
    if command.arguments:
        yield "\narguments"
        for argument in command.arguments:
            yield _row(_argument_name(argument), argument.help)
    for title, flags in command.groups.items():
        yield f"\n{title}"
        for flag in flags:
            yield _row(_flag_name(flag), flag.help)
    yield "\nexample"
    for line in command.example.strip("\n").split("\n"):
        yield f"  {line}"


def _usage(command: Command) -> str:
    names = [(one, f"{one.name}..." if one.many else one.name) for one in command.arguments]
    words = [name if one.required else f"[{name}]" for one, name in names]
    return " ".join(["keyhole", command.name, *words, "[flags]"])


def _argument_name(argument: Argument) -> str:
    return "|".join(argument.choices) or argument.name


def _flag_name(flag: Flag) -> str:
    value = f" {flag.shown_value}" if flag.takes_value else ""
    return f"{flag.name}{value}"


def _row(name: str, said: str) -> str:
    """Return a name and what it means, side by side where the name leaves room."""
    left = f"  {name}"
    text = textwrap.wrap(said, WIDTH - _INDENT)
    head = (
        [f"{left:<{_INDENT}}{text[0]}"]
        if len(left) < _INDENT - 1
        else [left, " " * _INDENT + text[0]]
    )
    return "\n".join([*head, *(" " * _INDENT + line for line in text[1:])])
