"""Lists and objects in texts: JSON as models write it, also in a fence, or as Python prints it."""

from __future__ import annotations

import json
import re

_DEEPEST_JSON = 3
# A list or object whose first text stands in single quotes.
_PRINTED = re.compile(r"[\[{\s]*'")
_MOST_LITERAL = 100_000
# A comma that nothing follows; strings are read over, so that none in them counts. One without an
# end goes to the end of the text, so that no quote is read twice.
_LAST_COMMA = re.compile(r'("(?>[^"\\]*(?:\\.[^"\\]*)*)"?)|,(?=\s*[\]}])', re.DOTALL)


def loaded(value: object) -> list[object] | dict[str, object] | None:
    """Return the list or object that a text holds as JSON, None where it holds none.

    Control characters may stand in it as they are, and a comma behind the last item.
    """
    if isinstance(value, str):
        value = _unfenced(value)
    for _ in range(_DEEPEST_JSON):
        if not isinstance(value, str) or not value.lstrip().startswith(("[", "{", '"')):
            break
        value = _json(value)
    return value if isinstance(value, list | dict) else None


def _unfenced(text: str) -> str:
    """Return what stands in a code fence that is around all of a text, or the text."""
    head, end, rest = text.strip().partition("\n")
    is_fenced = head.startswith("```") and rest.endswith("```") and end
    return rest[:-3] if is_fenced and re.fullmatch(r"\w*", head[3:].strip()) else text


def _json(text: str) -> object:
    try:
        return _DECODER.decode(text)
    except (ValueError, RecursionError):
        pass
    try:
        return _DECODER.decode(_LAST_COMMA.sub(lambda found: found[1] or "", text))
    except (ValueError, RecursionError):
        return _literal(text)


def _literal(text: str) -> object:
    """Return the list or object that a text holds as Python prints it."""
    if len(text) > _MOST_LITERAL or not _PRINTED.match(text):
        return None
    import ast

    try:
        tree = ast.parse(text.strip(), mode="eval")
        for one in (node for node in ast.walk(tree) if isinstance(node, ast.Dict)):
            _once([(str(ast.literal_eval(key or one)), None) for key in one.keys])
        return ast.literal_eval(tree)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError("a name is said twice")
    return made


_DECODER = json.JSONDecoder(strict=False, object_pairs_hook=_once)
