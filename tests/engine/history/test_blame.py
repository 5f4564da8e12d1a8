from collections.abc import Iterator
from pathlib import Path

import pytest

from keyhole.edits.model.operations import Edit
from keyhole.engine.edit.requests import operation_of
from keyhole.engine.facade import Engine
from keyhole.engine.history.blame import blame, history_of
from keyhole.engine.options import Options
from keyhole.refusals import Refused
from tests.scene import engine_at, put
from tests.team import Team, git, team

SOURCE = "def one():\n    return 1\n\n\ndef two():\n    return 2\n\n\ndef three():\n    return 3\n"


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with engine_at(tmp_path, a_py=SOURCE) as engine:
        yield engine


def edit(engine: Engine, old: str, new: str, reason: str, path: str = "a.py") -> None:
    options = Options(actor="agent", task="t", reason="all")
    assert engine.edit([Edit(find=old, content=new, reason=reason)], options, path).ok


def reasons(engine: Engine, path: str = "a.py") -> dict[str, list[str]]:
    found = blame(engine._tree, path)
    return {each.address: [touch.reason for touch in each.touches] for each in found}


def test_lines_of_a_notebook_count_in_their_cell(engine: Engine) -> None:
    cell = '{"cell_type": "code", "source": "import os\\nx = 1"}'
    put(Path(engine.root), "a.ipynb", f'{{"cells": [{cell}, {cell}], "nbformat": 4}}')

    assert [(each.address, each.lines) for each in blame(engine._tree, "a.ipynb")][-3:] == [
        ("cell#2", (1, 2)),
        ("cell#2/imports", (1, 1)),
        ("cell#2/x", (2, 2)),
    ]


def test_each_segment_knows_its_last_change(engine: Engine) -> None:
    edit(engine, "return 1", "return 10", "first")
    edit(engine, "return 2", "return 20", "second")
    edit(engine, "return 10", "return 100", "again")

    assert reasons(engine) == {"one": ["again"], "two": ["second"], "three": []}


def test_a_segment_is_followed_through_edits_above_it_and_a_move(engine: Engine) -> None:
    edit(engine, "return 3", "return 30", "third")
    edit(engine, "def one():", "import os\n\n\ndef one():", "above")
    move = operation_of("a.py", None, delete=False, move_to="b.py", allow_shrink=False)
    assert engine.write(move, Options()).ok
    edit(engine, "return 30", "return 300", "later", "b.py")

    found = history_of(engine._tree, "b.py", "three")

    assert [touch.reason for touch in found.touches] == ["later", "third"]
    assert found.lines == (12, 13)


def test_a_renamed_function_keeps_its_history(engine: Engine) -> None:
    edit(engine, "return 2", "return 20", "value")
    edit(engine, "def two", "def zwei", "name")

    found = history_of(engine._tree, "a.py", "zwei")

    assert [touch.reason for touch in found.touches] == ["name", "value"]


def test_a_save_of_another_program_is_told_as_such(engine: Engine) -> None:
    edit(engine, "return 1", "return 10", "ours")
    path = Path(engine.root) / "a.py"
    path.write_text(path.read_text("utf-8").replace("return 10", "return 11"), encoding="utf-8")

    found = history_of(engine._tree, "a.py", "one")

    assert [touch.past is None for touch in found.touches] == [True, False]


def test_a_file_that_was_created_is_all_of_one_hand(engine: Engine) -> None:
    write = operation_of("c.py", SOURCE, delete=False, move_to="", allow_shrink=False)
    assert engine.write(write, Options(reason="new")).ok
    edit(engine, "return 2", "return 20", "second", "c.py")

    found = {each.address: len(each.touches) for each in blame(engine._tree, "c.py")}

    assert found == {"one": 1, "two": 1, "three": 1}
    assert len(history_of(engine._tree, "c.py", "two").touches) == 2


def test_a_segment_that_is_gone_is_refused_with_those_there_are(engine: Engine) -> None:
    with pytest.raises(Refused, match="no segment 'four'"):
        history_of(engine._tree, "a.py", "four")


def share(engine: Engine, old: str, new: str, reason: str) -> None:
    """Make an edit that others know of."""
    edit(engine, old, new, reason)
    assert engine._tree.shared
    engine._tree.shared.ask(lambda _: None)


