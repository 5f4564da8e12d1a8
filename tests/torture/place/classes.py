"""The classes of trials, and a trial by its name."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace

from tests.torture.place import again, corpus, cuts, diffs, names, quotes, stale, stretches
from tests.torture.place.files import File
from tests.torture.place.trial import Call, Trial

Maker = Callable[[random.Random, File], Trial | None]
_PYTHON = ("python", "stubs")
# How many files are looked through for a place where a class can be tried.
_TRIES = 60


@dataclass(frozen=True)
class Class:
    """A way to damage a call, the languages it is for, and how often it is tried in a round."""

    make: Maker
    languages: tuple[str, ...] = ()
    weight: int = 1


CLASSES: dict[str, Class] = {
    "whole": Class(quotes.whole),
    "trailing blanks": Class(quotes.trailing),
    "dedented": Class(quotes.shifted_left),
    "indented": Class(quotes.shifted_right),
    "numbered": Class(quotes.numbered),
    "numbered elsewhere": Class(quotes.numbered_elsewhere),
    "fenced": Class(quotes.fenced),
    "lines swapped": Class(quotes.swapped),
    "line dropped": Class(quotes.dropped),
    "line doubled": Class(quotes.doubled),
    "sibling's name": Class(quotes.sibling),
    "one token": Class(quotes.one_token),
    "another comment": Class(quotes.comment),
    "older version": Class(quotes.older, weight=2),
    "edge reads otherwise": Class(quotes.edge),
    "block gone": Class(quotes.gone, weight=2),
    "block copied": Class(quotes.copied),
    "block moved": Class(quotes.moved),
    "blank run": Class(quotes.blank_run),
    "blank run, line reworded": Class(quotes.blank_run_reworded),
    "blank run, line added": Class(quotes.blank_run_touched),
    "cut line stays": Class(cuts.cut_kept),
    "cut line changes": Class(cuts.cut_changed, weight=2),
    "words of a line": Class(cuts.inside),
    "pieces of words": Class(cuts.inside_word),
    "elided": Class(stretches.elided),
    "elided too far": Class(stretches.elided_too_far, weight=2),
    "until": Class(stretches.until),
    "until too far": Class(stretches.until_too_far, weight=2),
    "diff": Class(diffs.clean),
    "diff, wrong counts": Class(diffs.counts),
    "diff, wrong numbers": Class(diffs.numbers),
    "diff, context lost": Class(diffs.context_lost),
    "diff, lines swapped": Class(diffs.swapped),
    "diff, one token": Class(diffs.mistyped_row),
    "diff, hunk twice": Class(diffs.twice),
    "diff, block gone": Class(diffs.gone),
    "diff, block copied": Class(diffs.copied),
    "diff, behind the end": Class(diffs.out_of_the_file),
    "diff, no context": Class(diffs.without_context),
    "other format": Class(diffs.other_format),
    "other format, one token": Class(diffs.other_format_mistyped),
    "other format, block gone": Class(diffs.other_format_gone),
    "name": Class(names.right_name, _PYTHON),
    "name, with find": Class(names.with_find, _PYTHON),
    "name, damaged": Class(names.damaged, names.CODE + names.DATA, weight=3),
    "name, parent missing": Class(names.parent_missing, _PYTHON),
    "name, parent damaged": Class(names.parent_damaged, (*_PYTHON, "toml", "yaml")),
    "name, moved": Class(names.moved, _PYTHON),
    "name, heading": Class(names.heading, ("markdown",)),
    "name, heading folded": Class(names.heading_folded, ("markdown",)),
    "name, heading damaged": Class(names.heading_damaged, ("markdown",)),
    "section": Class(names.section, ("markdown",)),
    "section, blanks of its code": Class(names.section_code, ("markdown",)),
    "again": Class(again.quoted),
    "again, column 0": Class(again.quoted_at_column_0),
    "again, other blanks": Class(again.quoted_otherwise),
    "again, replaced": Class(again.replacing),
    "again, diff": Class(again.patched),
    "again, elided": Class(again.elided),
    "again, shown": Class(again.shown),
    "again, touched": Class(again.touched),
    "again, changed": Class(again.changed),
    "again, words": Class(again.words),
    "again, lines": Class(again.lines),
    "again, end of file": Class(again.at_the_end),
    "again, segment": Class(again.segment, _PYTHON),
    "shown, changed elsewhere": Class(stale.elsewhere),
    "shown, changed there": Class(stale.changed_there, weight=2),
    "shown, copied": Class(stale.copied, weight=2),
    "shown, copied as it was": Class(stale.copied_as_it_was),
    "shown, copied beside": Class(stale.copied_beside),
    "shown, only a copy left": Class(stale.copied_and_gone, weight=2),
    "shown, gone": Class(stale.gone),
    "shown, paragraphs gone": Class(stale.paragraphs_gone),
    "shown, append": Class(stale.appended),
    "shown, numbers": Class(stale.counted),
}
ROUND = tuple(name for name, each in CLASSES.items() for _ in range(each.weight))
_CORPORA = {"real": corpus.real, "made up": corpus.made_up}


def name_of(number: int, kind: str = "real") -> str:
    """Return the name of a trial by its place in the programme."""
    return f"{ROUND[number % len(ROUND)]}/{kind}/{number}"


def trial_of(name: str) -> tuple[str, Trial]:
    """Return the trial of a name, CLASS/CORPUS/NUMBER, and the language of its file."""
    title, kind, _ = name.rsplit("/", 2)
    rng, chosen = random.Random(name), CLASSES[title]
    for _ in range(_TRIES):
        language, file = _CORPORA[kind](rng, chosen.languages)
        trial = chosen.make(rng, file)
        if trial:
            return language, _gated(rng, trial)
    for _ in range(_TRIES * 10):
        language, file = corpus.made_up(rng, chosen.languages)
        trial = chosen.make(rng, file)
        if trial:
            return language, _gated(rng, trial)
    raise AssertionError(f"no file fits {name}")


def _gated(rng: random.Random, trial: Trial) -> Trial:
    """Return the trial with the gate open or closed."""
    mode = rng.choice(("strict", "interactive"))
    steps = tuple(
        replace(step, mode=mode) if isinstance(step, Call) else step for step in trial.steps
    )
    return replace(trial, call=replace(trial.call, mode=mode), steps=steps)
