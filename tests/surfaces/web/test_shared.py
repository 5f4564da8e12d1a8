"""The pages of a workspace that shares its journal show what others did, and what will collide."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from keyhole.edits.model.operations import Edit
from keyhole.engine.edit.requests import operation_of
from keyhole.engine.options import Options
from keyhole.surfaces.web.review import ReviewSite
from keyhole.surfaces.web.routes import PAGES
from tests.postgres import PostgresServer
from tests.team import Team, edit, team

pytestmark = pytest.mark.needs("postgres")


@pytest.fixture(name="team")
def _team(tmp_path: Path, database: str) -> Iterator[Team]:
    with team(tmp_path, database) as made:
        yield made


def test_the_timeline_and_the_conflicts_are_those_of_every_machine(team: Team) -> None:
    one, other = team.open(team.main, "one"), team.open(team.worktree("side"), "two")
    first = edit(one, "line 3\n", "three\n", "A", reason="spell <it>")
    second = edit(other, "line 3\n", "III\n", "B")
    site = ReviewSite(one, "person")

    timeline = str(PAGES["/"](site, {}))
    assert first.transaction in timeline
    assert second.transaction in timeline
    conflicts = str(PAGES["/conflicts"](site, {}))
    assert ">hot</em>" in conflicts
    assert "spell &lt;it&gt;" in conflicts
    assert f"two:{team.home / 'side'} (side)" in conflicts
    assert 'href="/conflicts"' in timeline
    shown = str(PAGES["/tx/{name}"](site, {"name": second.transaction}))
    assert "III" in shown


def test_the_timeline_can_be_that_of_one_machine_or_worktree(team: Team) -> None:
    one, other = team.open(team.main, "one"), team.open(team.worktree("side"), "two")
    first = edit(one, "line 3\n", "three\n", "A")
    second = edit(other, "line 5\n", "V\n", "B")
    site = ReviewSite(one, "person")

    everything = str(PAGES["/"](site, {}))
    assert f"on two:{team.home / 'side'}" in everything
    assert 'name="machine"' in everything
    for words in ({"machine": "two"}, {"worktree": str(team.home / "side")}):
        shown = str(PAGES["/"](site, words))
        assert f"row-{second.transaction}" in shown
        assert f"row-{first.transaction}" not in shown
    shown = str(PAGES["/"](site, {"machine": "one"}))
    assert f"row-{first.transaction}" in shown
    assert f"row-{second.transaction}" not in shown


def shown(site: ReviewSite, page: str, **words: str) -> str:
    return str(PAGES[page](site, words))


def test_the_tasks_are_those_of_every_machine_with_where_they_edited(team: Team) -> None:
    one, other = team.open(team.main, "one"), team.open(team.worktree("side"), "two")
    edit(one, "line 3\n", "three\n", "mine")
    edit(one, "line 5\n", "five\n", "ours")
    edit(other, "line 9\n", "nine\n", "ours")
    edit(other, "line 7\n", "seven\n", "theirs")
    there = f"two:{team.home / 'side'} (side)"

    listed = shown(ReviewSite(one, "person"), "/tasks")

    rows = {row.partition("</a>")[0].rpartition(">")[2]: row for row in listed.split("<tr")[2:]}
    assert list(rows) == ["theirs", "ours", "mine"]
    assert (">here<" in rows["mine"], there in rows["mine"]) == (True, False)
    assert (">here<" in rows["ours"], there in rows["ours"]) == (True, True)
    assert (">here<" in rows["theirs"], there in rows["theirs"]) == (False, True)


def test_the_page_of_a_task_shows_each_checkout_apart_and_undoes_only_this_one(team: Team) -> None:
    one, other = team.open(team.main, "one"), team.open(team.worktree("side"), "two")
    edit(one, "line 5\n", "five\n", "ours")
    edit(other, "line 9\n", "nine\n", "ours")
    edit(other, "line 7\n", "seven\n", "theirs")
    site = ReviewSite(one, "person")

    both, theirs = shown(site, "/task", name="ours"), shown(site, "/task", name="theirs")

    here, _, there = both.partition(f"On two:{team.home / 'side'} (side)</h2>")
    assert ("five" in here, "nine" in here) == (True, False)
    assert ("five" in there, "nine" in there) == (False, True)
    assert "Undo the whole task" in both
    assert "Undo the whole task" not in theirs
    assert "These files live there; <code>keyhole undo --task theirs</code>" in theirs
    assert "also edited on two:" in shown(site, "/undo", task="ours")
    refused = shown(site, "/undo", task="theirs")
    assert f"was made on two:{team.home / 'side'}, and its files live there" in refused


def test_a_transaction_of_another_machine_says_where_it_can_be_undone(team: Team) -> None:
    one, other = team.open(team.main, "one"), team.open(team.worktree("side"), "two")
    mine, theirs = edit(one, "line 3\n", "three\n"), edit(other, "line 9\n", "nine\n")
    site = ReviewSite(one, "person")

    page = shown(site, "/tx/{name}", name=theirs.transaction)

    assert f"Its files live on two:{team.home / 'side'} (side); " in page
    assert f"<code>keyhole undo {theirs.transaction}</code> there takes it back." in page
    assert "/undo?" not in page
    assert "/undo?" in shown(site, "/tx/{name}", name=mine.transaction)
    refused = shown(site, "/undo", id=theirs.transaction)
    assert f"was made on two:{team.home / 'side'}, and its files live there" in refused


def test_a_file_of_another_machine_is_said_to_live_there(team: Team) -> None:
    one, other = team.open(team.main, "one"), team.open(team.worktree("side"), "two")
    for path in ("new.py", "gone.py"):
        made = operation_of(path, "x = 1\n", delete=False, move_to="", allow_shrink=False)
        assert other.write(made, Options()).ok
    gone = operation_of("gone.py", None, delete=True, move_to="", allow_shrink=False)
    assert other.write(gone, Options()).ok
    edit(other, "line 9\n", "nine\n")
    site = ReviewSite(one, "person")

    assert f"<code>two:{team.home / 'side'} (side)</code>" in shown(site, "/file", path="new.py")
    assert "It lives on" not in shown(site, "/file", path="gone.py")
    assert "It lives on" not in shown(site, "/file", path="f.txt")


def test_refusals_of_every_machine_are_shown_with_their_place_and_by_file(team: Team) -> None:
    one, other = team.open(team.main, "one"), team.open(team.worktree("side"), "two")
    assert not other.edit([Edit(find="nowhere", content="x")], Options(), "f.txt").ok
    edit(other, "line 9\n", "nine\n")
    site = ReviewSite(one, "person")

    refused = shown(site, "/", outcome="refused")
    assert f"on two:{team.home / 'side'}" in refused
    assert "Refused: `find` is not in f.txt<" in refused
    assert "not-found" in shown(site, "/file", path="f.txt")
    assert "not-found" not in shown(site, "/file", path="other.txt")


def test_figures_are_those_of_every_machine(team: Team) -> None:
    one, other = team.open(team.main, "one"), team.open(team.worktree("side"), "two")
    edit(one, "line 5\n", "five\n")
    edit(other, "line 9\n", "nine\n")

    figures = shown(ReviewSite(one, "person"), "/insight")

    assert "By machine" in figures
    assert "<b>2</b><span>edits went through" in figures


def test_a_server_that_is_away_is_said_on_every_page(team: Team, postgres: PostgresServer) -> None:
    one = team.open(team.main, "one")
    edit(one, "line 5\n", "five\n", "mine")
    site = ReviewSite(one, "person")
    assert "out of reach" not in shown(site, "/tasks")
    postgres.stop()
    try:
        shown(site, "/tasks")
        pages = [shown(site, page) for page in ("/tasks", "/", "/insight")]
    finally:
        postgres.start()

    assert ["The shared journal is out of reach" in page for page in pages] == [True] * 3
    assert "mine" in pages[0]


def test_a_workspace_alone_has_no_page_of_conflicts(tmp_path: Path) -> None:
    from keyhole.engine.facade import Engine

    (tmp_path / "root").mkdir()
    engine = Engine.open(tmp_path / "root", tmp_path / "state")

    timeline = str(PAGES["/"](ReviewSite(engine, "person"), {}))
    assert "/conflicts" not in timeline
    assert 'name="machine"' not in timeline
    engine.close()
