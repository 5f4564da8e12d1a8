"""A workspace for linters to look at, and linters planted in it."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from keyhole.edits.model.plan import FilePlan, Plan
from keyhole.linters.base import LintEnvironment, Linter
from keyhole.linters.check import LintReport, lint
from keyhole.segments.languages.table import language_of
from keyhole.text.changes import ChangeSet
from keyhole.text.diff import diff
from keyhole.text.document import Document
from tests.scene import put

PROGRAMS = str(Path(sys.executable).parent)


@dataclass(frozen=True, slots=True)
class Stage:
    """A root and a state directory side by side, and the programs of the test environment."""

    home: Path
    path: str = PROGRAMS

    @property
    def root(self) -> Path:
        return self.home / "root"

    def ground(self, *, trusted: bool = False) -> LintEnvironment:
        environment = {**os.environ, "PATH": f"{self.path}{os.pathsep}{os.environ['PATH']}"}
        return LintEnvironment(str(self.root), str(self.home / "state"), environment, trusted)

    def put(self, path: str, text: str, mode: int = 0o644) -> Path:
        file = put(self.root, path, text)
        file.chmod(mode)
        return file

    def plan(self, **texts: str | None) -> Plan:
        """Plan new texts for files; `a__b_py` stands for a/b.py, None deletes."""
        return Plan(tuple(self.file(_path(name), text) for name, text in texts.items()))

    def file(self, path: str, text: str | None) -> FilePlan:
        here = self.root / path
        before = Document.from_bytes(here.read_bytes()) if here.exists() else None
        if text is None or before is None:
            length = len(before.text) if before else 0
            after = Document.from_bytes(text.encode()) if text is not None else None
            return FilePlan(path, before, after, ChangeSet(length))
        return FilePlan(path, before, before.with_text(text), diff(before.text, text))

    def lint(self, plan: Plan, *linters: Linter, trusted: bool = False) -> LintReport:
        return lint(self.ground(trusted=trusted), plan, linters, language_of)


def _path(name: str) -> str:
    directory, _, last = name.replace("__", "/").rpartition("_")
    return f"{directory}.{last}"


def planted(code: str, *words: str, **more: object) -> Linter:
    """Return a linter for Python files that is a small Python program."""
    command = (sys.executable, "-c", code, *(words or ("{path}",)))
    fields: dict[str, object] = {"input": "file", "timeout": 20.0, **more}
    return Linter("planted", command, ("python",), **fields)  # type: ignore[arg-type]


# Complains about every line that holds the word "bad".
FINDS_BAD = """
import sys
with open(sys.argv[1], encoding="utf-8") as file:
    for number, line in enumerate(file, 1):
        if "bad" in line:
            print(f"{sys.argv[1]}:{number}:1: error: no good [bad]")
"""


def seen(report: LintReport) -> list[tuple[str, int, str]]:
    """Return where a report found what."""
    return [
        (path, finding.line, finding.code)
        for path, found in report.findings.items()
        for finding in found
    ]
