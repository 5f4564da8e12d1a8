"""Wrappings: what stands around a call or its edits, and says nothing or the path, taken off.

`{"edits": {"a.py": [{"find": "x", "content": "y"}]}}` becomes
`{"edits": [{"path": "a.py", "find": "x", "content": "y"}]}`; and what is the call's own is taken
out of its edits. Each is noted, and a place where a call says two things is a doubt.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Mapping

from keyhole.arguments import bad_argument
from keyhole.fastclasses import dataclass, field
from keyhole.refusals import Refusal
from keyhole.toolsets.argument_shapes import (
    EDITS,
    CallShape,
    FieldShape,
    Place,
    fitted,
    misplaced_in,
    objects_in,
    plain,
)
from keyhole.toolsets.json_texts import loaded

Arguments = Mapping[str, object]
PATHS = {"path", "filepath", "filename", "file"}
_WRAPPERS = {"arguments", "args", "params", "parameters", "input", "request", "toolinput", "kwargs"}
# A call is not wrapped more often.
_DEEPEST = 3
# What is no word for what is inside of it, but names a file.
_PATH = re.compile(r"[A-Z]|.*[./\\]", re.DOTALL)


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


def unwrapped(given: Arguments, shape: CallShape, notes: Notes) -> Arguments:
    """Return a call that does not stand inside of other objects: `{"arguments": {...}}`."""
    for _ in range(_DEEPEST):
        given, outer = _inside(given, shape, notes), given
        if given is outer:
            break
    return given


def _inside(given: Arguments, shape: CallShape, notes: Notes) -> Arguments:
    """Return what a call is wrapped in once less, or the call."""
    for name, value in given.items():
        # Then it is no edit that stands alone.
        is_all = name == notes.tool and len(given) == 1 and name not in shape.fields
        own = "" if is_all else shape.name_of(name)
        known = shape.fields.get(name)
        is_wrapper = plain(name) in _WRAPPERS or name == notes.tool
        may_be_text = is_wrapper or bool(known and known.inner)
        is_text = isinstance(value, str) and may_be_text and not (known and known.is_literal)
        inner = loaded(value) if is_text else value
        is_path = not (own or is_wrapper) and _PATH.match(name)
        if not isinstance(inner, dict) or not _is_call(inner, shape, own) or is_path:
            continue
        tool = ("name", notes.tool), ("tool", notes.tool)
        rest = {
            each: one for each, one in given.items() if each != name and (each, one) not in tool
        }
        if any(each in inner and inner[each] != one for each, one in rest.items()):
            continue
        notes.add(f"the call stood inside of `{name[:80]}`")
        return {**rest, **inner}
    return given


def _is_call(inner: Mapping[str, object], shape: CallShape, own: str) -> bool:
    """Tell whether an object has arguments of the tool: inside of `edits`, `edits` and others."""
    if own and shape.fields[own].inner:
        return len(inner) > 1 and own in inner and not shape.fields[own].is_home_of(own)
    if own:  # `input` is a patch elsewhere, and may be one that is JSON
        return own in map(shape.name_of, inner)
    wraps = any(plain(name) in _WRAPPERS and isinstance(inner[name], dict | str) for name in inner)
    return wraps or any(one.takes(name) for name in inner for one in (shape, *insides(shape)))


def alone(given: Arguments, shape: CallShape, notes: Notes) -> Arguments:
    """Return a call of a tool that makes one edit, which stood in a list of edits."""
    quotes = any(each.is_literal for each in shape.fields.values())
    if "edits" not in given or insides(shape) or not quotes:
        return given
    inner = loaded(given["edits"]) if isinstance(given["edits"], str) else given["edits"]
    inner = inner[0] if isinstance(inner, list) and len(inner) == 1 else inner
    if not isinstance(inner, dict) or inner.keys() & given.keys() or not _is_call(inner, shape, ""):
        return given
    notes.add("the edit stood inside of `edits`")
    return {**{name: value for name, value in given.items() if name != "edits"}, **inner}


def insides(shape: CallShape) -> list[CallShape]:
    """Return the shapes of the objects that a call holds."""
    return [each.inner for each in shape.fields.values() if each.inner]


def opened(name: str, value: object, notes: Notes, items: CallShape | None = None) -> object:
    """Return what a text holds as JSON, and what is wrapped once more.

    A list may be wrapped under any name that its `items` do not have.
    """
    found = loaded(value) if isinstance(value, str) else value
    if found is None:
        return value
    if found is not value:
        notes.add(f"`{name}` was text that holds JSON")
    if not isinstance(found, dict) or len(found) != 1:
        return found
    ((outer, inner),) = found.items()
    is_word = items is not None and not items.takes(outer) and not _PATH.match(outer)
    if plain(outer) != plain(name) and not is_word:
        return found
    inner = loaded(inner) if isinstance(inner, str) else inner
    if not isinstance(inner, dict | list):
        return found
    notes.add(f"`{name}` stood inside of another `{outer[:80]}`")
    return inner


def listed(name: str, value: object, notes: Notes, shape: CallShape) -> list[object] | None:
    """Return the items that a value holds, None where it is no list in any form."""
    found = opened(name, value, notes, shape)
    if isinstance(found, dict) and found and all(each.isdigit() for each in found):
        notes.add(f"`{name}` was an object with numbers, not a list")
        found = list(found.values())
    if isinstance(found, dict):
        notes.add(f"`{name}` was one object, not a list")
        found = [found]
    if not isinstance(found, list):
        return None
    items = [opened(name, each, notes, shape) for each in found]
    if len(items) == 1 and isinstance(items[0], list):
        notes.add(f"`{name}` was a list in a list")
        items = [opened(name, each, notes, shape) for each in items[0]]
    if 0 < len(filled := [one for one in items if one not in ({}, None)]) < len(items):
        notes.add(f"left out what is empty in `{name}`")
        items = filled
    return items


def ungrouped(
    name: str, items: list[object], shape: CallShape, notes: Notes, at: Place
) -> list[object]:
    """Return items one by one that came in groups, each with what its group says."""
    made: list[object] = []
    names = {plain(name), plain(name)[:-1], *EDITS}
    for one in (each for item in items for each in _by_path(name, item)):
        group = one if isinstance(one, dict) else {}
        home = next((each for each in group if plain(each) in names and not shape.takes(each)), "")
        listing = listed(name, group[home], notes, shape) if home else None
        inside = [each for each in listing or () if isinstance(each, dict)]
        if not inside or inside != listing:
            made.append(one)
            continue
        rest = {each: value for each, value in group.items() if each != home}
        notes.add(f"`{name}` stood in groups")
        for each in inside:
            _doubt_group(rest, each, shape, notes, (*at, len(made)))
            made.append({**rest, **each})
    return made


def _by_path(name: str, item: object) -> list[object]:
    """Return the groups of an object that says by path what happens to files, or the item."""
    if not isinstance(item, dict) or not item or not all(map(_PATH.match, item)):
        return [item]
    return [{"path": path, name: inside} for path, inside in item.items()]


def _doubt_group(
    group: Arguments, inside: Arguments, shape: CallShape, notes: Notes, at: Place
) -> None:
    """Doubt what a group says and something in it says otherwise."""
    for name in (each for each in group if each in inside):
        own = shape.name_of(name) or name
        if not is_same(own, inside[name], group[name], notes):
            headline = f"`{name}` of a group differs from the one inside of it"
            notes.doubt(name, headline, (*at, own), inside[name], group[name])


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
