"""The core scenarios in three real hosts, and faults that the laboratory must see."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.laboratory.campaign import FIRST, GONE, LISTED, SCENARIOS, TOLD, HostReport, run_host
from tests.laboratory.goldens import differences
from tests.laboratory.hosts import CODEX, LAB_HOSTS
from tests.laboratory.running import Desk

CACHE = Path(sys.prefix) / "hosts"
CORE = [each for each in SCENARIOS if each.core]
PLAIN = CORE[:1]
Record = Callable[[str, object], None]


def counted(report: HostReport, record: Record) -> bool:
    """Tell whether the host ran; the summary of the run has a line of it either way."""
    name = report.host.packages[0]
    if report.missing:
        record("host", f"{name}: NOT RUN, npm does not have it here: {report.missing}")
        return False
    passed = sum(not verdict.faults for verdict in report.verdicts)
    spent = f"{report.processor_seconds:.1f} s of processor time"
    record("host", f"{name}: {passed} of {len(report.verdicts)} scenarios, {spent}")
    return True


@pytest.mark.parametrize("name", ["claude-code", "codex", "opencode"])
def test_the_core_scenarios_pass_in_a_real_host(name: str, record_property: Record) -> None:
    report = run_host(LAB_HOSTS[name], CACHE, CORE, brief=True)
    if counted(report, record_property):
        assert report.faults == []
        names = [verdict.name for verdict in report.verdicts]
        assert names == [LISTED, FIRST, TOLD, *(each.name for each in CORE), GONE]
        assert list(differences(report)) == []


def late(desk: Desk) -> None:
    """Let the server start after the host's patience, and the host not wait for it."""
    _rewrite(desk, "sleep 3\n", lambda text: text.replace("required = true\n", ""))


def wrong(desk: Desk) -> None:
    """Let the server say something else than it did."""
    _rewrite(desk, "", lambda text: text, "| sed -u s/applied/queued/g")


def read_only(desk: Desk) -> None:
    """Let nothing be written."""
    _rewrite(desk, "", lambda text: text.replace('"mcp",', '"mcp", "--read-only",'))


def _rewrite(desk: Desk, first: str, change: Callable[[str], str], behind: str = "") -> None:
    """Put a program of ours before the server, and change the host's file."""
    file = desk.place.home / ".codex" / "config.toml"
    text = file.read_text(encoding="utf-8")
    command = text.partition('command = "')[2].partition('"')[0]
    program = desk.place.home / "server"
    program.write_text(f'#!/bin/sh\n{first}"{command}" "$@" {behind}\n', encoding="utf-8")
    program.chmod(0o755)
    file.write_text(change(text.replace(command, str(program))), encoding="utf-8")


@pytest.mark.parametrize(
    ("plant", "scenario"),
    [(late, FIRST), (wrong, PLAIN[0].name), (read_only, PLAIN[0].name)],
    ids=["late", "wrong", "read-only"],
)
def test_a_planted_fault_is_seen(
    plant: Callable[[Desk], None], scenario: str, record_property: Record
) -> None:
    report = run_host(CODEX, CACHE, PLAIN, brief=True, tamper=plant)
    if report.missing:
        counted(report, record_property)
    else:
        assert scenario in {verdict.name for verdict in report.verdicts if verdict.faults}
