import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest

from keyhole.edits.model.operations import Edit
from keyhole.engine.facade import Engine
from keyhole.engine.history.recall import UndoRequest
from keyhole.engine.options import Options
from keyhole.engine.upkeep import end_task
from keyhole.sharing import outbox
from keyhole.sharing.postgres.journal import PostgresJournal
from keyhole.sharing.server import Row, Server
from keyhole.sharing.sides import sides_at
from tests.postgres import PostgresServer
from tests.team import TEXT, Team, edit, git, team

pytestmark = pytest.mark.needs("postgres")

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

    file = Path(one.root) / "f.txt"
    outside = file.read_text(encoding="utf-8").replace("line 1\n", "line 1\nof somebody else\n")
    file.write_text(outside, encoding="utf-8")
    edit(one, "line 15\n", "fifteen\n", "A")
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


def test_an_edit_that_many_later_ones_follow_is_still_a_conflict(
    both: tuple[Engine, Engine],
) -> None:
    one, other = both
    first = edit(one, "line 3\n", "three\n", "A")
    for number in range(210):
        last = f"line 9 {number - 1}\n" if number else "line 9\n"
        one.edit([Edit(find=last, content=f"line 9 {number}\n")], Options(task="A"), "f.txt")
    edit(one, "line 9 209\n", "nine\n", "A")
    second = edit(other, "line 3\n", "III\n", "B")

    assert [each["transaction"] for each in second.conflicts] == [first.transaction]


def test_a_receipt_says_that_other_checkouts_could_not_be_checked(
    both: tuple[Engine, Engine], postgres: PostgresServer
) -> None:
    one, other = both
    edit(one, "line 3\n", "three\n", "A")
    edit(other, "line 9\n", "nine\n", "B")
    postgres.stop()
    try:
        first = edit(other, "line 3\n", "III\n", "B")
        second = edit(other, "III\n", "iii\n", "B")
    finally:
        postgres.start()

    for receipt in (first, second):
        assert receipt.conflicts == ()
        assert any("could not all be checked" in warning for warning in receipt.warnings)
        assert cast("dict[str, object]", receipt.extra["sharing"])["checked"] is False


def test_the_server_is_asked_twice_however_many_edits_meet(
    team: Team, both: tuple[Engine, Engine], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = both
    for number in range(12):
        edit(one, f"line {number % 6 + 1}\n", f"line {number % 6 + 1}\n{number}\n", "A")
    edit(other, "line 9\n", "nine\n", "B")
    shared = team.open(team.worktree("third"), "one")._tree.shared
    assert shared is not None
    shared.ask(lambda _: None)
    asked: list[str] = []
    rows = Server.rows

    def counting(self: Server, query: str, values: Row = ()) -> list[Row]:
        asked.append(query)
        return rows(self, query, values)

    monkeypatch.setattr(Server, "rows", counting)

    def counted(journal: PostgresJournal) -> tuple[int, int]:
        asked.clear()  # news may have been due in the same breath
        return len(sides_at(journal, [b"f.txt"]).by_path["f.txt"]), len(asked)

    assert shared.ask(counted) == (2, 2)


def test_conflicts_of_many_edits_take_few_calls_of_git(
    team: Team, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engines = [team.open(team.worktree(f"side{number}"), "one") for number in range(5)]
    for number, engine in enumerate(engines):
        for line in (2, 3, 4):
            edit(engine, f"line {line}\n", f"line {line} of {number}\n", f"T{number}")
    for engine in engines[:3]:
        team.commit(Path(engine.root))
    real, log = shutil.which("git"), tmp_path / "calls"
    program = tmp_path / "bin" / "git"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\necho >> {log}\nexec {real} "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    found = engines[0].conflicts().conflicts

    assert len(found) == 10
    assert log.read_text(encoding="utf-8").count("\n") == 1
    edit(engines[0], "line 9\n", "nine\n", "T0")
    assert edit(engines[3], "line 9\n", "IX\n", "T3").conflicts
    assert log.read_text(encoding="utf-8").count("\n") == 2


def test_a_file_too_large_to_be_shared_is_said_to_be_unchecked(
    both: tuple[Engine, Engine], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = both
    monkeypatch.setattr(outbox, "LARGEST_IMAGE", 0)
    edit(one, "line 3\n", "three\n", "A")
    monkeypatch.undo()
    receipt = edit(other, "line 3\n", "III\n", "B")

    assert any("not every edit of f.txt could be compared" in each for each in receipt.warnings)
    assert not one.conflicts().is_complete
    assert "not every edit of f.txt could be compared" in one.conflicts().as_text()
    assert one.conflicts().as_data()["unchecked"] == ["f.txt"]
