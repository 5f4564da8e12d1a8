"""Commands, arguments and flags as data: parsing, help, completion and the manual all read this."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import cast

from keyhole.fastclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Flag:
    """One flag: a switch if it takes no value, else text unless `kind` says more.

    Kinds are what parsing checks and a shell completes: switch, text, number, file, directory,
    and name, a text that is never empty; transaction, task, segment and proposal are looked up.
    """

    name: str
    help: str
    value: str = ""
    kind: str = "text"
    choices: tuple[str, ...] = ()
    many: bool = False

    @property
    def takes_value(self) -> bool:
        """Tell whether a value follows."""
        return self.kind != "switch"

    @property
    def shown_value(self) -> str:
        """Return how help names the value."""
        return self.value or "|".join(self.choices)


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument without a name, in its order; the last may be given many times."""

    name: str
    help: str
    required: bool = True
    kind: str = "file"
    choices: tuple[str, ...] = ()
    many: bool = False


@dataclass(frozen=True, slots=True)
class Command:
    """A command as it is parsed, explained and completed; `run` carries it out."""

    name: str
    summary: str
    run: Callable[[Given], int]
    example: str
    groups: Mapping[str, tuple[Flag, ...]]
    arguments: tuple[Argument, ...] = ()
    about: str = ""

    @property
    def flags(self) -> tuple[Flag, ...]:
        """Return the flags of every group."""
        return tuple(flag for group in self.groups.values() for flag in group)


@dataclass(frozen=True, slots=True)
class Given:
    """What the user gave for a command: the texts behind each name, as typed and checked."""

    command: Command
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    # The root, where nobody named it and it lies above the current directory.
    found: str = ""

    def text(self, name: str) -> str | None:
        """Return the value of a flag or argument, or None where it was not given."""
        values = self.values.get(name)
        return values[-1] if values else None

    def on(self, name: str) -> bool:
        """Tell whether a switch was given."""
        return name in self.values

    def all(self, name: str) -> tuple[str, ...]:
        """Return every value of a flag that may be repeated."""
        return self.values.get(name, ())

    def number(self, name: str, default: int) -> int:
        """Return the value of a numeric flag."""
        values = self.values.get(name)
        return int(values[-1]) if values else default


class Usage(Exception):  # noqa: N818 - it is an answer, not an error
    """The command line itself makes no sense; the message says what does not."""


def apart(given: Given, one: str, *others: str) -> None:
    """Refuse flags or arguments that mean nothing beside `one`, if it is given."""
    for other in others:
        if given.on(one) and given.on(other):
            raise Usage(f"{other} and {one} are both given")


def switch(name: str, help_line: str) -> Flag:
    """Return a flag without a value."""
    return Flag(name, help_line, kind="switch")


def number(name: str, help_line: str, value: str = "N") -> Flag:
    """Return a flag whose value is a whole number from 0."""
    return Flag(name, help_line, value, kind="number")


# Spelt out here so that help and completion load no engine; a test compares them with it.
MODES = ("strict", "interactive", "verify_only")
ON_CONFLICT = ("refuse", "warn", "skip", "force", "ask")
DETAILS = ("brief", "full")
COLOURS = ("auto", "always", "never")

ROOT = Flag(
    "--root",
    "the workspace, default the nearest directory from here upwards with a journal, keyhole.toml "
    "or .git, else this one",
    "DIRECTORY",
    kind="directory",
)
COLOUR = Flag(
    "--color",
    "colour the answer; auto does so on a terminal unless NO_COLOR is set",
    choices=COLOURS,
)
JSON = switch("--json", "print the answer as JSON")
READ_ONLY = switch("--read-only", "refuse every write")
ACTOR = Flag("--actor", "who asks, default cli:USER", "NAME")
MAX_BYTES = number("--max-bytes", "the largest file to read, in bytes, default 33554432")
ENCODING = Flag(
    "--encoding",
    "the encoding of files without a byte order mark, default what they say, else UTF-8",
    "NAME",
)

JOURNAL = Flag(
    "--journal",
    "a journal to share with other workspaces, postgresql://HOST/DATABASE, or off",
    "URL",
)

DURABILITY = Flag(
    "--durability",
    "what edits survive: full (default) a power cut, process only a kill, for throw-away sandboxes",
    choices=("full", "process"),
)

LOOKING = (ROOT, READ_ONLY, MAX_BYTES, ENCODING, JOURNAL)
WORKSPACE = (ROOT, READ_ONLY, ACTOR, MAX_BYTES, ENCODING, JOURNAL, DURABILITY)
OUTPUT = (JSON, COLOUR)
# Where a journal is shared: which of the workspaces that do.
WORKSPACES = (
    Flag("--machine", "only what was done on this machine, of those that share", "NAME"),
    Flag("--worktree", "only what was done in this checkout, of those that share", "DIRECTORY"),
)

