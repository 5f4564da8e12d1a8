import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest

from keyhole.engine.facade import Engine
from keyhole.engine.history.recall import UndoRequest
from keyhole.engine.options import Options
from keyhole.engine.upkeep import end_task
from tests.team import TEXT, Team, edit, git, team

pytestmark = [pytest.mark.needs("postgres"), pytest.mark.xdist_group("postgres")]

CODE = """def one():
    a = 1
    b = 2
    c = 3
    d = 4
    return a


def two():
    return 2
"""


@pytest.fixture(name="team")
def _team(tmp_path: Path, database: str) -> Iterator[Team]:
    with team(tmp_path, database, {"f.txt": TEXT, "code.py": CODE}) as made:
        yield made


@pytest.fixture(name="both")
def _both(team: Team) -> tuple[Engine, Engine]:
    return team.open(team.main, "one"), team.open(team.worktree("side"), "one")


def kinds(engine: Engine) -> list[tuple[str, str]]:
    return [(each.kind, each.meeting.path) for each in engine.conflicts().conflicts]


def test_the_second_of_two_tasks_is_warned_before_any_merge(
    team: Team, both: tuple[Engine, Engine]
) -> None:
    one, other = both
    first = edit(one, "line 3\n", "three\n", "A", reason="words")
    second = edit(other, "line 3\n", "III\n", "B", reason="Roman")

    assert first.conflicts == ()
    (conflict,) = second.conflicts
    wanted = {
        "kind": "hot",
        "path": "f.txt",
        "task": "A",
        "machine": "one",
        "worktree": str(team.main),
        "branch": "main",
        "reason": "words",
        "transaction": first.transaction,
        "lines": [3, 3],
    }
    assert {name: conflict[name] for name in wanted} == wanted
    assert "-line 3\n+three\n" in str(conflict["diff"])
    assert "-line 3\n+III\n" in str(conflict["own_diff"])
    said = second.as_text()
    assert "conflict (hot): f.txt lines 3-3; task A on one:" in said
    assert "+three" in said
    assert "+III" in said
    assert kinds(one) == kinds(other) == [("hot", "f.txt")]


def test_after_a_merge_the_conflict_is_no_longer_listed(
    team: Team, both: tuple[Engine, Engine]
) -> None:
    one, other = both
    edit(one, "line 3\n", "three\n", "A")
    edit(other, "line 3\n", "III\n", "B")
    side = team.home / "side"
    team.commit(team.main)
    team.commit(side)
    assert kinds(one) == [("hot", "f.txt")]

    with pytest.raises(subprocess.CalledProcessError):
        git(side, "merge", "main")
    (side / "f.txt").write_text(TEXT.replace("line 3\n", "both\n"), encoding="utf-8")
    team.commit(side)

    assert kinds(other) == []
    assert kinds(one) == []


def test_two_branches_that_a_third_has_merged_do_not_conflict(
    team: Team, both: tuple[Engine, Engine]
) -> None:
    one, _ = both
    third = team.open(team.worktree("third"), "one")
    edit(one, "line 3\n", "three\n", "A")
    edit(third, "line 3\n", "III\n", "B")
    for root in (team.main, team.home / "third"):
        team.commit(root)
    side = team.home / "side"
    git(side, "merge", "-q", "main")
    git(side, "merge", "-q", "-s", "ours", "-m", "m", "third")

    assert kinds(one) == []


def test_what_a_clone_has_merged_is_settled_for_everybody(team: Team) -> None:
    clone = team.clone("clone")
    one, other = team.open(team.main, "one"), team.open(clone, "other")
    edit(one, "line 3\n", "three\n", "A")
    assert [each["kind"] for each in edit(other, "line 3\n", "III\n", "B").conflicts] == ["hot"]
    team.commit(team.main)
    team.commit(clone)
    git(clone, "fetch", "-q")
    git(clone, "merge", "-q", "-s", "ours", "-m", "m", "origin/main")
    assert kinds(one) == [("hot", "f.txt")]

    assert kinds(other) == []
    assert kinds(one) == []


def test_the_same_segment_is_soft_and_told_and_the_same_file_is_only_listed(
    team: Team, both: tuple[Engine, Engine]
) -> None:
    one, other = both
    edit(one, "a = 1", "a = 10", "A", "code.py")

    (conflict,) = edit(other, "d = 4", "d = 40", "B", "code.py").conflicts
    assert (conflict["kind"], conflict["segment"]) == ("soft", "one")
    third = team.open(team.worktree("third"), "one")
    assert edit(third, "return 2", "return 3", "C", "code.py").conflicts == ()
    found = [(each.kind, each.segment) for each in one.conflicts().conflicts]
    assert sorted(found) == [("soft", ""), ("soft", ""), ("soft", "one")]


def test_lines_side_by_side_are_hot_and_lines_apart_are_soft(both: tuple[Engine, Engine]) -> None:
    one, other = both
    edit(one, "line 3\n", "three\n", "A")
    edit(other, "line 9\n", "nine\n", "B")
    assert kinds(one) == [("soft", "f.txt")]

    edit(other, "line 4\n", "four\n", "B")
    assert kinds(one) == [("hot", "f.txt")]


def test_a_deleted_file_that_another_edits_is_hot(both: tuple[Engine, Engine]) -> None:
    from keyhole.edits.model.operations import DeleteFile

    one, other = both
    one.write(DeleteFile("f.txt"), Options(task="A"))

    assert [each["kind"] for each in edit(other, "line 3\n", "three\n", "B").conflicts] == ["hot"]


def test_one_task_in_two_worktrees_is_no_conflict_with_itself(both: tuple[Engine, Engine]) -> None:
    one, other = both
    edit(one, "line 3\n", "three\n", "A")

    assert edit(other, "line 3\n", "III\n", "A").conflicts == ()
    assert kinds(one) == []


def test_what_was_undone_or_ended_conflicts_with_nothing(both: tuple[Engine, Engine]) -> None:
    one, other = both
    done = edit(one, "line 3\n", "three\n", "A")
    edit(other, "line 3\n", "III\n", "B")
    assert one.undo(UndoRequest(id=done.transaction), Options(task="A")).ok
    assert kinds(one) == kinds(other) == []

    edit(one, "line 3\n", "drei\n", "A")
    assert kinds(one) == kinds(other) == [("hot", "f.txt")]
    end_task(one._tree, "A")
    assert kinds(one) == kinds(other) == []


def test_both_who_come_to_the_same_text_agree(both: tuple[Engine, Engine]) -> None:
    one, other = both
    edit(one, "line 3\n", "three\n", "A")

    assert edit(other, "line 3\n", "three\n", "B").conflicts == ()


def test_the_answer_names_both_sides(both: tuple[Engine, Engine]) -> None:
    one, other = both
    edit(one, "line 3\n", "three\n", "A", reason="words")
    edit(other, "line 3\n", "III\n", "B")

    kinds(other)
    (data,) = cast("list[dict[str, object]]", one.conflicts().as_data()["conflicts"])
    sides = cast("list[dict[str, object]]", data["sides"])
    assert [(side["task"], side["branch"], side["lines"]) for side in sides] == [
        ("A", "main", [3, 3]),
        ("B", "side", [3, 3]),
    ]
    said = one.conflicts().as_text()
    assert said.startswith("hot  f.txt\n  task A on one:")
    assert ", lines 3-3: words\n" in said
