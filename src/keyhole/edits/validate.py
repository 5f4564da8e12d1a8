"""Validate: what is wrong with files as they would stand, and whether that stops the call."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from keyhole import progress
from keyhole.edits.checks.of_file import checked
from keyhole.edits.checks.syntax.problem import Delta, Problem
from keyhole.edits.plan import FilePlan, Plan
from keyhole.refusals import Refusal, Refused
from keyhole.values import replace

Exists = Callable[[str], bool]

_MOST_OLD = 5


def validate(plan: Plan, mode: str, exists: Exists) -> Plan:
    """Return the plan with what the checks say, or refuse what would break a file.

    Only what the call brings stops it, and not in mode interactive. `exists` tells of files that a
    link may lead to.
    """
    there = _as_planned(plan, exists)
    files: list[FilePlan] = []
    refusals: list[Refusal] = []
    progress.expect(len(plan.files), "checking files")
    for file in plan.files:
        found = checked(file, there)
        progress.step()
        stops = [problem for problem in found.new if not problem.doubtful]
        if stops and mode != "interactive":
            refusals += _refusals(file, stops, mode)
        files.append(_told(file, found))
    if refusals:
        raise Refused(*refusals)
    return Plan(tuple(files))


def _refusals(file: FilePlan, stops: Sequence[Problem], mode: str) -> list[Refusal]:
    from keyhole.edits.checks.broken import refusals_of, with_diff

    first, *others = refusals_of(file, stops)
    return [with_diff(first, file) if mode == "verify_only" else first, *others]


def _told(file: FilePlan, found: Delta) -> FilePlan:
    """Return the plan of a file with what the checks say of it, as warnings: nothing stopped it."""
    if not (found.new or found.old or file.diagnostics):
        return file
    from keyhole.edits.checks.broken import diagnostic_of

    new = (diagnostic_of(file, problem, "warning", new=True) for problem in found.new)
    old = (diagnostic_of(file, each, "warning", new=False) for each in found.old[:_MOST_OLD])
    return replace(file, diagnostics=(*new, *old))


def _as_planned(plan: Plan, exists: Exists) -> Exists:
    """Return which files there are once the plan is carried out."""
    planned = {file.path: file.after is not None for file in plan.files}
    return lambda path: planned[path] if path in planned else exists(path)
