"""Verdicts as figures, JSON, JUnit and a badge."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from edit_suite.case import Case
from edit_suite.judge import Verdict


def summary(verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """Return the two scores; they are never added up."""
    asked = [verdict for verdict in verdicts if verdict.counts]
    helped = sum(verdict.helped for verdict in asked)
    return {
        "asked": len(asked),
        "not_offered": len(verdicts) - len(asked),
        "harm": sum(verdict.outcome == "harm" for verdict in asked),
        "harms": dict(sorted(Counter(verdict.harm for verdict in asked if verdict.harm).items())),
        "help": helped,
        "help_share": round(helped / len(asked), 4) if asked else None,
    }


def by_class(verdicts: Sequence[Verdict]) -> dict[str, dict[str, Any]]:
    """Return the scores of each class of cases."""
    kinds = sorted({verdict.kind for verdict in verdicts})
    return {kind: summary([each for each in verdicts if each.kind == kind]) for kind in kinds}


def as_json(engine: str, edition: str, cases: Sequence[Case], verdicts: Sequence[Verdict]) -> str:
    """Return the report as JSON; what chance has no part in is the same in every run."""
    trials = {case.id for case in cases if case.trial}
    losses = {case.id: case.loss for case in cases}
    sequential = [verdict for verdict in verdicts if verdict.id not in trials]
    report = {
        "engine": engine,
        "edition": edition,
        "sequential": summary(sequential),
        "classes": by_class(sequential),
        "cases": [_row(verdict, losses) for verdict in sequential],
        "trials": [_row(each, losses, detail=True) for each in verdicts if each.id in trials],
    }
    return json.dumps(report, indent=1, ensure_ascii=False) + "\n"


def _row(verdict: Verdict, losses: Mapping[str, str], *, detail: bool = False) -> dict[str, Any]:
    row: dict[str, Any] = {"id": verdict.id, "class": verdict.kind, "outcome": verdict.outcome}
    row |= {"harm": verdict.harm} if verdict.harm else {}
    row |= {"loss": losses[verdict.id]} if failures([verdict]) else {}
    row |= {"helped": verdict.helped} if verdict.counts else {}
    return row | ({"detail": verdict.detail} if detail else {})


def as_junit(engine: str, cases: Sequence[Case], verdicts: Sequence[Verdict]) -> str:
    """Return the report as JUnit: harm is a failure, no help an error, not offered skipped."""
    losses = {case.id: case.loss for case in cases}
    rows = [_test(verdict, losses[verdict.id]) for verdict in verdicts]
    harm = sum(verdict.outcome == "harm" for verdict in verdicts)
    idle = sum(verdict.counts and not verdict.helped and not verdict.harm for verdict in verdicts)
    skipped = sum(not verdict.counts for verdict in verdicts)
    head = f'tests="{len(rows)}" failures="{harm}" errors="{idle}" skipped="{skipped}"'
    body = "\n".join(rows)
    suite = f"<testsuite name={quoteattr(engine)} {head}>"
    return f'<?xml version="1.0"?>\n{suite}\n{body}\n</testsuite>\n'


def _test(verdict: Verdict, loss: str) -> str:
    head = f"<testcase classname={quoteattr(verdict.kind)} name={quoteattr(verdict.id)}"
    if verdict.harm:
        said = f"<failure message={quoteattr(verdict.harm)}>{escape(f'lost: {loss}')}</failure>"
    elif not verdict.counts:
        said = "<skipped/>"
    elif not verdict.helped:
        said = f'<error message="no help">{escape(f"at stake: {loss}")}</error>'
    else:
        return f"{head}/>"
    return f"{head}>{said}</testcase>"


def badge(verdicts: Sequence[Verdict]) -> str:
    """Return a badge with both scores."""
    figures = summary(verdicts)
    share = figures["help_share"] or 0
    text = f"harm {figures['harm']} | help {share:.0%}"
    color = "#2a7f3f" if not figures["harm"] else "#b3261e"
    left, right = 74, 8 + 7 * len(text)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img" '
        f'aria-label="edit-suite: {text}"><rect width="{left}" height="20" fill="#444"/>'
        f'<rect x="{left}" width="{right}" height="20" fill="{color}"/>'
        '<g fill="#fff" font-family="Verdana,sans-serif" font-size="11">'
        f'<text x="6" y="14">edit-suite</text><text x="{left + 6}" y="14">{text}</text></g></svg>\n'
    )


def as_text(engine: str, verdicts: Sequence[Verdict]) -> str:
    """Return the report for a terminal: a line for each class, then the sums."""
    head = f"{'class':<14}{'asked':>7}{'harm':>7}{'help':>7}{'share':>8}"
    rows = [_line(kind, figures) for kind, figures in by_class(verdicts).items()]
    total = summary(verdicts)
    harms = ", ".join(f"{kind} {count}" for kind, count in total["harms"].items()) or "none"
    return "\n".join([engine, head, *rows, _line("all", total), f"harm: {harms}", ""])


def _line(kind: str, figures: Mapping[str, Any]) -> str:
    share = "-" if figures["help_share"] is None else f"{figures['help_share']:.1%}"
    cells = f"{figures['asked']:>7}{figures['harm']:>7}{figures['help']:>7}{share:>8}"
    return f"{kind:<14}{cells}"


def failures(verdicts: Iterable[Verdict]) -> list[Verdict]:
    """Return the verdicts that are harm, or no help."""
    return [each for each in verdicts if each.counts and (each.harm or not each.helped)]
