"""Faults in the healing of calls, planted to see them caught."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from typing import cast
from unittest.mock import patch

from keyhole.toolsets import base
from keyhole.toolsets.healing import heal as soundly
from keyhole.toolsets.wrapping import Healing
from tests.calls.cases import Call
from tests.calls.mutations import NEW


def _changed(healing: Healing, change: Callable[[Call], None]) -> Healing:
    """Return a healing with each object of its call changed."""
    arguments = deepcopy(healing.arguments)

    def walk(value: object) -> None:
        if isinstance(value, dict):
            change(value)
        for one in (
            value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        ):
            walk(one)

    walk(arguments)
    return Healing(arguments, healing.healed, healing.doubts, healing.stray)


def _drop(*names: str) -> Callable[[Healing], Healing]:
    def drop(one: Call) -> None:
        for name in names:
            one.pop(name, None)

    return lambda healing: _changed(healing, drop)


def _text(change: Callable[[str], str]) -> Callable[[Healing], Healing]:
    def on(one: Call) -> None:
        one.update({n: change(str(one[n])) for n in NEW if isinstance(one.get(n), str)})

    return lambda healing: _changed(healing, on)


FAULTS: Mapping[str, Callable[[Healing], Healing]] = {
    "a reason is dropped": _drop("reason"),
    "a switch is dropped": _drop("dry_run", "show_diff", "numbered", "detail"),
    "a task is dropped": _drop("task", "task_id"),
    "blanks of new text are stripped": _text(str.strip),
    "signs of new text are mended": _text(lambda text: text.replace(",]", "]")),
    "a healing is not named": lambda done: Healing(done.arguments, (), done.doubts, done.stray),
    "one of two is taken": lambda done: Healing(done.arguments, done.healed, (), done.stray),
    "unknown names are dropped": lambda done: _changed(
        done, lambda one: _pop(one, "colour", "encoding", "confidence")
    ),
}


def _pop(one: Call, *names: str) -> None:
    for name in names:
        one.pop(name, None)


@contextmanager
def planted(name: str) -> Iterator[None]:
    """Heal calls with a fault, in this process."""
    fault = FAULTS[name]

    def heal(*given: object) -> Healing:
        return fault(cast("Callable[..., Healing]", soundly)(*given))

    with patch.object(base, "heal", heal):
        yield


@contextmanager
def unhealed() -> Iterator[None]:
    """Take calls as they are, in this process."""
    with patch.object(base, "heal", lambda given, *_: Healing(dict(given))):
        yield


@contextmanager
def without_rehearsal() -> Iterator[None]:
    """Offer the refused call itself as the one to try."""
    with (
        patch.object(base, "_corrections", lambda _, healing, __: [healing.arguments]),
        patch.object(base, "_landing", lambda _, __, calls, ___: calls[0]),
    ):
        yield
