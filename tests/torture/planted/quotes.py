"""Faults of quotes, planted: to show that a search for wrong places would notice."""

from __future__ import annotations

from collections.abc import Callable

from keyhole.matching import ladder


def elision_leaves_its_block() -> None:
    """Let what a quote leaves out run over the end of its block, and its pieces be shifted."""
    vars(ladder)["first_outside"] = lambda *_: None
    vars(ladder)["in_one_frame"] = lambda *_: True


PLANTED: dict[str, Callable[[], None]] = {"elision leaves its block": elision_leaves_its_block}
