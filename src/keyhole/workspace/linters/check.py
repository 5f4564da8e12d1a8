"""One linter on the files of a plan: the new texts first, the old ones only if that is needed."""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext

from keyhole.text.document import Document
from keyhole.values import dataclass, field, replace
from keyhole.workspace.linters.base import ERROR, WARNING, Failed, Finding, Ground, Linter
from keyhole.workspace.linters.delta import new_findings
from keyhole.workspace.linters.environment import environment_for
from keyhole.workspace.linters.formats import findings_of
from keyhole.workspace.linters.jobs import LinterRun, LinterView, Subject, jobs_of, path_of
from keyhole.workspace.linters.run import Output, RunLimits, run
from keyhole.workspace.linters.shadow import Mirror, mirror

# Many files may take a linter several runs: all of them together end after this many timeouts, or
# after one for so many files.
_PATIENCE = 4
_FILES_A_TIMEOUT = 10
_LONGEST_COMPLAINT = 200


@dataclass(frozen=True, slots=True)
class FileVersions:
    """One file of a plan: its text before, if it had any, and after, if it keeps any."""

    path: str
    before: Document | None
    after: Document | None


@dataclass(frozen=True, slots=True)
class LinterResult:
    """What one linter found that is new, by file, or the one sentence why it did not look."""

    findings: Mapping[str, tuple[Finding, ...]] = field(default_factory=dict)
    warning: str = ""


@dataclass(frozen=True, slots=True)
class LinterCheck:
    """One linter, the files it is to look at, and all files of the plan, which it may meet."""

    linter: Linter
    files: tuple[FileVersions, ...]
    plan: tuple[FileVersions, ...]
    ground: Ground
    stop: threading.Event

    def run(self) -> LinterResult:
        """Return what is new; a linter that is missing, slow or crashes is a warning."""
        deadline = time.monotonic() + self._patience
        # One file can come in through stdin; more of them have to be seen together.
        alone = self.linter.input == "stdin" and len(self.plan) == 1
        try:
            with nullcontext() if alone else self._mirror() as place:
                found = self._found(self.files, place, deadline, after=True)
                return LinterResult(self._new(found, place, deadline))
        except Failed as failed:
            return LinterResult(warning=f"{self.linter.name} {failed}")
        except OSError as error:
            return LinterResult(warning=f"{self.linter.name} was not run: {error}")

    @property
    def _patience(self) -> float:
        """Return how many seconds all runs together may take."""
        return self.linter.timeout * max(_PATIENCE, len(self.files) / _FILES_A_TIMEOUT)

    def _mirror(self) -> AbstractContextManager[Mirror]:
        return mirror(self.ground.state, self.linter.name, self.ground.root)

    def _new(
        self, found: Mapping[str, list[Finding]], place: Mirror | None, deadline: float
    ) -> dict[str, tuple[Finding, ...]]:
        hit = [file for file in self.files if found.get(file.path)]
        known = tuple(file for file in hit if file.before is not None)
        old: Mapping[str, list[Finding]] = {}
        if known:
            try:
                old = self._found(known, place, deadline, after=False)
            except Failed as failed:
                raise Failed(f"{failed}, on the text before; what it found is left out") from None
        texts = {
            file.path: [each.text if each else "" for each in (file.before, file.after)]
            for file in hit
        }
        return {
            path: new_findings(old.get(path, ()), found[path], *both)
            for path, both in texts.items()
        }

    def _found(
        self, files: tuple[FileVersions, ...], place: Mirror | None, deadline: float, *, after: bool
    ) -> dict[str, list[Finding]]:
        """Return the findings of one version of these files."""
        versions = _versions(self.plan, after=after)
        view = self._view(place, versions)
        versions = {file.path: versions[file.path] for file in files}
        subjects = [Subject(path, data) for path, data in versions.items() if data is not None]
        # A key once only: a tool may look at a file for each program that it is part of.
        found: dict[str, dict[Finding, None]] = {}
        for job in jobs_of(self.linter, subjects, view, self.ground):
            for finding in self._run(job, view, deadline):
                path = path_of(finding, job, view, versions)
                if path:
                    found.setdefault(path, {})[replace(finding, path=path)] = None
        return {path: list(each) for path, each in found.items()}

    def _view(self, place: Mirror | None, versions: Mapping[str, bytes | None]) -> LinterView:
        digest = _digest(versions)
        root = self.ground.root
        if place is None:
            cache = os.path.join(self.ground.state, "cache", self.linter.name)
            return LinterView(root, root, cache, digest)
        place.show(versions)
        return LinterView(place.root, place.tree, place.cache, digest)

    @property
    def _late(self) -> Failed:
        return Failed(f"took longer than {self._patience:g} s for all files")

    def _run(self, job: LinterRun, view: LinterView, deadline: float) -> list[Finding]:
        linter = self.linter
        left = deadline - time.monotonic()
        if left <= 0:
            raise self._late
        if any("{cache}" in word for word in linter.command):
            os.makedirs(view.cache, 0o700, exist_ok=True)
        environment = environment_for(self.ground.environment, linter.environment)
        limits = RunLimits(min(linter.timeout, left), self.stop)
        try:
            output = run(job.words, job.cwd, environment, job.stdin or b"", limits)
        except Failed:
            if left >= linter.timeout or time.monotonic() < deadline:
                raise
            # How little of the time was left to this one says nothing to anybody.
            raise self._late from None
        return [_judged(finding, linter) for finding in _read(linter, output)]


def _read(linter: Linter, output: Output) -> tuple[Finding, ...]:
    """Return the findings; a code that says no, without a finding, is a linter that failed."""
    try:
        found = findings_of(linter.format, output.stdout, output.stderr)
    except Failed:
        if output.code == 0:
            raise
        found = ()
    if output.code and not found:
        raise Failed(f"failed with exit code {output.code}{_complaint(output)}")
    return found


def _complaint(output: Output) -> str:
    lines = (output.stderr.strip() or output.stdout.strip()).split("\n")
    said = lines[-1] if lines[0].startswith("Traceback") else " ".join(lines)
    said = " ".join(said.split())[:_LONGEST_COMPLAINT]
    return f": {said}" if said else ""


def _judged(finding: Finding, linter: Linter) -> Finding:
    """Return the finding under the linter's name, as severe as the user wants it."""
    code = finding.code or linter.name
    severity = finding.severity
    if linter.errors:
        is_error = "*" in linter.errors or code.startswith(linter.errors)
        severity = ERROR if is_error else WARNING
    return replace(finding, linter=linter.name, code=code, severity=severity)


def _digest(versions: Mapping[str, bytes | None]) -> str:
    digest = hashlib.sha256()
    for path, data in versions.items():
        digest.update(repr((path, data)).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:16]


def _versions(files: tuple[FileVersions, ...], *, after: bool) -> dict[str, bytes | None]:
    chosen = {file.path: file.after if after else file.before for file in files}
    return {path: document.to_bytes() if document else None for path, document in chosen.items()}
