"""What a tool is: its name, what a caller reads about it, its schemas, and the function behind it.

Every surface calls the same function, so an agent gets the same answer through each of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from keyhole.arguments import check_names
from keyhole.engine.options import Options
from keyhole.fastclasses import dataclass, field, replace
from keyhole.phrases import NATIVE, ArgumentName, Words, say
from keyhole.refusals import Refusal, Refused
from keyhole.toolsets.argument_shapes import shape_of
from keyhole.toolsets.corrections import corrected, with_other_paths
from keyhole.toolsets.healing import heal
from keyhole.toolsets.schemas import Schema
from keyhole.toolsets.wrapping import Healing

if TYPE_CHECKING:
    from keyhole.answers.receipt import Receipt
    from keyhole.engine.facade import Engine

Arguments = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """An answer on its way out: the same as text and as data.

    `given` are the arguments as they were understood. Some sets say the data as JSON for a text.
    """

    text: str
    data: Mapping[str, object]
    refused: bool = False
    # The codes of the refusals, whatever the data calls them.
    codes: tuple[str, ...] = ()
    given: Arguments = field(default_factory=dict, compare=False)
    in_json: bool = False

    def adding(self, data: Mapping[str, object], line: str) -> ToolAnswer:
        """Return the answer with more data, and a line that says it."""
        if self.in_json:
            return replace(self, text=_compact(data), data=data)
        return replace(self, text=f"{self.text}\n{line}", data=data)


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
    # Only asks what would come of a call: nothing is written, or remembered as shown.
    rehearses: bool = False
    # The connection that the calls come over: see `options.session_name`.
    session: str = ""

    @property
    def detail(self) -> str:
        """Return how much a receipt tells this caller: over MCP a model reads it."""
        return "lean" if self.door == "mcp" else "brief"

    def options(self, tool: str, **more: object) -> Options:
        """Return the options of a call of `tool` by this caller."""
        own: dict[str, object] = {"actor": self.actor, "task": self.task, "ids": self.ids}
        own |= {"session": self.session, "dry_run": self.rehearses}
        return Options(**{**own, "tool": f"{self.door} {tool}", **more})  # type: ignore[arg-type]


def receipt_answer(receipt: Receipt, detail: str = "", words: Words = NATIVE) -> ToolAnswer:
    """Return a receipt as an answer in the words of a door."""
    detail = detail or "brief"
    codes = tuple(each.code for each in receipt.refusals)
    receipt = replace(receipt, refusals=tuple(map(_with_next_move, receipt.refusals)))
    if detail != "lean":
        text, data = receipt.as_text(detail, words), receipt.as_data(detail, words)
        return ToolAnswer(text, data, not receipt.ok, codes)
    from keyhole.answers.lean import lean, shortened

    receipt = shortened(receipt, words)
    return ToolAnswer(receipt.as_text(detail, words), lean(receipt, words), not receipt.ok, codes)


def refusals_answer(
    refusals: Sequence[Refusal], detail: str = "", *, looks: bool = False
) -> ToolAnswer:
    """Return refusals as an answer in our own words and fields."""
    from keyhole.answers.receipt import Receipt

    return receipt_answer(Receipt.refused(refusals, looks=looks), detail)


def _with_next_move(refusal: Refusal) -> Refusal:
    """Return a refusal that says what to do, also where its message says what was wrong."""
    if refusal.help:
        return refusal
    name = refusal.data.get("field")
    what = ArgumentName(name) if isinstance(name, str) else "it"
    return replace(refusal, help=say("correct {} and send the call again", what))


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
    form, `reworded` into its words. `paths` names the files a call is about: with several roots
    they say which one is meant.
    A read-only server leaves out what `writes`, unless it also `looks`.
    """

    name: str
    title: str
    about: str
    takes: Schema
    run: Callable[[Engine, Arguments, Caller], ToolAnswer]
    gives: Schema = field(default_factory=dict)
    writes: bool = False
    looks: bool = False
    destructive: bool = False
    idempotent: bool = False
    paths: Callable[[Arguments], Iterable[str]] = own_path
    # Our own form, unless the set has one.
    refuse: Callable[[Sequence[Refusal]], ToolAnswer] | None = None
    # Refusals in the set's words, where the form is ours.
    reworded: Callable[[Sequence[Refusal]], Sequence[Refusal]] = tuple
    # The arguments that a tool with several commands takes for one of them.
    narrowed: Callable[[Arguments], Schema | None] = lambda _: None

    def shape(self, given: Arguments) -> Schema:
        """Return what a call like this one may say."""
        return self.narrowed(given) or self.takes

    @property
    def arguments(self) -> tuple[str, ...]:
        """Return the names of its arguments, in order."""
        known = self.takes["properties"]
        return tuple(known) if isinstance(known, Mapping) else ()


