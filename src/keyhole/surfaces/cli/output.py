"""Print answers: as text or JSON, to a terminal, a file or a pipe that may be closed."""

from __future__ import annotations

import io
import os
import re
import select
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from keyhole.fastclasses import dataclass
from keyhole.phrases import ArgumentName, Row, Words
from keyhole.surfaces.cli.grammar import Given

if TYPE_CHECKING:
    from keyhole.answers.receipt import Answer, Receipt

DONE, REFUSED, UNSAID = 0, 1, 3
_ASK = "  help: make room for it, then ask `keyhole history` what was done"


def say(text: str, end: str = "\n") -> None:
    """Write text and a newline; a reader that went away is no error, for the work is done."""
    if sys.stdout is None:
        return
    try:
        _write(f"{text}{end}")
    except OSError as error:
        # What is still buffered would fail again when Python exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            sys.stderr.write(f"the answer cannot be written: {error.strerror}\n{_ASK}\n")
            raise SystemExit(UNSAID) from None


def _write(text: str) -> None:
    """Write all of a text to standard output.

    Python takes a short count for the whole if output is not buffered (`PYTHONUNBUFFERED`), and
    gives up on a pipe that is full for the moment if somebody made it so.
    """
    sys.stdout.flush()
    try:
        fd = sys.stdout.fileno()
    except io.UnsupportedOperation:  # a program has put something else in its place
        sys.stdout.write(text)
        return
    # A file name may hold bytes that are no text: they go out as they came in.
    left = memoryview(text.encode("utf-8", "surrogateescape"))
    while left:
        try:
            left = left[os.write(fd, left) :]
        except BlockingIOError:
            select.select([], [fd], [])


def say_bytes(body: bytes) -> None:
    """Write bytes as they are."""
    say(body.decode("utf-8", "surrogateescape"), end="")


def answer(found: Answer, given: Given, role: str = "", words: Sequence[str] = ()) -> int:
    """Print what a reading walk found; `role` says how its lines are coloured."""
    if given.on("--json"):
        say(as_json({**_root(given), **found.as_data()}))
    else:
        as_rows = getattr(found, "as_rows", None)
        rows = [*as_rows()] if as_rows else [found.as_text()]
        if role:
            rows = [Row(role, line) for line in rows[0].split("\n")]
        paged([*rows, *root_rows(given)], given, words)
    return DONE


def root_rows(given: Given) -> list[str]:
    """Return the line that names a root which was found above the current directory."""
    return [f"{name}: {root}" for name, root in _root(given).items()]


def _root(given: Given) -> dict[str, str]:
    return {"root": given.found} if given.found else {}


def tell(receipt: Receipt, given: Given, detail: str | None = None) -> int:
    """Print a receipt and return the exit code it stands for."""
    words = words_of(given)
    terminal = is_terminal()
    detail = (
        given.text("--detail")
        or detail
        or ("full" if terminal and not given.on("--json") else "brief")
    )
    if given.on("--json"):
        say(as_json({**receipt.as_data(detail, words), **_root(given)}))
    else:
        show([*receipt.as_rows(detail, words), *root_rows(given)], given)
    return DONE if receipt.ok else REFUSED


def show(rows: Iterable[str], given: Given, words: Sequence[str] = ()) -> None:
    """Print text for people: coloured where that is wanted, and harmless to a terminal."""
    if is_coloured(given):
        from keyhole.surfaces.cli.colours import painted

        say(painted(rows, harmless if is_terminal() else str, words))
        return
    text = "\n".join(rows)
    say(harmless(text) if is_terminal() else text)


def paged(rows: Iterable[str], given: Given, words: Sequence[str] = ()) -> None:
    """Print text for people; on a terminal that it does not fit, through the user's pager."""
    if not is_terminal():
        show(rows, given, words)
        return
    paged_text(_for_people(list(rows), given, words))


def paged_text(text: str) -> None:
    """Print a text that is ready for a terminal, through the user's pager if it does not fit."""
    import shutil

    size = shutil.get_terminal_size((80, 24))
    if _height(text, size.columns) < size.lines or not _through_pager(text):
        say(text)


_COLOURED = re.compile(r"\x1b\[[0-9;]*m")


def _height(text: str, columns: int) -> int:
    """Return how many lines a terminal needs for a text, which it breaks at its edge."""
    rows = _COLOURED.sub("", text).split("\n")
    return sum(max(-(-len(row) // max(columns, 1)), 1) for row in rows)


def _for_people(rows: list[str], given: Given, words: Sequence[str]) -> str:
    rows = [_fitted(row) if isinstance(row, Row) and row.role in _PROSE else row for row in rows]
    if is_coloured(given):
        from keyhole.surfaces.cli.colours import painted

        return painted(rows, harmless, words)
    return harmless("\n".join(rows))


# What is broken at words where a terminal is too narrow; code and diffs stay as they are.
_PROSE = frozenset({"reason", "help", "note", "warning"})


def _fitted(row: Row) -> Row:
    """Return prose in lines that a terminal does not break, the further ones set in."""
    import shutil
    import textwrap

    width = shutil.get_terminal_size((80, 24)).columns
    lines = [
        textwrap.fill(
            line,
            width,
            subsequent_indent=" " * (len(line) - len(line.lstrip()) + 2),
            break_long_words=False,
            break_on_hyphens=False,
        )
        for line in row.split("\n")
    ]
    return Row(row.role, "\n".join(lines))


def _through_pager(text: str) -> bool:
    """Show text in the user's pager; tell whether that is so."""
    import shlex
    import subprocess

    from keyhole.engine.preferences import pager

    words = shlex.split(pager())
    if not words:
        return False
    environment = {"LESS": "FRX", "LV": "-c", **os.environ}
    body = text.encode("utf-8", "surrogateescape")
    try:
        subprocess.run(words, input=body, env=environment, check=False)  # noqa: S603 - the user's own
    except (OSError, ValueError):
        return False
    return True


def as_json(data: Mapping[str, object]) -> str:
    """Return JSON for people on a terminal, and for programs elsewhere."""
    import json

    indent = 2 if is_terminal() else None
    text = json.dumps(data, ensure_ascii=False, indent=indent)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:  # a file name that is no text
        return json.dumps(data, indent=indent)
    return text


def is_terminal() -> bool:
    """Tell whether a person reads the answer as it comes."""
    return sys.stdout is not None and sys.stdout.isatty()


def is_coloured(given: Given) -> bool:
    """Tell whether the answer is to be coloured."""
    wish = given.text("--color") or "auto"
    if wish != "auto":
        return wish == "always"
    from keyhole.engine.settings import allows_colour

    return is_terminal() and allows_colour()


# Control characters of a file could drive the terminal that shows them: they are drawn instead.
_PICTURES = {code: 0x2400 + code for code in range(0x20) if chr(code) not in "\t\n"}
_PICTURES |= {0x7F: 0x2421, **dict.fromkeys(range(0x80, 0xA0), 0xFFFD)}


def harmless(text: str) -> str:
    """Return text with its control characters drawn as signs."""
    return text.translate(_PICTURES)


# What a message asks for that is a flag of another command than the one that was given.
_ELSEWHERE = frozenset({"--allow-shrink", "--boundary", "--glob"})


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
