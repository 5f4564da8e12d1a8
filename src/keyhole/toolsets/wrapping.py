"""Wrappings: what stands around a call or its edits, and says nothing or the path, taken off.

`{"edits": {"a.py": [{"find": "x", "content": "y"}]}}` becomes
`{"edits": [{"path": "a.py", "find": "x", "content": "y"}]}`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from keyhole.toolsets.argument_shapes import EDITS, CallShape, Place, loaded, plain
from keyhole.toolsets.corrections import Notes, is_same

Arguments = Mapping[str, object]
_WRAPPERS = {"arguments", "args", "params", "parameters", "input", "request", "toolinput", "kwargs"}
# A call is not wrapped more often.
_DEEPEST = 3
# What is no word for what is inside of it, but names a file.
_PATH = re.compile(r"[A-Z]|.*[./\\]", re.DOTALL)


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
