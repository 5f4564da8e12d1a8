from collections.abc import Iterator
from pathlib import Path

import pytest

from keyhole.edits.model.operations import Edit
from keyhole.engine.facade import Engine
from keyhole.engine.options import Options
from keyhole.journal.place import JOURNAL as NAME
from keyhole.sharing.sender import Sharer
from tests.team import Team, edit, team

pytestmark = pytest.mark.needs("postgres")


@pytest.fixture(name="team")
def _team(tmp_path: Path, database: str) -> Iterator[Team]:
    with team(tmp_path, database) as made:
        yield made


def test_an_edit_that_another_worktree_has_not_sent_is_said(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = team.open(team.main, "one"), team.open(team.worktree("side"), "one")
    for engine in (one, other):
        edit(engine, "line 19\n", f"{engine.root}\n", "T")
    monkeypatch.setattr(Sharer, "note_commit", lambda *_: None)  # the server never hears of it
    monkeypatch.setattr(Sharer, "may_meet", lambda *_: False)
    assert one.edit([Edit(find="line 3\n", content="three\n")], Options(task="A"), "f.txt").ok
    monkeypatch.undo()
    receipt = other.edit([Edit(find="line 3\n", content="III\n")], Options(task="B"), "f.txt")

    assert any(f"f.txt in {team.main} is on its way" in each for each in receipt.warnings)
    shared = one._tree.shared
    assert shared is not None
    shared.ask(lambda _: None)
    (conflict,) = other.edit(
        [Edit(find="III\n", content="iii\n")], Options(task="B"), "f.txt"
    ).conflicts
    assert (conflict["kind"], conflict["task"]) == ("hot", "A")


def test_an_edit_of_a_moment_ago_is_met_before_the_news_of_it(team: Team) -> None:
    one, other = team.open(team.main, "one"), team.open(team.worktree("side"), "one")
    for engine, word in ((one, "line 19\n"), (other, "line 1\n")):
        edit(engine, word, f"{word[:-1]} by me\n", "T")
    edit(one, "line 9\n", "nine\n", "A")
    receipt = other.edit([Edit(find="line 9\n", content="IX\n")], Options(task="B"), "f.txt")

    assert [each["task"] for each in receipt.conflicts] == ["A"]


def test_worktrees_that_do_not_share_are_nobody_s_business(team: Team) -> None:
    alone = Engine.open(team.worktree("alone"), team.home / "state" / "one")
    one = team.open(team.main, "one")
    edit(one, "line 19\n", "nineteen\n", "T")
    edit(alone, "line 3\n", "three\n", "A")
    alone.close()
    receipt = edit(one, "line 3\n", "III\n", "B")

    assert receipt.warnings == ()
    assert receipt.conflicts == ()


def test_a_worktree_whose_journal_cannot_be_read_is_said(team: Team) -> None:
    one, other = team.open(team.main, "one"), team.open(team.worktree("side"), "one")
    for engine, word in ((one, "line 19\n"), (other, "line 1\n")):
        edit(engine, word, f"{word[:-1]} by me\n", "T")
    assert edit(other, "line 9\n", "nine\n", "B").warnings == ()
    state = one._tree.state
    one.close()
    for tail in ("-wal", "-shm"):
        (state / f"{NAME}{tail}").unlink(missing_ok=True)
    (state / NAME).write_bytes(b"no journal at all\n" * 400)
    receipt = edit(other, "line 3\n", "III\n", "B")

    (warning,) = receipt.warnings
    assert "could not all be checked" in warning
    assert f"the journal of {team.main} cannot be read (file is not a database)" in warning
    sharing = receipt.extra["sharing"]
    assert isinstance(sharing, dict)
    assert sharing["checked"] is False
    assert other._tree.read("f.txt").text.startswith("line 1 by me\nline 2\nIII\n")
    (state / NAME).unlink()
    (state / NAME).mkdir()
    (warning,) = edit(other, "line 4\n", "IV\n", "B").warnings
    assert f"the journal of {team.main} cannot be read (" in warning
