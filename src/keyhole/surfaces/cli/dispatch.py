"""From the words of a command line to the command that carries them out."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from keyhole.refusals import Refused
from keyhole.surfaces.cli.commands import COMMANDS, command
from keyhole.surfaces.cli.flags import OUTPUT, WORKSPACE, Usage
from keyhole.surfaces.cli.output import say, tell
from keyhole.surfaces.cli.parsing import parse

if TYPE_CHECKING:
    from keyhole.surfaces.cli.flags import Given

USAGE = 2


def dispatch(words: list[str]) -> int:
    """Run the command that the first word names; return its exit code."""
    if not words:
        sys.stderr.write(f"{_help(words)}\n")
        return USAGE
    if words[0] in {"-h", "--help", "help"}:
        say(_help(words[1:]))
        return 0
    if words[0].startswith("-"):
        words = _command_first(words)
    if words[0] not in COMMANDS:
        return _misused("", f"there is no command {words[0]!r}")
    return _carry_out(words[0], words[1:])


def _command_first(words: list[str]) -> list[str]:
    """Return the words with flags that stand before the command moved behind it."""
    common = {flag.name: flag for flag in (*WORKSPACE, *OUTPUT)}
    at = 0
    while at < len(words) and (flag := common.get(words[at].partition("=")[0])):
        at += 2 if flag.takes_value and "=" not in words[at] else 1
    if at >= len(words):
        return words
    return [words[at], *words[:at], *words[at + 1 :]]


def _carry_out(name: str, words: list[str]) -> int:
    found = command(name)
    try:
        given = parse(found, words)
        if given.on("--help"):
            say(_help([name]))
            return 0
        return _answered(given)
    except Usage as usage:
        return _misused(name, str(usage))


def _answered(given: Given) -> int:
    try:
        return given.command.run(given)
    except Refused as refused:
        from keyhole.receipts import Receipt

        return tell(Receipt.refused(refused.refusals), given)


def _help(words: list[str]) -> str:
    from keyhole.surfaces.cli.pages import overview, page

    return page(command(words[0])) if words and words[0] in COMMANDS else overview()


def _misused(name: str, what: str) -> int:
    program = f"keyhole {name}".rstrip()
    sys.stderr.write(f"{program}: {what}\n  help: {program} --help\n")
    return USAGE
