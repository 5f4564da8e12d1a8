"""The page of the comparison and its chart, from reports of the suite."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any

from edit_suite import EDITION
from edit_suite.case import load_edition
from edit_suite.engines.table import NPM, PIP

Report = Mapping[str, Any]
# What a class shows, in words; each row was run.
_SHOWN = {
    "exact": "a quote to the character lands",
    "whitespace": "other whitespace: lands, or is refused with the place",
    "indentation": "indentation lost in transport: lands as the file has it",
    "ambiguous": "a quote that stands several times is refused",
    "duplicate": "functions that are alike are told apart",
    "near": "a quote that stands nowhere is refused, nearest first",
    "stale": "text or lines that somebody else changed are not overwritten",
    "elision": '"... existing code ..." is not written into a file',
    "line-ends": "CRLF, CR and mixed line ends stay",
    "encoding": "other encodings and byte order marks stay",
    "last-line": "a missing last newline stays missing",
    "characters": "form feeds and U+2028 do not count as line ends",
    "look-alike": "curly quotes are found, Cyrillic letters are no Latin ones",
    "literal": "`$&`, `\\1` and regular expressions are plain text",
    "many": "several edits land together or not at all",
    "overlap": "edits that overlap are refused",
    "lines": "edits by line number",
    "insert": "insertions by line number",
    "deletion": "deletions",
    "empty": "empty quotes, files that are not there",
    "long": "20,000 lines, 40,000 letters in one",
    "diff": "unified diffs, with wrong numbers and counts too",
    "resent": "a call that is sent twice counts once",
    "write": "whole files are written as sent",
    "names": "blanks, letters and signs in file names",
    "modes": "modes stay",
    "links": "links stay links",
    "escape": "nothing outside of the root is written",
    "parallel": "twenty calls at once, none lost",
    "torn": "readers and kills never find a torn file",
}
# What no case shows: known from documentation or source, not run here.
_READ = {
    "undo of a single edit": "keyhole",
    "a journal with reasons": "keyhole",
    "a syntax check before writing": "keyhole",
    "edits by name of a function or section": "keyhole, serena (functions)",
    "a dry run": "keyhole, server-filesystem, git-apply, gnu-patch",
    "renames of a symbol across files": "keyhole (Python by itself, else by language servers), serena (by language servers)",
    "one change at every place of many files, previewed, with one undo": "keyhole",
    "cells of notebooks": "keyhole",
    "changes that others make are in the same history": "keyhole",
    "a page to watch, decide and undo": "keyhole",
    "a read-only mode": "keyhole, serena",
    "conflicts between agents are reported": "keyhole",
}
_INTRO = """\
`make compare` runs [the edit suite](../suite/README.md), edition {edition}, {count} cases without a model, on each engine and writes
this page. Harm and help are two scores and are never added up: harm is bytes that nobody wanted, help is an edit that landed or a
refusal that names the right place first. A verb that an engine has no tool for is not asked and counts as neither. Times are those of
one run on one busy machine, side by side: the fastest of three starts, the first quartile of twenty edits; what an engine asks of a
network is in its time. Judged {days}."""
_TIMES = """\
When keyhole answers, the edit and its entry in the journal are on the disk; the others answer when the system has the bytes, which a power
cut may still take. `keyhole mcp --durability process` answers as early as they do."""
_AGAIN = """\
## What a user would lose

[comparison-cases.md](comparison-cases.md) lists each case in which some engine does harm or does not help, with what a user would lose.

## Make a figure again

One command an engine, in a clone: it installs what the engine needs, judges it, and prints every figure of this page about it. The figures
of harm and help come out the same, but for classes of calls at once and kills; times are those of your machine.

```sh
{again}
```

What went wrong in each case: `PYTHONPATH=suite/src .venv/bin/python -m edit_suite run serena --home .venv/rivals --details`.

Versions: {versions}.

