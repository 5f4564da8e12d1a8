"""Messages that each door spells in its own words.

A message names arguments, files, tools and ids to accept. The engine says them as placeholders, and
a door spells each: `find` is `--find` on the command line and `old_str` in another interface.
Everything else in a message, above all what is quoted from a file or a call, stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Self

from keyhole.fastclasses import dataclass, field

# A byte that is no character, in the text of a file or of a path.
SURROGATE = re.compile("[\ud800-\udfff]")
_PLACEHOLDER = re.compile(r"\{(\w*)(?::(\w+))?\}")
# What the command line has a command for, and our interface a call of another tool.
_CALLS = {"templates": "`scaffold` without `template`"}


@dataclass(frozen=True, slots=True)
class ArgumentName:
    """An argument of the call by its name in our own interface; a `bare` one has no backticks."""

    name: str
    bare: bool = False


@dataclass(frozen=True, slots=True)
class FileName:
    """A file by its path in the workspace; an answer spells it as the caller did."""

    path: str


@dataclass(frozen=True, slots=True)
class ToolName:
    """One of our own tools; on the command line it is a command."""

    name: str


@dataclass(frozen=True, slots=True)
class Accept:
    """The move that carries out a candidate."""

    id: str


Piece = str | ArgumentName | FileName | ToolName | Accept


@dataclass(frozen=True, slots=True)
class Words:
    """How a door spells what a message names; `names` are its own names for our arguments."""

    names: Mapping[str, str] = field(default_factory=dict)

    def argument(self, argument: ArgumentName) -> str:
        """Return the name of an argument."""
        name = self.names.get(argument.name, argument.name)
        return name if argument.bare else f"`{name}`"

    def tool(self, name: str) -> str:
        """Return the name of a tool, or the call that does what is a command elsewhere."""
        return _CALLS.get(name, f"`{name}`")

    def accept(self, accept: str) -> str:
        """Return what to do to carry out a candidate."""
        return f'send {{"accept": "{accept}"}} alone'

    def spell(self, piece: Piece) -> str:
        """Return a piece of a message."""
        match piece:
            case str():
                return piece
            case FileName():
                return printable(piece.path)
            case ToolName():
                return self.tool(piece.name)
            case Accept():
                return self.accept(piece.id)
        return self.argument(piece)


NATIVE = Words()


class Phrase(str):
    """A message as its pieces; as a text it has the words of our own interface.

    A note may have a `kind`, for a door that leaves out or puts in another place what it says.
    """

    __slots__ = ("kind", "pieces")

    pieces: tuple[Piece, ...]
    kind: str

    def __new__(cls, pieces: tuple[Piece, ...], kind: str = "") -> Self:
        """Return the message of these pieces."""
        made = super().__new__(cls, "".join(map(NATIVE.spell, pieces)))
        made.pieces = pieces
        made.kind = kind
        return made

    def __getnewargs__(self) -> tuple[tuple[Piece, ...], str]:  # type: ignore[override] # not str's
        """Return what a copy is made of."""
        return self.pieces, self.kind


class Row(str):
    """Lines of an answer that are of one `role`, which a door may colour."""

    __slots__ = ("role",)

    role: str

    def __new__(cls, role: str, text: str) -> Self:
        """Return the lines with their role."""
        made = super().__new__(cls, text)
        made.role = role
        return made

    def __getnewargs__(self) -> tuple[str, str]:  # type: ignore[override] # not str's
        """Return what a copy is made of."""
        return self.role, str(self)


def say(template: str, *values: object, kind: str = "") -> Phrase:
    """Return a message: `say("{find} stands at {} places in {}", 2, FileName("a.py"))`.

    `{find}` is an argument, `{match:bare}` one without backticks, `{history:tool}` a tool; each
    `{}` is the next value: another message, a piece of one, or what stays as it is.
    """
    # Our own words, then the name and the form of a placeholder, again and again.
    first, *rest = _PLACEHOLDER.split(template)
    pieces: list[Piece] = [first]
    given = iter(values)
    for name, form, literal in zip(rest[::3], rest[1::3], rest[2::3], strict=True):
        if name:
            pieces.append(ToolName(name) if form == "tool" else ArgumentName(name, form == "bare"))
        else:
            pieces += _pieces_of(next(given))
        pieces.append(literal)
    assert next(given, None) is None, f"BUG: more values than places in {template!r}"
    return Phrase(tuple(piece for piece in pieces if piece), kind)


def _pieces_of(value: object) -> tuple[Piece, ...]:
    if isinstance(value, Phrase):
        return value.pieces
    if isinstance(value, ArgumentName | FileName | ToolName | Accept):
        return (value,)
    return (str(value),)


def render(message: str, words: Words = NATIVE) -> str:
    """Return a message in the words of a door; a text that is no phrase stays as it is."""
    if not isinstance(message, Phrase):
        return message
    return "".join(map(words.spell, message.pieces))


def joined(between: str, values: Iterable[object], kind: str = "") -> Phrase:
    """Return messages, or pieces of one, as a message with `between` them."""
    pieces: list[Piece] = []
    for number, value in enumerate(values):
        pieces += [between] if number else []
        pieces += _pieces_of(value)
    return Phrase(tuple(pieces), kind)


def kind_of(message: str) -> str:
    """Return what kind of note a message is, "" for most."""
    return message.kind if isinstance(message, Phrase) else ""


def in_one_line(message: str) -> str:
    """Return a message whose line ends, which a quotation may bring along, are written out."""
    if not isinstance(message, Phrase):
        return _in_one_line(message)
    pieces = (_in_one_line(each) if isinstance(each, str) else each for each in message.pieces)
    return Phrase(tuple(pieces), message.kind)


def _in_one_line(text: str) -> str:
    return text.replace("\n", "\\n").replace("\r", "\\r")


def shown(text: str) -> str:
    """Return file text as an answer can carry it: bytes that are no characters become U+FFFD."""
    return text if text.isascii() else SURROGATE.sub("\ufffd", text)


def printable(path: str) -> str:
    """Return a path as it may stand in a message of one line: nothing in it can break the line."""
    text = path.encode("utf-8", "backslashreplace").decode("utf-8")
    return "".join(each if each.isprintable() else ascii(each)[1:-1] for each in text)


def respell(message: str, spelling: Mapping[str, str]) -> str:
    """Return a message that names files as `spelling` has them: by a path, or by a phrase."""
    if not isinstance(message, Phrase):
        return message
    pieces: list[Piece] = []
    for each in message.pieces:
        named = spelling.get(each.path) if isinstance(each, FileName) else None
        other = each if named is None else FileName(named)
        pieces += named.pieces if isinstance(named, Phrase) else (other,)
    return Phrase(tuple(pieces), message.kind)


def mentions(message: str, argument: str) -> bool:
    """Tell whether a message speaks of an argument of the call."""
    pieces = message.pieces if isinstance(message, Phrase) else ()
    return any(isinstance(each, ArgumentName) and each.name == argument for each in pieces)


def files_in(message: str) -> tuple[str, ...]:
    """Return the paths of the files that a message names."""
    pieces = message.pieces if isinstance(message, Phrase) else ()
    return tuple(each.path for each in pieces if isinstance(each, FileName))
