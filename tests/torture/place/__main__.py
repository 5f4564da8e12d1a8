"""Run trials, those of a planted fault, or show one.

python -m tests.torture.place COUNT [--first N] [--corpus "made up"] [--only CLASS]
python -m tests.torture.place --planted FAULT     its stored trials, without the fault and with it
python -m tests.torture.place --hunt FAULT        trials that find a fault, to be stored
python -m tests.torture.place --show NAME         file, call, truth and answer of one trial
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterable

from tests.torture.arena import child, report
from tests.torture.place.classes import CLASSES, name_of, trial_of
from tests.torture.place.judging import WORDS, WRONG, bench
from tests.torture.place.seeds import SEEDS, faults
from tests.torture.place.showing import show
from tests.torture.place.trial import UNIQUE

MOST_SHOWN = 40


def run(names: Iterable[str]) -> Counter[str]:
    """Run trials; count them by verdict, by class with verdict, and by language."""
    found: Counter[str] = Counter()
    with bench() as ready:
        for name in names:
            language, trial = trial_of(name)
            verdict = ready.run(trial)
            title = name.rsplit("/", 2)[0]
            found[verdict.word] += 1
            found["unique"] += trial.truth == UNIQUE
            found[f"class {title}: {verdict.word}"] += 1
            found[f"language {language}"] += 1
            if verdict.word == WRONG and found[WRONG] <= MOST_SHOWN:
                sys.stderr.write(f"WRONG {name}: {verdict.why}\n")
    return found


def planted(fault: str) -> Counter[str]:
    """Run the stored trials of a fault, as keyhole is and with the fault planted."""
    plant = faults()[fault]
    return Counter(sound=len(_wrong(SEEDS[fault], None)), planted=len(_wrong(SEEDS[fault], plant)))


def hunt(fault: str, count: int) -> list[str]:
    """Return trials that go wrong with a fault planted, and without it do not."""
    titles = {name.rsplit("/", 2)[0] for name in SEEDS[fault]}
    names = [f"{title}/made up/{number}" for title in sorted(titles) for number in range(count)]
    sound = set(_wrong(names, None))
    return [name for name in _wrong(names, faults()[fault]) if name not in sound]


def _wrong(names: Iterable[str], plant: object) -> list[str]:
    """Return the trials that go wrong, run in a process of their own."""

    def work(say: object) -> None:
        assert callable(say)
        if callable(plant):
            plant()
        with bench() as ready:
            for name in names:
                if ready.run(trial_of(name)[1]).word == WRONG:
                    say(name)

    return child(work)[0]


def table(found: Counter[str]) -> str:
    """Return the counts by class."""
    rows = [f"{'class':<28}" + "".join(f"{word:>9}" for word in WORDS)]
    for title in CLASSES:
        cells = [found[f"class {title}: {word}"] for word in WORDS]
        if any(cells):
            rows.append(f"{title:<28}" + "".join(f"{cell:>9}" for cell in cells))
    return "\n".join(rows)


def main() -> int:
    """Read the arguments and run."""
    parser = argparse.ArgumentParser()
    parser.add_argument("count", nargs="?", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--corpus", default="real")
    for name in ("--only", "--show", "--planted", "--hunt"):
        parser.add_argument(name, default="")
    asked = parser.parse_args()
    if asked.show:
        return show(asked.show)
    if asked.planted:
        report(planted(asked.planted))
        return 0
    if asked.hunt:
        sys.stdout.write("\n".join(hunt(asked.hunt, asked.count)) + "\n")
        return 0
    begun = time.process_time()
    numbers = range(asked.first, asked.first + asked.count)
    only = f"{asked.only}/{asked.corpus}"
    found = run(f"{only}/{n}" if asked.only else name_of(n, asked.corpus) for n in numbers)
    found["milliseconds"] = round((time.process_time() - begun) * 1000)
    sys.stderr.write(f"{table(found)}\n{found['milliseconds'] / asked.count:.2f} ms a trial\n")
    report(found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
