"""What healing finds out on the way through one call: what it mended, and what is in doubt."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Mapping

from keyhole.arguments import bad_argument
from keyhole.fastclasses import dataclass, field
from keyhole.refusals import Refusal
from keyhole.toolsets.loose_values import lines
from keyhole.toolsets.shapes import CallShape, plain

Arguments = Mapping[str, object]
Place = tuple[str | int, ...]
PATHS = {"path", "filepath", "filename", "file"}


@dataclass(frozen=True, slots=True)
class Doubt:
    """A place where a call says two things: the refusal, and what may be meant there."""

    refusal: Refusal
    place: Place
    readings: tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Healing:
    """A call in its tool's own shape, what was healed on the way, and what is in doubt.

    `stray` are the places of names that the tool does not have.
    """

    arguments: dict[str, object]
    healed: tuple[str, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    stray: tuple[Place, ...] = ()


@dataclass(slots=True)
class Notes:
    """What is found out on the way through one call."""

    tool: str
    roots: Callable[[], tuple[str, ...]]
    healed: dict[str, None] = field(default_factory=dict)
    empty: dict[str, None] = field(default_factory=dict)
    doubts: list[Doubt] = field(default_factory=list)

    def say(self, what: str) -> None:
        """Note a healing."""
        self.healed[what] = None

    def doubt(self, name: str, headline: str, place: Place, *readings: object) -> None:
        """Note a place where the call says two things."""
        self.doubts.append(Doubt(bad_argument(name, headline), place, readings))


@dataclass(slots=True)
class Level:
    """One object of a call, as it comes to be."""

    shape: CallShape
    notes: Notes
    at: Place
    made: dict[str, object] = field(default_factory=dict)

    def put(self, name: str, own: str, value: object) -> None:
        """Put a value where it belongs, unless another one is there already."""
        if own not in self.made:
            if name != own:
                self.notes.say(f"`{name}` read as `{own}`")
            self.made[own] = value
        elif is_same(own, self.made[own], value, self.notes):
            self.notes.say(f"`{own}` was given twice")
        else:
            headline = f"`{own}` is given twice, also as `{name}`, and they differ"
            readings = (self.made[own], value) if name != own else (value, self.made[own])
            self.notes.doubt(own, headline, (*self.at, own), *readings)
            self.made[own] = readings[0]

    def range(self, own: str, first: int, last: int) -> object:
        """Return lines as an argument has them; -1 is the end of the file."""
        kind = self.shape.fields[own].kind
        if kind == "string":
            return f"{first}-" if last == -1 else [first, last]
        return lines([first, last], kind)


def is_same(own: str, one: object, other: object, notes: Notes) -> bool:
    """Tell whether two values of an argument say the same; paths may be spelled in two ways."""
    if one != other and plain(own) in PATHS and isinstance(one, str) and isinstance(other, str):
        return _file(one, notes) == _file(other, notes)
    return type(one) is type(other) and one == other


def _file(path: str, notes: Notes) -> str:
    """Return a path as it is called from the root on, if it lies inside."""
    inside = (path[len(root) + 1 :] for root in notes.roots() if path.startswith(f"{root}/"))
    return posixpath.normpath(next(inside, path))
