"""Values said in another way: numbers and switches as text, JSON in a text, lines in any form."""

from __future__ import annotations

import json
import re

from keyhole.toolsets.shapes import FieldShape, plain

TRUTH = {"true": True, "false": False}
_DEEPEST_JSON = 3
_MOST_SHOWN = 40
_WHOLE_NUMBER = re.compile(r"\s*(-?\d{1,15})(?:\.0+)?\s*", re.ASCII)
_RANGE = re.compile(r"\s*(L?)(\d{1,12})\s*(?:(-)\s*L?(\d{0,12}))?\s*", re.ASCII | re.IGNORECASE)
# A comma that nothing follows; strings are read over, so that none in them counts.
_LAST_COMMA = re.compile(r'("[^"\\]*(?:\\.[^"\\]*)*")|,(?=\s*[\]}])', re.DOTALL)


def fitted(name: str, value: object, known: FieldShape) -> object:
    """Return a value of the kind that an argument has, if it says one in another way."""
    if isinstance(value, dict) and [*map(plain, value)] == [plain(name)] and all(value.values()):
        (value,) = value.values()  # wrapped once more
    if known.is_literal:
        return value
    if name in {"lines", "view_range"}:
        return lines(value, known.kind)
    if known.kind == "boolean" and isinstance(value, str):
        return TRUTH.get(value.strip().lower(), value)
    if known.kind == "integer" or (name == "indent" and isinstance(value, str)):
        return number(value)
    if isinstance(value, str) and known.kind == "array" and known.items == "string":
        found = loaded(value)
        return found if found is not None else value if "," in value else [value]
    if isinstance(value, str) and {"array", "object"} & {*known.kinds}:
        return loaded(value) or value
    return value


def number(value: object) -> object:
    """Return the whole number that a value says, or the value."""
    if isinstance(value, str) and (found := _WHOLE_NUMBER.fullmatch(value)):
        return int(found[1])
    return int(value) if isinstance(value, float) and value.is_integer() else value


def lines(value: object, kind: str) -> object:
    """Return lines as an argument of a kind has them: text, two numbers, an object's start, end."""
    if isinstance(value, str) and value.lstrip().startswith(("[", "{")):
        value = loaded(value) or value
    if isinstance(value, dict) and {"start", "end"} >= value.keys() >= {"start"}:
        value = [value["start"], value.get("end", value["start"])]
    if isinstance(value, list | float):
        value = [number(each) for each in value] if isinstance(value, list) else number(value)
    pair = pair_of(value)
    if pair is None:
        return value
    first, last = pair
    if kind == "string":
        is_marked = isinstance(value, str) and "l" in value.lower()
        return _as_text(first, last) if is_marked else value
    return [first, last] if kind == "array" else {"start": first, "end": last}


def pair_of(value: object) -> tuple[int, int] | None:
    """Return the first and the last line that a value names; -1 is the end of the file."""
    if isinstance(value, str) and (found := _RANGE.fullmatch(value)):
        first = int(found[2])
        return first, int(found[4]) if found[4] else -1 if found[3] else first
    if isinstance(value, list) and len(value) == 2 and all(type(each) is int for each in value):
        return value[0], value[1]
    return (value, value) if type(value) is int and value > 0 else None


def _as_text(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}-{'' if last == -1 else last}"


def loaded(value: object) -> list[object] | dict[str, object] | None:
    """Return the list or object that a text holds as JSON, None where it holds none.

    Control characters may stand in it as they are, and a comma behind the last item.
    """
    for _ in range(_DEEPEST_JSON):
        if not isinstance(value, str) or not value.lstrip().startswith(("[", "{", '"')):
            break
        value = _json(value)
    return value if isinstance(value, list | dict) else None


def _json(text: str) -> object:
    try:
        return _DECODER.decode(text)
    except (ValueError, RecursionError):
        pass
    try:
        return _DECODER.decode(_LAST_COMMA.sub(lambda found: found[1] or "", text))
    except (ValueError, RecursionError):
        return None


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError("a name is said twice")
    return made


_DECODER = json.JSONDecoder(strict=False, object_pairs_hook=_once)


def shown(value: object) -> str:
    """Return a value as a note can hold it."""
    if isinstance(value, dict | list) and any(isinstance(one, dict | list) for one in value):
        return "JSON"
    said = json.dumps(value, ensure_ascii=False, default=str)
    return said if len(said) <= _MOST_SHOWN else f"{said[:_MOST_SHOWN]}..."
