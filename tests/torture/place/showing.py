"""Print one trial so that somebody can follow it."""

from __future__ import annotations

import sys

from tests.torture.place.classes import trial_of
from tests.torture.place.judging import WRONG, bench
from tests.torture.place.trial import Call, Look, Step, Touch

_MOST_ROWS = 40


def show(name: str) -> int:
    """Print one trial: its file, what was called, what is right, and what came of it."""
    language, trial = trial_of(name)
    with bench() as ready:
        verdict = ready.run(trial)
    rows = [f"{name}: a file of {language}, {len(trial.file.lines)} lines, truth: {trial.truth}"]
    for step in trial.steps:
        rows += _step(step, trial.file.text)
    rows += ["--- call", *_call(trial.call)]
    for text in trial.right:
        rows += ["--- right", *_differs(trial.before, text)]
    rows += [f"--- {verdict.word} {verdict.why}".rstrip(), verdict.answer]
    if verdict.now:
        rows += ["--- what changed", *_differs(trial.before, verdict.now)]
    sys.stdout.write("\n".join(rows) + "\n")
    return int(verdict.word == WRONG)


def _step(step: Step, before: str) -> list[str]:
    if isinstance(step, Call):
        return ["--- called before", *_call(step)]
    if isinstance(step, Look):
        return ["--- the caller reads the file"]
    what = [step.line] if isinstance(step, Touch) else _differs(before, step.file.text)
    who = "a colleague, through keyhole," if step.through_keyhole else "somebody"
    return [f"--- {who} saves", *what]


def _call(call: Call) -> list[str]:
    rows = [f"mode: {call.mode}"]
    if call.expected_hash:
        rows.append(f"expected_hash: {call.expected_hash}")
    if call.patch:
        rows.append(call.patch)
    return rows + [f"{name}:\n{value}" for name, value in call.fields.items()]


def _differs(one: str, other: str) -> list[str]:
    """Return the lines that differ, with two around them."""
    old, new = one.split("\n"), other.split("\n")
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    start = max(0, head - 2)
    rows = [f"{start + i + 1:5}  {line}" for i, line in enumerate(old[start:head])]
    rows += [f"{head + i + 1:5} -{line}" for i, line in enumerate(old[head : len(old) - tail])]
    rows += [f"{head + i + 1:5} +{line}" for i, line in enumerate(new[head : len(new) - tail])]
    if len(rows) > _MOST_ROWS:
        rows = [*rows[: _MOST_ROWS // 2], "  ...", *rows[-_MOST_ROWS // 2 :]]
    return rows + [f"       {line}" for line in new[len(new) - tail :][:2]]
