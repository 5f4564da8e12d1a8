"""What healing finds out about a call: what it mends, what is in doubt, and corrected calls."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Mapping
from itertools import islice, product

from keyhole.arguments import bad_argument
from keyhole.fastclasses import dataclass, field
from keyhole.refusals import Refusal
from keyhole.toolsets.argument_shapes import (
    CallShape,
    FieldShape,
    Place,
    fitted,
    lines,
    misplaced_in,
    objects_in,
    plain,
    strays_in,
)

PATHS = {"path", "filepath", "filename", "file"}
_MOST = 8
_WAYS = ("search", "replace", "regex", "search_count", "search_flags")
# Fields of which a call, or an edit, has those of one group only.
_APART: tuple[tuple[tuple[str, ...], ...], ...] = (
    (("find", "until", "regex"), ("pattern",)),
    (("lines",), ("segment", "part")),
    (("pattern",), ("lines",)),
    (("content",), ("move_to",), ("delete",)),
    (("segment_edit",), _WAYS, ("line_edits",), ("insert_lines",), ("content",)),
    (("id",), ("task",), ("to",)),
    (("heading",), ("beforeHeading",), ("appendToSection",), ("codeBlock",), ("lines",)),
)
_ACCEPTED = ("accept", "path", "reason")
# What says nothing of its own: a call with nothing else is not what was meant.
_BESIDE = {"reason", "detail", "dry_run"}


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

    def add(self, what: str) -> None:
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
    # By which name each argument came.
    sent: dict[str, str] = field(default_factory=dict)

    def put(self, name: str, own: str, value: object) -> None:
        """Put a value where it belongs, unless another one is there already."""
        if own not in self.made:
            if name != own:
                self.notes.add(f"`{name}` read as `{own}`")
            self.made[own], self.sent[own] = value, name
        elif is_same(own, self.made[own], value, self.notes):
            self.notes.add(f"`{own}` was given twice")
        else:
            also = name if name != own else self.sent.get(own, own)
            headline = f"`{own}` is given twice, also as `{also}`, and they differ"
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


def settle_paths(level: dict[str, object], shape: CallShape, notes: Notes) -> None:
    """Take the path out of edits that have none of their own: it is the path of the call."""
    own = shape.has("path", "filePath")
    for home, known in shape.fields.items() if own else ():
        if known.inner is None:
            continue
        inside = [one for _, one in objects_in(level.get(home), (home,))]
        if known.inner.name_of("path"):
            _check_paths(level, home, inside, notes)
            continue
        for one in inside:
            for name in [each for each in one if plain(each) in PATHS]:
                path = one.pop(name)
                if own not in level:
                    level[own] = path
                    notes.add(f"`{name}` stood inside of `{home}`")
                elif is_same(own, level[own], path, notes):
                    notes.add(f"`{name}` stood inside of `{home}` too")
                else:
                    headline = f"`{name}` inside of `{home}` differs from `{own}` of the call"
                    notes.doubt(own, headline, (own,), level[own], path)


def _check_paths(
    level: dict[str, object], home: str, edits: list[dict[str, object]], notes: Notes
) -> None:
    """Doubt a path of the call that is for none of its edits."""
    path, own = level.get("path"), [one.get("path") for one in edits]
    if (
        path is None
        or not own
        or any(one is None or is_same("path", path, one, notes) for one in own)
    ):
        return
    rest = {name: value for name, value in level.items() if name != "path"}
    headline = f"`path` of the call is for none of its edits: each in `{home}` has another one"
    outside = [{**one, "path": path} for one in edits]
    notes.doubts.insert(
        0, Doubt(bad_argument("path", headline), (), (rest, {**level, home: outside}))
    )


def hoist_options(level: dict[str, object], shape: CallShape, notes: Notes) -> None:
    """Take arguments of the call out of its edits, if each of them says the same.

    What only some of them say is left where it is, and refused: it counts for the whole call.
    Versions are those of files: each edit may say the one of its own.
    """
    for home, name, own in misplaced_in(level, shape):
        inside = [one for _, one in objects_in(level.get(home), (home,))]
        values = [fitted(own, one[name], shape.fields[own]) for one in inside if name in one]
        is_said = len(values) == len(inside) and all(each == values[0] for each in values)
        said = values[0] if is_said else _by_file(level, inside, name, shape.fields[own])
        if said is not None and level.setdefault(own, said) == said:
            for one in inside:
                one.pop(name, None)
            notes.add(f"`{name}` stood inside of `{home}`")


def _by_file(
    level: Mapping[str, object], edits: list[dict[str, object]], name: str, known: FieldShape
) -> dict[str, object] | None:
    """Return what edits say each of its own file, where an argument may be said so."""
    found: dict[str, object] = {}
    for one in edits if "object" in known.kinds else ():
        path = one.get("path", level.get("path"))
        said = one.get(name)
        if not (isinstance(path, str) and isinstance(said, str | type(None))):
            return None
        if said is not None and found.setdefault(path, said) != said:
            return None
    return found or None


def corrected(healing: Healing, shape: CallShape) -> Iterator[dict[str, object]]:
    """Yield calls that say one thing where this one says two, and nothing unknown."""
    seen: list[dict[str, object]] = []
    for call in islice(_variants(healing, shape), _MOST):
        if call not in seen and call.keys() - _BESIDE:
            seen.append(call)
            yield call


def with_other_paths(call: Mapping[str, object]) -> Iterator[dict[str, object]]:
    """Yield a call with its paths as they may be meant: without marks, then from the root on."""
    made: object = dict(call)
    for trim in (_bare, lambda path: _bare(path).lstrip("/")):
        for place, one in _objects(call, ()):
            for name in (each for each in one if plain(each) in PATHS):
                path = one[name]
                made = _with(made, (*place, name), trim(path) if isinstance(path, str) else path)
        assert isinstance(made, dict), "BUG: a call is an object"
        if made != call:
            yield made


def _bare(path: str) -> str:
    """Return a path without what is put around it: quotes, a mark before, a diff's `a/`."""
    bare = path.strip().strip("`'\"").replace("\\", "/").removeprefix("@")
    return bare[2:] if bare.startswith(("a/", "b/")) else bare


