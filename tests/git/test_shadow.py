import os
import subprocess
from pathlib import Path

import pytest

from keyhole.git.shadow import GitFailed, ShadowRepository
from tests.scene import put
from tests.team import git

NEWLINE = 'two\nlines \\ "quoted".txt'


def kept(home: Path, tree: Path) -> ShadowRepository:
    """Return a repository that has kept all of a tree."""
    made = ShadowRepository(home / "shadow", str(tree))
    made.make()
    made.stage([*made.changed()[0], *made.changed()[1]])
    made.keep()
    return made


def looked(made: ShadowRepository) -> dict[str, tuple[bytes | None, bytes | None]]:
    """Return what changed since, before and after."""
    made.make()
    made.stage([*made.changed()[0], *made.changed()[1]])
    with made.reading() as blobs:
        return {
            each.path: (
                blobs.read(each.before) if each.before else None,
                blobs.read(each.after) if each.after else None,
            )
            for each in made.staged()
        }


def test_what_changed_is_told_with_its_bytes(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    put(tree, "a", "1\r\n"), put(tree, "gone", "x"), put(tree, NEWLINE, "n")
    made = kept(tmp_path, tree)
    (tree / "gone").unlink()
    put(tree, "a", "2\r\n"), put(tree, NEWLINE, "m"), put(tree, "d/e", "")

    assert looked(made) == {
        "a": (b"1\r\n", b"2\r\n"),
        "gone": (b"x", None),
        NEWLINE: (b"n", b"m"),
        "d/e": (None, b""),
    }


def test_where_the_working_directory_is_gone_a_look_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path, ".gitconfig", "[core]\n\texcludesFile = ~/all\n"), put(tmp_path, "all", "*.x\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    tree, gone = tmp_path / "tree", tmp_path / "gone"
    put(tree, "a", "1"), put(tree, "b.x", "1")
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    made = kept(tmp_path, tree)
    put(tree, "a", "2")

    assert looked(made) == {"a": (b"1", b"2")}


def test_what_is_ignored_stays_out(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    put(tree, ".gitignore", "*.o\n"), put(tree, "a.o", "x"), put(tree, "own.log", "x")
    git(tree, "init", "-q")
    put(tree, ".git/info/exclude", "*.log\n")

    made = kept(tmp_path, tree)

    assert made.changed() == ([], [])
    put(tree, "a.o", "y"), put(tree, "own.log", "y")
    assert made.changed() == ([], [])


def test_what_the_user_ignores_everywhere_stays_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ignored = put(tmp_path, "home/ignored", "*.log\n")
    put(tmp_path, "home/.gitconfig", f"[core]\n\texcludesFile = {ignored}\n")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    tree = tmp_path / "tree"
    put(tree, "a.log", "x")

    made = kept(tmp_path, tree)

    put(tree, "a.log", "y"), put(tree, "b", "y")
    assert made.changed() == ([], ["b"])


def test_a_pipe_says_nothing_of_what_is_ignored(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    put(tree, "a", "x")
    git(tree, "init", "-q")
    (tree / ".git/info/exclude").unlink()
    os.mkfifo(tree / ".git/info/exclude")

    made = kept(tmp_path, tree)

    assert made.changed() == ([], [])
    put(tree, "a", "y")
    assert made.changed() == (["a"], [])


def hostile(tree: Path, program: Path) -> None:
    """Plant a program wherever a repository can name one."""
    git(tree, "init", "-q")
    settings = {
        "core.fsmonitor": f"{program}",
        "core.hooksPath": f"{program.parent}",
        "core.alternateRefsCommand": f"{program}",
        "filter.evil.clean": f"{program}",
        "filter.evil.smudge": f"{program}",
        "filter.evil.process": f"{program}",
        "diff.evil.textconv": f"{program}",
        "diff.external": f"{program}",
        "core.pager": f"{program}",
        "core.sshCommand": f"{program}",
        "gpg.program": f"{program}",
    }
    for name, value in settings.items():
        git(tree, "config", name, value)
    put(tree, ".git/more", f"[core]\n\tfsmonitor = {program}\n")
    git(tree, "config", "include.path", "more")
    put(tree, ".gitattributes", "* filter=evil diff=evil text eol=crlf ident\n")
    put(tree, ".git/info/attributes", "* filter=evil working-tree-encoding=UTF-16\n")
    put(tree, ".git/objects/info/alternates", f"{tree}/nowhere\n")
    put(tree, ".gitmodules", f'[submodule "s"]\n\tpath = s\n\turl = x\n\tupdate = !{program}\n')
    for name in ("pre-commit", "post-index-change", "post-checkout", "reference-transaction"):
        planted = put(tree, f".git/hooks/{name}", f"#!/bin/sh\n{program}\n")
        planted.chmod(0o755)
        put(program.parent, name, program.read_bytes()).chmod(0o755)
    sub = tree / "s"
    sub.mkdir()
    git(sub, "init", "-q")
    git(sub, "config", "core.fsmonitor", str(program))
    put(sub, "in", "x")


@pytest.fixture(name="planted")
def _planted(tmp_path: Path) -> Path:
    """Return a program that leaves a file when it is run."""
    program = put(tmp_path, "planted/run", f"#!/bin/sh\ntouch {tmp_path}/ran\ncat\n")
    program.chmod(0o755)
    return program


def test_nothing_that_a_repository_names_is_run(tmp_path: Path, planted: Path) -> None:
    tree = tmp_path / "tree"
    put(tree, "a", "$Id$\n")
    hostile(tree, planted)

    made = kept(tmp_path, tree)
    put(tree, "a", "$Id$ two\n"), put(tree, "b", "new\n")
    found = looked(made)
    made.keep()
    made.prune()

    assert not (tmp_path / "ran").exists()
    assert found == {"a": (b"$Id$\n", b"$Id$ two\n"), "b": (None, b"new\n")}


def test_a_git_that_reads_the_repository_runs_what_is_planted(
    tmp_path: Path, planted: Path
) -> None:
    tree = tmp_path / "tree"
    put(tree, "a", "one\n")
    hostile(tree, planted)

    subprocess.run(["git", "-C", str(tree), "status"], capture_output=True, check=False)

    assert (tmp_path / "ran").exists()


def test_variables_of_a_hook_lead_nowhere_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree, other = tmp_path / "tree", tmp_path / "other"
    put(tree, "a", "one\n"), put(other, "b", "two\n")
    git(other, "init", "-q")
    for name, value in (("GIT_DIR", ".git"), ("GIT_WORK_TREE", "."), ("GIT_INDEX_FILE", "i")):
        monkeypatch.setenv(name, str(other / value))

    made = kept(tmp_path, tree)

    assert not (other / "i").exists()
    put(tree, "a", "1\n")
    assert looked(made) == {"a": (b"one\n", b"1\n")}


def test_what_the_project_prunes_is_still_here(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    put(tree, "a", "one\n")
    git(tree, "init", "-q"), git(tree, "add", "."), git(tree, "commit", "-qm", "x")
    made = kept(tmp_path, tree)
    put(tree, "a", "two\n")
    git(tree, "commit", "-qa", "--amend", "-m", "y")
    git(tree, "reflog", "expire", "--expire=now", "--all"), git(tree, "gc", "-q", "--prune=now")

    assert looked(made) == {"a": (b"one\n", b"two\n")}


def test_the_repository_of_the_project_stays_as_it_is(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    put(tree, "a", "one\n")
    git(tree, "init", "-q"), git(tree, "add", "."), git(tree, "commit", "-qm", "x")
    put(tree, "a", "two\n")
    before = {
        path: (path.stat().st_mtime_ns, path.read_bytes())
        for path in (tree / ".git").rglob("*")
        if path.is_file()
    }

    looked(kept(tmp_path, tree))

    after = {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in before}
    assert after == before
    assert {path for path in (tree / ".git").rglob("*") if path.is_file()} == before.keys()


def test_what_a_killed_git_left_stands_in_nobodys_way(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    put(tree, "a", "one\n")
    made = kept(tmp_path, tree)
    put(made.directory, "index.lock", b"half"), put(made.directory, "refs/heads/now.lock", b"")
    put(tree, "a", "two\n")

    assert looked(made) == {"a": (b"one\n", b"two\n")}
    made.keep()


def test_kept_trees_do_not_pile_up(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    put(tree, "a", "")
    made = kept(tmp_path, tree)
    for number in range(3):
        put(tree, "a", os.urandom(20_000) + b"%d" % number)
        looked(made)
        made.keep()

    made.prune()

    size = sum(each.stat().st_size for each in (made.directory / "objects").rglob("*"))
    assert size < 60_000


def test_a_git_that_dies_while_it_hands_out_a_text_hands_out_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = tmp_path / "tree"
    put(tree, "a", "one\n" * 50)
    made = kept(tmp_path, tree)
    [one] = made.kept(["a"])
    program = put(tmp_path, "bin/git", '#!/bin/sh\nread name\necho "$name blob 200"\necho one\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")

    with made.reading() as blobs, pytest.raises(GitFailed, match="ended early"):
        blobs.read(one.after)


def test_what_git_does_not_do_is_said(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    put(tree, "a", "one\n")
    made = kept(tmp_path, tree)

    with made.reading() as blobs, pytest.raises(GitFailed, match="not kept"):
        blobs.read("1" * 40)
    put(made.directory, "HEAD", "no head")
    with pytest.raises(GitFailed, match="git status"):
        made.changed()


def test_pipes_where_git_expects_files_hold_nothing_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("keyhole.git.pipes._PATIENCE", 0.1)
    tree = tmp_path / "tree"
    put(tree, "d/a", "1\n"), put(tree, "s/b", "1\n")
    made = kept(tmp_path, tree)
    for name in ("objects", "refs"):
        (tree / "s/.git" / name).mkdir(parents=True)
    for name in ("d/.gitignore", "d/.gitattributes", "s/.git/HEAD", "d/other"):
        os.mkfifo(tree / name)
    put(tree, "d/a", "2\n")

    assert looked(made) == {"d/a": (b"1\n", b"2\n")}
    monkeypatch.setattr("keyhole.git.pipes._PATIENCE", 60.0)
    put(tree, "d/a", "3\n")
    again = ShadowRepository(made.directory, str(tree))
    assert looked(again) == {"d/a": (b"1\n", b"3\n")}
