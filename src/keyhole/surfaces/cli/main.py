"""The entry of the command line: light to start, and never a traceback."""

from __future__ import annotations

import gc
import os
import sys
from types import TracebackType
from typing import TYPE_CHECKING, Self

from keyhole import __version__
from keyhole.refusals import Refused
from keyhole.surfaces.cli.grammar import (
    COMMANDS,
    OUTPUT,
    WORKSPACE,
    Usage,
    command,
    command_meant,
    parse,
)
from keyhole.surfaces.cli.output import is_terminal, say, tell

if TYPE_CHECKING:
    from keyhole.surfaces.cli.grammar import Given


# How many new objects make Python look for garbage among them. To start makes tens of thousands
# that all stay; with Python's usual 700, a twentieth of the start is spent on looking at them.
_COLLECT = 100_000


def run() -> None:
    """Run the command that the arguments name, and leave with its exit code."""
    gc.set_threshold(_COLLECT)
    code = main(sys.argv[1:])
    if sys.argv[1:2] == ["hook"]:
        _leave_at_once(code)
    # Python looks once more before it leaves, as if that were not the end of them all.
    gc.freeze()
    sys.exit(code)


def _leave_at_once(code: int) -> None:
    """Leave as the command is done: Python takes a tenth of a hook to take itself apart."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    os._exit(code)


def main(arguments: list[str]) -> int:
    """Carry out one command; 0 is done, 1 refused, 2 a usage error, 3 an internal one."""
    if arguments in (["--version"], ["-V"]):
        # Nothing else is imported for this: editors and agents ask it at every start.

        say(f"keyhole {__version__}")
        return 0

    with LastResort() as last_resort:
        last_resort.code = dispatch(arguments)
    return last_resort.code


INTERNAL = 3
INTERRUPTED = 130


class LastResort:
    """Turns whatever escapes the block into an exit code."""

    def __init__(self) -> None:
        self.code = INTERNAL

    def __enter__(self) -> Self:
        """Begin the block."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        """Say in one line what went wrong, unless the user asked for the trace."""
        if error is None or isinstance(error, SystemExit):
            return False
        if isinstance(error, KeyboardInterrupt):
            self.code = INTERRUPTED
            return True
        from keyhole.engine.settings import wants_trace

        if wants_trace():
            sys.excepthook(type(error), error, trace)
        else:
            sys.stderr.write(f"internal error: {_one_line(error)}\n{_HOW}\n")
        return True


_HOW = "  help: set KEYHOLE_TRACE=1 and run it again for the trace, and report it as a bug"


def _one_line(error: BaseException) -> str:
    said = " ".join(str(error).split())
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


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
        meant = command_meant(words[0])
        hint = f"; did you mean {meant}?" if meant else ""
        return _misused("", f"there is no command {words[0]!r}{hint}")
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


# Commands that write to no file of the workspace.
_LOOKING = frozenset(
    (
        "read",
        "outline",
        "search",
        "check",
        "history",
        "show",
        "diff",
        "audit",
        "stats",
        "conflicts",
        "proposals",
    )
)


def _answered(given: Given) -> int:
    try:
        if given.command.groups:
            from keyhole.surfaces.cli.session import rooted

            given = rooted(given)
        return given.command.run(given)
    except Refused as refused:
        from keyhole.answers.receipt import Receipt

        looks = given.command.name in _LOOKING
        return tell(Receipt.refused(refused.refusals, looks=looks), given)


def _help(words: list[str]) -> str:
    from keyhole.surfaces.cli.help import overview, page, width_of

    wide = width_of(is_terminal())
    return page(command(words[0]), wide) if words and words[0] in COMMANDS else overview(wide)


def _misused(name: str, what: str) -> int:
    program = f"keyhole {name}".rstrip()
    sys.stderr.write(f"{program}: {what}\n  help: {program} --help\n")
    return USAGE
