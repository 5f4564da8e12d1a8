"""Faults of names, planted: to show that a search for wrong places would notice."""

from __future__ import annotations

import re
from collections.abc import Callable

from keyhole.segments import addresses
from keyhole.segments.addresses import Comparison

_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_MARKUP = re.compile(r"[*_~`\\]")


def _fold(name: str) -> str:
    bare = _MARKUP.sub("", _LINK.sub(r"\1", name)) or name
    return " ".join(bare.casefold().split())


def folded_names() -> None:
    """Take a name for another one in any language, case and underscores aside, as exact."""
    vars(addresses)["comparisons"] = lambda *_: (Comparison(), Comparison("exact", _fold))


PLANTED: dict[str, Callable[[], None]] = {"a segment name is folded": folded_names}