@pytest.mark.needs("postgres")
class TestOfManyCheckouts:
    """Blame where the text of a file came from another checkout, by git."""

    @pytest.fixture
    def team(self, tmp_path: Path, database: str) -> Iterator[Team]:
        with team(tmp_path, database, {"a.py": SOURCE}) as made:
            yield made

    def test_a_file_taken_over_whole_is_followed_into_the_other_checkout(self, team: Team) -> None:
        one, other = team.open(team.main, "one"), team.open(team.worktree("side"), "two")
        share(other, "return 1", "return 10", "their first")
        share(other, "return 2", "return 20", "their second")
        (team.main / "a.py").write_bytes((team.home / "side/a.py").read_bytes())

        found = blame(one._tree, "a.py")

        said = {each.address: [touch.reason for touch in each.touches] for each in found}
        assert said == {"one": ["their first"], "two": ["their second"], "three": []}
        makers = [touch.past for each in found for touch in each.touches]
        there = f"two:{team.home / 'side'} (side)"
        assert [str(past.entry.origin) for past in makers if past] == [there, there]

    def test_a_merge_of_both_knows_who_made_what(self, team: Team) -> None:
        one, other = team.open(team.main, "one"), team.open(team.worktree("side"), "two")
        share(other, "return 3", "return 30", "theirs")
        share(one, "return 1", "return 10", "mine")
        for root, name in ((team.home / "side", "theirs"), (team.main, "mine")):
            git(root, "commit", "-qam", name)
        git(team.main, "merge", "-q", "-m", "both", "side")

        assert reasons(one) == {"one": ["mine"], "two": [], "three": ["theirs"]}
        assert [t.reason for t in history_of(one._tree, "a.py", "three").touches] == ["theirs"]

    def test_what_was_not_merged_is_nobodys_here(self, team: Team) -> None:
        one, other = team.open(team.main, "one"), team.open(team.worktree("side"), "two")
        share(one, "return 1", "return 10", "mine")
        share(other, "return 1", "return 11", "theirs")
        share(other, "return 3", "return 30", "theirs too")

        assert reasons(one) == {"one": ["mine"], "two": [], "three": []}
        assert reasons(other) == {"one": ["theirs"], "two": [], "three": ["theirs too"]}

    def test_a_save_of_nobodys_is_still_somebody_outside(self, team: Team) -> None:
        one, other = team.open(team.main, "one"), team.open(team.worktree("side"), "two")
        share(other, "return 3", "return 30", "theirs")
        share(one, "return 1", "return 10", "mine")
        path = team.main / "a.py"
        path.write_text(path.read_text(encoding="utf-8").replace("return 3", "return 333"), "utf-8")

        three = blame(one._tree, "a.py")[2]

        assert [touch.past for touch in three.touches] == [None]


@pytest.mark.parametrize(("most", "page", "looked_at"), [(2, 2, 2), (4, 2, 0), (3, 3, 0)])
def test_older_transactions_that_were_not_looked_at_are_told(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, most: int, page: int, looked_at: int
) -> None:
    monkeypatch.setattr("keyhole.engine.history.blame._MOST_ENTRIES", most)
    monkeypatch.setattr("keyhole.engine.history.blame._PAGE", page)
    edit(engine, "return 1", "return 10", "first")
    for number in range(2, 4):
        edit(engine, f"return {number}", f"return {number}0", "later")

    found = {each.address: each for each in blame(engine._tree, "a.py")}

    assert found["one"].looked_at == looked_at
    assert bool(found["one"].touches) == (not looked_at)
    assert found["three"].looked_at == 0
    assert history_of(engine._tree, "a.py", "three").looked_at == looked_at


def test_a_file_that_was_deleted_and_came_again_has_no_older_life(engine: Engine) -> None:
    edit(engine, "return 1", "return 10", "first")
    away = operation_of("a.py", None, delete=True, move_to="", allow_shrink=False)
    assert engine.write(away, Options()).ok
    Path(engine._tree.root.path, "a.py").write_text(SOURCE, encoding="utf-8")

    assert "first" not in str(reasons(engine))
