"""The command line: judge an engine, measure one, list engines and cases."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from edit_suite import EDITION
from edit_suite.case import Case, load, load_edition
from edit_suite.engines.base import Engine
from edit_suite.engines.generic import Generic
from edit_suite.engines.table import ENGINES
from edit_suite.measure import measure
from edit_suite.perturb import perturbed
from edit_suite.report import as_json, as_junit, as_text, badge, failures
from edit_suite.runner import run as run_cases


def run(arguments: Sequence[str] | None = None) -> int:
    """Read the command line and do what it says."""
    given = _parser().parse_args(arguments)
    if given.what == "engines":
        print("\n".join(ENGINES))
        return 0
    if given.what == "measure":
        with tempfile.TemporaryDirectory(prefix="edit-suite-home-") as scratch:
            home = Path(given.home or scratch).absolute()
            print(json.dumps(measure(engine_of(given, home)), ensure_ascii=False))
        return 0
    cases = chosen(given)
    if given.what == "list":
        print("\n".join(f"{case.id}\t{case.title}" for case in cases))
        return 0
    return _judge(given, cases)


def chosen(given: argparse.Namespace) -> list[Case]:
    """Return the cases that the command line names."""
    if given.cases:
        return [load(Path(each)) for each in given.cases]
    cases = list(load_edition(given.edition))
    if given.seed is not None:
        cases += perturbed(cases, given.seed, given.count)
    cases = [case for case in cases if not given.kind or case.kind in given.kind]
    cases = [case for case in cases if not given.case or case.id in given.case]
    return cases[:: given.every]


def engine_of(given: argparse.Namespace, home: Path) -> Engine:
    """Return the engine that the command line names."""
    if given.command:
        return Generic(given.engine, shlex.split(given.command))
    return ENGINES[given.engine](home)


def _judge(given: argparse.Namespace, cases: list[Case]) -> int:
    with tempfile.TemporaryDirectory(prefix="edit-suite-home-") as scratch:
        home = Path(given.home or scratch).absolute()
        verdicts = run_cases(engine_of(given, home), cases)
    if given.details:
        for each in failures(verdicts):
            print(f"{each.id}: {each.harm or 'no help'}: {each.detail}")
    print(as_text(given.engine, verdicts))
    outputs = [
        (given.json, as_json(given.engine, given.edition, cases, verdicts)),
        (given.junit, as_junit(given.engine, cases, verdicts)),
        (given.badge, badge(verdicts)),
    ]
    for path, text in outputs:
        if path:
            Path(path).write_text(text, encoding="utf-8")
    return 1 if any(verdict.harm for verdict in verdicts) else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="edit-suite", description=__doc__)
    what = parser.add_subparsers(dest="what", required=True)
    what.add_parser("engines", help="list the engines that have an adapter")
    judge = what.add_parser("run", help="judge an engine; ends with 1 if it did harm")
    cost = what.add_parser("measure", help="measure start, edit and what a model reads, as JSON")
    for each in (judge, cost):
        each.add_argument("engine", help="a name of `edit-suite engines`, or any with --command")
        each.add_argument("--command", help="how to start a server; {root} is its root")
        each.add_argument("--home", help="where engines of others are installed")
    judge.add_argument("--json", help="write the report as JSON")
    judge.add_argument("--junit", help="write the report as JUnit")
    judge.add_argument("--badge", help="write a badge (SVG)")
    judge.add_argument("--details", action="store_true", help="print what went wrong")
    for each in (judge, what.add_parser("list", help="list the cases")):
        each.add_argument("--edition", default=EDITION)
        each.add_argument("--class", dest="kind", action="append", help="only this class")
        each.add_argument("--case", action="append", help="only the case with this id")
        each.add_argument("--cases", action="append", help="a directory of a case of your own")
        each.add_argument("--every", type=int, default=1, help="only every nth case")
        each.add_argument("--seed", type=int, help="add perturbed cases, drawn from this number")
        each.add_argument("--count", type=int, default=200, help="how many of them")
    return parser


if __name__ == "__main__":
    sys.exit(run())
