"""Run one linter on the files of a plan: on the new texts, on the old ones only if needed."""

from __future__ import annotations

import hashlib
import os
import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from typing import NamedTuple

from keyhole.edits.model.plan import FilePlan, Plan
from keyhole.fastclasses import dataclass, field, replace
from keyhole.linters.base import ERROR, WARNING, Failed, Finding, LintEnvironment, Linter
from keyhole.linters.formats import findings_of
from keyhole.linters.run import (
    LinterRun,
    LinterSubject,
    LinterView,
    Output,
    RunLimits,
    environment_for,
    jobs_of,
    path_of,
    run,
)
from keyhole.linters.shadow import Mirror, mirror
from keyhole.text.align import AlignedHunk, differences
from keyhole.text.document import Document, split_lines

# A number that stands alone counts lines or things, and moves with the text around it.
_NUMBER = re.compile(r"(?<![\w'\"`.-])\d+(?![\w'\"`])")

Key = tuple[str, str, str]


class _Old(NamedTuple):
    """A finding of the old text, and the lines of the new text to which it may have moved."""

    first: int
    last: int
    at_top: bool
    at_end: bool


def new_findings(
    before: Iterable[Finding], after: Iterable[Finding], old: str, new: str
) -> tuple[Finding, ...]:
    """Return the findings of `new` that `old` did not have.

    A finding is old if one of the same code and message stood on the line that its line was, on a
    line that became part of the same changed stretch, or likewise on the first or last line of the
    file. Each old finding accounts for one.
    """
    old_lines, new_lines = split_lines(old), split_lines(new)
    hunks = list(differences(old_lines, new_lines))
    known: dict[Key, list[_Old]] = {}
    for finding in before:
        known.setdefault(_key(finding), []).append(_lines_after(finding, hunks, len(old_lines)))
    return tuple(_unknown(after, known, len(new_lines)))


def _unknown(
    after: Iterable[Finding], known: dict[Key, list[_Old]], last_line: int
) -> Iterator[Finding]:
    for finding in after:
        fitting = [
            each for each in known.get(_key(finding), []) if _fits(finding.line, each, last_line)
        ]
        if not fitting:
            yield finding
            continue
        # The one with the least choice goes first, so that it takes no place another needs.
        known[_key(finding)].remove(min(fitting, key=lambda each: each.last - each.first))


def _fits(line: int, old: _Old, last_line: int) -> bool:
    if old.first <= line <= old.last:
        return True
    return (old.at_top and line <= 1) or (old.at_end and line >= last_line)


def _key(finding: Finding) -> Key:
    message = _NUMBER.sub("0", finding.message)  # house: the words of another program
    return finding.linter, finding.code, message


def _lines_after(finding: Finding, hunks: Sequence[AlignedHunk], last_line: int) -> _Old:
    """Return where a finding's line went; a line that is gone went nowhere."""
    line, shift = finding.line - 1, 0
    at_top, at_end = finding.line <= 1, finding.line >= last_line
    for hunk in hunks:
        if line < hunk.old_start:
            break
        if line < hunk.old_end:
            return _Old(hunk.new_start + 1, hunk.new_end, at_top, at_end)
        shift = hunk.new_end - hunk.old_end
    return _Old(line + shift + 1, line + shift + 1, at_top, at_end)


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
    """The new findings of one linter by file, or the sentence why it did not run."""

    findings: Mapping[str, tuple[Finding, ...]] = field(default_factory=dict)
    warning: str = ""


@dataclass(frozen=True, slots=True)
class LinterCheck:
    """One linter, the files it is to look at, and all files of the plan, which it may meet."""

    linter: Linter
    files: tuple[FileVersions, ...]
    plan: tuple[FileVersions, ...]
    ground: LintEnvironment
    stop: threading.Event

    def run(self) -> LinterResult:
        """Return the new findings; a linter that is missing, slow or crashes is a warning."""
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
        subjects = [
            LinterSubject(path, data) for path, data in versions.items() if data is not None
        ]
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
            # The message names the whole time, not the little that was left to this run.
            raise self._late from None
        return [_judged(finding, linter) for finding in _read(linter, output)]


