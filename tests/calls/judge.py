"""The judge: a call in another shape has to do what the clean call does, all of it."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from tests.calls.cases import Call, Case
from tests.calls.doors import Answer, Door

LANDED, REFUSED, WRONG, DROPPED, UNNAMED, SILENT = (
    "landed",
    "refused",
    "WRONG",
    "DROPPED",
    "UNNAMED",
    "without a try that lands",
)


@dataclass(frozen=True, slots=True)
class Seen:
    """What became of a call: the bytes of its file, the answer, the journal."""

    files: bytes
    said: str
    entry: object
    refused: bool
    answer: Answer


@dataclass(slots=True)
class Count:
    """How many calls went which way, and some of those that went wrong."""

    usual: str
    verdicts: Counter[str] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)

    def add(self, verdict: str, what: str) -> None:
        """Count a call."""
        self.verdicts[verdict] += 1
        if verdict != self.usual and len(self.examples) < 20:
            self.examples.append(f"{verdict}: {what}")


def carried_out(door: Door, case: Case, call: Call) -> Seen:
    """Put the file there, make a call, and see what became of it."""
    file = Path(door.root, case.path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(case.before)
    return _seen(door, case, door.send(case, call))


def sent_back(door: Door, case: Case, call: Call) -> Seen:
    """Make a call on the file as it is."""
    return _seen(door, case, door.send(case, call))


def _seen(door: Door, case: Case, answer: Answer) -> Seen:
    return Seen(
        Path(door.root, case.path).read_bytes(),
        _told(answer, case),
        _moved(door.entry(case.path), case),
        answer.refused,
        answer,
    )


def _told(answer: Answer, case: Case) -> str:
    """Return an answer without what differs from call to call: ids, times, places, healings."""
    known = {name: value for name, value in answer.data.items() if name not in _FLEETING}
    return _as_text(known, case)


_FLEETING = {"healed", "transaction"}


def _as_text(value: object, case: Case) -> str:
    text = json.dumps(value, sort_keys=True, default=str)
    directory = case.path.split("/", 1)[0]
    for spelling in (f"{case.root}/{directory}/", f"./{directory}/", f"{directory}/"):
        text = text.replace(spelling, "")
    return text


def _moved(entry: object, case: Case) -> str:
    return _as_text(entry, case)


def verdict_of(clean: Seen, seen: Seen, before: bytes, *, is_named: bool) -> str:
    """Say what became of a call beside what became of the clean one."""
    if seen.refused:
        return REFUSED if seen.files == before else WRONG
    if seen.files != clean.files:
        return WRONG
    if (seen.said, seen.entry) != (clean.said, clean.entry):
        return DROPPED
    if is_named and not seen.answer.data.get("healed"):
        return UNNAMED
    return LANDED


def recovered(door: Door, case: Case, clean: Seen, seen: Seen) -> bool:
    """Tell whether the try of a refusal, sent back as it is, does what the clean call does."""
    call = seen.answer.tries
    if call is None:
        return False
    if seen.answer.text and json.dumps(call, ensure_ascii=False) not in seen.answer.text:
        return False  # both forms carry it
    again = sent_back(door, case, call)
    return not again.refused and again.files == clean.files
