"""Healing: arguments in another known shape, brought into a tool's own before they are judged.

`{"file_path": "a.py", "old_string": "x", "new_string": "y"}` becomes
`{"path": "a.py", "edits": [{"find": "x", "content": "y"}]}`. Names and shapes are healed, never the
characters of a text. What is said twice and differs is refused, and so is what nobody would read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import product

from keyhole.arguments import bad_argument
from keyhole.toolsets.findings import (
    PATHS,
    Arguments,
    Doubt,
    Healing,
    Level,
    Notes,
    Place,
    is_same,
)
from keyhole.toolsets.loose_values import TRUTH, fitted, lines, loaded, number, pair_of, shown
from keyhole.toolsets.shapes import CallShape, FieldShape, plain

_WRAPPERS = {"arguments", "args", "params", "parameters", "input", "request", "toolinput", "kwargs"}
_START, _END, _ALL = "startline", "endline", "replaceall"
_NOTHING: tuple[object, ...] = (None, "", [], {})
# What makes loose fields an edit of their own, and not more about the edits there are.
_OF_AN_EDIT = {"segment", "lines", "pattern", "accept"}


def heal(
    given: Arguments, shape: CallShape, tool: str, roots: Callable[[], tuple[str, ...]]
) -> Healing:
    """Return a call in the shape of its tool.

    `roots` tells the ways to spell the directory that relative paths belong to.
    """
    notes = Notes(tool, roots)
    given = _unwrapped(given, shape, notes)
    level = _level(given, shape, notes, (), _names_of_edit(given, shape))
    level = _gathered(level, shape, notes)
    _settle_paths(level, shape, notes)
    if notes.empty:
        notes.say(f"left out {_listed(notes.empty)}: nothing is said there")
    stray = tuple(strays_in(level, shape))
    return Healing(level, tuple(notes.healed), tuple(notes.doubts), stray)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name[:80]}`" for name in names)


def strays_in(value: object, shape: CallShape, at: Place = ()) -> Iterator[Place]:
    """Yield the places of all names that nobody would read."""
    for place, one in _objects_in(value, at):
        for name, inside in one.items():
            known = shape.fields.get(name)
            if known is None:
                yield (*place, name)
            elif known.inner:
                yield from strays_in(inside, known.inner, (*place, name))


def _objects_in(value: object, at: Place) -> Iterator[tuple[Place, dict[str, object]]]:
    if isinstance(value, dict):
        yield at, value
    if isinstance(value, list):
        yield from (((*at, index), one) for index, one in enumerate(value) if isinstance(one, dict))


def _unwrapped(given: Arguments, shape: CallShape, notes: Notes) -> Arguments:
    """Return a call that does not stand inside of another object: `{"arguments": {...}}`."""
    for name, value in given.items():
        is_all = name == notes.tool and len(given) == 1  # then it is no edit that stands alone
        own = "" if is_all else shape.name_of(name)
        known = shape.fields.get(name)
        may_be_text = plain(name) in _WRAPPERS or name == notes.tool or bool(known and known.inner)
        is_text = isinstance(value, str) and may_be_text and not (known and known.is_literal)
        inner = loaded(value) if is_text else value
        if not isinstance(inner, dict) or not _is_call(inner, shape, own):
            continue
        tool = ("name", notes.tool), ("tool", notes.tool)
        rest = {
            each: one for each, one in given.items() if each != name and (each, one) not in tool
        }
        if any(each in inner and inner[each] != one for each, one in rest.items()):
            continue
        notes.say(f"the call stood inside of `{name[:80]}`")
        return {**rest, **inner}
    return given


def _is_call(inner: Mapping[str, object], shape: CallShape, own: str) -> bool:
    """Tell whether an object has arguments of the tool: inside of `edits`, `edits` and others."""
    if own and shape.fields[own].inner:
        return len(inner) > 1 and own in inner and not shape.fields[own].is_home_of(own)
    if own:  # `input` is a patch elsewhere, and may be one that is JSON
        return own in map(shape.name_of, inner)
    return any(one.takes(name) for name in inner for one in (shape, *_insides(shape)))


def _names_of_edit(given: Arguments, shape: CallShape) -> frozenset[str]:
    """Return the names that a flat edit has in common with other arguments of the tool.

    `new_content` beside `segment_name` is a segment's, though it could be a replacement.
    """
    loose = [name for name in given if plain(name) not in shape.spelt]
    unknown = [name for name in loose if not shape.name_of(name) and given[name] not in _NOTHING]
    for inner in _insides(shape) if unknown else ():
        if all(inner.takes(name) for name in unknown):
            return frozenset(name for name in loose if plain(name) in inner.spelt)
    return frozenset()


def _insides(shape: CallShape) -> list[CallShape]:
    return [each.inner for each in shape.fields.values() if each.inner]


def _level(
    given: Arguments,
    shape: CallShape,
    notes: Notes,
    at: Place,
    others: frozenset[str] = frozenset(),
) -> dict[str, object]:
    """Return an object with our own names for what it says; unknown names stay as they are.

    So do `others`, which belong elsewhere.
    """
    level = Level(shape, notes, at)
    special: dict[str, object] = {}
    empty: dict[str, None] = {}
    for name, value in given.items():
        own = "" if name in others else shape.name_of(name)
        if _says_nothing(value, _known(name, own, shape)):
            empty[name] = None
        elif own:
            level.put(name, own, _value(own, value, shape.fields[own], notes, (*at, own)))
        elif plain(name) in {_START, _END, _ALL}:
            special[plain(name)] = value
        else:
            level.made[name] = value
    if special or "start_line" in shape.fields:
        _put_lines(level, special)
        _put_all(level, special)
    if at and not level.made:  # an object with nothing else is not one that says nothing
        return dict(given)
    notes.empty |= empty
    return level.made


def _known(name: str, own: str, shape: CallShape) -> FieldShape | None:
    """Return what is known of an argument, also of one that stands outside of where it belongs."""
    if own:
        return shape.fields[own]
    found = [(inner, inner.name_of(name)) for inner in _insides(shape)]
    return next((inner.fields[inside] for inner, inside in found if inside), None)


def _says_nothing(value: object, known: FieldShape | None) -> bool:
    """Tell whether a key has no value; texts that may be empty, or must not be, stay."""
    if value is None:
        return known is None or "null" not in known.kinds
    if known and (known.is_literal or known.inner):
        return False
    is_list = known is None or {"array", "object"} & {*known.kinds}
    return value in _NOTHING if is_list else value == ""


def _value(name: str, value: object, known: FieldShape, notes: Notes, at: Place) -> object:
    """Return a value of the kind that an argument has, if it says one in another way."""
    if known.inner:
        heal_it = _items if known.kind == "array" else _object
        return heal_it(name, value, known.inner, notes, at)
    made = fitted(name, value, known)
    if type(made) is not type(value) or made != value:
        notes.say(f"`{name}` read as {shown(made)}")
    return made


def _items(name: str, value: object, shape: CallShape, notes: Notes, at: Place) -> object:
    """Return a list of objects, each in its own shape."""
    found = _opened(name, value, notes, shape)
    if isinstance(found, dict):
        notes.say(f"`{name}` was one object, not a list")
        found = [found]
    if not isinstance(found, list):
        return value
    opened = [_opened(name, each, notes, shape) for each in found]
    if len(opened) == 1 and isinstance(opened[0], list):
        notes.say(f"`{name}` was a list in a list")
        opened = opened[0]
    return [
        _level(one, shape, notes, (*at, index)) if isinstance(one, dict) else one
        for index, one in enumerate(opened)
    ]


def _object(name: str, value: object, shape: CallShape, notes: Notes, at: Place) -> object:
    """Return an object in its own shape; lines may also be said as lines are elsewhere."""
    found = _opened(name, value, notes)
    if isinstance(found, list) and len(found) == 1 and isinstance(found[0], dict):
        notes.say(f"`{name}` was a list of one")
        found = found[0]
    if name == "lines" and not isinstance(found, dict):
        found = lines(found, "object")
        if isinstance(found, dict):
            notes.say(f"`{name}` read as {shown(found)}")
    return _level(found, shape, notes, at) if isinstance(found, dict) else found


def _opened(name: str, value: object, notes: Notes, items: CallShape | None = None) -> object:
    """Return what a text holds as JSON, and what is wrapped once more.

    A list may be wrapped under any name that its `items` do not have.
    """
    found = loaded(value) if isinstance(value, str) else value
    if found is None:
        return value
    if found is not value:
        notes.say(f"`{name}` was text that holds JSON")
    if not isinstance(found, dict) or len(found) != 1:
        return found
    ((outer, inner),) = found.items()
    if plain(outer) != plain(name) and (items is None or items.takes(outer)):
        return found
    inner = loaded(inner) if isinstance(inner, str) else inner
    if not isinstance(inner, dict | list):
        return found
    notes.say(f"`{name}` stood inside of another `{outer[:80]}`")
    return inner


def _put_lines(level: Level, said: Arguments) -> None:
    """Bring `start_line` and `end_line` together, or apart what names both."""
    made, notes = level.made, level.notes
    if "start_line" in level.shape.fields and "lines" in made and "start_line" not in made:
        pair = pair_of(lines(made["lines"], "array"))
        if pair and "end_line" not in made:
            del made["lines"]
            made["start_line"], made["end_line"] = pair
            notes.say("`lines` read as `start_line` and `end_line`")
    names = {_START: "start_line", _END: "end_line"}
    first, last = number(said.get(_START)), number(said.get(_END))
    own = level.shape.has("lines", "view_range")
    if not own or type(first) is not int or not (type(last) is int or last is None):
        made |= {name: said[key] for key, name in names.items() if key in said}
    elif last is None:
        readings = (
            [made[own]] if own in made else [level.range(own, first, each) for each in (first, -1)]
        )
        headline = "`start_line` is given without `end_line`"
        notes.doubt("start_line", headline, (*level.at, own), *readings)
        made[own] = readings[0]
    elif own in made and pair_of(made[own]) == (first, last):
        notes.say(f"`{own}` was given twice")
    else:
        assert type(last) is int
        level.put("start_line` and `end_line", own, level.range(own, first, last))


def _put_all(level: Level, said: Arguments) -> None:
    """Say `replace_all` in the tool's own words; false is what most do without it."""
    if _ALL not in said:
        return
    value, fields = said[_ALL], level.shape.fields
    wants = TRUTH.get(value.strip().lower(), value) if isinstance(value, str) else value
    own, replaces_all = fields.get("occurrence"), "search_count" in fields
    if own and isinstance(wants, bool):
        every, usual = (0, 1) if own.kind == "integer" else ("all", own.default)
        if wants or level.made.get("occurrence", usual) != usual:
            level.put("replace_all", "occurrence", every if wants else usual)
            return
    elif not isinstance(wants, bool) or wants != replaces_all or _holds_edits(level.shape):
        level.made["replace_all"] = value
        return
    level.notes.say(f"`replace_all` is {str(wants).lower()} without it")


