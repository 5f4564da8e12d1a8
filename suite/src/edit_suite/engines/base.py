"""What an engine is, and the two common kinds: MCP servers, and programs that take a diff."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, Protocol

from edit_suite.case import Call, Case
from edit_suite.hunks import parse
from edit_suite.judge import Answer
from edit_suite.mcp import Client, Lost
from edit_suite.place import Place

NO_ANSWER = Answer(refused=True, text="")
Ask = Callable[[str, Mapping[str, Any]], Answer]
Verb = Callable[[Ask, Call, Place], Answer]


class Engine(Protocol):
    """Something that edits files: opened on a root, asked, closed."""

    @property
    def name(self) -> str:
        """Return its name on the command line and in reports."""

    def offers(self, case: Case) -> bool:
        """Tell whether it has a tool for every call of a case."""

    def open(self, root: Path) -> None:
        """Start on a root."""

    def call(self, call: Call, place: Place) -> Answer:
        """Make one call and return the answer."""

    def kill(self) -> None:
        """End it at once, in the middle of what it does."""

    def close(self) -> None:
        """End it."""


def at_once(engine: Engine, calls: Sequence[Call], place: Place) -> list[Answer]:
    """Make all calls at the same time."""
    with ThreadPoolExecutor(len(calls)) as pool:
        return [*pool.map(lambda call: engine.call(call, place), calls)]


@dataclass(frozen=True, slots=True)
class Contract:
    """What the verbs of an engine can say; a case that needs more is not offered to it."""

    # The quote of `replace_text` must be whole lines.
    whole_lines: bool = False
    # `replace_text` takes several edits of one file, all or nothing.
    many_edits: bool = True
    # The tool's own description says which of several places is edited: it cannot ask for the one.
    picks_place: bool = False
    # `write` can say only lines that end in LF.
    ended_lines: bool = False
    # `apply_diff` can say where a hunk is by its line number.
    line_numbers: bool = True
    # `apply_diff` takes a diff of several files.
    many_files: bool = True
    # It has a root that it must not leave; others are confined by whoever starts them.
    has_root: bool = True
    # `write` replaces a file that exists.
    overwrites: bool = True
    # Its user allows files by their extensions, so those without one are nobody's.
    by_extension: bool = False

    def allows(self, case: Case) -> bool:
        """Tell whether the calls of a case can be said."""
        if case.kind == "escape" and not self.has_root:
            return False
        if self.by_extension and not all(PurePosixPath(call.path).suffix for call in case.calls):
            return False
        return all(self._allows(case, call) for call in case.calls)

    def _allows(self, case: Case, call: Call) -> bool:
        if call.verb == "write":
            sayable = not self.ended_lines or _is_ended(call["text"])
            return sayable and (self.overwrites or call.path not in case.before)
        if call.verb == "apply_diff":
            sayable = self.line_numbers or not _needs_numbers(case, call)
            return sayable and (self.many_files or len(parse(call["diff"])) <= 1)
        if call.verb != "replace_text":
            return True
        text = case.before.get(call.path, b"").decode("utf-8", "replace")
        several = case.refuses and any(_count(text, edit["old"]) > 1 for edit in call.edits)
        return (
            (self.many_edits or len(call.edits) == 1)
            and (not self.whole_lines or bool(call.arguments.get("whole_lines")))
            and not (self.picks_place and several)
        )


def _count(text: str, quote: str) -> int:
    """Return how often a quote stands in a text, overlapping places included."""
    return sum(1 for _ in re.finditer(f"(?={re.escape(quote)})", text)) if quote else 0


def _needs_numbers(case: Case, call: Call) -> bool:
    """Tell whether a diff says by numbers, or by the text of a removed file, what it is about."""
    if any(patch.is_removed for patch in parse(call["diff"])):
        return True
    for patch in parse(call["diff"]):
        text = case.before.get(patch.path, b"").decode("utf-8", "replace")
        for hunk in patch.hunks:
            old = "\n".join(hunk.old)
            if not patch.is_new and hunk.start is not None and (not old or text.count(old) > 1):
                return True
    return False


def _is_ended(text: str) -> bool:
    return text.endswith("\n") and "\r" not in text


def home_of(root: Path) -> Path:
    """Return where a server may keep what is its own: beside the root, gone after the run."""
    return root.parent / "home"


def is_error(result: Mapping[str, Any], _text: str) -> bool:
    """Tell whether an answer is a refusal, as the protocol says it."""
    return bool(result.get("isError"))


@dataclass(slots=True)
class Server:
    """An MCP server: how to start it, and which tool each verb is."""

    name: str
    command: Callable[[Path], Sequence[str]]
    verbs: Mapping[str, Verb]
    contract: Contract = Contract()
    refused: Callable[[Mapping[str, Any], str], bool] = is_error
    # Names of variables that hold a directory of its own, beside the root, new for every run.
    homes: Sequence[str] = ()
    prepare: Callable[[Path], None] = lambda _root: None
    # Started in the root, as hosts do; or where the command line was typed.
    in_root: bool = True
    client: Client | None = None
    tools: list[dict[str, Any]] = field(default_factory=list)
    root: Path = Path()

    def offers(self, case: Case) -> bool:
        """Tell whether it has a tool for every call of a case."""
        # Who cannot look at a file cannot know that somebody else changed it.
        looks = {call.verb for call in case.calls if call.verb == "read" and case.kind == "stale"}
        return case.verbs | looks <= {*self.verbs} and self.contract.allows(case)

    def open(self, root: Path) -> None:
        """Start on a root and list the tools."""
        self.root = root
        (home := home_of(root)).mkdir(exist_ok=True)
        self.prepare(root)
        started_in = root if self.in_root else Path.cwd()
        homes = dict.fromkeys(self.homes, str(home))
        self.client = Client(self.command(root), started_in, homes)
        self.tools = self.client.greet()

    def call(self, call: Call, place: Place) -> Answer:
        """Make one call and return the answer; a look at a file is made if there is a tool."""
        verb = self.verbs.get(call.verb)
        return verb(self.ask, call, place) if verb else Answer(refused=False, text="")

    def ask(self, tool: str, arguments: Mapping[str, Any]) -> Answer:
        """Call a tool."""
        if self.client is None:
            return NO_ANSWER
        try:
            result = self.client.request("tools/call", {"name": tool, "arguments": arguments})
        except Lost:
            return NO_ANSWER
        text = "\n".join(str(part.get("text", "")) for part in result.get("content", ()))
        data = result.get("structuredContent")
        both = f"{text}\n{json.dumps(data, ensure_ascii=False)}" if data else text
        return Answer(self.refused(result, text), both)

    def kill(self) -> None:
        """End it at once."""
        if self.client:
            self.client.kill()

    def close(self) -> None:
        """End it."""
        if self.client:
            self.client.close()
            self.client = None


@dataclass(slots=True)
class Program:
    """A program that is started for each call, in the directory of the case."""

    name: str
    # Takes a call and its place; returns the command and its standard input, or nothing.
    command: Callable[[Call, Place], tuple[Sequence[str], str]]
    verbs: frozenset[str] = frozenset({"apply_diff"})
    contract: Contract = Contract()
    running: set[subprocess.Popen[bytes]] = field(default_factory=set)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def offers(self, case: Case) -> bool:
        """Tell whether it can carry out every call of a case."""
        return case.verbs <= self.verbs and self.contract.allows(case)

    def open(self, root: Path) -> None:
        """Do nothing: each call starts it."""

    def call(self, call: Call, place: Place) -> Answer:
        """Run the program on one call; another exit code than 0 is a refusal."""
        if call.verb not in self.verbs:
            return Answer(refused=False, text="")
        command, text = self.command(call, place)
        process = subprocess.Popen(
            [*command],
            cwd=place.home,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        with self.lock:
            self.running.add(process)
        try:
            out, _ = process.communicate(text.encode("utf-8", "surrogateescape"), 30)
        except subprocess.TimeoutExpired:
            self.kill()
            return NO_ANSWER
        with self.lock:
            self.running.discard(process)
        return Answer(process.returncode != 0, out.decode("utf-8", "replace"))

    def kill(self) -> None:
        """End every call that runs."""
        with self.lock:
            for process in self.running:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)

    def close(self) -> None:
        """Do nothing: no call outlives its answer."""
