import os
import random
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

from keyhole.git.repository import (
    Commits,
    GitVersion,
    Repository,
    checkouts,
    head,
    moves,
    repository_of,
    sparse,
)
from tests.scene import put
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
    commits = Commits(at(root), ["f.txt"], [version.base])
    blobs = commits.blobs["f.txt"]
    named = [commit for blob in version.blobs for commit in blobs.get(blob, ())]
    return tuple(each for each in named if version.base not in commits.holders(each))


def holding(root: Path, commit: str) -> frozenset[str]:
    return Commits(at(root), ["f.txt"], []).holders(commit) - {"HEAD"}


def commit_of(root: Path) -> str:
    return git(root, "rev-parse", "HEAD").strip()


def test_branch_and_commit_are_read_without_git(team: Team) -> None:
    side = team.worktree("side/one")

    assert head(at(team.main)) == ("main", commit_of(team.main))
    assert head(at(side)) == ("side/one", commit_of(side))


def test_a_packed_branch_is_found_too(team: Team) -> None:
    git(team.main, "pack-refs", "--all")

    assert head(at(team.main)) == ("main", commit_of(team.main))


def test_a_branch_without_a_commit_has_none(team: Team) -> None:
    git(team.main, "pack-refs", "--all")
    git(team.main, "checkout", "-q", "--orphan", "new")

    assert head(at(team.main)) == ("new", "")
    (team.main / ".git/packed-refs").unlink()
    os.mkfifo(team.main / ".git/packed-refs")
    assert head(at(team.main)) == ("new", "")


def test_a_checkout_without_a_branch_has_a_commit_alone(team: Team) -> None:
    git(team.main, "checkout", "-q", "--detach")

    assert head(at(team.main)) == ("", commit_of(team.main))


def test_a_directory_outside_git_has_no_repository(tmp_path: Path) -> None:
    assert repository_of(str(tmp_path)) is None


def test_a_pipe_is_no_repository(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ".git")

    assert repository_of(str(tmp_path)) is None


def test_a_commit_moves_nothing_and_a_merge_that_stops_does(team: Team) -> None:
    root = team.main
    seen = [moves(at(root))]

    def does(*words: str) -> bool:
        with suppress(subprocess.CalledProcessError):  # a merge that stops
            git(root, *words)
        seen.append(moves(at(root)))
        return seen[-1] != seen[-2]

    put(root, "f.txt", "main\n")
    assert not does("commit", "-qam", "main")
    assert does("checkout", "-qb", "side", "HEAD~1")
    put(root, "f.txt", "side\n")
    assert not does("commit", "-qam", "side")
    assert does("merge", "-")
    assert does("merge", "--abort")
    (root / ".git/logs/HEAD").unlink()
    assert does("status")
    (root / ".git/logs/HEAD").mkdir()
    assert not does("status")
    (root / ".git/logs/HEAD").rmdir()
    git(root, "config", "core.logAllRefUpdates", "false")
    assert does("commit", "-q", "--amend", "-m", "again")


def test_what_git_leaves_out_of_a_tree_has_a_word_of_its_own(team: Team) -> None:
    put(team.main, "d/a.txt", "x\n"), put(team.main, "e/a.txt", "x\n")
    team.commit(team.main)
    words = [sparse(at(team.main))]
    for names in (["d"], ["d", "e"]):
        git(team.main, "sparse-checkout", "set", *names)
        words.append(sparse(at(team.main)))

    assert words[0] == ()
    assert len(set(words)) == 3


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
    found = Commits(at(team.main), names, []).blobs

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


def test_commits_of_a_base_are_told_from_newer_ones(team: Team) -> None:
    base = commit_of(team.main)
    (team.main / "f.txt").write_text("two\n", encoding="utf-8")
    team.commit(team.main)
    commits = Commits(at(team.main), ["f.txt"], [base, "1" * 40])

    assert base in commits.holders(base)
    assert base not in commits.holders(commit_of(team.main))
    assert "1" * 40 not in commits.holders(base)


def test_the_worktrees_of_a_repository_are_read_without_git(team: Team) -> None:
    side = team.worktree("side")

    assert list(checkouts(at(side))) == [str(team.main), str(side)]
    assert [head(each)[0] for each in checkouts(at(side)).values()] == ["main", "side"]


def test_worktrees_of_a_repository_without_files_are_found_too(team: Team) -> None:
    git(team.home, "clone", "-q", "--bare", str(team.main), "bare")
    git(team.home / "bare", "worktree", "add", "-q", str(team.home / "side"))
    (team.home / "bare/worktrees/broken").mkdir()

    assert list(checkouts(at(team.home / "side"))) == [str(team.home / "side")]


def test_who_holds_a_commit_is_what_git_says(team: Team) -> None:
    dice = random.Random(1)
    for number in range(8):
        git(
            team.main,
            "checkout",
            "-q",
            "-B",
            f"b{number}",
            f"b{dice.randrange(number)}" if number else "main",
        )
        (team.main / "f.txt").write_text(f"{number}\n", encoding="utf-8")
        team.commit(team.main)
        if number % 3 == 2:
            git(team.main, "merge", "-q", "-s", "ours", "-m", "m", f"b{dice.randrange(number)}")
    commits = Commits(at(team.main), ["f.txt"], [])
    every = git(team.main, "rev-list", "--all").split()

    assert len(every) >= 9
    for commit in every:
        refs = git(team.main, "for-each-ref", "--format=%(refname)", "--contains", commit)
        held = {each for each in commits.holders(commit) if each.startswith("refs/")}
        assert held == {*refs.split()}