def _holds_edits(shape: CallShape) -> bool:
    return any(each.inner and "occurrence" in each.inner.fields for each in shape.fields.values())


def _gathered(level: dict[str, object], shape: CallShape, notes: Notes) -> dict[str, object]:
    """Return a call whose single edit does not stand flat beside its other arguments.

    A name that nobody knows is left where it is: it alone is refused.
    """
    loose = {name: value for name, value in level.items() if name not in shape.fields}
    if not loose:
        return level
    rest = {name: value for name, value in level.items() if name in shape.fields}
    homes = [(home, known) for home, known in shape.fields.items() if known.inner]
    for takes_all, (home, known) in product((True, False), homes):
        assert known.inner is not None
        trial = Notes(notes.tool, notes.roots)
        own = _level(loose, known.inner, trial, (home, 0))
        stray = {name: own.pop(name) for name in own.keys() - known.inner.fields.keys()}
        if stray and (takes_all or not any(known.inner.fields[name].is_literal for name in own)):
            continue
        for said in trial.healed:
            notes.say(said)
        notes.doubts += trial.doubts
        return {**(_with_edit(rest, home, own, known, notes) if own else rest), **stray}
    return level


def _with_edit(
    level: dict[str, object], home: str, own: dict[str, object], known: FieldShape, notes: Notes
) -> dict[str, object]:
    """Put an edit that stood flat where edits are, if there is not another one already."""
    there = level.get(home)
    if not there:
        notes.say(f"{_listed(own)} stood outside of `{home}`")
        return {**level, home: [own] if known.kind == "array" else own}
    first = there[0] if isinstance(there, list) and len(there) == 1 else there
    if isinstance(first, dict) and own.items() <= first.items():
        notes.say(f"{_listed(own)} stood outside of `{home}` too")
        return level
    headline = f"{_listed(own)} beside `{home}` is not read: it belongs inside"
    notes.doubt(next(iter(own)), headline, (home,), *_joined(there, own, known), there)
    return level


