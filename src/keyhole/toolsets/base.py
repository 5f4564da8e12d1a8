"""What a tool is: its name, what a caller reads about it, its schemas, and the function behind it.

Every surface calls the same function, so an agent gets the same answer through each of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from keyhole.arguments import check_names
from keyhole.engine.options import Options
from keyhole.fastclasses import dataclass, field, replace
from keyhole.phrases import NATIVE, Words
from keyhole.refusals import Refusal, Refused
from keyhole.toolsets.schemas import Schema

if TYPE_CHECKING:
    from keyhole.answers.receipt import Receipt
    from keyhole.engine.facade import Engine

Arguments = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Said:
    """An answer on its way out: the same as text and as data."""

    text: str
    data: Mapping[str, object]
    refused: bool = False
    # The codes of the refusals, whatever the data calls them.
    codes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls, through which door, and the task that calls without one belong to."""

    actor: str = "mcp"
    task: str = ""
    door: str = "mcp"
    # What becomes of edits that delete most of a file: see `options.SHRINK`.
    shrink: str = "allow"
    # By what names the host knows the call.
    ids: Mapping[str, str] = field(default_factory=dict)
    # The connection that the calls come over: see `options.session_name`.
    session: str = ""

    @property
    def detail(self) -> str:
        """Return how much a receipt tells this caller: over MCP a model reads it."""
        return "lean" if self.door == "mcp" else "brief"

    def options(self, tool: str, **more: object) -> Options:
        """Return the options of a call of `tool` by this caller."""
        own: dict[str, object] = {"actor": self.actor, "task": self.task}
        own |= {"ids": self.ids, "session": self.session}
        return Options(**{**own, "tool": f"{self.door} {tool}", **more})  # type: ignore[arg-type]


def receipt_said(receipt: Receipt, detail: str = "", words: Words = NATIVE) -> Said:
    """Return a receipt as an answer in the words of a door."""
    detail = detail or "brief"
    codes = tuple(each.code for each in receipt.refusals)
    text = receipt.as_text(detail, words)
    if detail != "lean":
        return Said(text, receipt.as_data(detail, words), not receipt.ok, codes)
    from keyhole.answers.lean import lean

    return Said(text, lean(receipt, words), not receipt.ok, codes)


def refusals_said(refusals: Sequence[Refusal], detail: str = "") -> Said:
    """Return refusals as an answer in our own words and fields."""
    from keyhole.answers.receipt import Receipt

    return receipt_said(Receipt.refused(refusals), detail)


def in_words_of(asked: str, engine: Engine, path: str) -> str:
    """Return the name of a file found below what was `asked` for, as it can be sent back.

    Who asks with a full path gets full paths: another root than the first has no others.
    """
    return f"{engine.root}/{path}" if asked.startswith("/") else path


def own_path(given: Arguments) -> tuple[str, ...]:
    """Return the path that most tools take, if it is there."""
    path = given.get("path")
    return (path,) if isinstance(path, str) and path else ()


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool of a set.

    `run` carries out a call, and may raise `Refused`; `refuse` puts refusals into the set's own
    form. `paths` names the files a call is about: with several roots they say which one is meant.
    A read-only server leaves out what `writes`, unless it also `looks`.
    """

    name: str
    title: str
    about: str
    takes: Schema
    run: Callable[[Engine, Arguments, Caller], Said]
    gives: Schema = field(default_factory=dict)
    writes: bool = False
    looks: bool = False
    destructive: bool = False
    idempotent: bool = False
    paths: Callable[[Arguments], Iterable[str]] = own_path
    refuse: Callable[[Sequence[Refusal]], Said] = refusals_said

    @property
    def arguments(self) -> tuple[str, ...]:
        """Return the names of its arguments, in order."""
        known = self.takes["properties"]
        return tuple(known) if isinstance(known, Mapping) else ()


def call(
    tool: Tool, engine_at: Callable[[Iterable[str]], Engine], given: Arguments, caller: Caller
) -> Said:
    """Carry out a call; whatever it lacks, the answer says so in the tool's own form."""
    try:
        check_names(given, tool.arguments, f"`{tool.name}`")
        return tool.run(engine_at(tool.paths(given)), given, caller)
    except Refused as refused:
        codes = tuple(each.code for each in refused.refusals)
        return replace(tool.refuse(refused.refusals), codes=codes)
