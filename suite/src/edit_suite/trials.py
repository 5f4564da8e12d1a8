"""Cases that chance has a part in: calls at once, a file that is watched, a kill in the middle.

They report counts, and their files are judged as all others are: by the bytes.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from edit_suite.case import Case, Files
from edit_suite.engines.base import Engine, at_once
from edit_suite.judge import Answer, Verdict
from edit_suite.place import Place, snapshot

KILLS = 5
EDITS_WATCHED = 12


def run_trial(engine: Engine, case: Case, place: Place) -> Verdict:
    """Run a case of chance on files that lie ready."""
    trials: dict[str, Callable[[Engine, Case, Place], Verdict]] = {
        "parallel": _parallel,
        "watch": _watch,
        "kill": _kill,
    }
    return trials[case.trial](engine, case, place)


def _parallel(engine: Engine, case: Case, place: Place) -> Verdict:
    answers = at_once(engine, case.calls, place)
    found = snapshot(place.home).files
    before, after = case.padded(case.before), case.padded(case.afters[0])
    there = b"".join(found.values())
    lost = sum(
        not answer.refused and _new_text(call.as_json()).encode() not in there
        for call, answer in zip(case.calls, answers, strict=True)
    )
    landed = sum(not answer.refused for answer in answers) - lost
    detail = f"{landed} of {len(answers)} landed, {lost} were acknowledged and lost"
    if lost:
        return Verdict(case.id, case.kind, "harm", "lost-update", detail=detail)
    known = {
        line for tree in (before, after) for data in tree.values() for line in data.split(b"\n")
    }
    strays = [line for data in found.values() for line in data.split(b"\n") if line not in known]
    if strays or {*found} - {*before, *after} or not {*before} <= {*found}:
        return Verdict(case.id, case.kind, "harm", "wrong-bytes", detail=detail)
    outcome = "landed" if landed else "refused"
    return Verdict(case.id, case.kind, outcome, helped=landed == len(answers), detail=detail)


def _new_text(call: dict[str, object]) -> str:
    """Return the text that a call puts into its file."""
    text = str(call.get("new") or call.get("text") or "")
    added = [line[1:] for line in str(call.get("diff", "")).split("\n") if line.startswith("+")]
    return text.rstrip("\n") or added[-1]


def _watch(engine: Engine, case: Case, place: Place) -> Verdict:
    """Read the file as often as it can be while it is edited to and fro."""
    [path] = case.before
    whole = {case.padded(case.before)[path], case.padded(case.afters[0])[path]}
    torn, reads, done = 0, 0, threading.Event()

    def watch() -> None:
        nonlocal torn, reads
        while not done.is_set():
            try:
                data = (place.home / path).read_bytes()
            except OSError:
                data = b""
            torn, reads = torn + (data not in whole), reads + 1

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        answers = _edits(engine, case, place)
    finally:
        done.set()
        watcher.join()
    if torn:
        detail = f"{torn} of {reads} readers saw neither the old nor the new file"
        return Verdict(case.id, case.kind, "harm", "torn", detail=detail)
    landed = all(not answer.refused for answer in answers)
    outcome = "landed" if landed else "refused"
    return Verdict(case.id, case.kind, outcome, helped=landed, detail=f"{reads} readers")


def _edits(engine: Engine, case: Case, place: Place) -> list[Answer]:
    """Make the edit again and again, each time on the file as it was."""
    answers = []
    for _ in range(EDITS_WATCHED):
        answers += [engine.call(call, place) for call in case.calls]
        for path, data in case.padded(case.before).items():
            # Laid back in one step, so that only the engine can tear the file.
            (place.home / f"{path}.back").write_bytes(data)
            (place.home / f"{path}.back").replace(place.home / path)
    return answers


def _kill(engine: Engine, case: Case, place: Place) -> Verdict:
    """Kill the engine at moments that are spread over the time of a call, then start it again."""
    started = time.perf_counter()
    first = [engine.call(call, place) for call in case.calls]
    took = time.perf_counter() - started
    for number in range(KILLS):
        torn = _killed(engine, case, place, took * (number + 0.5) / KILLS)
        if torn:
            return Verdict(case.id, case.kind, "harm", torn, detail=f"killed {number + 1} times")
    landed = all(not answer.refused for answer in first)
    outcome = "landed" if landed else "refused"
    return Verdict(case.id, case.kind, outcome, helped=landed, detail=f"killed {KILLS} times")


def _killed(engine: Engine, case: Case, place: Place, delay: float) -> str:
    place.clear()
    place.lay_out(case)
    before, after = case.padded(case.before), case.padded(case.afters[0])
    calls = threading.Thread(target=lambda: [engine.call(call, place) for call in case.calls])
    calls.start()
    time.sleep(delay)
    engine.kill()
    calls.join()
    engine.close()
    engine.open(place.root)
    # Whoever recovers does so at the next call; it is about nothing that the case has.
    (place.home / "tick.txt").write_text("tick\n", encoding="utf-8")
    engine.call(case.calls[0].about("tick.txt"), place)
    return _torn(before, after, snapshot(place.home).files)


def _torn(before: Files, after: Files, found: Files) -> str:
    there = {path: found.get(path) for path in before}
    if there in (dict(before), dict(after)):
        return ""
    each = all(there[path] in (before[path], after[path]) for path in before)
    return "half-applied" if each else "torn"
