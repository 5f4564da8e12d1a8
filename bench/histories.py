"""Questions about the past in long journals, beside the same questions in a short one."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from bench.measure import Row, ratio
from bench.review import fill, last_text
from keyhole.engine.facade import Engine
from keyhole.engine.history.recall import HistoryRequest
from keyhole.engine.upkeep import tasks
from keyhole.journal.sqlite import SqliteJournal
from keyhole.workspace.tree import Tree

_SIZES = (2_000, 20_000, 200_000)
_FILE = "src/file7.py"
_ROUNDS, _MOST = 9, 3.0
# Where a search for a segment that nobody edited gives up, and says so.
_SECONDS = 4.0


def histories(place: Path) -> Iterator[Row]:
    """Yield what each question costs in longer journals, in times of the shortest."""
    engines = [_aged(place / f"history{size}", size) for size in _SIZES]
    for label, ask in _questions().items():
        for engine, size in zip(engines[1:], _SIZES[1:], strict=True):
            found = ratio(partial(ask, engine), partial(ask, engines[0]), _ROUNDS)
            yield Row(f"{label}, {size} transactions beside {_SIZES[0]}", found, _MOST)
    started = time.perf_counter()
    answer = engines[-1].history(HistoryRequest(path=_FILE, limit=20), "value_3")
    assert answer.note, "BUG: not all of it was looked through"
    found = (time.perf_counter() - started) / _SECONDS
    yield Row(f"history FILE --segment, of what never changed / {_SECONDS:g} s", found, 1.0)
    for engine in engines:
        engine.close()


def _questions() -> dict[str, Callable[[Engine], object]]:
    def segment(name: str, engine: Engine) -> object:
        return engine.history(HistoryRequest(path=_FILE, limit=20), name)

    def task(engine: Engine) -> object:
        return engine.history(HistoryRequest(task="task 7", limit=20))

    return {
        "history FILE --segment": partial(segment, "count"),
        "history --task": task,
        "tasks": lambda engine: tasks(engine._tree.journal),  # noqa: SLF001 - a method of the facade opens more
        "stats of a day": lambda engine: engine.stats(time.time() - 86_400),
        "stats": lambda engine: engine.stats(),
    }


def _aged(place: Path, size: int) -> Engine:
    path = place / "root" / _FILE
    path.parent.mkdir(parents=True)
    tree = Tree.open(place / "root", state_home=place / "state")
    assert isinstance(tree.journal, SqliteJournal), "BUG: the embedded journal is SQLite"
    fill(tree.journal, size)
    path.write_text(last_text(size), encoding="utf-8")
    return Engine(tree)