Run = Callable[[Arguments, Caller], ToolAnswer]


def call(
    tool: Tool, engine_at: Callable[[Iterable[str]], Engine], given: Arguments, caller: Caller
) -> ToolAnswer:
    """Carry out a call; whatever it lacks, the answer says so in the tool's own form."""

    def run(given: Arguments, caller: Caller) -> ToolAnswer:
        engine = engine_at(tool.paths(given))
        with engine.naming_nearest():
            return tool.run(engine, given, caller)

    return carry_out(tool, run, given, caller, lambda: engine_at(()).spellings)


def carry_out(
    tool: Tool, run: Run, given: Arguments, caller: Caller, roots: Callable[[], tuple[str, ...]]
) -> ToolAnswer:
    """Heal the arguments of a call, judge them, and run it; say what was healed, or what to try."""
    healing = heal(given, shape_of(tool.shape(given)), tool.name, roots)
    try:
        _check(healing, tool)
        answer = run(healing.arguments, caller)
    except Refused as refused:
        answer = _refused(tool, refused.refusals, healing.arguments, caller)
    if answer.refused:
        with suppress(RecursionError):  # what is nested so deeply is not said again
            calls = _corrections(answer.codes, healing, tool)
            answer = _with_try(answer, _landing(tool, run, calls, caller))
    answer = replace(answer, given=healing.arguments)
    if not healing.healed:
        return answer
    data = {**answer.data, "healed": list(healing.healed)}
    line = f"healed: {'; '.join(healing.healed)}"
    if answer.refused or answer.in_json or not _looks(tool, healing.arguments):
        return answer.adding(data, line)
    # The text is a file's: a model reads the line above it, programs find it in the data.
    text = f"{line}\n{answer.text}" if caller.door == "mcp" else answer.text
    return replace(answer, text=text, data=data)


def _looks(tool: Tool, given: Arguments) -> bool:
    return not tool.writes or given.get("command") == "view"


def _refused(
    tool: Tool, refusals: Sequence[Refusal], given: Arguments, caller: Caller
) -> ToolAnswer:
    """Return refusals in the tool's form; in ours they say as much as the caller asked for."""
    detail = "full" if given.get("detail") == "full" else caller.detail
    if tool.refuse is None:
        answer = refusals_answer(tool.reworded(refusals), detail, looks=_looks(tool, given))
    else:
        answer = tool.refuse(refusals)
    return replace(answer, codes=tuple(each.code for each in refusals))


def _check(healing: Healing, tool: Tool) -> None:
    if healing.doubts:
        raise Refused(*(doubt.refusal for doubt in healing.doubts))
    check_names(healing.arguments, tool.arguments, f"`{tool.name}`")


def _corrections(codes: Iterable[str], healing: Healing, tool: Tool) -> Iterable[Arguments]:
    """Return the calls that may have been meant, if refusals of these codes leave room for any."""
    if {*codes} == {"bad-request"}:
        return corrected(healing, shape_of(tool.shape(healing.arguments)))
    if {*codes} and {*codes} <= {"no-file", "path-denied"}:
        return with_other_paths(healing.arguments)
    return ()


def _landing(tool: Tool, run: Run, calls: Iterable[Arguments], caller: Caller) -> Arguments | None:
    """Return the first corrected call that would be carried out as things are."""
    actor = caller.actor if tool.writes else ""
    quiet = replace(caller, actor=actor, rehearses=True)
    for candidate in calls:
        try:
            check_names(candidate, tool.arguments, tool.name)
            if not run(candidate, quiet).refused:
                return candidate
        except Refused:
            continue
    return None


def _with_try(answer: ToolAnswer, call: Arguments | None) -> ToolAnswer:
    """Return a refusal with a call that would be carried out, to be sent back as it is."""
    if call is None:
        return answer
    refusals = answer.data.get("refusals")
    if not isinstance(refusals, list):
        return answer.adding({**answer.data, "try": call}, f"try: {_compact(call)}")
    data = {**answer.data, "refusals": [{**refusals[0], "try": call}, *refusals[1:]]}
    return answer.adding(data, f"  try: {_compact(call)}")


def _compact(data: Mapping[str, object]) -> str:
    import json

    return json.dumps(data, ensure_ascii=False)
