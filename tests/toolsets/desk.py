"""A desk for tests: files on a real disk, and the tools of every dialect called on them."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from keyhole import Workspace
from keyhole.toolsets.base import ToolAnswer
from tests.scene import put

# What JSON holds; the tests know its shape, and a wrong guess fails them.
Data = Any


@dataclass(frozen=True, slots=True)
class Desk:
    """A workspace with files, and one set of tools."""

    root: Path
    workspace: Workspace

    def write(self, path: str, body: str | bytes) -> Path:
        return put(self.root, path, body)

    def read(self, path: str) -> str:
        return (self.root / path).read_bytes().decode()

    def call(self, tool: str, arguments: Mapping[str, object], tools: str) -> ToolAnswer:
        return self.workspace.call(tool, arguments, tools)


@dataclass(frozen=True, slots=True)
class Set:
    """The tools of one set, each called by its name."""

    desk: Desk
    name: str

    def ok(self, tool: str, **arguments: object) -> Data:
        """The data of an answer that must be no refusal."""
        said = self.desk.call(tool, arguments, self.name)
        assert not said.refused, said.text
        return said.data

    def no(self, tool: str, **arguments: object) -> Data:
        """The data of an answer that must be a refusal; the text says its error too."""
        said = self.desk.call(tool, arguments, self.name)
        assert said.refused, said.text
        return said.data
