"""Healing: arguments in another known shape, brought into a tool's own before they are judged.

`{"file_path": "a.py", "old_string": "x", "new_string": "y"}` becomes
`{"path": "a.py", "edits": [{"find": "x", "content": "y"}]}`. Names and shapes are healed, never the
characters of a text. What is said twice and differs is refused, and so is what nobody would read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import product

from keyhole.fastclasses import dataclass, field
from keyhole.toolsets.argument_shapes import (
    ALL,
    COUNT,
    END,
    LIMIT,
    OFFSET,
    START,
    TRUTH,
    WHOLE_TEXTS,
    CallShape,
    FieldShape,
    Place,
    fitted,
    is_sound,
    lines,
    number,
    pair_of,
    plain,
    shown,
    strays_in,
)
from keyhole.toolsets.wrapping import (
    Healing,
    Notes,
    alone,
    hoist_options,
    insides,
    is_same,
    listed,
    opened,
    settle_paths,
    ungrouped,
    unwrapped,
)

Arguments = Mapping[str, object]
_EXPRESSION = re.compile(r"[\\^$*+?|()\[\]{}]")
_NOTHING: tuple[object, ...] = (None, "", [], {})
# What makes loose fields an edit of their own, and not more about the edits there are.
_OF_AN_EDIT = {"segment", "lines", "pattern", "accept"}


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


def heal(
    given: Arguments, shape: CallShape, tool: str, roots: Callable[[], tuple[str, ...]]
) -> Healing:
    """Return a call in the shape of its tool.

    `roots` tells the ways to spell the directory that relative paths belong to.
    """
    return (
        Healing(dict(given)) if is_sound(given, shape) else look_closely(given, shape, tool, roots)
    )


def look_closely(
    given: Arguments, shape: CallShape, tool: str, roots: Callable[[], tuple[str, ...]]
) -> Healing:
    """Return a call in the shape of its tool, whatever shape it has."""
    notes = Notes(tool, roots)
    given = alone(unwrapped(given, shape, notes), shape, notes)
    level = _level(given, shape, notes, (), _names_of_edit(given, shape))
    _doubt_expression(given, level, notes)
    level = _gathered(level, shape, notes)
    settle_paths(level, shape, notes)
    hoist_options(level, shape, notes)
    if notes.empty:
        notes.add(f"left out {_in_words(notes.empty)}: nothing is said there")
    stray = tuple(strays_in(level, shape))
    return Healing(level, tuple(notes.healed), tuple(notes.doubts), stray)


def _doubt_expression(given: Arguments, level: Arguments, notes: Notes) -> None:
    """Doubt whether a `pattern` is a text to search for or an expression, where it may be both."""
    pattern = level.get("query")
    if "regex" in level or pattern != given.get("pattern") or not isinstance(pattern, str):
        return
    if _EXPRESSION.search(pattern):
        headline = "`pattern` may be text or an expression: `regex` tells which"
        notes.doubt("pattern", headline, ("regex",), True, False)  # noqa: FBT003 - its readings


def _in_words(names: Iterable[str]) -> str:
    return ", ".join(f"`{name[:80]}`" for name in names)


def _names_of_edit(given: Arguments, shape: CallShape) -> frozenset[str]:
    """Return the names that a flat edit has in common with other arguments of the tool.

    `new_content` beside `segment_name` is a segment's, though it could be a replacement.
    """
    loose = [name for name in given if plain(name) not in shape.spelt]
    unknown = [name for name in loose if not shape.name_of(name) and given[name] not in _NOTHING]
    for inner in insides(shape) if unknown else ():
        if all(inner.takes(name) for name in unknown):
            return frozenset(name for name in loose if plain(name) in inner.spelt)
    return frozenset()


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
    sent: dict[str, str] = {}
    empty: dict[str, None] = {}
    for name, value in given.items():
        own = "" if name in others else shape.name_of(name)
        known = _known(name, own, shape)
        if known.is_silent(value) if known else value in _NOTHING:
            empty[name] = None
        elif own and not _is_other_word(name, value, shape.fields[own], own):
            level.put(name, own, _value(own, value, shape.fields[own], notes, (*at, own)))
        elif (word := shape.in_other_words(name)) and word not in special:
            special[word], sent[word] = value, name
        else:
            level.made[name] = value
    if special or "start_line" in shape.fields:
        _put_lines(level, special, sent)
        _put_all(level, special, sent)
    if at and not level.made:  # an object with nothing else is not one that says nothing
        return dict(given)
    notes.empty |= empty
    return level.made


def _is_other_word(name: str, value: object, known: FieldShape, own: str) -> bool:
    """Tell whether another tool's word for one of ours has a value that ours has not."""
    return (
        plain(name) != plain(own)
        and bool(known.choices)
        and (fitted(own, value, known) not in known.choices)
    )


