from pathlib import Path

import pytest

from keyhole.git.repository import (
    GitVersion,
    Repository,
    blobs_of,
    head,
    holders,
    not_before,
    repository_of,
    worktrees,
)
from tests.team import Team, git


@pytest.fixture(name="team")
def _team(tmp_path: Path) -> Team:
    made = Team(tmp_path, "")
    made.begin({"f.txt": "one\n"})
    return made


def at(root: Path) -> Repository:
    found = repository_of(str(root))
    assert found is not None
    return found


def known(root: Path, version: GitVersion) -> tuple[str, ...]:
    blobs = blobs_of(at(root), ["f.txt"])["f.txt"]
    named = [commit for blob in version.blobs for commit in blobs.get(blob, ())]
    newer = not_before(at(root), named, version.base)
    return tuple(commit for commit in named if commit in newer)


def holding(root: Path, commit: str) -> frozenset[str]:
    return holders(at(root), commit, worktrees(at(root)))


def commit_of(root: Path) -> str:
    return git(root, "rev-parse", "HEAD").strip()


def test_branch_and_commit_are_read_without_git(team: Team) -> None:
    side = team.worktree("side/one")

    assert head(at(team.main)) == ("main", commit_of(team.main))
    assert head(at(side)) == ("side/one", commit_of(side))


def test_a_packed_branch_is_found_too(team: Team) -> None:
    git(team.main, "pack-refs", "--all")

    assert head(at(team.main)) == ("main", commit_of(team.main))


def test_a_checkout_without_a_branch_has_a_commit_alone(team: Team) -> None:
    git(team.main, "checkout", "-q", "--detach")

    assert head(at(team.main)) == ("", commit_of(team.main))


def test_a_directory_outside_git_has_no_repository(tmp_path: Path) -> None:
    assert repository_of(str(tmp_path)) is None


def test_versions_are_found_on_every_branch_with_those_who_hold_them(team: Team) -> None:
    side = team.worktree("side")
    (side / "f.txt").write_text("two\n", encoding="utf-8")
    team.commit(side)
    version = GitVersion.of(b"two\n", commit_of(team.main))

    assert known(team.main, version) == (commit_of(side),)
    assert holding(team.main, commit_of(side)) == {"refs/heads/side", str(side)}
    git(team.main, "merge", "-q", "side")
    assert holding(team.main, commit_of(side)) == {
        "refs/heads/main",
        "refs/heads/side",
        str(side),
        str(team.main),
    }


def test_a_version_from_before_the_edit_is_not_the_edit(team: Team) -> None:
    (team.main / "f.txt").write_text("two\n", encoding="utf-8")
    team.commit(team.main)

    assert known(team.main, GitVersion.of(b"one\n", commit_of(team.main))) == ()


def test_a_merge_that_kept_nothing_of_a_side_still_holds_it(team: Team) -> None:
    base = commit_of(team.main)
    side = team.worktree("side")
    (side / "f.txt").write_text("theirs\n", encoding="utf-8")
    team.commit(side)
    (team.main / "f.txt").write_text("ours\n", encoding="utf-8")
    team.commit(team.main)
    theirs = commit_of(side)
    git(team.main, "merge", "-q", "-s", "ours", "-m", "m", "side")
    git(team.main, "worktree", "remove", "-f", str(side))
    git(team.main, "branch", "-D", "side")

    assert known(team.main, GitVersion.of(b"theirs\n", base)) == (theirs,)


def test_commits_of_many_files_come_with_one_answer(team: Team) -> None:
    names = ['a "quoted" name.txt', "f.txt", "ü.txt", "gone.txt"]
    for name in names[:3]:
        (team.main / name).write_text(f"{name}\n", encoding="utf-8")
    team.commit(team.main)
    found = blobs_of(at(team.main), names)

    for name in names[:3]:
        version = GitVersion.of(f"{name}\n".encode(), "")
        assert [found[name][blob] for blob in version.blobs if blob in found[name]] == [
            [commit_of(team.main)]
        ]
    assert found["gone.txt"] == {}


def test_a_checkout_without_a_branch_holds_what_its_commit_does(team: Team) -> None:
    side = team.worktree("side")
    git(side, "checkout", "-q", "--detach")

    assert str(side) in holding(team.main, commit_of(team.main))


def test_commits_count_as_newer_where_their_base_is_not_known(team: Team) -> None:
    commit = commit_of(team.main)

    assert not_before(at(team.main), [commit], commit) == frozenset()
    assert not_before(at(team.main), [commit], "1" * 40) == {commit}
