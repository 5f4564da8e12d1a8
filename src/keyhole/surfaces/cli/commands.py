"""The list of commands: a new one is a line here and a file with its name."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from keyhole.surfaces.cli.grammar import Command

COMMANDS = {
    "edit": "change a file at a place you name",
    "read": "show a file, some of its lines, or one segment",
    "apply": "carry out a patch in any known format",
    "write": "write, delete or move a whole file",
    "scaffold": "make a new file from a template",
    "templates": "list the templates that `scaffold` makes files from, or explain one",
    "outline": "list the segments of a file or directory, with their addresses",
    "search": "find text in the tree, and the segments it stands in",
    "check": "look for what is broken in files as they are",
    "history": "list the transactions, newest first",
    "show": "show one transaction: who, why, and the diff",
    "undo": "take a transaction back, also one that is not the last",
    "redo": "take an undo back",
    "audit": "print what became of articles, with patches and reasons, as JSON",
    "backups": "list the .bak files that edits left, or remove them",
    "review": "watch edits in the browser, see why, and take them back",
    "task": "list the tasks, end one, or claim files for one",
    "stats": "count transactions, refusals by code, and retries",
    "conflicts": "list where workspaces of the project changed the same",
    "share": "send what waits to the shared journal, and say how sharing stands",
    "doctor": "check the environment and the journal, and recover",
    "trust": "let the linters run that the workspace itself names",
    "call": "call a tool as an agent does, with its arguments as JSON",
    "install": "set keyhole up in an agent host",
    "uninstall": "take keyhole out of an agent host",
    "mcp": "serve agent hosts over the Model Context Protocol",
    "completion": "print a completion script for a shell",
}


def command(name: str) -> Command:
    """Return a command, importing its file only now."""
    return cast("Command", import_module(f"keyhole.surfaces.cli.{name}").COMMAND)