def _read(linter: Linter, output: Output) -> tuple[Finding, ...]:
    """Return the findings; an exit code for problems without any finding is a failure."""
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
    message = lines[-1] if lines[0].startswith("Traceback") else " ".join(lines)
    message = " ".join(message.split())[:_LONGEST_COMPLAINT]
    return f": {message}" if message else ""


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


_MOST_AT_ONCE = 8
_MOST_TOLD = 50


@dataclass(frozen=True, slots=True)
class LintReport:
    """The new findings of each file, which linters block, and what went wrong with a linter."""

    findings: Mapping[str, tuple[Finding, ...]] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    blocking: frozenset[str] = frozenset()

    @property
    def broken(self) -> dict[str, tuple[Finding, ...]]:
        """Return the errors of blocking linters, by file."""
        return {
            path: errors
            for path, found in self.findings.items()
            if (errors := tuple(each for each in found if self._blocks(each)))
        }

    def _blocks(self, finding: Finding) -> bool:
        return finding.severity == ERROR and finding.linter in self.blocking


def lint(
    ground: LintEnvironment,
    plan: Plan,
    linters: Sequence[Linter],
    language_of: Callable[[str, Document], str],
    run_check: Callable[[LinterCheck], LinterResult] = LinterCheck.run,
) -> LintReport:
    """Run the linters on what a plan would write, all at once, and report what is new.

    Linters never see the user's file, and none of them can fail, stall or flood the call.
    `run_check` runs one of them, in this process or in another.
    """
    pairs = tuple(_pair(file, plan) for file in plan.files if not file.is_unchanged)
    languages = {
        pair.path: language_of(pair.path, pair.after)
        for pair in pairs
        if pair.after is not None and _is_worth_a_look(pair.before, pair.after)
    }
    stop = threading.Event()
    checks = []
    for linter in linters:
        files = [p for p in pairs if p.path in languages and linter.reads(languages[p.path])]
        if files:
            checks.append(LinterCheck(linter, tuple(files), pairs, ground, stop))
    if not checks:
        return LintReport()
    results = _all(checks, stop, run_check)
    return _report(results, frozenset(linter.name for linter in linters if linter.blocking))


def _all(
    checks: Sequence[LinterCheck],
    stop: threading.Event,
    run_check: Callable[[LinterCheck], LinterResult],
) -> list[LinterResult]:
    with ThreadPoolExecutor(min(len(checks), _MOST_AT_ONCE), "keyhole-lint") as pool:
        try:
            return list(pool.map(run_check, checks))
        except BaseException:
            # Somebody interrupts the call: no linter is waited for.
            stop.set()
            raise


def _pair(file: FilePlan, plan: Plan) -> FileVersions:
    """Return both texts of a file; one that is moved has the text before at its old path."""
    before, source = file.before, file.like or file.moved_from
    if source:
        before = next((each.before for each in plan.files if each.path == source), None)
    return FileVersions(file.path, before, file.after)


def _is_worth_a_look(before: Document | None, after: Document) -> bool:
    """Tell whether there can be something new: more than blanks changed, and in a text."""
    if after.is_binary:
        return False
    return before is None or before.text.split() != after.text.split()


def _report(results: Iterable[LinterResult], blocking: frozenset[str]) -> LintReport:
    """Return the findings of all linters by file; of very many, the errors first."""
    warnings: list[str] = []
    findings: dict[str, list[Finding]] = {}
    for result in results:
        warnings += filter(None, [result.warning])
        for path, found in result.findings.items():
            findings.setdefault(path, []).extend(found)
    reported = {}
    for path, all_found in findings.items():
        first = sorted(all_found, key=lambda each: each.severity != ERROR)[:_MOST_TOLD]
        if first:
            reported[path] = tuple(sorted(first, key=lambda each: (each.line, each.column)))
        if len(all_found) > _MOST_TOLD:
            warnings.append(f"{len(all_found) - _MOST_TOLD} more findings in {path} are not listed")
    return LintReport(reported, tuple(warnings), blocking)
