"""What introspection knows of a value in a template before anybody gives variables."""

from __future__ import annotations

from collections.abc import Mapping

from jinja2 import nodes

from keyhole.values import dataclass, field

Names = frozenset[str]
NONE: Names = frozenset()


@dataclass(frozen=True)
class Value:
    """A value: it is absent if one of the variables in `absent` was not given.

    `truth` is what a condition makes of it, None where that depends on what is given. With `never`
    it is absent whatever is given. A macro or an imported template knows what it is.
    """

    absent: Names = NONE
    truth: bool | None = None
    never: bool = False
    # It came through a filter of lists, so that printing it is no sign of a text.
    of_list: bool = False
    macro: Macro | None = None
    module: Mapping[str, Value] | None = None


@dataclass(frozen=True)
class Macro:
    """A macro, or the body of a call block: its node and the scope it was made in."""

    node: nodes.Macro | nodes.CallBlock
    scope: dict[str, Value] = field(repr=False)
    sees_context: bool = True


UNKNOWN = Value()
NEVER = Value(truth=False, never=True)


def either(one: Value, other: Value) -> Value:
    """Return what is known of a value that is one of two."""
    return Value(
        one.absent & other.absent,
        one.truth if one.truth is other.truth else None,
        one.never and other.never,
        one.of_list or other.of_list,
        one.macro or other.macro,
        one.module or other.module,
    )
