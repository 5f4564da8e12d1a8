"""What a file carries besides its bytes stays through edits, moves, deletions and their undo."""

import errno
import os
import stat
import struct
from pathlib import Path

import pytest

from keyhole.disk import files
from keyhole.disk.files import FileMetadata
from keyhole.disk.kernel import Kernel
from keyhole.history.targets import one
from keyhole.refusals import Refused
from keyhole.workspace.tree import TreeOptions
from tests.workspace.scene import Scene, create, delete, edit, move, take_back

MODES = [0o600, 0o640, 0o644, 0o664, 0o666, 0o755, 0o4755, 0o2755, 0o6711, 0o1644]
ACL = "system.posix_acl_access"
DEFAULT_ACL = "system.posix_acl_default"


def acl(*entries: tuple[int, int, int]) -> bytes:
    """Return an access list as the kernel stores it: tag, permissions, id."""
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)


NOBODY = 0xFFFFFFFF
LIST = acl((1, 6, NOBODY), (2, 4, 1234), (4, 4, NOBODY), (16, 6, NOBODY), (32, 0, NOBODY))


def look(path: Path) -> tuple[int, int, int, dict[str, bytes]]:
    status = path.stat()
    attributes = {name: os.getxattr(path, name) for name in os.listxattr(path)}
    return stat.S_IMODE(status.st_mode), status.st_uid, status.st_gid, attributes


def through_everything(scene: Scene, path: str, options: TreeOptions | None = None) -> None:
    """Edit, move, delete and bring back a file, and look at it after each."""
    tree = scene.open(options)
    before = look(scene.root / path)

    edit(tree, path, "old", "new")
    assert look(scene.root / path) == before
    move(tree, path, "moved.txt")
    assert look(scene.root / "moved.txt") == before
    gone = delete(tree, "moved.txt")
    take_back(tree, one(tree.journal, gone.id))
    assert look(scene.root / "moved.txt") == before
    tree.close()


@pytest.mark.parametrize("exchange", [True, False], ids=["strong", "weak"])
@pytest.mark.parametrize("mode", MODES, ids=oct)
def test_the_mode_stays(scene: Scene, mode: int, *, exchange: bool) -> None:
    scene.put("a.txt", "old", mode=mode)

    through_everything(scene, "a.txt", TreeOptions(kernel=Kernel(exchange=exchange)))


def test_owner_and_group_stay(scene: Scene) -> None:
    path = scene.put("a.txt", "old", mode=0o6755)
    own_groups = [group for group in os.getgroups() if group != path.stat().st_gid]
    # Only root may give a file away; anybody may give it to another of their groups.
    owner = (1234, 2345) if os.geteuid() == 0 else (-1, own_groups[0] if own_groups else -1)
    os.chown(path, *owner)
    path.chmod(0o6755)

    through_everything(scene, "a.txt")


def test_attributes_stay(scene: Scene) -> None:
    path = scene.put("a.txt", "old")
    os.setxattr(path, "user.mime_type", b"text/plain")
    os.setxattr(path, "user.empty", b"")
    os.setxattr(path, "user.bytes", bytes(range(256)))

    through_everything(scene, "a.txt")


def test_an_access_list_stays(scene: Scene) -> None:
    path = scene.put("a.txt", "old")
    os.setxattr(path, ACL, LIST)

    through_everything(scene, "a.txt")

    assert os.getxattr(scene.root / "moved.txt", ACL) == LIST


def test_a_default_access_list_does_not_creep_onto_an_old_file(scene: Scene) -> None:
    path = scene.put("d/a.txt", "old", mode=0o640)
    os.setxattr(path.parent, DEFAULT_ACL, LIST)
    tree = scene.open()

    edit(tree, "d/a.txt", "old", "new")
    create(tree, "d/b.txt", "text")

    assert look(path)[0] == 0o640
    assert ACL not in os.listxattr(path)
    assert ACL in os.listxattr(scene.root / "d/b.txt")


def test_a_directory_with_a_group_of_its_own_does_not_change_the_file(scene: Scene) -> None:
    path = scene.put("d/a.txt", "old")
    group = path.stat().st_gid
    if os.geteuid() == 0:
        os.chown(path.parent, -1, 4321)
    path.parent.chmod(0o2775)
    tree = scene.open()

    edit(tree, "d/a.txt", "old", "new")

    assert path.stat().st_gid == group


def test_a_sticky_directory_is_edited_in_like_any_other(scene: Scene) -> None:
    scene.put("d/a.txt", "old")
    (scene.root / "d").chmod(0o1777)
    tree = scene.open()

    edit(tree, "d/a.txt", "old", "new")

    assert scene.files() == {"d/a.txt": b"new"}
    assert stat.S_IMODE((scene.root / "d").stat().st_mode) == 0o1777


def test_metadata_of_a_plain_file_is_mode_and_owner(scene: Scene) -> None:
    path = scene.put("a.txt", "old", mode=0o640)
    fd = os.open(path, os.O_RDONLY)
    try:
        found = FileMetadata.of(fd, os.fstat(fd))
    finally:
        os.close(fd)

    assert found == FileMetadata(0o640, os.geteuid(), path.stat().st_gid)


@pytest.mark.parametrize("number", [errno.ENOTSUP, errno.ENOSYS])
def test_a_file_system_without_attributes_is_no_obstacle(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def unknown(_: int) -> list[str]:
        raise OSError(number, os.strerror(number))

    scene.put("a.txt", "old")
    monkeypatch.setattr(os, "listxattr", unknown)
    edit(scene.open(), "a.txt", "old", "new")

    assert scene.files() == {"a.txt": b"new"}


def test_a_system_without_attributes_is_no_obstacle(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene.put("a.txt", "old")
    monkeypatch.delattr(os, "listxattr")
    edit(scene.open(), "a.txt", "old", "new")

    assert scene.files() == {"a.txt": b"new"}


def test_attributes_that_cannot_be_read_refuse_the_edit(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: int) -> list[str]:
        raise OSError(errno.EIO, "Input/output error")

    scene.put("a.txt", "old")
    tree = scene.open()
    monkeypatch.setattr(os, "listxattr", broken)

    with pytest.raises(Refused):
        edit(tree, "a.txt", "old", "new")


def _forbidden(*_: object) -> None:
    raise OSError(errno.EPERM, "Operation not permitted")


def test_a_label_of_the_system_that_we_may_not_set_is_left_to_the_system(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    fd = os.open(scene.put("a.txt", "old"), os.O_RDWR)
    label = (("security.selinux", b"label"),)
    monkeypatch.setattr(os, "setxattr", _forbidden)
    monkeypatch.setattr(os, "removexattr", _forbidden)
    wanted = FileMetadata(0o600, os.geteuid(), os.getegid(), label)

    wanted.put(fd)
    monkeypatch.setattr(files, "_attributes", lambda _: label)
    FileMetadata(0o600, os.geteuid(), os.getegid()).put(fd)
    monkeypatch.setattr(files, "_attributes", lambda _: (("user.x", b""),))
    with pytest.raises(OSError, match="not permitted"):
        FileMetadata(0o600, os.geteuid(), os.getegid()).put(fd)
    os.close(fd)


def test_a_cheap_look_gives_small_files_and_nothing_else(scene: Scene) -> None:
    scene.put("d/a.txt", "text")
    fd = os.open(scene.root / "d", os.O_RDONLY)
    try:
        assert files.peek(fd, "a.txt", 4) == b"text"
        assert [files.peek(fd, "a.txt", 3), files.peek(fd, "b.txt", 4)] == [None, None]
        assert files.peek(fd, "..", 4) is None
    finally:
        os.close(fd)