def _joined(there: object, own: dict[str, object], known: FieldShape) -> Iterator[object]:
    """Yield edits with what stood beside them: one more edit, or more about each of them."""
    assert known.inner is not None
    is_edit = own.keys() & _OF_AN_EDIT or any(known.inner.fields[name].is_literal for name in own)
    if isinstance(there, list) and is_edit:
        yield [*there, own]
    elif isinstance(there, list):
        yield [{**own, **one} if isinstance(one, dict) else one for one in there]
    elif isinstance(there, dict):
        yield {**own, **there}


def _settle_paths(level: dict[str, object], shape: CallShape, notes: Notes) -> None:
    """Take the path out of edits that have none of their own: it is the path of the call."""
    own = shape.has("path", "filePath")
    for home, known in shape.fields.items() if own else ():
        if known.inner is None:
            continue
        inside = [one for _, one in _objects_in(level.get(home), (home,))]
        if known.inner.name_of("path"):
            _check_paths(level, home, inside, notes)
            continue
        for one in inside:
            for name in [each for each in one if plain(each) in PATHS]:
                path = one.pop(name)
                if own not in level:
                    level[own] = path
                    notes.say(f"`{name}` stood inside of `{home}`")
                elif is_same(own, level[own], path, notes):
                    notes.say(f"`{name}` stood inside of `{home}` too")
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
