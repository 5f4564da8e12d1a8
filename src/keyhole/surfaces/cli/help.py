"""Help: the page of one command, and the page that lists them all."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from keyhole.surfaces.cli.grammar import COMMANDS, GROUPS, Argument, Command, Flag, command
from keyhole.surfaces.cli.output import say

WIDTH = 96
_INDENT = 30


_NARROWEST = 50


def width_of(is_terminal: bool) -> int:  # noqa: FBT001 - it is or it is not
    """Return how wide help is: as the terminal, but no wider than reads well."""
    if not is_terminal:
        return WIDTH
    import shutil

    columns = shutil.get_terminal_size((WIDTH, 24)).columns
    return max(min(columns - 1, WIDTH), _NARROWEST)


def overview(width: int = WIDTH) -> str:
    """Return what `keyhole --help` says: the commands in groups."""
    rows: list[str] = []
    for title, names in GROUPS.items():
        rows += [f"\n{title}", *(_command_row(name, COMMANDS[name], width) for name in names)]
    return "\n".join([_filled(_HEAD, width), *rows, _filled(_TAIL, width)])


def _filled(text: str, width: int) -> str:
    """Return a text whose lines are no longer than the terminal is wide."""
    return "\n".join(textwrap.fill(line, width) for line in text.split("\n"))


def _command_row(name: str, summary: str, width: int) -> str:
    first, *more = textwrap.wrap(summary, width - 14)
    return "\n".join([f"  {name:<12}{first}", *(" " * 14 + each for each in more)])


_HEAD = """\
keyhole: surgical file edits for coding agents, and for the people who answer for them

usage: keyhole COMMAND [arguments] [flags]"""

_TAIL = """
example
  $ keyhole edit app.py --find 'retries = 3' --content 'retries = 5'

`keyhole COMMAND --help` explains one command; `keyhole --version` tells the version.
exit code: 0 done, 1 refused (the answer says why), 2 a usage error, 3 an internal error"""


def page(command: Command, width: int = WIDTH) -> str:
    """Return what `keyhole COMMAND --help` says."""
    return "\n".join(_page(command, width))


def _page(command: Command, width: int) -> Iterator[str]:
    yield f"keyhole {command.name}: {command.summary}"
    yield ""
    yield f"usage: {_usage(command)}"
    for paragraph in filter(None, command.about.split("\n\n")):
        yield ""
        yield textwrap.fill(paragraph, width)
    if command.arguments:
        yield "\narguments"
        for argument in command.arguments:
            yield _row(_argument_name(argument), argument.help, width)
    for title, flags in command.groups.items():
        yield f"\n{title}"
        for flag in flags:
            yield _row(_flag_name(flag), flag.help, width)
    yield "\nexample"
    for line in command.example.strip("\n").split("\n"):
        yield f"  {line}"


def _usage(command: Command) -> str:
    names = [(one, f"{one.name}..." if one.many else one.name) for one in command.arguments]
    words = [name if one.required else f"[{name}]" for one, name in names]
    return " ".join(["keyhole", command.name, *words, "[flags]"])


def _argument_name(argument: Argument) -> str:
    choices = "|".join(argument.choices)
    return choices if choices and len(choices) < WIDTH - 2 else argument.name


def _flag_name(flag: Flag) -> str:
    value = f" {flag.shown_value}" if flag.takes_value else ""
    return f"{flag.name}{value}"


def _row(name: str, said: str, width: int) -> str:
    """Return a name and what it means, side by side where the name leaves room."""
    left = f"  {name}"
    indent = _INDENT if width > 70 else 16
    text = textwrap.wrap(said, width - indent)
    head = (
        [f"{left:<{indent}}{text[0]}"] if len(left) < indent - 1 else [left, " " * indent + text[0]]
    )
    return "\n".join([*head, *(" " * indent + line for line in text[1:])])


def manual() -> str:
    """Return the whole page; `make manual` writes it, and a test compares."""
    return "\n".join(_manual())


def _manual() -> Iterator[str]:
    yield "# The command line"
    yield ""
    yield "Made by `make manual` from `keyhole --help`; edit the help, not this page."
    yield from _block(overview())
    yield _PATHS
    for name in COMMANDS:
        yield f"\n## keyhole {name}"
        yield from _block(page(command(name)))


def _block(text: str) -> Iterator[str]:
    yield ""
    yield f"```text\n{text}\n```"


_PATHS = """
## What holds for every command

- **The root** is the directory that `--root` names. Without it, it is the nearest directory from
  the current one upwards that has a journal, `keyhole.toml` or `.git`, else the current one. Only
  directories of yours on the same file system count, and the home directory, or one above it, only
  if it is named. An answer names a root that was found above the current directory.
- **Paths.** A relative PATH is relative to the root that `--root` names; where the root was found,
  it is relative to the current directory, also inside a `--request`. If the current directory lies
  inside the root, a PATH that starts with `./` or `../` is relative to the current directory in
  any case. What exists where plays no part, so one spelling always means one file. Names in a
  patch, and arguments of `call`, are relative to the root.
- **Values.** A flag takes the next word whatever it looks like: `--content --x` is fine.
  `--flag=value` works too, and after `--` every word is an argument. Where an empty word would be
  taken for one that was not given (`undo "$ID"`, `--expected-hash ""`), it is a usage error.
- **Answers** go to standard output, refusals included, as text or with `--json` as the JSON of the
  tools; both say the same. Usage errors and internal errors go to standard error.
- **Exit codes.** 0 done, 1 refused, 2 a usage error, 3 an internal error or an answer that
  cannot be written, 130 interrupted.
- **Colours** only on a terminal, never with `NO_COLOR`; `--color always` and `never` overrule both.
  On a terminal, edits show the diff (`--detail full`), in a pipe the new lines (`brief`).
- **Internal errors** are one line. `KEYHOLE_TRACE=1` shows the trace for a bug report."""


if __name__ == "__main__":
    say(manual())