codex's `apply_patch` and aider's SEARCH/REPLACE run alone. They know no root, for codex and aider confine them from outside, so they
are not asked about paths that lead out of it. Desktop Commander refuses in words, without the protocol's mark; the suite reads the
words. Serena runs with its default tools, which are without line numbers. `str-replace` is Anthropic's reference of the tool that many
agents have, as `inspect-tool-support` ships it. The tool sets `text`, `surgical` and `safe-edit` say themselves which of several places
they edit, so they are not asked for quotes that stand several times; `text` and `text-files` not for files without an extension, and
`surgical` not for diffs of several files. The set `sections` has no tool for any of the verbs."""
_HARM, _HELP, _GREY = "#b3261e", "#2a7f3f", "#666"


def page(reports: Sequence[Report]) -> dict[str, str]:
    """Return the files below docs/: the page, the list of cases that some engine fails, a chart."""
    ours = [each for each in reports if each["engine"].startswith("keyhole-")]
    main = [each for each in reports if each not in ours]
    count = len(list(load_edition(EDITION)))
    again = "\n".join(f"make judge-{each['engine']}" for each in reports)
    versions = ", ".join([*NPM.values(), *PIP.values()])
    parts = [
        "# keyhole and its rivals, judged by the bytes on disk",
        _INTRO.format(edition=EDITION, count=count, days=_days(reports)),
        "![harm and help of each engine](images/comparison.svg)",
        "## The figures",
        _table(main),
        _costs(main),
        _TIMES,
        "## keyhole's other tool sets",
        _table(ours),
        "## Feature by feature",
        "Run: harm / helped of asked, for each class of cases. `-` was not asked.",
        _classes(main),
        "Only read, in documentation or source, not run:",
        _grid(["feature", "who says so"], [[name, who] for name, who in _READ.items()]),
        _AGAIN.format(again=again, versions=versions),
    ]
    return {
        "comparison.md": "\n\n".join(part for part in parts if part) + "\n",
        "comparison-cases.md": _cases(reports),
        "images/comparison.svg": chart(main),
    }


def _days(reports: Sequence[Report]) -> str:
    """Return on which days the engines were judged, the first and the last of them."""
    days = sorted({date.fromisoformat(each["on"]) for each in reports})
    told = [f"{day.day} {day:%B %Y}" for day in days]
    return f"on {told[0]}" if len(told) == 1 else f"from {told[0]} to {told[-1]}"


def _figures(report: Report) -> dict[str, Any]:
    """Add the trials to what was run in order."""
    asked = [row for row in (*report["cases"], *report["trials"]) if "helped" in row]
    harms = [row["harm"] for row in asked if "harm" in row]
    helped = sum(row["helped"] for row in asked)
    return {"asked": len(asked), "harm": len(harms), "harms": harms, "helped": helped}


def _grid(heads: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def _table(reports: Sequence[Report]) -> str:
    rows = []
    for report in reports:
        found = _figures(report)
        kinds = sorted({*found["harms"]}, key=lambda kind: -found["harms"].count(kind))
        told = ", ".join(f"{kind} {found['harms'].count(kind)}" for kind in kinds) or "none"
        share = f"{found['helped'] / found['asked']:.1%}"
        rows.append([report["engine"], found["asked"], f"**{found['harm']}**", told, share])
    return _grid(["engine", "asked", "harm", "of which", "help"], rows) if rows else ""


def _costs(reports: Sequence[Report]) -> str:
    names = ("start_ms", "edit_ms", "tools_tokens", "answer_tokens")
    rows = [
        [each["engine"], *(each["cost"][name] or "-" for name in names)]
        for each in reports
        if "cost" in each
    ]
    heads = [
        "engine",
        "start, ms",
        "an edit of 1,000 lines, ms",
        "tools as a model reads them, tokens",
        "answer, tokens",
    ]
    return _grid(heads, rows)


def _classes(reports: Sequence[Report]) -> str:
    rows = []
    for kind, shown in _SHOWN.items():
        cells = []
        for report in reports:
            asked = [row for row in _rows(report, kind) if "helped" in row]
            harm = sum("harm" in row for row in asked)
            helped = sum(row["helped"] for row in asked)
            cells.append(
                f"{f'**{harm}**' if harm else 0} / {helped} of {len(asked)}" if asked else "-"
            )
        rows.append([shown, *cells])
    return _grid(["class", *(each["engine"] for each in reports)], rows)


def _rows(report: Report, kind: str) -> list[Mapping[str, Any]]:
    return [row for row in (*report["cases"], *report["trials"]) if row["class"] == kind]


def _cases(reports: Sequence[Report]) -> str:
    parts = [
        "# Cases that an engine fails",
        "Written by `make compare`. Each case with what a user would lose.",
        "## Harm",
        _failed(reports, "who does harm", lambda row: row.get("harm", "")),
        "## No help",
        "The edit was refused, or did not land, and nothing was said of the right place.",
        _failed(reports, "who does not help", _unhelped),
    ]
    return "\n\n".join(parts) + "\n"


def _unhelped(row: Mapping[str, Any]) -> str:
    return "" if "harm" in row or row.get("helped", True) else "no help"


def _failed(reports: Sequence[Report], who: str, failed: Callable[[Mapping[str, Any]], str]) -> str:
    """Return the cases that some engine fails in a way, and which engines do."""
    engines: dict[str, list[str]] = {}
    for report in reports:
        for row in (*report["cases"], *report["trials"]):
            if how := failed(row):
                told = report["engine"] if how == "no help" else f"{report['engine']} ({how})"
                engines.setdefault(row["id"], []).append(told)
    known = {case.id: case for case in load_edition(EDITION)}
    rows = []
    for name, told in sorted(engines.items()):
        case = known[name]
        seen = f"[seen]({case.provenance})" if case.provenance.startswith("http") else ""
        about = case.title.replace("|", "\\|")
        rows.append([f"`{name}` {seen}".strip(), about, case.loss, ", ".join(told)])
    return _grid(["case", "what it is about", "what a user would lose", who], rows)


def chart(reports: Sequence[Report]) -> str:
    """Draw two bars an engine: cases with harm, and the share of help."""
    row, left, width = 34, 150, 300
    most = max(_figures(each)["harm"] for each in reports) or 1
    height = 40 + row * len(reports)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + 2 * width + 140} {height}" '
        'font-family="Verdana,sans-serif" font-size="12" role="img" aria-label="harm and help">'
        '<rect width="100%" height="100%" fill="#fff"/>'
        f'<text x="{left}" y="20" fill="{_HARM}">harm, cases (fewer is better)</text>'
        f'<text x="{left + width + 70}" y="20" fill="{_HELP}">help, of what was asked</text>'
    )
    out = [head]
    for number, report in enumerate(reports):
        found = _figures(report)
        top, share = 32 + row * number, found["helped"] / found["asked"]
        harm = round(width * found["harm"] / most, 1)
        second = left + width + 70
        out.append(
            f'<text x="{left - 8}" y="{top + 15}" text-anchor="end" fill="{_GREY}">{report["engine"]}</text>'
            f'<rect x="{left}" y="{top}" width="{harm}" height="20" fill="{_HARM}"/>'
            f'<text x="{left + harm + 6}" y="{top + 15}">{found["harm"]}</text>'
            f'<rect x="{second}" y="{top}" width="{round((width - 60) * share)}" height="20" fill="{_HELP}"/>'
            f'<text x="{second + round((width - 60) * share) + 6}" y="{top + 15}">{share:.1%}</text>'
        )
    return "\n".join([*out, "</svg>", ""])
