"""Workspaces that overlap: no acknowledged edit is lost, and no refused one is made."""

import os

import pytest

from tests import mounts
from tests.torture.overlap import FAULTS, KINDS
from tests.torture.start import REPORTS, counts, figure

pytestmark = pytest.mark.torture

# Of the edits that are to be acknowledged: how many each time, and how many in all.
SHARES = {"busy": (100, 1000), "resting": (60, 600), "wide": (40, 400), "killed": (60, 600)}
SEEDS = (1, 2, 3, 4, 5)


def why_not(kind: str) -> str:
    """Return why this machine has no such overlap, or nothing."""
    if kind == "user":
        return "" if os.geteuid() == 0 else "only root can be another user"
    return mounts.why_not() if kind == "bind" else ""


def test_the_shares_are_what_is_promised() -> None:
    each, whole = (sum(share[nth] for share in SHARES.values()) for nth in (0, 1))

    assert len(KINDS) * each >= 1000
    assert len(KINDS) * whole >= 10_000


@pytest.mark.parametrize("manner", SHARES)
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_acknowledged_stays_and_what_is_refused_does_not(kind: str, manner: str) -> None:
    if reason := why_not(kind):
        REPORTS.append(f"overlap {kind} {manner}: 0 edits, {reason}")
        return
    wanted = figure(*SHARES[manner])
    found = counts("overlap", kind, wanted, 1, manner)

    assert found["acked"] >= wanted
    assert (found["killed"] > 0) == (manner == "killed")
    assert {fault: found[fault] for fault in FAULTS if found[fault]} == {}


@pytest.mark.parametrize("kind", ["nested", "homes"])
def test_locks_that_end_at_the_workspace_are_caught(kind: str) -> None:
    mutant = "locks end at the workspace"
    runs = (counts("overlap", kind, 90, seed, "wide", mutant) for seed in SEEDS)

    assert any(found["lost"] + found["refused but there"] > 0 for found in runs)
