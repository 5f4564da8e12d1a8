"""Run cases on an engine, one after another, below one root."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from edit_suite.case import Case
from edit_suite.engines.base import Engine
from edit_suite.judge import Answer, Verdict, judge
from edit_suite.place import Place, snapshot
from edit_suite.trials import run_trial

Heard = Callable[[Verdict], None]


def run(
    engine: Engine, cases: Iterable[Case], heard: Heard = lambda _verdict: None
) -> list[Verdict]:
    """Run the cases and return their verdicts; `heard` is told each as it comes."""
    verdicts = []
    with tempfile.TemporaryDirectory(prefix="edit-suite-") as scratch:
        root = Path(scratch).resolve() / "root"
        root.mkdir()
        engine.open(root)
        try:
            for case in cases:
                verdicts.append(run_case(engine, case, root))
                heard(verdicts[-1])
        finally:
            engine.close()
    return verdicts


def run_case(engine: Engine, case: Case, root: Path) -> Verdict:
    """Lay a case out, make its calls, judge what is left, and clear it away."""
    if not engine.offers(case):
        return Verdict(case.id, case.kind, "not-offered")
    place = Place(root, case.id)
    place.lay_out(case)
    try:
        if case.trial:
            return run_trial(engine, case, place)
        outside = snapshot(place.outside)
        answers = _answers(engine, case, place)
        escaped = snapshot(place.outside) != outside
        return judge(case, snapshot(place.home), answers, escaped=escaped)
    finally:
        place.clear()


def _answers(engine: Engine, case: Case, place: Place) -> Sequence[Answer]:
    answers = []
    for call in case.calls:
        if call.verb == "meanwhile":
            (place.home / call.path).write_bytes(str(call["text"]).encode())
        elif call.verb == "read":
            engine.call(call, place)
        else:
            answers.append(engine.call(call, place))
    return answers
