"""Read TOML in linear time."""

from __future__ import annotations

import re
from collections.abc import Callable

# The standard library keeps every beginning of a dotted key: a key of n parts takes n² of memory.
MOST_PARTS = 32
_PART = r"""(?:[\w-]++|"(?:[^"\\\n]++|\\.)*+"|'[^'\n]*+')[ \t]*+"""
_LONG_KEY = re.compile(rf"(?<![\w-])(?:{_PART}\.[ \t]*+){{{MOST_PARTS}}}")


class LongKeyError(ValueError):
    """A dotted key has more parts than anybody writes."""


def read_toml(text: str, parse_float: Callable[[str], object] = float) -> dict[str, object]:
    """Return a text's values; raise tomllib.TOMLDecodeError, RecursionError or LongKeyError."""
    import tomllib

    if _LONG_KEY.search(text):
        raise LongKeyError(f"a dotted key has more than {MOST_PARTS} parts")
    return tomllib.loads(text, parse_float=parse_float)
