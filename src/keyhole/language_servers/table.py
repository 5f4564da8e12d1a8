"""The servers that are known, one row each, and where the user has them.

What is started is a row: neither a request nor a workspace adds a word to it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from keyhole.fastclasses import dataclass

OFF = "off"
_VERSION = re.compile(r"-\d+$")  # Debian's `clangd-14`


@dataclass(frozen=True, slots=True)
class LanguageServer:
    """A server and how it is started; `languages` maps our names to those of the protocol."""

    name: str
    program: str
    arguments: tuple[str, ...]
    languages: Mapping[str, str]
    install: str
    # What it says when it is ready to be asked: "diagnostics" of each open file, its "status".
    ready: str = ""
    # How it is asked what is wrong in a file: by "pull" as the protocol has it, by its "tsserver".
    faults: str = ""


_PYTHON = {"python": "python"}
SERVERS = (
    LanguageServer(
        "pyright",
        "pyright-langserver",
        ("--stdio",),
        _PYTHON,
        "npm install -g pyright",
        faults="pull",
    ),
    LanguageServer(
        "basedpyright",
        "basedpyright-langserver",
        ("--stdio",),
        _PYTHON,
        "pip install basedpyright",
        faults="pull",
    ),
    LanguageServer(
        "typescript-language-server",
        "typescript-language-server",
        ("--stdio",),
        {"typescript": "typescript", "tsx": "typescriptreact", "javascript": "javascript"},
        "npm install -g typescript-language-server typescript@5",
        faults="tsserver",
    ),
    LanguageServer(
        "gopls",
        "gopls",
        (),
        {"go": "go"},
        "go install golang.org/x/tools/gopls@latest",
    ),
    LanguageServer(
        "rust-analyzer",
        "rust-analyzer",
        (),
        {"rust": "rust"},
        "rustup component add rust-analyzer",
        ready="status",
    ),
    # Its own index would be a directory in the tree; the files with the name are open anyway.
    LanguageServer(
        "clangd",
        "clangd",
        ("--background-index=false", "--clang-tidy=false", "--log=error"),
        {"c": "c", "cpp": "cpp"},
        "apt install clangd",
        ready="diagnostics",
    ),
)
LANGUAGES = frozenset(language for each in SERVERS for language in each.languages)


class FoundServer(NamedTuple):
    """A server of the table, and the user's program of it; `named` if settings say so."""

    server: LanguageServer
    program: str
    named: bool = False

    @property
    def words(self) -> list[str]:
        """The command that starts it."""
        return [self.program, *self.server.arguments]


def row_of_program(name: str) -> LanguageServer | None:
    """Return the row that a program belongs to, by its name without a path or a version."""
    bare = _VERSION.sub("", name.rpartition("/")[2])
    return next((each for each in SERVERS if each.program == bare), None)


def servers_for(language: str) -> Iterator[LanguageServer]:
    """Yield the servers of a language, the first to be looked for first."""
    return (each for each in SERVERS if language in each.languages)


def found_server(
    language: str, named: Mapping[str, str], environment: Mapping[str, str], root: str
) -> FoundServer | None:
    """Return the server that the settings name for a language, else the first one on PATH."""
    if name := named.get(language):
        row = row_of_program(name)
        program = name if "/" in name else _on_path(name, environment, root)
        return FoundServer(row, program, named=True) if row and program else None
    for row in servers_for(language):
        if program := _on_path(row.program, environment, root):
            return FoundServer(row, program)
    return None


def _on_path(name: str, environment: Mapping[str, str], root: str) -> str:
    """Return a program that PATH leads to; what lies in the workspace is not looked at."""
    for directory in environment.get("PATH", os.defpath).split(os.pathsep):
        path = os.path.join(directory, name)
        is_program = os.path.isabs(directory) and os.access(path, os.X_OK) and os.path.isfile(path)
        if is_program and not (is_below(path, root) or is_below(os.path.realpath(path), root)):
            return path
    return ""


def is_below(path: str, root: str) -> bool:
    """Tell whether a full path lies in a directory, by its name alone."""
    return os.path.normpath(path).startswith(f"{root.rstrip('/')}/")
