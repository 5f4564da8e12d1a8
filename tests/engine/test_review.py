"""What a reviewer has not seen stays new, whoever works meanwhile."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from keyhole.edits.model.operations import Edit
from keyhole.engine.facade import Engine
from keyhole.engine.history.changes import UNSEEN, ChangesRequest
from keyhole.engine.history.recall import HistoryRequest
from keyhole.engine.options import Options
from keyhole.refusals import Refused

_AGENTS, _EDITS = 10, 6
ME = "me"


def work(base: Path, agent: int) -> None:
    """Edit a file of one's own and one of everybody, in an engine of one's own."""
    engine = Engine.open(base / "root", base / "state")
    for number in range(_EDITS):
        options = Options(actor=f"agent {agent}", task=f"task {agent}", on_conflict="force")
        edits = [
            Edit(path=f"{agent}.txt", action="append", content=f"{number}"),
            Edit(path="all.txt", find=f"{agent}:{number}\n", content=f"{agent}.{number}\n"),
        ]
        assert engine.edit(edits, options).ok
    engine.close()


def prepared(base: Path) -> Engine:
    (base / "root").mkdir()
    for agent in range(_AGENTS):
        (base / "root" / f"{agent}.txt").write_bytes(b"")
    rows = (f"{agent}:{number}\n" for number in range(_EDITS) for agent in range(_AGENTS))
    (base / "root" / "all.txt").write_text("".join(rows), encoding="utf-8")
    return Engine.open(base / "root", base / "state")


def test_of_ten_agents_at_once_only_what_was_shown_is_seen(tmp_path: Path) -> None:
    engine = prepared(tmp_path)
    review, shown = engine.review, set[int]()
    with ThreadPoolExecutor(_AGENTS) as pool:
        agents = [pool.submit(work, tmp_path, agent) for agent in range(_AGENTS)]
        while not all(agent.done() for agent in agents):
            found = review.changes(ChangesRequest(UNSEEN), ME)
            review.see_all(ME, found.newest, found.unfinished)
            shown |= {each.order for each in found.entries if each.order <= found.newest}
            shown -= {*found.unfinished}
        assert [agent.result() for agent in agents] == [None] * _AGENTS

    past = engine.history(HistoryRequest(limit=1000)).transactions
    new = {each.entry.id for each in past if each.entry.order not in shown}
    assert len(past) == _AGENTS * _EDITS
    assert review.unseen_of(ME, past) == new
    assert review.unseen(ME) == len(new)
    left = review.changes(ChangesRequest(UNSEEN), ME)
    assert {each.id for each in left.entries} == new
    review.see_all(ME, left.newest, left.unfinished)
    assert (review.unseen(ME), review.unseen("you")) == (0, len(past))
    engine.close()


def test_what_was_seen_can_be_unseen_again(tmp_path: Path) -> None:
    engine = prepared(tmp_path)
    work(tmp_path, 0)
    last, *rest = (each.entry.id for each in engine.history(HistoryRequest()).transactions)

    engine.review.see(ME, [last, *rest])
    engine.review.see(ME, [last], seen=False)

    past = engine.history(HistoryRequest()).transactions
    assert engine.review.unseen_of(ME, past) == {last}
    engine.close()


def test_refused_calls_are_found_by_what_they_were_refused_for(tmp_path: Path) -> None:
    engine = prepared(tmp_path)
    for edit in (Edit(find="nowhere", content="x"), Edit(find="(", content="x", regex=True)):
        assert not engine.edit([edit], Options(actor=ME), "0.txt").ok

    found = engine.review.struggles(0.0, code="not-found")

    assert (len(found.latest), dict(found.by_code)) == (1, {"not-found": 1})
    [one] = found.latest
    assert engine.review.struggle(one.attempt.time, ME) == one
    with pytest.raises(Refused, match="no refused call of this actor at this time"):
        engine.review.struggle(one.attempt.time, "you")
    engine.close()


def test_a_diff_of_a_task_marks_its_transactions_and_no_other(tmp_path: Path) -> None:
    engine = prepared(tmp_path)
    for agent in range(2):
        work(tmp_path, agent)
    review, wanted = engine.review, ChangesRequest(task="task 1")
    found = review.changes(wanted, ME)
    work(tmp_path, 2)

    review.see_changes(ME, wanted, found.newest, [found.newest])

    assert review.unseen(ME) == 2 * _EDITS + 1
    tasks = {each.call.task for each in review.changes(ChangesRequest(UNSEEN), ME).entries}
    assert tasks == {"task 0", "task 1", "task 2"}
    engine.close()