def _known(name: str, own: str, shape: CallShape) -> FieldShape | None:
    """Return what is known of an argument, also of one that stands outside of where it belongs."""
    if own:
        return shape.fields[own]
    found = [(inner, inner.name_of(name)) for inner in insides(shape)]
    return next((inner.fields[inside] for inner, inside in found if inside), None)


def _value(name: str, value: object, known: FieldShape, notes: Notes, at: Place) -> object:
    """Return a value of the kind that an argument has, if it says one in another way."""
    if known.inner:
        heal_it = _items if known.kind == "array" else _object
        return heal_it(name, value, known.inner, notes, at)
    if known.is_literal and (texts := list(_as_texts(name, value))):
        kinds = {list: "a list", dict: "an object", bool: "true or false"}
        kind = kinds.get(type(value), "a number")
        notes.doubt(name, f"`{name}` is {kind}; it is one text", at, *texts)
    made = fitted(name, value, known)
    if type(made) is not type(value) or made != value:
        notes.add(f"`{name}` read as {shown(made)}")
    return made


def _as_texts(name: str, value: object) -> Iterator[str]:
    """Yield the texts that may be meant by a list of lines, a number, or JSON as a whole text."""
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        yield "\n".join(value)
    elif isinstance(value, list | dict) and plain(name) in WHOLE_TEXTS:
        yield json.dumps(value, ensure_ascii=False, indent=2) + "\n"
    elif isinstance(value, int | float):
        yield json.dumps(value)


def _items(name: str, value: object, shape: CallShape, notes: Notes, at: Place) -> object:
    """Return a list of objects, each in its own shape."""
    items = listed(name, value, notes, shape)
    if items is None:
        return value
    return [
        _level(one, shape, notes, (*at, index)) if isinstance(one, dict) else one
        for index, one in enumerate(ungrouped(name, items, shape, notes, at))
    ]


def _object(name: str, value: object, shape: CallShape, notes: Notes, at: Place) -> object:
    """Return an object in its own shape; lines may also be said as lines are elsewhere."""
    found = opened(name, value, notes)
    if isinstance(found, list) and len(found) == 1 and isinstance(found[0], dict):
        notes.add(f"`{name}` was a list of one")
        found = found[0]
    if name == "lines" and not isinstance(found, dict):
        found = lines(found, "object")
        if isinstance(found, dict):
            notes.add(f"`{name}` read as {shown(found)}")
    return _level(found, shape, notes, at) if isinstance(found, dict) else found


def _put_lines(level: Level, given: Arguments, sent: Mapping[str, str]) -> None:
    """Bring `start_line` and `end_line` together, or apart what names both."""
    made, notes = level.made, level.notes
    if "start_line" in level.shape.fields and "lines" in made and "start_line" not in made:
        pair = pair_of(lines(made["lines"], "array"))
        if pair and "end_line" not in made:
            del made["lines"]
            made["start_line"], made["end_line"] = pair
            notes.add("`lines` read as `start_line` and `end_line`")
    first, last = number(given.get(START)), number(given.get(END))
    own = level.shape.has("lines", "view_range")
    if not own or type(first) is not int or not (type(last) is int or last is None):
        names = {START: "start_line", END: "end_line"}
        made |= {
            (name if name in level.shape.fields else sent[key]): given[key]
            for key, name in names.items()
            if key in given
        }
    elif last is None:
        readings = (
            [made[own]] if own in made else [level.range(own, first, each) for each in (first, -1)]
        )
        headline = f"`{sent[START]}` is given without `end_line`"
        notes.doubt("start_line", headline, (*level.at, own), *readings)
        made[own] = readings[0]
    elif own in made and pair_of(made[own]) == (first, last):
        notes.add(f"`{own}` was given twice")
    else:
        assert type(last) is int
        level.put(f"{sent[START]}` and `{sent[END]}", own, level.range(own, first, last))
    _put_offset(level, given, sent)


