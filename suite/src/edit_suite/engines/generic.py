"""Any server: its verbs are found by the names of its tools' arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from edit_suite.case import Call, Case
from edit_suite.engines.base import Ask, Contract, Server, Verb
from edit_suite.judge import Answer
from edit_suite.place import Place

_PATHS = ("path", "file_path", "filePath", "filename", "relative_path", "file")
_OLD = ("old_str", "old_string", "old_text", "oldText", "old", "search", "old_content", "find")
_NEW = ("new_str", "new_string", "new_text", "newText", "new", "replace", "new_content", "content")
_TEXT = ("text", "content", "file_text", "contents", "new_content", "insert_text", "new_str")
_LINE = ("insert_line", "line", "after_line", "after", "line_number")
_DIFF = ("diff", "patch")
# What a tool with a `command` takes, if its schema does not say.
_COMMANDS = ("view", "create", "str_replace", "insert")
_FIRST, _LAST = ("start_line", "start", "first"), ("end_line", "end", "last")


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool of a server: its name and the names of its arguments."""

    name: str
    arguments: frozenset[str]
    # Tools with several commands take the command's name.
    commands: tuple[str, ...] = ()

    @classmethod
    def of(cls, listed: Mapping[str, Any]) -> Tool:
        """Read an entry of the list of tools."""
        known = listed.get("inputSchema", {}).get("properties", {})
        told = tuple(known.get("command", {}).get("enum", ()))
        commands = told or (_COMMANDS if "command" in known else ())
        return cls(str(listed["name"]), frozenset(known), commands)

    def pick(self, names: Sequence[str]) -> str:
        """Return the first of these names that is an argument, or nothing."""
        return next((name for name in names if name in self.arguments), "")

    def call(
        self, place: Place, call: Call, command: str, values: Mapping[str, object]
    ) -> dict[str, Any]:
        """Return the arguments of a call."""
        named = {self.pick(_PATHS): place.absolute(call.path)}
        return named | ({"command": command} if self.commands else {}) | dict(values)


@dataclass(slots=True)
class Generic:
    """A server that was never seen: started by a command in which `{root}` is the root."""

    name: str
    command: Sequence[str]
    server: Server = field(init=False)

    def __post_init__(self) -> None:
        self.server = Server(
            self.name,
            lambda root: [part.replace("{root}", str(root)) for part in self.command],
            {},
            Contract(many_edits=False),
            in_root=False,
        )

    def offers(self, case: Case) -> bool:
        """Tell whether a tool was found for every call."""
        return self.server.offers(case)

    def open(self, root: Path) -> None:
        """Start the server and look at its tools."""
        self.server.open(root)
        self.server.verbs = found_verbs([Tool.of(tool) for tool in self.server.tools])

    def call(self, call: Call, place: Place) -> Answer:
        """Make one call."""
        return self.server.call(call, place)

    def kill(self) -> None:
        """End the server at once."""
        self.server.kill()

    def close(self) -> None:
        """End the server."""
        self.server.close()


def found_verbs(tools: Sequence[Tool]) -> dict[str, Verb]:
    """Return the verbs that these tools are."""
    found: dict[str, Verb] = {}
    for tool in tools:
        if not tool.pick(_PATHS):
            continue
        if tool.pick(_OLD) and tool.pick(_NEW):
            found.setdefault("replace_text", _replace(tool))
        if tool.pick(_FIRST) and tool.pick(_LAST) and tool.pick(_TEXT):
            found.setdefault("replace_lines", _lines(tool))
        if tool.pick(_LINE) and tool.pick(_TEXT):
            found.setdefault("insert", _insert(tool))
        if tool.pick(_DIFF):
            found.setdefault("apply_diff", _diff(tool))
        if tool.pick(_TEXT) and _is_named(tool, ("create", "write")):
            found.setdefault("write", _write(tool))
    return found


def _is_named(tool: Tool, words: Sequence[str]) -> bool:
    return any(word in name for word in words for name in (tool.name, *tool.commands))


def _replace(tool: Tool) -> Verb:
    def verb(ask: Ask, call: Call, place: Place) -> Answer:
        [edit] = call.edits
        values = {tool.pick(_OLD): edit["old"], tool.pick(_NEW): edit["new"]}
        return ask(tool.name, tool.call(place, call, "str_replace", values))

    return verb


def _lines(tool: Tool) -> Verb:
    def verb(ask: Ask, call: Call, place: Place) -> Answer:
        span = {tool.pick(_FIRST): call["first"], tool.pick(_LAST): call["last"]}
        values = {**span, tool.pick(_TEXT): call["text"]}
        return ask(tool.name, tool.call(place, call, "replace_lines", values))

    return verb


def _insert(tool: Tool) -> Verb:
    def verb(ask: Ask, call: Call, place: Place) -> Answer:
        text = "insert_text" if "insert_text" in tool.arguments else tool.pick(_TEXT)
        values = {tool.pick(_LINE): call["after"], text: call["text"]}
        return ask(tool.name, tool.call(place, call, "insert", values))

    return verb


def _diff(tool: Tool) -> Verb:
    def verb(ask: Ask, call: Call, place: Place) -> Answer:
        values = {tool.pick(_DIFF): place.diff(call["diff"])}
        return ask(tool.name, tool.call(place, call, "apply_diff", values))

    return verb


def _write(tool: Tool) -> Verb:
    def verb(ask: Ask, call: Call, place: Place) -> Answer:
        text = "file_text" if "file_text" in tool.arguments else tool.pick(_TEXT)
        return ask(tool.name, tool.call(place, call, "create", {text: call["text"]}))

    return verb
