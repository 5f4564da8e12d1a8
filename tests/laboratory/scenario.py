"""A scenario as plain data: files before, what the model does, what it must see, files after."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tests.laboratory.model import Call, Step
from tests.laboratory.wires import Data

# What a host must be able to do for a scenario.
RESTART = "starts a server again that died"
INSTRUCTIONS = "shows the server's instructions"


@dataclass(frozen=True, slots=True)
class Outsider:
    """Something that happens beside the host: files are written, or a command of ours runs."""

    files: Mapping[str, bytes] = field(default_factory=dict)
    keyhole: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Kill:
    """The end of a process of the server: its `engine`, or the `front` that the host started.

    With a delay it comes while the call of the step is under way.
    """

    process: str
    delay: float = 0.0


@dataclass(frozen=True, slots=True)
class Scenario:
    """One scenario; `sees` has patterns for each step, all of which the model must see.

    A pattern that begins with `!` must not be there. Files that are None after are gone, files
    that are not named are as they were. Scenarios with equal flags share one start of the host,
    unless they stand `alone`.
    """

    name: str
    steps: tuple[Step, ...]
    sees: tuple[tuple[str, ...], ...]
    before: Mapping[str, bytes] = field(default_factory=dict)
    after: Mapping[str, bytes | None] = field(default_factory=dict)
    flags: tuple[str, ...] = ()
    needs: frozenset[str] = frozenset()
    alone: bool = False
    busy: bool = False
    core: bool = False


def call(tool: str, **arguments: Data) -> Step:
    """Return a step of one call."""
    return Step((Call(tool, arguments),))


def edit(path: str, find: str, content: str, **more: Data) -> Step:
    """Return a step that replaces a quoted text, as the tool's description says it."""
    one = {"path": path, "find": find, "content": content, "reason": "the laboratory"}
    return call("edit", edits=[one], **more)


def after(before: object, step: Step) -> Step:
    """Return a step before which something else happens."""
    return Step(step.calls, step.text, before)


def together(*steps: Step) -> Step:
    """Return a step that makes the calls of several at once."""
    return Step(tuple(each for step in steps for each in step.calls))
