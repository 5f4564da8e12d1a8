"""What models see, host by host: tests/cases/hosts/HOST.md, with ids and hashes masked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from tests.laboratory.campaign import NATIVE, HostReport, Verdict, offered

FOLDER = Path(__file__).parents[1] / "cases" / "hosts"
_MOST = 1_200
# What differs from run to run, and what stands for it.
_MASKS = (
    (r"/[^\s\"']*laboratory-[a-z0-9_]+/project", "PROJECT"),
    (r"/[^\s\"']*laboratory-[a-z0-9_]+/home[^\s\"'),\\]*", "HOME"),
    (r"\b(?:\d+-[0-9a-f]{4,}|p-[0-9a-f]{8})\b", "TRANSACTION"),
    (r"\bsession-[0-9a-f]{8}\b", "SESSION"),
    (r"\b[0-9a-f]{16}\b", "HASH"),
    (r"\b[0-9a-f]{12}\b", "ID"),
    (r"\b\d{4}-\d\d-\d\dT[\d:.]+Z?", "TIME"),
    (r"\b\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d)?", "TIME"),
    (r"Wall time: [\d.]+ seconds", "Wall time: N seconds"),
    (r"\bcall_\d{3}_\d+\b", "CALL"),
    (r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "UUID"),
)
# The end of these depends on the moment at which a process dies.
_UNSTEADY = ("the engine is killed during a call", "the front is killed between two calls")


def masked(text: str) -> str:
    """Return a text without what differs from run to run, and short enough to be read."""
    for pattern, word in _MASKS:
        text = re.sub(pattern, word, text)
    if len(text) > _MOST:
        text = f"{text[:_MOST]}\n… and so on"
    return text


def sections(report: HostReport) -> Iterator[tuple[str, str]]:
    """Yield a title and its text for all that the model of a host saw."""
    if report.first:
        first = report.first
        names = [report.host.naming(tool, first) for tool in NATIVE]
        ours = [
            f"- `{namespace or ''}{' ' if namespace else ''}{name}`"
            for tool, (name, namespace) in zip(NATIVE, names, strict=True)
            if offered(report.host, first, tool)
        ]
        how = "by name" if report.host.by_name else "with their schemas"
        yield "the first request", f"The tools are there {how}:\n\n" + "\n".join(ours)
    for verdict in report.verdicts:
        if verdict.seen and verdict.name not in _UNSTEADY:
            yield verdict.name, "\n\n".join(_blocks(verdict))


def _blocks(verdict: Verdict) -> Iterator[str]:
    for tool, text in verdict.seen:
        yield f"`{tool}`\n\n````\n{masked(text)}\n````"


def read_golden(host: str) -> dict[str, str]:
    """Return the sections of a host's page."""
    page = FOLDER / f"{host}.md"
    if not page.exists():
        return {}
    parts = re.split(r"^## (.+)\n\n", page.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    return {title: body.strip("\n") for title, body in zip(parts[::2], parts[1::2], strict=True)}


def write_golden(report: HostReport) -> None:
    """Write a host's page anew, with what it has of scenarios that did not run."""
    found = dict(sections(report))
    kept = {**read_golden(report.host.name), **found}
    FOLDER.mkdir(parents=True, exist_ok=True)
    head = f"# {report.host.name}: what the model sees\n\nWritten by `make hosts WRITE=1`.\n\n"
    body = "\n\n".join(f"## {title}\n\n{text}" for title, text in kept.items())
    (FOLDER / f"{report.host.name}.md").write_text(f"{head}{body}\n", encoding="utf-8")


def differences(report: HostReport) -> Iterable[str]:
    """Return what the model saw and did not see before, scenario by scenario."""
    known = read_golden(report.host.name)
    for title, text in sections(report):
        expected = known.get(title)
        if expected is None:
            yield f"{report.host.name}: {title}: its page has nothing of it"
        elif expected != text.strip("\n"):
            yield f"{report.host.name}: {title}: the model saw\n{text}\ninstead of\n{expected}"
