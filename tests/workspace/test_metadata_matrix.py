"""The matrix: twelve things a file or its directory may have, and what an edit makes of each.

Where only root can set the stage (owners), others give the file to themselves, and it must stay so.
"""

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from keyhole.disk.files import FileMetadata
from keyhole.history.targets import one
from tests.disk.test_files import ACL, DEFAULT_ACL, LIST, look
from tests.workspace.scene import Scene, create, edit, take_back
from tests.workspace.test_bad_input import as_nobody

IS_ROOT = os.geteuid() == 0


def kept(scene: Scene, path: str = "d/a.txt") -> None:
    """Edit a file and take it back: what it carries is the same after each."""
    file = scene.root / path
    before, tree = look(file), scene.open()

    entry = edit(tree, path, "old", "new")
    assert (look(file), file.read_bytes()) == (before, b"new\n")
    take_back(tree, one(tree.journal, entry.id))
    assert (look(file), file.read_bytes()) == (before, b"old\n")


def mode(scene: Scene, file: Path) -> None:
    file.chmod(0o640)
    kept(scene)


def set_user_id(scene: Scene, file: Path) -> None:
    file.chmod(0o6755)
    kept(scene)
    assert stat.S_IMODE(file.stat().st_mode) == 0o6755


def owner(scene: Scene, file: Path) -> None:
    os.chown(file, *((1234, 2345) if IS_ROOT else (os.getuid(), os.getgid())))
    kept(scene)


def set_group_directory(scene: Scene, file: Path) -> None:
    if IS_ROOT:
        os.chown(file.parent, -1, 4321)
    file.parent.chmod(0o2775)
    kept(scene)

    tree = scene.open()
    create(tree, "d/new.txt", "text")
    create(tree, "d/deep/new.txt", "text")
    group = file.parent.stat().st_gid
    assert (file.parent / "new.txt").stat().st_gid == group
    assert (file.parent / "deep/new.txt").stat().st_gid == group
    assert (file.parent / "deep").stat().st_mode & stat.S_ISGID


def user_attribute(scene: Scene, file: Path) -> None:
    os.setxattr(file, "user.note", bytes(range(256)))
    kept(scene)
    assert os.getxattr(file, "user.note") == bytes(range(256))


def access_list(scene: Scene, file: Path) -> None:
    os.setxattr(file, ACL, LIST)
    kept(scene)
    assert os.getxattr(file, ACL) == LIST


def default_access_list(scene: Scene, file: Path) -> None:
    os.setxattr(file.parent, DEFAULT_ACL, LIST)
    kept(scene)
    create(scene.open(), "d/new.txt", "text")
    assert ACL not in os.listxattr(file)
    assert ACL in os.listxattr(file.parent / "new.txt")
    assert os.getxattr(file.parent, DEFAULT_ACL) == LIST


def target_of_a_link(scene: Scene, file: Path) -> None:
    link = scene.root / "link.txt"
    link.symlink_to("d/a.txt")
    file.chmod(0o604)
    tree = scene.open()

    edit(tree, tree.resolve("link.txt"), "old", "new")

    assert os.readlink(link) == "d/a.txt"  # noqa: PTH115 - the very text
    assert (file.read_bytes(), look(file)[0]) == (b"new\n", 0o604)


def hard_link(scene: Scene, file: Path) -> None:
    other = scene.home / "outside.txt"
    other.hardlink_to(file)
    file.chmod(0o604)
    edit(scene.open(), "d/a.txt", "old", "new")
    assert (file.read_bytes(), other.read_bytes()) == (b"new\n", b"old\n")
    assert look(file) == look(other)


def read_only_file(scene: Scene, file: Path) -> None:
    file.chmod(0o444)
    before = look(file)
    assert as_nobody(scene, "edit", "d/a.txt") == "read-only"
    assert (look(file), file.read_bytes()) == (before, b"old\n")


def read_only_directory(scene: Scene, file: Path) -> None:
    file.chmod(0o666)
    file.parent.chmod(0o555)
    assert as_nobody(scene, "edit", "d/a.txt") == "read-only"
    assert as_nobody(scene, "create", "d/new.txt") == "read-only"
    assert [each.name for each in file.parent.iterdir()] == ["a.txt"]
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o555


def sticky_directory(scene: Scene, file: Path) -> None:
    file.parent.chmod(0o1777)
    if IS_ROOT:  # Only root can make a file that belongs to somebody else.
        file.chmod(0o666)
        assert as_nobody(scene, "delete", "d/a.txt") == "read-only"
        assert as_nobody(scene, "edit", "d/a.txt") == "read-only"
    kept(scene)
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o1777


MATRIX: dict[str, Callable[[Scene, Path], None]] = {
    "mode": mode,
    "suid": set_user_id,
    "uid/gid": owner,
    "setgid dir": set_group_directory,
    "user xattr": user_attribute,
    "ACL": access_list,
    "default ACL": default_access_list,
    "symlink target": target_of_a_link,
    "hard link": hard_link,
    "read-only file": read_only_file,
    "read-only dir": read_only_directory,
    "sticky": sticky_directory,
}


@pytest.mark.parametrize("row", MATRIX)
def test_an_edit_keeps_what_there_is(open_scene: Scene, row: str) -> None:
    MATRIX[row](open_scene, open_scene.put("d/a.txt", "old\n"))


def test_the_matrix_has_its_twelve_rows() -> None:
    assert list(MATRIX) == [
        *("mode", "suid", "uid/gid", "setgid dir", "user xattr", "ACL", "default ACL"),
        *("symlink target", "hard link", "read-only file", "read-only dir", "sticky"),
    ]


@pytest.mark.parametrize("row", ["mode", "suid", "user xattr", "ACL", "default ACL"])
def test_a_file_that_is_replaced_bare_is_caught(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, row: str
) -> None:
    monkeypatch.setattr(FileMetadata, "put", lambda *_: None)

    with pytest.raises(AssertionError):
        MATRIX[row](scene, scene.put("d/a.txt", "old\n"))
