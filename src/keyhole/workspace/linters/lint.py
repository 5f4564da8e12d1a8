"""Linting a plan: what the configured linters say about the new text that is new."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

from keyhole.edits.plan import FilePlan, Plan
from keyhole.text.document import Document
from keyhole.values import dataclass, field
from keyhole.workspace.linters.base import ERROR, Finding, Ground, Linter
from keyhole.workspace.linters.check import FileVersions, LinterCheck, LinterResult

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
    ground: Ground,
    plan: Plan,
    linters: Sequence[Linter],
    language_of: Callable[[str, Document], str],
) -> LintReport:
    """Run the linters on what a plan would write, all at once, and report what is new.

    They never see the user's file, and none of them can fail, stall or flood the call.
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
    results = _all(checks, stop)
    return _report(results, frozenset(linter.name for linter in linters if linter.blocking))


def _all(checks: Sequence[LinterCheck], stop: threading.Event) -> list[LinterResult]:
    with ThreadPoolExecutor(min(len(checks), _MOST_AT_ONCE), "keyhole-lint") as pool:
        try:
            return list(pool.map(LinterCheck.run, checks))
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
    """Put the answers of all linters together, by file; of very many, the errors first."""
    warnings: list[str] = []
    findings: dict[str, list[Finding]] = {}
    for result in results:
        warnings += filter(None, [result.warning])
        for path, found in result.findings.items():
            findings.setdefault(path, []).extend(found)
    told = {}
    for path, all_found in findings.items():
        first = sorted(all_found, key=lambda each: each.severity != ERROR)[:_MOST_TOLD]
        if first:
            told[path] = tuple(sorted(first, key=lambda each: (each.line, each.column)))
        if len(all_found) > _MOST_TOLD:
            warnings.append(f"{len(all_found) - _MOST_TOLD} more findings in {path} are not listed")
    return LintReport(told, tuple(warnings), blocking)
