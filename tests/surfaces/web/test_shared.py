"""The pages of a workspace that shares its journal show what others did, and what will collide."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from keyhole.surfaces.web.routes import PAGES
from keyhole.surfaces.web.site import Site
from tests.team import Team, edit, team

pytestmark = [pytest.mark.needs("postgres"), pytest.mark.xdist_group("postgres")]


@pytest.fixture(name="team")
def _team(tmp_path: Path, database: str) -> Iterator[Team]:
    with team(tmp_path, database) as made:
        yield made


def test_the_timeline_and_the_conflicts_are_those_of_every_machine(team: Team) -> None:
    one, other = team.open(team.main, "one"), team.open(team.worktree("side"), "two")
    first = edit(one, "line 3\n", "three\n", "A", reason="spell <it>")
    second = edit(other, "line 3\n", "III\n", "B")
    site = Site(one, "person")

    timeline = str(PAGES["/"](site, {}))
    assert first.transaction in timeline
    assert second.transaction in timeline
    conflicts = str(PAGES["/conflicts"](site, {}))
    assert '<em class="word">hot</em>' in conflicts
    assert "spell &lt;it&gt;" in conflicts
    assert f"two:{team.home / 'side'} (side)" in conflicts
    assert 'href="/conflicts"' in timeline
    shown = str(PAGES["/tx/{name}"](site, {"name": second.transaction}))
    assert "III" in shown


def test_the_timeline_can_be_that_of_one_machine_or_worktree(team: Team) -> None:
    one, other = team.open(team.main, "one"), team.open(team.worktree("side"), "two")
    first = edit(one, "line 3\n", "three\n", "A")
    second = edit(other, "line 5\n", "V\n", "B")
    site = Site(one, "person")

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


def test_a_workspace_alone_has_no_page_of_conflicts(tmp_path: Path) -> None:
    from keyhole.engine import Engine

    (tmp_path / "root").mkdir()
    engine = Engine.open(tmp_path / "root", tmp_path / "state")

    timeline = str(PAGES["/"](Site(engine, "person"), {}))
    assert "/conflicts" not in timeline
    assert 'name="machine"' not in timeline
    engine.close()
