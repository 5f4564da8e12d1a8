"""Parsing: the words after a command become what the user gave.

The standard parser takes a value that begins with a dash for a flag. Here values are text of files,
so a flag takes the next word whatever it looks like.
"""

from __future__ import annotations

from collections import Counter

from keyhole.surfaces.cli.flags import Argument, Command, Flag, Given, Usage

_MOST_DIGITS = 18  # what a database keeps as a number
HELP = ("-h", "--help")


def parse(command: Command, words: list[str]) -> Given:
    """Return what was given, or say which word makes no sense."""
    flags = {flag.name: flag for flag in command.flags}
    values: dict[str, tuple[str, ...]] = {}
    loose: list[str] = []
    todo = list(reversed(words))
    while todo:
        word = todo.pop()
        if word == "--":
            loose += reversed(todo)
            break
        if word in HELP:
            return Given(command, {"--help": ()})
        if not word.startswith("-") or word == "-":
            loose.append(word)
            continue
        flag, value = _flag(flags, word, todo)
        if flag.name in values and not flag.many:
            raise Usage(f"{flag.name} is given twice")
        values[flag.name] = (*values.get(flag.name, ()), *value)
    return Given(command, values | _arguments(command.arguments, loose))


def _flag(flags: dict[str, Flag], word: str, todo: list[str]) -> tuple[Flag, tuple[str, ...]]:
    """Return the flag that a word names, with its value taken from the word or from behind it."""
    name, equals, inline = word.partition("=")
    flag = flags.get(name)
    if flag is None:
        raise Usage(f"unknown flag {name}{_meant(name, list(flags))}")
    if not flag.takes_value:
        if equals:
            raise Usage(f"{name} takes no value")
        return flag, ()
    if not equals and not todo:
        raise Usage(f"{name} needs a value: {name} {flag.shown_value}")
    return flag, (_checked(flag, inline if equals else todo.pop()),)


def _arguments(wanted: tuple[Argument, ...], loose: list[str]) -> dict[str, tuple[str, ...]]:
    if wanted and wanted[-1].many:
        wanted += (wanted[-1],) * (len(loose) - len(wanted))
    if len(loose) > len(wanted):
        raise Usage(f"one word too many: {loose[len(wanted)]!r}")
    missing = [one.name for one in wanted[len(loose) :] if one.required]
    if missing:
        raise Usage(f"{missing[0]} is missing")
    given: dict[str, tuple[str, ...]] = {}
    for one, word in zip(wanted, loose, strict=False):
        given[one.name] = (*given.get(one.name, ()), _checked(one, word))
    return given


def _checked(what: Flag | Argument, value: str) -> str:
    if what.choices and value not in what.choices:
        raise Usage(f"{what.name} is {value!r}; it is one of {', '.join(what.choices)}")
    if not value and _needs_value(what):  # a variable that is not set
        raise Usage(f"{what.name} is empty; give it a value, or leave it out")
    if what.kind == "number" and not (value.isascii() and value.isdecimal()):
        raise Usage(f"{what.name} is {value!r}; it is a whole number from 0")
    if what.kind == "number" and len(value) > _MOST_DIGITS:
        raise Usage(f"{what.name} is {value!r}; it is too large")
    return value


def _needs_value(what: Flag | Argument) -> bool:
    """Tell whether nothing at all would be taken for a word that was never given."""
    if isinstance(what, Argument):
        return not what.required
    return what.kind in {"file", "directory", "name"}


def _meant(name: str, known: list[str]) -> str:
    """Offer the flag that is made of nearly the same letters, if there is one."""
    alike = max(known, key=lambda one: _likeness(name, one), default="")
    return f"; did you mean {alike}?" if _likeness(name, alike) > 0.75 else ""


def _likeness(one: str, other: str) -> float:
    shared = sum((Counter(one) & Counter(other)).values())
    return 2 * shared / (len(one) + len(other))