def _variants(healing: Healing, shape: CallShape) -> Iterator[dict[str, object]]:
    for readings in product(*(doubt.readings for doubt in healing.doubts)):
        call: object = healing.arguments
        for doubt, reading in zip(healing.doubts, readings, strict=True):
            # One doubt may be gone with what another one is read as.
            call = _with(call, doubt.place, reading) if _is_there(call, doubt.place[:-1]) else call
        for one in _known_only(call, shape):
            assert isinstance(one, dict), "BUG: a call is an object"
            yield from (one, *_apart(one)) if healing.doubts or healing.stray else _apart(one)


def _known_only(call: object, shape: CallShape) -> Iterator[object]:
    """Yield a call with its unknown names taken for the nearest ones, then without them."""
    call = _raised(call, shape)
    renamed = dropped = call
    for place in strays_in(call, shape):
        *at, name = place
        dropped, renamed = _without(dropped, place), _without(renamed, place)
        level, there = _shape_at(shape, place), _at(renamed, tuple(at))
        near = [each for each in level.fields if _is_slip(plain(str(name)), plain(each))]
        if near and isinstance(there, Mapping) and near[0] not in there:
            renamed = _with(renamed, (*at, near[0]), _at(call, place))
    yield from (renamed, dropped) if renamed != dropped else (dropped,)


def _raised(call: object, shape: CallShape) -> object:
    """Return a call with its own arguments where they belong: dropping one may write a dry run."""
    assert isinstance(call, dict), "BUG: a call is an object"
    for home, name, own in misplaced_in(call, shape):
        for place, one in objects_in(call[home], (home,)):
            if name in one and (own not in call or call[own] == one[name]):
                call = _with(_without(call, (*place, name)), (own,), one[name])
                assert isinstance(call, dict), "BUG: a call is an object"
    return call


def _is_slip(name: str, meant: str) -> bool:
    """Tell whether two names differ by at most two letters, of four or more."""
    row = list(range(len(meant) + 1))
    for count, letter in enumerate(name[:40], 1):
        before, row[0] = row[0], count
        for index, each in enumerate(meant, 1):
            cost = min(row[index] + 1, row[index - 1] + 1, before + (letter != each))
            before, row[index] = row[index], cost
    return row[-1] <= min(2, len(meant) // 4 + 1) and len(meant) > 3


def _shape_at(shape: CallShape, place: Place) -> CallShape:
    for name in place[:-1]:
        inner = shape.fields[name].inner if isinstance(name, str) else shape
        shape = inner or shape
    return shape


def _apart(call: dict[str, object]) -> Iterator[dict[str, object]]:
    """Yield a call with one of two places, or ways, that do not go together."""
    for place, one in _objects(call, ()):
        for kept in _choices(one):
            made = _with(call, place, kept)
            assert isinstance(made, dict), "BUG: a call is an object"
            yield made


def _objects(value: object, at: Place) -> Iterator[tuple[Place, dict[str, object]]]:
    if isinstance(value, dict):
        yield at, value
    inside = value.items() if isinstance(value, dict) else ()
    for name, one in enumerate(value) if isinstance(value, list) else inside:
        yield from _objects(one, (*at, name))


def _choices(one: dict[str, object]) -> Iterator[dict[str, object]]:
    if one.get("accept") and one.keys() - set(_ACCEPTED):
        yield {name: value for name, value in one.items() if name in _ACCEPTED}
        yield {name: value for name, value in one.items() if name != "accept"}
    if one.get("action") == "delete" and one.get("content"):
        yield {name: value for name, value in one.items() if name != "action"}
    for groups in _APART:
        used = [group for group in groups if any(name in one for name in group)]
        for group in used if len(used) > 1 else ():
            if group == ("delete",) and one.get("content"):
                continue  # who sends text does not mean to lose the file
            others = {name for other in used for name in other} - {*group}
            yield {name: value for name, value in one.items() if name not in others}


def _is_there(value: object, place: Place) -> bool:
    for name in place:
        is_inside = isinstance(value, dict) and name in value
        if not is_inside and not (isinstance(value, list) and name in range(len(value))):
            return False
        value = _at(value, (name,))
    return isinstance(value, dict | list)


def _at(value: object, place: Place) -> object:
    for name in place:
        value = value[name]  # type: ignore[index] # a place is one of this call
    return value


def _with(value: object, place: Place, new: object) -> object:
    """Return a value with another one at a place inside of it."""
    if not place:
        return new
    name, *rest = place
    inner = value.get(name) if isinstance(value, dict) else value[name]  # type: ignore[index]
    made = _with(inner, tuple(rest), new) if rest else new
    if isinstance(value, dict):
        return {**value, name: made}
    assert isinstance(value, list), "BUG: a place is one of this call"
    return [made if index == name else each for index, each in enumerate(value)]


def _without(value: object, place: Place) -> object:
    *at, name = place
    there = _at(value, tuple(at))
    assert isinstance(there, dict), "BUG: a name is one of an object"
    return _with(value, tuple(at), {each: one for each, one in there.items() if each != name})
