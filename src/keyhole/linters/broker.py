"""The broker: a process outside the fence that runs linters for a process inside of it.

It is forked before the fence and knows the linters as they were configured then. What comes over
the line names one of them, paths below the root and texts; no word of a command comes that way.
"""

from __future__ import annotations

import base64
import os
import threading
from collections.abc import Mapping, Sequence

from keyhole.disk.broker import Broker, Data
from keyhole.fastclasses import dataclass, replace
from keyhole.linters.base import Failed, Finding, LintEnvironment, Linter
from keyhole.linters.check import FileVersions, LinterCheck, LinterResult
from keyhole.linters.trust import Trust
from keyhole.text.document import Document


@dataclass(frozen=True, slots=True)
class LinterBroker:
    """A broker that runs the linters of one workspace."""

    broker: Broker

    @staticmethod
    def started(linters: Sequence[Linter], ground: LintEnvironment, trust: Trust) -> LinterBroker:
        """Fork a broker for one workspace; there must be no other thread yet."""
        desk = _Desk({linter.name: linter for linter in linters}, ground, trust)
        return LinterBroker(Broker.started(desk.answer))

    def run(self, check: LinterCheck) -> LinterResult:
        """Have a linter run outside, and return what it found."""
        try:
            told = self.broker.ask(_asked(check), check.stop.is_set)
        except (OSError, ValueError) as error:
            return LinterResult(warning=f"{check.linter.name} was not run: {error}")
        if told is None:
            return LinterResult(warning=f"{check.linter.name} was stopped")
        return _result(told)

    def close(self) -> None:
        """Let the broker go, with all that it runs."""
        self.broker.close()


@dataclass(frozen=True, slots=True)
class _Desk:
    """The linters of one workspace, by name, and where they run."""

    linters: Mapping[str, Linter]
    ground: LintEnvironment
    trust: Trust

    def answer(self, asked: Data, over: threading.Event) -> Data:
        """Run the linter that is asked for, if it may run."""
        try:
            result = self._check(asked, over).run()
        except (Failed, LookupError, TypeError, ValueError) as error:
            result = LinterResult(warning=f"a linter was not run: {error}")
        return _told(result)

    def _check(self, asked: Data, over: threading.Event) -> LinterCheck:
        """Return the check that is asked for, of a linter that may run."""
        linter = self.linters[str(asked["linter"])]
        plan = tuple(_file(each) for each in _list(asked["plan"]))
        objection = self.trust.objection({file.path for file in plan if file.before})
        is_covered = not objection and self.trust.covers(linter)
        if not (is_covered if linter.source else not (objection and linter.runs_tree)):
            raise Failed(f"{linter.name} is not trusted")
        wanted = {str(path) for path in _list(asked["files"])}
        files = tuple(file for file in plan if file.path in wanted)
        ground = replace(self.ground, trusted=not objection)
        return LinterCheck(linter, files, plan, ground, over)


def _asked(check: LinterCheck) -> Data:
    return {
        "linter": check.linter.name,
        "files": [file.path for file in check.files],
        "plan": [
            {"path": file.path, "before": _packed(file.before), "after": _packed(file.after)}
            for file in check.plan
        ],
    }


def _packed(document: Document | None) -> tuple[str, str] | None:
    if document is None:
        return None
    return document.encoding, base64.b64encode(document.to_bytes()).decode("ascii")


def _file(data: object) -> FileVersions:
    """Return a file of a request; its path stays below the root."""
    if not isinstance(data, dict):
        raise ValueError("a file is no object")  # noqa: TRY004 - what comes is data
    path = data["path"]
    if not isinstance(path, str) or "\0" in path or os.path.normpath(path) != path:
        raise ValueError("a path is none")
    if os.path.isabs(path) or path.split("/")[0] == "..":
        raise ValueError("a path leads out of the root")
    return FileVersions(path, _document(data["before"]), _document(data["after"]))


def _document(packed: object) -> Document | None:
    if packed is None:
        return None
    encoding, text = _list(packed)
    return Document.from_bytes(base64.b64decode(str(text)), str(encoding))


def _list(value: object) -> list[object]:
    if not isinstance(value, list):
        raise ValueError("a list is none")  # noqa: TRY004 - what comes is data
    return value


def _told(result: LinterResult) -> Data:
    findings = {path: [_row(each) for each in found] for path, found in result.findings.items()}
    return {"findings": findings, "warning": result.warning}


def _row(finding: Finding) -> list[object]:
    names = ("linter", "code", "severity", "message", "line", "column", "path", "new")
    return [getattr(finding, name) for name in names]


def _result(told: Data) -> LinterResult:
    found = told["findings"]
    assert isinstance(found, dict), "BUG: the broker is ours"
    findings = {path: tuple(Finding(*row) for row in rows) for path, rows in found.items()}
    return LinterResult(findings, str(told["warning"]))
