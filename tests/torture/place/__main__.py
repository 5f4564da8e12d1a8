"""Run trials, or show one: python -m tests.torture.place COUNT | --show NAME."""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter

from tests.torture.arena import report
from tests.torture.place.classes import CLASSES, name_of, trial_of
from tests.torture.place.judging import RIGHT, WRONG, bench
from tests.torture.place.trial import Call, Save, Trial

MOST_SHOWN = 40


def run(first: int, count: int, kind: str, only: str = "") -> tuple[Counter[str], Counter[str]]:
    """Run trials in a row; return what became of them, by class, and how many files of each language."""
    found: Counter[str] = Counter()
    languages: Counter[str] = Counter()
    with bench() as ready:
        for number in range(first, first + count):
            name = f"{only}/{kind}/{number}" if only else name_of(number, kind)
            language, trial = trial_of(name)
            verdict = ready.run(trial)
            title = name.rsplit("/", 2)[0]
            found[f"{title}: {verdict.word}"] += 1
            languages[language] += 1
            if verdict.word == WRONG and found[f"{title}: {WRONG}"] <= MOST_SHOWN:
                sys.stderr.write(f"WRONG {name}: {verdict.why}\n")
    return found, languages


def show(name: str) -> int:
    """Print one trial: its file, what was called, what is right, and what came."""
    language, trial = trial_of(name)
    with bench() as ready:
        verdict = ready.run(trial)
    out = sys.stdout.write
    out(f"trial {name}, a file of {language} with {len(trial.file.lines)} lines, truth: {trial.truth}\n")
    for step in trial.steps:
        if isinstance(step, Call):
            out(f"--- called before:\n{_call(step)}")
        else:
            what = _differs(trial.file.text, step.file.text) if isinstance(step, Save) else ""
            out(f"--- {type(step).__name__} {getattr(step, 'through_keyhole', '')}\n{what}")
    out(f"--- call:\n{_call(trial.call)}")
    for text in trial.right:
        out(f"--- right:\n{_differs(trial.before, text)}")
    out(f"--- {verdict.word} {verdict.why}\n{verdict.answer}\n")
    out(f"--- change made:\n{_differs(trial.before, verdict.now)}" if verdict.now else "")
    return verdict.word == WRONG


def _call(call: Call) -> str:
    lines = [f"mode {call.mode} {call.expected_hash}\n{call.patch}"]
    return "".join(lines + [f"{name}:\n{value}\n" for name, value in call.fields.items()])


def _differs(one: str, other: str) -> str:
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
    rows = rows if len(rows) <= MOST_SHOWN else [*rows[:20], "  ...", *rows[-20:]]
    rows += [f"       {line}" for line in new[len(new) - tail :][:2]]
    return "\n".join(rows) + "\n"


def table(found: Counter[str]) -> str:
    """Return the counts by class."""
    words = (RIGHT, "held", "refused", "gated", "void", WRONG)
    rows = [f"{'class':<28}" + "".join(f"{word:>9}" for word in words)]
    for title in CLASSES:
        cells = [found[f"{title}: {word}"] for word in words]
        if any(cells):
            rows.append(f"{title:<28}" + "".join(f"{cell:>9}" for cell in cells))
    return "\n".join(rows)


def main() -> int:
    """Read the arguments and run."""
    parser = argparse.ArgumentParser()
    parser.add_argument("count", nargs="?", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--corpus", default="real")
    parser.add_argument("--only", default="")
    parser.add_argument("--show", default="")
    asked = parser.parse_args()
    if asked.show:
        return show(asked.show)
    begun = time.process_time()
    found, languages = run(asked.first, asked.count, asked.corpus, asked.only)
    spent = time.process_time() - begun
    sys.stderr.write(f"{table(found)}\n{dict(languages)}\n{spent * 1000 / asked.count:.2f} ms a trial\n")
    total: Counter[str] = Counter()
    for title, number in found.items():
        total[title.rsplit(": ", 1)[1]] += number
    total["languages"] = len(languages)
    report(total)
    return 0


if __name__ == "__main__":
    sys.exit(main())
