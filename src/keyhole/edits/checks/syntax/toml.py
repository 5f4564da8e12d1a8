"""TOML: what the standard library's parser minds, keys that are there twice included."""

from __future__ import annotations

import re

from keyhole.edits.checks.syntax.problem import Problem, at_line
from keyhole.segments.outline import plain_lines
from keyhole.text.toml import LongKeyError, read_toml

_PLACE = re.compile(r" \(at (?:line (?P<line>\d+), column (?P<column>\d+)|end of document)\)$")


def toml_problems(text: str) -> tuple[Problem, ...]:
    """Return the first thing that is wrong with a text as TOML."""
    import tomllib

    flat = plain_lines(text)
    try:
        read_toml(flat, parse_float=len)
    except tomllib.TOMLDecodeError as error:
        return (_problem(flat, str(error)),)
    except (RecursionError, LongKeyError):
        return ()
    return ()


def _problem(flat: str, said: str) -> Problem:
    place = _PLACE.search(said)
    message = said[: place.start()] if place else said
    if place and place["line"]:
        return at_line(flat, int(place["line"]), int(place["column"]), message)
    end = len(flat.rstrip())
    return Problem(end, end, message)
