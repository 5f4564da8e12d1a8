"""The list of commands: a new one is a line here and a file with its name."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from keyhole.surfaces.cli.flags import Command

COMMANDS = {
    "edit": "change a file at a place you name",
    "read": "show a file, some of its lines, or one segment",
    "write": "write, delete or move a whole file",
    "outline": "list the segments of a file or directory, with their addresses",
    "search": "find text in the tree, and the segments it stands in",
    "completion": "print a completion script for a shell",
}


def command(name: str) -> Command:
    """Return a command, importing its file only now."""
    return cast("Command", import_module(f"keyhole.surfaces.cli.{name}").COMMAND)
