"""Linter and Finding: a program that checks text, and one thing that it reports."""

from __future__ import annotations

from collections.abc import Mapping

from keyhole.fastclasses import dataclass

ERROR, WARNING, INFO = "error", "warning", "info"


@dataclass(frozen=True, slots=True)
class Linter:
    """One configured linter.

    Words of `command` may hold {path}, {paths}, {dir} and {root}, {cache} for a directory of its
    own and {digest} for a hash of the texts. With `input` "stdin" the new text comes in that way
    and {path} is only its name; with "file" {path} is a copy that stands in a mirror of the
    project. It runs in the nearest directory above the file that holds one of `anchors`. `errors`
    are the beginnings of codes that are errors, where the user knows better than the tool. `source`
    is the hash of the workspace's keyhole.toml that names it, nothing if the user does; `local` is
    where the workspace itself may have the program. `runs_tree` says that it can run code of the
    workspace, its plug-ins or its configuration, so that it needs a person's word whoever names it.
    """

    name: str
    command: tuple[str, ...]
    languages: tuple[str, ...]
    format: str = "lines"
    timeout: float = 10.0
    blocking: bool = True
    input: str = "stdin"
    anchors: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    environment: tuple[str, ...] = ()
    local: str = ""
    source: str = ""
    runs_tree: bool = False

    def reads(self, language: str) -> bool:
        """Tell whether the linter is for files of this language."""
        return language in self.languages or "*" in self.languages


@dataclass(frozen=True, slots=True)
class Finding:
    """What a linter says about one place; lines and columns count from 1, 0 is nowhere.

    A `new` one was brought by the call.
    """

    linter: str
    code: str
    severity: str
    message: str
    line: int
    column: int = 0
    path: str = ""
    new: bool = True

    def as_data(self) -> dict[str, object]:
        """Return the finding as a diagnostic of a receipt."""
        return {
            "severity": self.severity,
            "code": self.code,
            "message": self.message,
            "line": self.line,
            "column": self.column,
            "linter": self.linter,
            "new": self.new,
        }


@dataclass(frozen=True, slots=True)
class LintEnvironment:
    """Where linters run: the root of the workspace, a directory of our own, the environment.

    `trusted` says that programs which the workspace brings along may run.
    """

    root: str
    state: str
    environment: Mapping[str, str]
    trusted: bool = False


class Failed(Exception):  # noqa: N818 - it names what happened
    """A linter failed; the message completes a sentence that begins with its name."""
