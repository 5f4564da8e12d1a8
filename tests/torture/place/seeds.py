"""Faults that keyhole once had, and for each a few trials that find it."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable
from importlib import import_module

from tests.torture import planted

SEEDS: dict[str, tuple[str, ...]] = {
    "a segment name is folded": (
        "name, damaged/made up/0",
        "name, damaged/made up/1",
        "name, parent damaged/made up/1",
        "name, parent damaged/made up/5",
        "name, heading/made up/0",
        "name, heading/made up/119",
    ),
    "blank runs are rewritten": (
        "blank run, line added/made up/14",
        "blank run, line added/made up/18",
        "blank run, line added/made up/23",
        "blank run, line added/made up/36",
        "blank run, line added/made up/41",
        "blank run, line added/made up/55",
        "blank run, line added/made up/56",
        "blank run, line added/made up/76",
    ),
    "an insertion is made again": (
        "again/made up/2",
        "again/made up/3",
        "again, column 0/made up/0",
        "again, other blanks/made up/1",
        "again, replaced/made up/1",
        "again, diff/made up/0",
        "again, elided/made up/0",
        "again, words/made up/0",
        "again, segment/made up/0",
    ),
    "already applied by a twin": (
        "shown, gone/made up/3",
        "shown, gone/made up/29",
        "shown, paragraphs gone/made up/8",
        "shown, paragraphs gone/made up/27",
        "shown, paragraphs gone/made up/31",
        "shown, paragraphs gone/made up/53",
        "shown, paragraphs gone/made up/63",
        "shown, paragraphs gone/made up/82",
    ),
    "a stale append is glued": (
        "shown, append/made up/1",
        "shown, append/made up/2",
        "shown, append/made up/3",
        "shown, append/made up/6",
        "shown, append/made up/9",
        "shown, append/made up/22",
        "shown, append/made up/26",
        "shown, append/made up/34",
    ),
    "elision leaves its block": (
        "elided too far/made up/5",
        "elided too far/made up/12",
        "elided too far/made up/127",
        "elided too far/made up/128",
        "until too far/made up/0",
        "until too far/made up/2",
        "until too far/made up/3",
        "until too far/made up/6",
    ),
    "base lands on a copy": (
        "shown, copied/made up/1",
        "shown, copied/made up/4",
        "shown, copied/made up/23",
        "shown, copied/made up/35",
        "shown, copied as it was/made up/0",
        "shown, copied as it was/made up/1",
        "shown, copied as it was/made up/2",
        "shown, copied as it was/made up/14",
    ),
    "a quote cuts a line": (
        "cut line changes/made up/47",
        "cut line changes/made up/74",
        "cut line changes/made up/121",
        "cut line changes/made up/170",
        "cut line changes/made up/176",
        "cut line changes/made up/181",
        "cut line changes/made up/297",
        "cut line changes/made up/305",
    ),
}


def faults() -> dict[str, Callable[[], None]]:
    """Return every planted fault by its name."""
    modules = [module.name for module in pkgutil.iter_modules(planted.__path__)]
    found: dict[str, Callable[[], None]] = {}
    for name in modules:
        found |= import_module(f"tests.torture.planted.{name}").PLANTED
    return found
