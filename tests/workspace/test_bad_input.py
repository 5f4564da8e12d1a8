"""Bad input: a typed refusal each, nothing changed, nothing left behind."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from keyhole.disk import files
from keyhole.refusals import Refused
from keyhole.workspace.tree import Tree, TreeOptions
from tests.workspace.scene import Scene, create, delete, edit

# Makes a call as a user without special rights: root may write everywhere. A call as root comes
# first, so that everything is imported by then.
PROGRAM = """
import os, sys
from pathlib import Path
from keyhole.refusals import Refused
from tests.workspace.scene import Scene, create, delete, edit
warm = Scene(Path(sys.argv[1]) / "warm")
warm.put("a.txt", "old")
edit(warm.open(), "a.txt", "old", "new")
if os.geteuid() == 0:
    os.setgroups([])
    os.setresgid(65534, 65534, 65534)
    os.setresuid(65534, 65534, 65534)
scene = Scene(Path(sys.argv[1]))
try:
    tree = scene.open()
    {"edit": lambda: edit(tree, sys.argv[3], "old", "new"),
     "read": lambda: tree.read(sys.argv[3]),
     "create": lambda: create(tree, sys.argv[3], "text"),
     "delete": lambda: delete(tree, sys.argv[3])}[sys.argv[2]]()
except Refused as refused:
    print(*[refusal.code for refusal in refused.refusals])
else:
    print("granted")
"""


def as_nobody(scene: Scene, call: str, path: str) -> str:
    """Make a call as somebody who is not root, and return the codes it was refused with."""
    command = [sys.executable, "-c", PROGRAM, str(scene.home), call, path]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("name", ["missing", "file", "file/below"])
def test_a_root_that_is_no_directory_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_bytes(b"text")

    with pytest.raises(Refused) as caught:
        Tree.open(tmp_path / name, state_home=tmp_path / "state")

    assert [refusal.code for refusal in caught.value.refusals] == ["no-file"]
    assert not (tmp_path / "state").exists()


def test_a_state_directory_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "state").write_bytes(b"in the way")
    tree = Tree.open(tmp_path / "root", state_home=tmp_path / "state")

    with pytest.raises(Refused) as caught:
        create(tree, "a.txt", "text")

    assert [refusal.code for refusal in caught.value.refusals] == ["journal"]
    assert list((tmp_path / "root").iterdir()) == []


@pytest.mark.parametrize(
    ("call", "path", "code"),
    [
        ("read", "secret.txt", "read-only"),
        ("edit", "secret.txt", "read-only"),
        ("edit", "locked/a.txt", "read-only"),
        ("create", "locked/new.txt", "read-only"),
        ("create", "locked/deep/new.txt", "read-only"),
        ("delete", "locked/a.txt", "read-only"),
        ("edit", "theirs.txt", "read-only"),
        ("edit", "open/theirs.txt", "read-only"),
        ("read", "closed/a.txt", "read-only"),
    ],
)
def test_missing_rights_are_refused_by_name(
    open_scene: Scene, call: str, path: str, code: str
) -> None:
    scene = open_scene
    scene.put("secret.txt", "old", mode=0o000)
    scene.put("theirs.txt", "old", mode=0o444)
    scene.put("locked/a.txt", "old", mode=0o666)
    scene.put("open/theirs.txt", "old", mode=0o644)
    scene.put("closed/a.txt", "old")
    (scene.root / "open").chmod(0o777)
    (scene.root / "locked").chmod(0o555)
    (scene.root / "closed").chmod(0o700 if os.geteuid() == 0 else 0o000)
    if os.geteuid() != 0 and path == "open/theirs.txt":
        (scene.root / path).chmod(0o444)

    assert as_nobody(scene, call, path) == code

    (scene.root / "locked").chmod(0o755)
    (scene.root / "closed").chmod(0o755)
    assert [path for path in scene.root.rglob("*") if ".kh-" in path.name] == []
    assert not (scene.root / "locked/deep").exists()


def test_a_file_of_somebody_else_that_i_may_write_stays_theirs(open_scene: Scene) -> None:
    scene = open_scene
    if os.geteuid() != 0:
        return  # Only root can make a file that belongs to somebody else.
    scene.put("shared.txt", "old", mode=0o666)

    assert as_nobody(scene, "edit", "shared.txt") == "read-only"
    assert (scene.root / "shared.txt").stat().st_uid == 0
    assert scene.files() == {"shared.txt": b"old"}


def test_a_huge_sparse_file_is_refused_without_being_read(scene: Scene) -> None:
    path = scene.put("huge.bin", b"old")
    with path.open("r+b") as file:
        file.truncate(1 << 30)
    tree = scene.open()

    for call in (tree.read, lambda name: edit(tree, name, "old", "new")):
        with pytest.raises(Refused) as caught:
            call("huge.bin")
        assert [refusal.code for refusal in caught.value.refusals] == ["too-large"]

    assert path.stat().st_size == 1 << 30
    assert path.stat().st_blocks < 100


def test_the_size_limit_is_the_users(scene: Scene) -> None:
    scene.put("a.txt", b"x" * 100)

    assert scene.open(TreeOptions(max_bytes=100)).read("a.txt").text == "x" * 100
    with pytest.raises(Refused) as caught:
        scene.open(TreeOptions(max_bytes=99)).read("a.txt")
    assert [refusal.code for refusal in caught.value.refusals] == ["too-large"]


def test_a_device_is_never_opened_for_reading(scene: Scene) -> None:
    if os.geteuid() != 0:
        return  # Only root can make a device.
    os.mknod(scene.root / "zero", stat.S_IFCHR | 0o666, os.makedev(1, 5))
    tree = scene.open()

    for call in (tree.read, lambda name: delete(tree, name)):
        with pytest.raises(Refused) as caught:
            call("zero")
        assert [refusal.code for refusal in caught.value.refusals] == ["not-text"]


def test_a_file_that_never_stands_still_is_busy(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene.put("a.txt", "old")
    monkeypatch.setattr(files, "_read_once", lambda *_: None)

    with pytest.raises(Refused) as caught:
        scene.open().read("a.txt")
    assert [refusal.code for refusal in caught.value.refusals] == ["busy"]


def test_an_error_of_the_disk_while_reading_is_a_refusal(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise OSError(5, "Input/output error")

    scene.put("a.txt", "old")
    monkeypatch.setattr(files, "_read_once", broken)

    with pytest.raises(Refused) as caught:
        scene.open().read("a.txt")
    assert [refusal.code for refusal in caught.value.refusals] == ["busy"]


def test_directories_that_cannot_be_entered_are_walked_past(open_scene: Scene) -> None:
    scene = open_scene
    scene.put("a.txt", "x")
    scene.put("closed/b.txt", "x")
    scene.put("z/c.txt", "x")
    (scene.root / "closed").chmod(0o700)
    program = PROGRAM.replace(
        '"read": lambda: tree.read(sys.argv[3])', '"read": lambda: walk(tree)'
    )
    program = program.replace("scene = Scene", WALK + "scene = Scene")
    command = [sys.executable, "-c", program, str(scene.home), "read", "."]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=True)

    expected = "a.txt z/c.txt 0" if os.geteuid() == 0 else "a.txt closed/b.txt z/c.txt 0"
    assert done.stdout.split("\n")[0] == expected


WALK = """
def walk(tree):
    print(*tree.walk(), tree.sweep())
"""
