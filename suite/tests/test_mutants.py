"""The suite is as good as what it catches: each seeded defect has to come out as harm."""

from __future__ import annotations

import random
from pathlib import Path

from edit_suite.case import Case
from edit_suite.engines.reference import Reference
from edit_suite.runner import run_case
from suite.tests.mutants import MUTANTS


def _harm_of(engine: Reference, cases: list[Case], root: Path) -> str:
    engine.open(root)
    return next((found.harm for case in cases if (found := run_case(engine, case, root)).harm), "")


def test_at_least_95_of_100_seeded_defects_are_caught(edition: list[Case], root: Path) -> None:
    cases = [*edition]
    random.Random(2026).shuffle(cases)
    # Long files take most of the time, and few defects need one.
    cases.sort(key=lambda case: case.padding)

    missed = [mutant.__name__ for mutant in MUTANTS if not _harm_of(mutant(), cases, root)]

    assert len(MUTANTS) >= 40
    assert len(missed) <= len(MUTANTS) * 0.05, missed


def test_the_reference_engine_does_no_harm(edition: list[Case], root: Path) -> None:
    assert _harm_of(Reference(), edition, root) == ""
