"""Walking a tree: in order, without what is ignored, never outside."""

import os
import subprocess

import pytest

from keyhole.refusals import Refused
from tests.workspace.scene import Scene

pytestmark = pytest.mark.needs("git")


def test_files_come_in_order_and_repositories_do_not(scene: Scene) -> None:
    for path in (
        "b.txt",
        "a/z.txt",
        "a/b/c.txt",
        ".git/config",
        "a/.hg/x",
        ".kh-0123456789ab-0.tmp",
    ):
        scene.put(path, "x")
    (scene.root / "link").symlink_to("b.txt")
    (scene.root / "out").symlink_to("/etc")
    os.mkfifo(scene.root / "fifo")

    assert list(scene.open().walk()) == ["a/b/c.txt", "a/z.txt", "b.txt"]


def test_ignore_files_hold_for_what_is_below_them(scene: Scene) -> None:
    scene.put(".gitignore", "*.log\n/build/\n!keep.log\n")
    scene.put("src/.gitignore", "gen/\n!src.log\n*.tmp\n")
    for path in ("a.log", "keep.log", "build/x", "src/build/x", "src/gen/y", "src/src.log"):
        scene.put(path, "x")
    scene.put("src/x.tmp", "x")
    scene.put("x.tmp", "x")
    scene.put(".git/info/exclude", "secret*\n")
    scene.put("src/secret.txt", "x")
    tree = scene.open()

    everything = list(tree.walk())
    inside = list(tree.walk("src"))

    assert everything == [
        ".gitignore",
        "keep.log",
        "src/.gitignore",
        "src/build/x",
        "src/src.log",
        "x.tmp",
    ]
    assert inside == ["src/.gitignore", "src/build/x", "src/src.log"]
    assert "a.log" in set(tree.walk(ignored=True))


def test_the_walk_agrees_with_git(scene: Scene) -> None:
    subprocess.run(["git", "init", "-q", str(scene.root)], check=True)
    scene.put(".gitignore", "*.o\nnode_modules/\n/out\n**/cache/*\n!**/cache/keep\n")
    scene.put("lib/.gitignore", "!special.o\n/local\n")
    for path in (
        "a.o",
        "lib/special.o",
        "lib/other.o",
        "lib/local",
        "lib/x/local",
        "node_modules/m/index.js",
        "web/node_modules/m/index.js",
        "out/x",
        "lib/out",
        "x/cache/a",
        "x/cache/keep",
        "main.c",
    ):
        scene.put(path, "x")
    done = subprocess.run(
        ["git", "-C", str(scene.root), "ls-files", "-co", "--exclude-standard"],
        capture_output=True,
        encoding="utf-8",
        check=True,
    )

    assert list(scene.open().walk()) == sorted(
        done.stdout.split("\n")[:-1], key=lambda p: p.split("/")
    )


def test_a_pattern_chooses_files(scene: Scene) -> None:
    for path in ("a.py", "b.pyi", "c/d.py", "c/e.txt"):
        scene.put(path, "x")
    tree = scene.open()

    assert list(tree.walk(glob="*.py")) == ["a.py", "c/d.py"]
    assert list(tree.walk(glob="*.{pyi,txt}")) == ["b.pyi", "c/e.txt"]
    assert list(tree.walk(glob="c/")) == ["c/d.py", "c/e.txt"]


def test_a_file_is_its_own_walk(scene: Scene) -> None:
    scene.put("a/b.txt", "x")
    tree = scene.open()

    assert list(tree.walk("a/b.txt")) == ["a/b.txt"]
    for path in ("missing", "a/missing", "../"):
        with pytest.raises(Refused):
            list(tree.walk(path))


def test_an_ignore_file_that_cannot_be_read_ignores_nothing(scene: Scene) -> None:
    (scene.root / ".gitignore").symlink_to("/etc/hostname")
    (scene.root / "sub").mkdir()
    os.mkfifo(scene.root / "sub/.gitignore")
    scene.put("sub/a.txt", "x")

    assert list(scene.open().walk()) == ["sub/a.txt"]