TASK = Flag("--task", "the task this belongs to; tasks do not overwrite each other", "NAME", "task")
REASON = Flag("--reason", "why, for the history", "TEXT")
DRY_RUN = switch("--dry-run", "say what would happen, write nothing")
DETAIL = Flag(
    "--detail", "brief shows new lines, full the diff (default on a terminal)", choices=DETAILS
)
WRITING = (
    DRY_RUN,
    switch("--propose", "queue it for a person's word in `keyhole review`, write nothing"),
    Flag(
        "--mode",
        "strict (default) refuses what breaks a file, interactive writes it, verify_only nothing",
        choices=MODES,
    ),
    Flag(
        "--expected-hash",
        "the version of the file that you saw; for several files PATH=HASH, repeated",
        "HASH",
        "name",
        many=True,
    ),
    Flag("--on-conflict", "when another task edited there, default refuse", choices=ON_CONFLICT),
    TASK,
    Flag("--claim", "keep other tasks out of what is edited for so long: 90s, 10m, 2h", "TIME"),
    REASON,
)


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
    return what.kind in {"file", "directory", "name", "transaction"}


def _meant(name: str, known: list[str]) -> str:
    """Offer the flag that is made of nearly the same letters, if there is one."""
    if name in {"--path", "--file"}:
        return "; the path stands alone, without a flag"
    alike = max(known, key=lambda one: _likeness(name, one), default="")
    return f"; did you mean {alike}?" if _likeness(name, alike) > 0.75 else ""


def _likeness(one: str, other: str) -> float:
    shared = sum((Counter(one) & Counter(other)).values())
    return 2 * shared / (len(one) + len(other))


COMMANDS = {
    "edit": "change a file at a place you name",
    "rename": "rename a symbol with its imports and uses, in all files",
    "read": "show a file, some of its lines, or one segment",
    "apply": "carry out a patch in any known format",
    "write": "write, delete or move a whole file",
    "scaffold": "make a new file from a template",
    "templates": "list the templates that `scaffold` makes files from, or explain one",
    "outline": "list the segments of a file or directory, with their addresses",
    "search": "find text in the tree, and the segments it stands in",
    "check": "look for what is broken in files as they are",
    "history": "list the transactions, newest first",
    "show": "show one transaction: who, why, and the diff",
    "diff": "show what many transactions did as one diff, with the reasons",
    "undo": "take a transaction back, also one that is not the last",
    "redo": "take an undo back",
    "rewind": "go back to a prompt, a checkpoint or a time",
    "observe": "record what others changed since the last look",
    "audit": "print what became of articles, with patches and reasons, as JSON",
    "backups": "list the .bak files that edits left, or remove them",
    "proposals": "list the edits that wait for your word, or show one",
    "approve": "carry out a proposal, or some of its edits",
    "reject": "turn a proposal down, with a word for the agent",
    "review": "watch edits in the browser, see why, and take them back",
    "task": "list the tasks, end one, or claim files for one",
    "stats": "count transactions, refusals by code, and retries",
    "conflicts": "list where workspaces of the project changed the same",
    "share": "send what waits to the shared journal, and say how sharing stands",
    "doctor": "check the environment and the journal, and recover",
    "trust": "let the linters run that the workspace itself names",
    "call": "call a tool as an agent does, with its arguments as JSON",
    "install": "set keyhole up in an agent host",
    "uninstall": "take keyhole out of an agent host",
    "hook": "take what a host says in a hook, for the history",
    "mcp": "serve agent hosts over the Model Context Protocol",
    "completion": "print a completion script for a shell",
}


# How the list of commands is divided; a test holds that each has its place.
GROUPS = {
    "read": ("read", "outline", "search", "check"),
    "change": ("edit", "rename", "apply", "write", "scaffold", "templates"),
    "look back": (
        *("history", "show", "diff", "undo", "redo", "rewind", "observe", "stats", "audit"),
        "backups",
    ),
    "review": ("review", "proposals", "approve", "reject"),
    "work together": ("task", "conflicts", "share"),
    "set up": ("install", "uninstall", "hook", "mcp", "call", "trust", "doctor", "completion"),
}
# What people call commands that have another name here.
KNOWN_AS = {
    "log": "history",
    "blame": "history",
    "ls": "outline",
    "cat": "read",
    "view": "read",
    "grep": "search",
    "find": "search",
    "status": "diff",
    "changes": "diff",
    "patch": "apply",
    "revert": "undo",
    "rollback": "undo",
    "create": "write",
    "delete": "write",
    "rm": "write",
    "mv": "write",
    "move": "write",
    "accept": "approve",
    "decline": "reject",
    "replace": "edit",
    "serve": "mcp",
    "ui": "review",
    "web": "review",
    "lint": "check",
    "setup": "install",
}


def command_meant(name: str) -> str:
    """Return the command that somebody probably means, "" if none is like it."""
    if name in KNOWN_AS:
        return KNOWN_AS[name]
    alike = max(COMMANDS, key=lambda one: _likeness(name, one))
    return alike if not name.startswith("-") and _likeness(name, alike) > 0.7 else ""


def command(name: str) -> Command:
    """Return a command, importing its file only now."""
    return cast("Command", import_module(f"keyhole.surfaces.cli.{name}").COMMAND)
