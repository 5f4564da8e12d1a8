"""The same edit through every door: what an agent or a person reads, as one text."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from keyhole import Edit, Workspace
from keyhole.surfaces.cli.grammar import Given, command
from keyhole.surfaces.cli.output import words_of


@dataclass(frozen=True, slots=True)
class Replacement:
    """A text to replace in a file, in the words of no door."""

    path: str
    old: str
    new: str


def native(workspace: Workspace, asked: Replacement) -> str:
    return workspace.edit(Edit(find=asked.old, content=asked.new), path=asked.path).as_text()


def command_line(workspace: Workspace, asked: Replacement) -> str:
    receipt = workspace.edit(Edit(find=asked.old, content=asked.new), path=asked.path)
    return receipt.as_text(words=words_of(Given(command("edit"))))


def _tool(
    name: str, tools: str, ask: Callable[[Replacement], Mapping[str, object]]
) -> Callable[[Workspace, Replacement], str]:
    def call(workspace: Workspace, asked: Replacement) -> str:
        said = workspace.call(name, ask(asked), tools)
        return said.text + json.dumps(said.data, ensure_ascii=False) * (not said.text)

    return call


def _patch(asked: Replacement) -> str:
    gone = "".join(f"-{line}\n" for line in asked.old.split("\n"))
    came = "".join(f"+{line}\n" for line in asked.new.split("\n"))
    return f"*** Begin Patch\n*** Update File: {asked.path}\n@@\n{gone}{came}*** End Patch"


DOORS: Mapping[str, Callable[[Workspace, Replacement], str]] = {
    "native": native,
    "command line": command_line,
    "claude": _tool(
        "str_replace_based_edit_tool",
        "claude",
        lambda it: {
            "command": "str_replace",
            "path": it.path,
            "old_str": it.old,
            "new_str": it.new,
        },
    ),
    "codex": _tool("apply_patch", "codex", lambda it: {"input": _patch(it)}),
    "text": _tool(
        "TextReplace",
        "text",
        lambda it: {"filePath": it.path, "oldText": it.old, "newText": it.new},
    ),
    "text-files": _tool(
        "TextEdit",
        "text-files",
        lambda it: {
            "filePath": it.path,
            "edits": [{"oldString": it.old, "newString": it.new}],
        },
    ),
    "safe-edit": _tool(
        "safe_edit_file",
        "safe-edit",
        lambda it: {"path": it.path, "search": it.old, "replace": it.new, "show_diff": False},
    ),
    "surgical": _tool(
        "edit_file",
        "surgical",
        lambda it: {"path": it.path, "old_content": it.old, "new_content": it.new},
    ),
    "article": _tool(
        "edit_article",
        "article",
        lambda it: {
            "path": it.path,
            "edits": [{"old_string": it.old, "new_string": it.new, "reason": "it is wrong"}],
        },
    ),
}
