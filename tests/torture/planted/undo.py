"""Faults of undo, planted again."""

from collections.abc import Callable

PLANTED: dict[str, Callable[[], None]] = {}
