from pathlib import Path

from keyhole.git.last_commit import commit_time, committed
from keyhole.git.repository import Repository, repository_of
from tests.team import Team, git

FILES = {"a b.txt": "one\n", "d/ü.txt": "two 2\n\n", "empty": ""}


def at(root: Path) -> Repository:
    found = repository_of(str(root))
    assert found is not None
    return found


def test_files_have_the_bytes_of_the_last_commit(tmp_path: Path) -> None:
    team = Team(tmp_path, "")
    team.begin(FILES)
    (team.main / "a b.txt").write_text("changed\n", encoding="utf-8")

    asked = ["d", "gone", "with\nline", *FILES]

    assert committed(at(team.main), asked) == {path: text.encode() for path, text in FILES.items()}
    assert commit_time(at(team.main)) > 0


def test_without_a_commit_nothing_is_known(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")

    assert committed(at(tmp_path), ["a"]) is None
    assert commit_time(at(tmp_path)) == 0
