"""Corrected calls: what a call in doubt, or with unknown names, may have meant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice, product

from keyhole.toolsets.argument_shapes import (
    CallShape,
    Place,
    misplaced_in,
    objects_in,
    plain,
    strays_in,
)
from keyhole.toolsets.wrapping import PATHS, Healing

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