def _put_offset(level: Level, given: Arguments, sent: Mapping[str, str]) -> None:
    """Doubt `offset` and `limit`: tools count from 0 or from 1; both are shown."""
    offset, limit = number(given.get(OFFSET, 0)), number(given.get(LIMIT))
    names = [name for name in (OFFSET, LIMIT) if name in given]
    is_number = type(offset) is int and (type(limit) is int or limit is None)
    if not names or not is_number or "lines" in level.made or "lines" not in level.shape.fields:
        level.made |= {sent[name]: given[name] for name in names}
        return
    assert type(offset) is int
    first = max(offset, 1)
    end = [f"{first}-{offset + limit}"] if type(limit) is int else []
    name, place = sent[names[0]], (*level.at, "lines")
    level.notes.doubt(name, f"`{name}` is said by `lines` here", place, *end, f"{first}-")
    level.made["lines"] = f"{first}-"


def _put_all(level: Level, given: Arguments, sent: Mapping[str, str]) -> None:
    """Say `replace_all` in the tool's own words; false is what most do without it."""
    own, replaces_all = level.shape.fields.get("occurrence"), "search_count" in level.shape.fields
    every, usual = (0, 1) if own and own.kind == "integer" else ("all", own and own.default)
    if COUNT in given:
        count = number(given[COUNT])
        if own is None or type(count) is not int or count < 1 or ALL in given:
            level.made[sent[COUNT]] = given[COUNT]
        elif count == 1:
            level.notes.add(f"`{sent[COUNT]}` is 1 without it")
        else:
            headline = f"`{sent[COUNT]}` is not checked here"
            level.notes.doubt(sent[COUNT], headline, (*level.at, "occurrence"), every)
    if ALL not in given:
        return
    value, name = given[ALL], sent[ALL]
    wants = TRUTH.get(value.strip().lower(), value) if isinstance(value, str) else value
    if own and isinstance(wants, bool):
        if wants or level.made.get("occurrence", usual) != usual:
            level.put(name, "occurrence", every if wants else usual)
            return
    elif not isinstance(wants, bool) or wants != replaces_all or _holds_edits(level.shape):
        level.made[name] = value
        return
    level.notes.add(f"`{name}` is {str(wants).lower()} without it")


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
        unknown = [name for name in own if name not in known.inner.fields]
        stray = {name: own.pop(name) for name in unknown}
        if stray and (takes_all or not any(known.inner.fields[name].is_literal for name in own)):
            continue
        notes.healed |= trial.healed
        notes.doubts += trial.doubts
        return {**(_with_edit(rest, home, own, known, notes) if own else rest), **stray}
    return level


def _with_edit(
    level: dict[str, object], home: str, own: dict[str, object], known: FieldShape, notes: Notes
) -> dict[str, object]:
    """Put an edit that stood flat where edits are, if there is not another one already."""
    there = level.get(home)
    if not there:
        notes.add(f"{_in_words(own)} stood outside of `{home}`")
        return {**level, home: [own] if known.kind == "array" else own}
    first = there[0] if isinstance(there, list) and len(there) == 1 else there
    if isinstance(first, dict) and own.items() <= first.items():
        notes.add(f"{_in_words(own)} stood outside of `{home}` too")
        return level
    headline = f"{_in_words(own)} beside `{home}` is not read: it belongs inside"
    notes.doubt(next(iter(own)), headline, (home,), *_joined(there, own, known), there)
    return level


def _joined(there: object, own: dict[str, object], known: FieldShape) -> Iterator[object]:
    """Yield edits with what stood beside them: one more edit, or more about each of them."""
    assert known.inner is not None
    is_edit = own.keys() & _OF_AN_EDIT or any(known.inner.fields[name].is_literal for name in own)
    if isinstance(there, list) and is_edit:
        yield [*there, own]
    if isinstance(there, list):
        yield [{**own, **one} if isinstance(one, dict) else one for one in there]
    elif isinstance(there, dict):
        yield {**own, **there}
