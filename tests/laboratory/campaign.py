"""Every scenario in a host: starts that scenarios share, and a verdict for each of them."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from keyhole.hosts.table import HEADING, HOSTS
from keyhole.toolsets.native.tools import TOOLS
from tests.laboratory.file_scenarios import SHARED
from tests.laboratory.hosts import LabHost
from tests.laboratory.model import ScriptedModel
from tests.laboratory.processes import busy_machine, kill_server
from tests.laboratory.running import (
    BRIEF_SECONDS,
    MOST_SECONDS,
    Desk,
    Outcome,
    UnavailableError,
    desk,
    packages_of,
    play,
    write_files,
)
from tests.laboratory.scenario import INSTRUCTIONS, Kill, Outsider, Scenario
from tests.laboratory.start_scenarios import SEPARATE
from tests.laboratory.wires import ModelRequest

SCENARIOS = (*SHARED, *SEPARATE)
NATIVE = tuple(tool.name for tool in TOOLS)
# What the server's instructions begin with.
_INSTRUCTIONS = "Change files with these tools"
# What is judged beside the scenarios, once for each host.
LISTED, FIRST, TOLD, GONE, ONLY, SECTION = (
    "install: the host lists the server",
    "the first request has the tools",
    "the first request has the instructions",
    "uninstall: the server is gone",
    "install --only: the host's own tools for editing are gone",
    "install --instructions: the model is told",
)


@dataclass(slots=True)
class Verdict:
    """What became of a scenario: nothing wrong, or what was; and what the model saw."""

    name: str
    faults: list[str] = field(default_factory=list)
    seen: list[tuple[str, str]] = field(default_factory=list)


@dataclass(slots=True)
class HostReport:
    """What a host came to: its verdicts, or why there are none."""

    host: LabHost
    missing: str = ""
    verdicts: list[Verdict] = field(default_factory=list)
    first: ModelRequest | None = None
    starts: int = 0
    seconds: float = 0.0
    processor_seconds: float = 0.0
    waits: list[float] = field(default_factory=list)
    patience: float = MOST_SECONDS

    @property
    def faults(self) -> list[str]:
        """Every fault, with its host and scenario."""
        return [
            f"{self.host.name}: {each.name}: {fault}"
            for each in self.verdicts
            for fault in each.faults
        ]

    def add(self, outcome: Outcome) -> None:
        """Count a start."""
        self.starts += 1
        self.seconds += outcome.seconds
        self.processor_seconds += outcome.processor_seconds
        self.waits.append(outcome.wait)


def allowed(host: LabHost, scenarios: Sequence[Scenario]) -> list[Scenario]:
    """Return the scenarios that the features of a host allow."""
    return [each for each in scenarios if each.needs <= host.features]


def starts(scenarios: Sequence[Scenario]) -> Iterator[list[Scenario]]:
    """Yield scenarios that share a start: equal flags, and none that stands alone."""
    shared: dict[tuple[str, ...], list[Scenario]] = {}
    for each in scenarios:
        if not each.alone:
            shared.setdefault(each.flags, []).append(each)
    yield from shared.values()
    yield from ([each] for each in scenarios if each.alone)


def run_host(
    host: LabHost,
    cache: Path,
    scenarios: Sequence[Scenario],
    *,
    brief: bool = False,
    tamper: Callable[[Desk], None] = lambda _: None,
) -> HostReport:
    """Run scenarios in a host, and return their verdicts.

    A brief run asks the host for its list after `uninstall`, does not start it again, and tries
    no other flags of `install`. What `tamper` does after `install` is for faults that are planted.
    """
    report = HostReport(host, patience=BRIEF_SECONDS if brief else MOST_SECONDS)
    try:
        packages_of(host, cache, report.patience)
    except UnavailableError as missing:
        report.missing = str(missing)
        return report
    for group in starts(allowed(host, scenarios)):
        _run_start(report, cache, group, brief=brief, tamper=tamper)
    if not brief:
        _run_flags(report, cache)
    return report


def _run_flags(report: HostReport, cache: Path) -> None:
    """Start the host once more, set up with what can be asked for besides the server."""
    host, base = report.host, Path(tempfile.mkdtemp(prefix="laboratory-"))
    model = ScriptedModel([], host.naming, host.wrapping)
    try:
        with desk(host, cache, base, model, report.patience) as table:
            answer = table.keyhole("install", host.name, "--only", "--instructions")
            assert "is set up" in answer, answer
            report.add(play(table, model))
    finally:
        shutil.rmtree(base, ignore_errors=True)
    if only := HOSTS[host.name].only:
        report.verdicts.append(Verdict(ONLY, _only_faults(only.values, report.first, model.first)))
    first = model.first
    told = first is not None and HEADING in first.system + first.prompt
    report.verdicts.append(Verdict(SECTION, [] if told else ["the first request has no section"]))


def _only_faults(
    tools: Sequence[str], before: ModelRequest | None, after: ModelRequest | None
) -> list[str]:
    had, has = (
        {tool.name for tool in request.tools} & {*tools} if request else set[str]()
        for request in (before, after)
    )
    faults = [] if had else [f"it never had one of {', '.join(tools)}"]
    return [*faults, f"still there: {', '.join(sorted(has))}"] if has or not after else faults


def _run_start(
    report: HostReport,
    cache: Path,
    group: Sequence[Scenario],
    *,
    brief: bool,
    tamper: Callable[[Desk], None],
) -> None:
    host, base = report.host, Path(tempfile.mkdtemp(prefix="laboratory-"))
    steps = [step for each in group for step in each.steps]
    model = ScriptedModel(steps, host.naming, host.wrapping)
    # The list of tools and the list of servers are judged once, where no flag changes them.
    is_first = report.first is None and not group[0].flags
    try:
        with desk(host, cache, base, model, report.patience) as table:
            model.act = _Actor(table)
            for each in group:
                write_files(table.place.project, each.before)
            _set_up(table, group[0].flags, report if is_first else None)
            tamper(table)
            with busy_machine() if group[0].busy else nullcontext():
                outcome = play(table, model)
            report.add(outcome)
            if is_first:
                _judge_first(report, model.first)
            report.verdicts += _verdicts(table, group, outcome)
            if is_first:
                report.verdicts.append(Verdict(GONE, _left(report, table, model, brief=brief)))
    finally:
        shutil.rmtree(base, ignore_errors=True)


@dataclass(frozen=True, slots=True)
class _Actor:
    """Does what happens beside the host."""

    table: Desk

    def __call__(self, action: object) -> None:
        place = self.table.place
        if isinstance(action, Kill):
            kill_server(place.home, action.process, action.delay)
        elif isinstance(action, Outsider):
            write_files(place.project, action.files)
            if action.keyhole:
                self.table.keyhole(*action.keyhole)


def _set_up(table: Desk, flags: Sequence[str], report: HostReport | None) -> None:
    answer = table.keyhole("install", table.host.name, *(("--", *flags) if flags else ()))
    assert "is set up" in answer, answer
    if report and table.host.listing:
        _, listed = table.ask(*table.host.listing)
        report.verdicts.append(Verdict(LISTED, [] if "keyhole" in listed else [listed]))


def offered(host: LabHost, request: ModelRequest, tool: str) -> bool:
    """Tell whether a request offers a tool of ours, in full or as the host lists it."""
    name, namespace = host.naming(tool, request)
    if host.by_name:
        return name in request.system or name in request.prompt
    ours = [each for each in request.tools if (each.name, each.namespace) == (name, namespace)]
    return any(each.schema.get("properties") for each in ours)


def _judge_first(report: HostReport, first: ModelRequest | None) -> None:
    report.first = first
    host = report.host
    if first is None:
        report.verdicts.append(Verdict(FIRST, ["the host sent no request"]))
        return
    missing = [tool for tool in NATIVE if not offered(host, first, tool)]
    report.verdicts.append(Verdict(FIRST, [f"without {', '.join(missing)}"] if missing else []))
    if INSTRUCTIONS in host.features:
        text = "\n".join([first.system, first.prompt, *(each.description for each in first.tools)])
        told = _INSTRUCTIONS in text
        report.verdicts.append(Verdict(TOLD, [] if told else ["no instructions"]))


def _left(report: HostReport, table: Desk, model: ScriptedModel, *, brief: bool) -> list[str]:
    """Take keyhole out, and return what the host still has of it."""
    answer = table.keyhole("uninstall", table.host.name)
    faults = [] if "taken out" in answer else [answer]
    if brief and table.host.listing:
        _, listed = table.ask(*table.host.listing)
        return [*faults, f"still there: {listed}"] if "keyhole" in listed else faults
    model.requests.clear()
    model.steps = ()
    report.add(play(table, model))
    if model.first is None:
        return [*faults, "the host sent no request"]
    left = [tool for tool in ("outline", "scaffold") if offered(table.host, model.first, tool)]
    return [*faults, f"still there: {', '.join(left)}"] if left else faults


def _verdicts(table: Desk, group: Sequence[Scenario], outcome: Outcome) -> Iterator[Verdict]:
    seen, done = outcome.model.seen(), 0
    for each in group:
        mine = seen[done : done + len(each.steps)]
        done += len(each.steps)
        verdict = Verdict(each.name)
        for step, patterns, texts in zip(each.steps, each.sees, mine, strict=False):
            verdict.faults += _step_faults(patterns, texts, len(step.calls))
            names = [call.tool for call in step.calls]
            verdict.seen += zip(names, texts, strict=False)
        if len(mine) < len(each.steps):
            verdict.faults.append(f"the host ended early: {outcome.output[-300:]}")
        verdict.faults += _file_faults(table.place.project, each)
        yield verdict


def _step_faults(patterns: Sequence[str], texts: Sequence[str], calls: int) -> list[str]:
    faults = [] if len(texts) == calls else [f"{len(texts)} answers to {calls} calls"]
    whole = "\n".join(texts)
    for pattern in patterns:
        wanted = not pattern.startswith("!")
        if bool(re.search(pattern.removeprefix("!"), whole)) != wanted:
            faults.append(f"the model saw no {pattern!r}: {whole[:600]}")
    return faults


def _file_faults(project: Path, scenario: Scenario) -> list[str]:
    faults = []
    for name, body in {**scenario.before, **scenario.after}.items():
        file = project / name
        found = file.read_bytes() if file.exists() else None
        if found != body:
            faults.append(f"{name} holds {found!r}")
    return faults
