import time
from collections.abc import Iterator
from dataclasses import replace
from typing import cast

import pytest

from bench.distance import Proxy, delayed
from keyhole.edits.model.operations import Edit
from keyhole.engine.facade import Engine
from keyhole.engine.history.recall import HistoryRequest
from keyhole.engine.options import Options
from keyhole.sharing.worker import PendingQuestion, Worker
from tests.postgres import PostgresServer, select_nothing
from tests.team import Team, edit

pytestmark = pytest.mark.needs("postgres")


def test_what_one_workspace_did_is_in_the_history_of_the_other(team: Team) -> None:
    one, other = team.open(team.main, "one"), team.open(team.worktree("side"), "other")

    first = edit(one, "line 2\n", "two\n", "A", reason="because")
    second = edit(other, "line 9\n", "nine\n", "B")

    for engine in (one, other):
        found = engine.history(HistoryRequest()).transactions
        assert [past.entry.id for past in found] == [second.transaction, first.transaction]
        origins = [past.entry.origin for past in found]
        assert [(each.machine, each.branch) for each in origins if each] == [
            ("other", "side"),
            ("one", "main"),
        ]
    past = other.show(first.transaction)
    assert past.diffs is not None
    assert "-line 2\n+two\n" in past.diffs["f.txt"]


def test_machine_and_worktree_choose_among_workspaces(team: Team) -> None:
    side = team.worktree("side")
    one, other = team.open(team.main, "one"), team.open(side, "other")
    edit(one, "line 2\n", "two\n")
    edit(other, "line 9\n", "nine\n")

    assert len(one.history(HistoryRequest(machine="other")).transactions) == 1
    assert len(one.history(HistoryRequest(worktree=str(side))).transactions) == 1
    assert one.history(HistoryRequest(machine="third")).transactions == ()
    assert one.stats(wanted=HistoryRequest(machine="other")).tally.entries == {"applied": 1}
    assert {name: counts.done for name, counts in one.stats().tally.by_machine.items()} == {
        "one": 1,
        "other": 1,
    }


def test_refused_calls_and_undos_are_shared_too(team: Team) -> None:
    from keyhole.engine.history.recall import UndoRequest

    one, other = team.open(team.main, "one"), team.open(team.worktree("side"), "other")
    done = edit(one, "line 2\n", "two\n")
    one.edit([Edit(find="nowhere", content="x")], Options(), "f.txt")
    one.undo(UndoRequest(id=done.transaction), Options())
    again = one.undo(UndoRequest(id=done.transaction), Options())
    nothing = other.undo(UndoRequest(), Options())

    assert [each.code for each in (*again.refusals, *nothing.refusals)] == ["nothing-to-undo"] * 2
    one.history(HistoryRequest())
    assert other.stats().tally.refusals == {"not-found": 1, "nothing-to-undo": 2}
    assert other.show(done.transaction).undone_by != ()


def test_an_undo_elsewhere_is_refused_with_the_place(team: Team) -> None:
    from keyhole.engine.history.recall import UndoRequest
    from keyhole.engine.options import Options

    one, other = team.open(team.main, "one"), team.open(team.worktree("side"), "other")
    done = edit(one, "line 2\n", "two\n")

    refused = other.undo(UndoRequest(id=done.transaction), Options())

    (refusal,) = refused.refusals
    assert refusal.code == "nothing-to-undo"
    assert refusal.headline == (
        f"transaction {done.transaction} was made on one:{team.main}, and its files live there"
    )


def test_while_the_server_is_away_edits_go_on_and_say_so(
    team: Team, postgres: PostgresServer
) -> None:
    one = team.open(team.main, "one")
    edit(one, "line 2\n", "two\n")
    postgres.stop()
    try:
        receipts = []
        for number in range(3, 9):
            started = time.monotonic()
            receipts.append(edit(one, f"line {number}\n", f"{number}\n"))
            assert time.monotonic() - started < 10
        assert "sharing is pending" in receipts[-1].warnings[-1]
        assert receipts[-1].as_data()["sharing"] != {}
        assert len(one.history(HistoryRequest()).transactions) == 7
        assert "only this workspace is listed" in one.history(HistoryRequest()).note
    finally:
        postgres.start()
    other = team.open(team.worktree("side"), "other")

    deadline = time.monotonic() + 120
    while len(other.history(HistoryRequest()).transactions) < 7 and time.monotonic() < deadline:
        select_nothing(0.1)
    assert len(other.history(HistoryRequest()).transactions) == 7
    assert edit(one, "line 10\n", "ten\n").warnings == ()


def test_a_connection_that_was_cut_is_made_again_unnoticed(
    team: Team, postgres: PostgresServer
) -> None:
    one = team.open(team.main, "one")
    edit(one, "line 2\n", "two\n")

    assert postgres.cut() >= 1
    assert len(one.history(HistoryRequest()).transactions) == 1
    assert one.history(HistoryRequest()).note == ""


def test_an_edit_wakes_nobody_when_it_is_known_that_there_is_something_to_send(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    sharer = team.open(team.main, "one")._tree.shared
    assert sharer is not None
    woken: list[None] = []
    monkeypatch.setattr(Worker, "wake", lambda _: woken.append(None))

    for _ in range(3):
        sharer.note_commit(1)

    assert len(woken) == 1


@pytest.fixture(name="far")
def _far(team: Team, postgres: PostgresServer) -> Iterator[tuple[Engine, Proxy]]:
    """Give an engine that knows the news of its edits, and what it connects through."""
    with delayed(postgres, 0) as proxy:
        url = team.url.replace(f":{postgres.port}/", f":{proxy.port}/")
        engine = replace(team, url=url).open(team.main, "far")
        edit(engine, "line 1\n", "one\n")
        select_nothing(0.6)
        edit(engine, "line 2\n", "two\n")
        select_nothing(0.6)
        yield engine, proxy


def test_an_edit_that_meets_nobody_waits_for_no_answer(
    far: tuple[Engine, Proxy], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, proxy = far
    waited: list[float] = []
    monkeypatch.setattr(PendingQuestion, "answer", lambda _, seconds: waited.append(seconds))
    proxy.move(60)
    receipt = engine.edit([Edit(find="line 3\n", content="three\n")], Options(), "f.txt")
    monkeypatch.undo()

    assert receipt.ok
    assert cast("dict[str, object]", receipt.extra["sharing"])["checked"] is False
    assert waited == []


def test_news_take_one_round_trip(far: tuple[Engine, Proxy]) -> None:
    engine, proxy = far
    shared = engine._tree.shared
    assert shared is not None

    def counted() -> int:
        before = proxy.trips
        shared._worked(shared._poll)
        return proxy.trips - before

    assert shared._worker.ask(counted, 9) == 1
