"""One past over many workspaces: tasks, undo, patches and audits, and what each says of places."""

from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest

from keyhole.answers.receipt import Receipt
from keyhole.engine.facade import Engine
from keyhole.engine.history.export import series_of
from keyhole.engine.history.recall import HistoryRequest, UndoRequest
from keyhole.engine.options import Options
from keyhole.engine.sharing.share import share, tasks
from keyhole.refusals import Refused
from keyhole.sharing.sender import SyncStatus
from keyhole.sharing.server import Unreachable
from tests.postgres import PostgresServer
from tests.team import Team, edit, git, team

pytestmark = pytest.mark.needs("postgres")


@pytest.fixture(name="team")
def _team(tmp_path: Path, database: str) -> Iterator[Team]:
    with team(tmp_path, database) as made:
        yield made


@pytest.fixture(name="pair")
def _pair(team: Team) -> tuple[Engine, Engine]:
    """Two checkouts in which a task of each edited, and one that edited in both."""
    one, two = team.open(team.main, "one"), team.open(team.worktree("side"), "two")
    edit(one, "line 3\n", "three\n", "ours")
    edit(two, "line 9\n", "nine\n", "ours")
    edit(two, "line 7\n", "seven\n", "theirs", reason="by its name")
    return one, two


def undone(engine: Engine, task: str) -> Receipt:
    return engine.undo(UndoRequest(task=task), Options())


def test_tasks_are_those_of_everybody_with_where_they_edited(
    team: Team, pair: tuple[Engine, Engine]
) -> None:
    one, _ = pair
    here, there = (f"{name}:{team.home / place} ({branch})" for name, place, branch in PLACES)

    found = tasks(one._tree)

    said = [(each.name, each.transactions, [*map(str, each.origins)]) for each in found.tasks]
    assert said == [("theirs", 1, [there]), ("ours", 2, [there, here])]
    assert found.as_text().split("\n")[0].endswith(f"  on {there}")
    [theirs, ours] = cast("list[dict[str, object]]", found.as_data()["tasks"])
    assert (theirs["task"], ours["transactions"], ours["ended"]) == ("theirs", 2, False)
    place = {"machine": "two", "worktree": str(team.home / "side"), "branch": "side"}
    assert theirs["workspaces"] == [place]


PLACES = (("one", "main", "main"), ("two", "side", "side"))


def test_a_task_that_was_ended_anywhere_is_ended(pair: tuple[Engine, Engine]) -> None:
    from keyhole.engine.upkeep import end_task

    one, two = pair
    assert [each.ended for each in tasks(one._tree).tasks] == [False, False]

    assert end_task(two._tree, "theirs").tasks[0].ended
    assert two._tree.shared
    two._tree.shared.ask(lambda _: None)

    assert [each.ended for each in tasks(one._tree).tasks] == [True, False]


def test_tasks_are_those_of_here_while_the_server_is_away(
    pair: tuple[Engine, Engine], postgres: PostgresServer
) -> None:
    one, _ = pair
    postgres.stop()
    try:
        found = tasks(one._tree)
    finally:
        postgres.start()

    assert [each.name for each in found.tasks] == ["ours"]
    assert found.as_text().startswith("note: only this workspace is listed, for the shared journal")
    assert found.as_data()["note"] == found.note


def test_the_undo_of_a_task_says_where_else_it_edited(
    team: Team, pair: tuple[Engine, Engine]
) -> None:
    one, two = pair

    refused, half = undone(one, "theirs"), undone(one, "ours")
    rest = undone(two, "ours")

    place = f"two:{team.home / 'side'}"
    assert [each.headline for each in refused.refusals] == [
        f"task 'theirs' was made on {place}, and its files live there"
    ]
    assert half.ok
    assert f"task 'ours' also edited on {place} (side): undo that there" in half.warnings
    assert rest.ok
    assert [each for each in rest.warnings if "also edited" in each] == []


def test_a_task_that_nobody_knows_is_refused_as_ever(pair: tuple[Engine, Engine]) -> None:
    refused = undone(pair[0], "nobody's")

    assert [each.headline for each in refused.refusals] == [
        'task "nobody\'s" has no transaction to undo'
    ]


def test_patches_are_those_of_here_or_of_one_that_is_named(
    team: Team, pair: tuple[Engine, Engine]
) -> None:
    one, _ = pair

    assert series_of(one._tree, HistoryRequest(task="ours")).count(b"\nSubject: ") == 1
    assert series_of(one._tree, HistoryRequest(task="nobody's")) == b""
    with pytest.raises(Refused, match=f"made on two:{team.home / 'side'}, none of them here"):
        series_of(one._tree, HistoryRequest(task="theirs"))
    patches = series_of(one._tree, HistoryRequest(machine="two"))
    (team.home / "patches").write_bytes(patches)
    git(team.main, "checkout", "-q", "--", ".")
    git(team.main, "am", "-q", str(team.home / "patches"))
    assert "seven\n" in (team.main / "f.txt").read_text(encoding="utf-8")
    assert git(team.main, "log", "-1", "--format=%s") == "by its name\n"


def test_an_audit_is_of_everybody_and_says_where(pair: tuple[Engine, Engine]) -> None:
    one, _ = pair

    def machines(wanted: HistoryRequest) -> list[object]:
        found = one.administration.audit(wanted, ())
        return [each.as_data()["machine"] for each in found.records]

    assert machines(HistoryRequest()) == ["two", "two", "one"]
    assert machines(HistoryRequest(machine="one")) == ["one"]


def test_a_workspace_alone_has_no_machines_to_choose_among(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    engine = Engine.open(tmp_path / "root", tmp_path / "state")

    with pytest.raises(Refused, match="`machine` chooses among workspaces"):
        series_of(engine._tree, HistoryRequest(machine="two"))
    assert series_of(engine._tree, HistoryRequest()) == b""
    assert tasks(engine._tree).as_text() == "no tasks"
    engine.close()


class Slow:
    """A server that takes some entries at each call and answers when it has all."""

    server = "slow"

    def __init__(self, waiting: int, each: int) -> None:
        self.waiting, self.each, self.calls = waiting, each, 0

    def ask(self, _: object) -> str:
        self.calls += 1
        self.waiting = max(0, self.waiting - self.each)
        if self.waiting or not self.each:
            raise Unreachable("no answer within 9 s")
        return "p"

    def sync_status(self, _: int) -> SyncStatus:
        return SyncStatus("queued", self.waiting)


@pytest.mark.parametrize(("each", "left", "calls"), [(3, 0, 4), (0, 10, 1)])
def test_a_long_backlog_is_sent_as_long_as_it_moves(
    tmp_path: Path, each: int, left: int, calls: int
) -> None:
    (tmp_path / "root").mkdir()
    engine = Engine.open(tmp_path / "root", tmp_path / "state")
    slow = Slow(10, each)
    engine._tree.shared = slow  # type: ignore[assignment]

    told = share(engine._tree)

    engine._tree.shared = None
    engine.close()
    assert (told.waiting, told.ok, slow.calls) == (left, not left, calls)
