"""The page of `make compare`, from reports of a run."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bench.compare_page import page
from edit_suite.case import Call, load_edition
from edit_suite.engines.reference import Reference, Span
from edit_suite.judge import Answer
from edit_suite.place import Place
from edit_suite.report import as_json
from edit_suite.runner import run

ROOT = Path(__file__).parent.parent


class FirstMatch(Reference):
    """Edits the first of several places."""

    def find(self, text: str, old: str) -> list[Span]:
        return super().find(text, old)[:1]


class Mute(Reference):
    """Refuses without a word."""

    def call(self, call: Call, place: Place) -> Answer:
        answer = super().call(call, place)
        return Answer(refused=True, text="") if answer.refused else answer


def _report(name: str, engine: Reference) -> Mapping[str, Any]:
    cases = [case for case in load_edition("2026") if case.kind in {"exact", "ambiguous"}]
    report: dict[str, Any] = json.loads(as_json(name, "2026", cases, run(engine, cases)))
    cost = {"start_ms": 1.5, "edit_ms": None, "tools_tokens": 100, "answer_tokens": 7}
    return {**report, "cost": cost, "on": "2026-11-16"}


def test_the_page_has_both_scores_the_cost_and_the_command_of_each_engine() -> None:
    reports = [_report("sound", Reference()), _report("first", FirstMatch())]

    files = page(reports)

    assert {*files} == {"comparison.md", "comparison-cases.md", "images/comparison.svg"}
    text = files["comparison.md"]
    assert "| sound | 44 | **0** | none | 100.0% |" in text
    assert "| first | 44 | **20** | wrong-bytes 20 | 54.5% |" in text
    assert "| sound | 1.5 | - | 100 | 7 |" in text
    assert "make judge-sound\nmake judge-first\n" in text
    assert files["images/comparison.svg"].count("<rect") == 1 + 2 * 2


def test_the_page_says_when_the_engines_were_judged() -> None:
    first = _report("sound", Reference())
    alone, both = (
        page(reports)["comparison.md"]
        for reports in ([first], [first, {**first, "engine": "other", "on": "2026-11-18"}])
    )

    assert "Judged on 16 November 2026.\n" in alone
    assert "Judged from 16 November 2026 to 18 November 2026.\n" in both


def test_the_readme_has_the_figures_and_the_day_of_the_page() -> None:
    readme, said = (
        (ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "docs/comparison.md")
    )
    rows = {line.split(" | ")[0]: line.split(" | ") for line in said.split("\n") if "% |" in line}
    names = {
        "keyhole": "keyhole",
        "Desktop Commander": "desktop-commander",
        "official filesystem server": "server-filesystem",
        "Serena": "serena",
        "Anthropic's `str_replace` tool": "str-replace",
        "codex `apply_patch`": "codex-apply-patch",
        "aider's edit blocks": "aider-editblock",
    }
    day = re.search(r"Judged on (\d+ \w+ \d+)\.", said)

    assert day
    assert f"{day[1]}, `make compare`" in readme
    for shown, name in names.items():
        _, asked, harm, _, help_ = rows[f"| {name}"]
        [told] = [line for line in readme.split("\n") if line.startswith(f"| {shown} |")]
        _, _, asked_, harm_, help__, _ = (each.strip() for each in told.split("|"))
        assert (asked_, harm_.strip("*")) == (asked, harm.strip("*"))
        assert abs(float(help__.rstrip(" %")) - float(help_.rstrip(" %|"))) <= 0.5


def test_every_case_that_an_engine_fails_says_what_a_user_would_lose() -> None:
    harms, idle = page([_report("first", FirstMatch()), _report("mute", Mute())])[
        "comparison-cases.md"
    ].split("## No help")

    tables = [
        [line.split(" | ") for line in part.split("\n") if line.startswith("| `")]
        for part in (harms, idle)
    ]
    assert [len(rows) for rows in tables] == [20, 19]
    assert {row[-1].strip(" |") for row in tables[0]} == {"first (wrong-bytes)"}
    assert {row[-1].strip(" |") for row in tables[1]} == {"mute"}
    assert all(row[2].strip() for rows in tables for row in rows)


def test_the_committed_page_says_that_keyhole_does_no_harm() -> None:
    text = (ROOT / "docs" / "comparison.md").read_text(encoding="utf-8")

    ours = [line for line in text.split("\n") if line.startswith("| keyhole") and "**" in line]
    assert ours
    assert [line for line in ours if "**0**" not in line] == []
