"""Run real hosts against a scripted model: python -m tests.laboratory CACHE [HOST,...] [--write].

It prints a table, and fails on a fault, on a text that a model did not see before, and where fewer
scenarios ran than there are. A host that npm does not have is counted.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from keyhole.hosts.table import HOSTS
from tests.laboratory.campaign import (
    FIRST,
    GONE,
    SCENARIOS,
    SECTION,
    HostReport,
    allowed,
    run_host,
)
from tests.laboratory.goldens import differences, write_golden
from tests.laboratory.hosts import LAB_HOSTS, LabHost
from tests.laboratory.scenario import INSTRUCTIONS, RESTART

PAGE = Path(__file__).parents[2] / "docs" / "hosts.md"
MARKS = ("<!-- laboratory: begin -->", "<!-- laboratory: end -->")
# What is judged beside the scenarios in every host.
_BESIDE = (FIRST, GONE, SECTION)
_RECEIPT, _REFUSAL = "plain edit", "refusal, then accept"


def expected(host: LabHost) -> int:
    """Return how many verdicts a host must come to."""
    more = [host.listing, INSTRUCTIONS in host.features, HOSTS[host.name].only]
    return len(allowed(host, SCENARIOS)) + len(_BESIDE) + sum(map(bool, more))


def faults(reports: Sequence[HostReport]) -> list[str]:
    """Return what went wrong, and what did not run."""
    found = [fault for report in reports for fault in report.faults]
    for report in (each for each in reports if not each.missing):
        wanted, ran = expected(report.host), len(report.verdicts)
        if ran != wanted:
            found.append(f"{report.host.name}: {ran} verdicts, not {wanted}")
    return found


def row(report: HostReport) -> str:
    """Return a host's row of the table."""
    host = report.host
    version = host.packages[0].rpartition("@")[2].removesuffix("-linux-x64")
    if report.missing:
        return f"| `{host.name}` | {version} | not installed: {report.missing} |{' |' * 6}"
    passed = sum(not verdict.faults for verdict in report.verdicts)
    name = " ".join(filter(None, [host.namespace, host.tool.format("edit")]))
    receipt, refusal = _first_seen(report, _RECEIPT), _first_seen(report, _REFUSAL)
    cells = [
        f"`{host.name}`",
        version,
        f"{passed} of {expected(host)}",
        f"`{name}`",
        "name and first words" if host.by_name else "in full",
        "yes" if INSTRUCTIONS in host.features else "no",
        f"{_form(receipt, 'edit 0: line')}, {len(receipt)}",
        _form(refusal, "nothing was changed"),
        "yes" if RESTART in host.features else "no",
    ]
    return f"| {' | '.join(cells)} |"


def _first_seen(report: HostReport, scenario: str) -> str:
    """Return what the model saw of the first call of a scenario."""
    found = (each.seen[0][1] for each in report.verdicts if each.name == scenario and each.seen)
    return next(found, "")


def _form(text: str, words: str) -> str:
    """Return whether a model sees an answer as text, as data, or both."""
    forms = {"text": words in text, "data": bool(re.search(r'\\?"ok\\?":', text))}
    return " and ".join(form for form, is_there in forms.items() if is_there) or "nothing"


def table(reports: Sequence[HostReport], known: str = "") -> str:
    """Return the table for people; hosts that did not run have their row of a known one."""
    head = (
        "| host | version | scenarios that pass | `edit` is called | tools are shown "
        "| instructions | a plain edit is shown as, characters | a refusal is shown as "
        "| starts a dead server again |"
    )
    rows = {line.split("`")[1]: line for line in known.splitlines() if line.startswith("| `")}
    rows |= {report.host.name: row(report) for report in reports}
    return "\n".join([head, "|---" * 9 + "|", *(rows[name] for name in LAB_HOSTS if name in rows)])


def write_page(reports: Sequence[HostReport]) -> None:
    """Put the table between its marks."""
    page = PAGE.read_text(encoding="utf-8")
    begin, end = MARKS
    before, _, rest = page.partition(begin)
    known, mark, after = rest.partition(end)
    assert mark, f"{PAGE.name} has no marks"
    PAGE.write_text(f"{before}{begin}\n{table(reports, known)}\n{end}{after}", encoding="utf-8")


def run(host: LabHost, cache: Path, *, writes: bool) -> HostReport:
    """Run every scenario in a host, and print a line of what it came to."""
    begun = time.monotonic()
    report = run_host(host, cache, SCENARIOS)
    if writes and not report.missing:
        write_golden(report)
    passed = sum(not verdict.faults for verdict in report.verdicts)
    failed = len(report.verdicts) - passed
    result = f"not installed: {report.missing}" if report.missing else f"{passed} passed"
    spent = f"{time.monotonic() - begun:.0f} s, {report.processor_seconds:.0f} s of processor time"
    _say(f"{host.name:<12}{result}, {failed} failed, {report.starts} starts, {spent}")
    return report


def main(cache: str, *words: str) -> int:
    """Run hosts, and print what they came to."""
    writes = "--write" in words
    named = [name for word in words if not word.startswith("-") for name in word.split(",")]
    hosts = [LAB_HOSTS[name] for name in named] if named else list(LAB_HOSTS.values())
    reports = [run(host, Path(cache).resolve(), writes=writes) for host in hosts]
    if writes:
        write_page(reports)
    _say(f"\n{table(reports)}\n")
    wrong = [*faults(reports), *(each for report in reports for each in differences(report))]
    for fault in wrong:
        _say(fault)
    missing = sum(bool(report.missing) for report in reports)
    total = sum(len(report.verdicts) for report in reports)
    ran = f"{len(hosts) - missing} hosts ran, {missing} missing"
    _say(f"{ran}; {total} verdicts, {len(wrong)} faults")
    return 1 if wrong else 0


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
