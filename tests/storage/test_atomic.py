"""One file at a time: staged beside its target, swapped in, and what was displaced looked at."""

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from keyhole.disk import failpoints, files, kernel
from keyhole.disk.files import FileMetadata, FileRead
from keyhole.storage import atomic
from keyhole.storage.atomic import Intruded, is_temporary, temporary_name

TEMP = temporary_name("0123456789ab", 3)


@pytest.fixture
def here(tmp_path: Path) -> Iterator[int]:
    (tmp_path / "a.txt").write_bytes(b"old")
    fd = os.open(tmp_path, os.O_RDONLY)
    yield fd
    os.close(fd)


def see(here: int, name: str = "a.txt") -> FileRead:
    seen = files.read(here, name, name, 1000)
    assert seen is not None
    return seen


def staged(here: int, data: bytes = b"new") -> FileRead:
    """Read the target and stage its successor."""
    seen = see(here)
    os.close(atomic.stage(here, TEMP, data, seen.metadata))
    atomic.make_ready(here, TEMP)
    return seen


def names(path: Path) -> dict[str, bytes]:
    return {each.name: each.read_bytes() for each in path.iterdir()}


@pytest.fixture
def no_flags(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand for a file system that knows plain renames only."""

    def unknown(*_: object) -> None:
        raise OSError(errno.EINVAL, "Invalid argument")

    monkeypatch.setattr(kernel, "_rename", unknown)


def test_our_temporary_names_are_known_and_no_others() -> None:
    assert is_temporary(TEMP)
    assert is_temporary(TEMP.replace(".tmp", ".old"))
    assert is_temporary(TEMP.replace(".tmp", ".new"))
    for name in (".kh-x.tmp", ".kh-0123456789ab-3.txt", "a.kh-0123456789ab-3.tmp", ".kh-"):
        assert not is_temporary(name)


def test_a_replaced_file_is_displaced_to_the_temporary_name(here: int, tmp_path: Path) -> None:
    assert atomic.replace(here, "a.txt", TEMP, staged(here), exchange=True) is True
    assert names(tmp_path) == {"a.txt": b"new", TEMP: b"old"}


@pytest.mark.usefixtures("no_flags")
@pytest.mark.parametrize("exchange", [True, False])
def test_without_exchange_the_old_file_is_kept_by_a_link(
    here: int, tmp_path: Path, *, exchange: bool
) -> None:
    assert atomic.replace(here, "a.txt", TEMP, staged(here), exchange=exchange) is False
    assert names(tmp_path) == {"a.txt": b"new", TEMP: b"old"}


@pytest.mark.usefixtures("no_flags")
def test_without_links_either_the_old_file_is_not_kept(
    here: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = staged(here)

    def no_link(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", no_link)

    assert atomic.replace(here, "a.txt", TEMP, seen, exchange=True) is False
    assert names(tmp_path) == {"a.txt": b"new"}


@pytest.mark.parametrize("exchange", [True, False])
def test_a_target_that_is_gone_is_news(here: int, tmp_path: Path, *, exchange: bool) -> None:
    seen = staged(here)
    (tmp_path / "a.txt").unlink()

    with pytest.raises(Intruded) as caught:
        atomic.replace(here, "a.txt", TEMP, seen, exchange=exchange)
    assert caught.value.exchanged is False
    assert names(tmp_path) == {TEMP: b"new"}


@pytest.mark.parametrize("exchange", [True, False])
def test_a_changed_target_is_news(here: int, tmp_path: Path, *, exchange: bool) -> None:
    seen = staged(here)
    (tmp_path / "a.txt").write_bytes(b"HUM")

    with pytest.raises(Intruded) as caught:
        atomic.replace(here, "a.txt", TEMP, seen, exchange=exchange)
    assert caught.value.exchanged is exchange
    if exchange:
        atomic.put_back(here, "a.txt", TEMP, here)
    assert names(tmp_path) == {"a.txt": b"HUM", TEMP: b"new"}


def test_an_error_of_the_disk_is_an_error(here: int, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = staged(here)

    def broken(*_: object) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(kernel, "_rename", broken)
    for call in (
        lambda: atomic.replace(here, "a.txt", TEMP, seen, exchange=True),
        lambda: atomic.create(here, "b.txt", TEMP, here),
        lambda: atomic.put_back(here, "a.txt", TEMP, here),
    ):
        with pytest.raises(OSError, match="Input/output error"):
            call()


def test_a_displaced_file_that_vanishes_is_an_error(here: int, tmp_path: Path) -> None:
    seen = staged(here)

    def hook(name: str) -> None:
        if name == "exchanged":
            (tmp_path / TEMP).unlink()

    with failpoints.watch(hook), pytest.raises(FileNotFoundError):
        atomic.replace(here, "a.txt", TEMP, seen, exchange=True)


def test_a_creation_does_not_replace(here: int, tmp_path: Path) -> None:
    staged(here)

    with pytest.raises(Intruded):
        atomic.create(here, "a.txt", TEMP, here)
    atomic.create(here, "b.txt", TEMP, here)

    assert names(tmp_path) == {"a.txt": b"old", "b.txt": b"new"}


@pytest.mark.usefixtures("no_flags")
def test_a_creation_without_flags_does_not_replace_either(here: int, tmp_path: Path) -> None:
    staged(here)

    with pytest.raises(Intruded):
        atomic.create(here, "a.txt", TEMP, here)
    atomic.create(here, "b.txt", TEMP, here)

    assert names(tmp_path) == {"a.txt": b"old", "b.txt": b"new"}


def test_a_removed_file_can_be_given_back(here: int, tmp_path: Path) -> None:
    seen = see(here)
    (tmp_path / "a.txt").write_bytes(b"HUM")

    with pytest.raises(Intruded) as caught:
        atomic.remove(here, "a.txt", TEMP, here, seen)
    assert caught.value.exchanged
    atomic.put_back(here, "a.txt", TEMP, here)
    atomic.put_back(here, "a.txt", TEMP, here)

    assert names(tmp_path) == {"a.txt": b"HUM"}


def test_a_file_that_is_gone_cannot_be_removed(here: int, tmp_path: Path) -> None:
    seen = see(here)
    (tmp_path / "a.txt").unlink()

    with pytest.raises(Intruded):
        atomic.remove(here, "a.txt", TEMP, here, seen)


@pytest.mark.usefixtures("no_flags")
def test_putting_back_without_flags_replaces(here: int, tmp_path: Path) -> None:
    staged(here)

    atomic.put_back(here, "a.txt", TEMP, here)

    assert names(tmp_path) == {"a.txt": b"new"}


def test_a_file_of_long_ago_is_known_by_its_times_alone(here: int, tmp_path: Path) -> None:
    os.utime(tmp_path / "a.txt", ns=(10**18, 10**18))
    seen = see(here)
    atomic.verify(here, "a.txt", seen)
    (tmp_path / "a.txt").write_bytes(b"new")
    os.utime(tmp_path / "a.txt", ns=(2 * 10**18, 2 * 10**18))

    with pytest.raises(Intruded):
        atomic.verify(here, "a.txt", seen)


@pytest.mark.parametrize("kind", ["link", "directory", "pipe", "socket-like"])
def test_something_else_in_its_place_is_an_intruder(here: int, tmp_path: Path, kind: str) -> None:
    seen = see(here)
    (tmp_path / "a.txt").unlink()
    if kind == "link":
        (tmp_path / "a.txt").symlink_to("elsewhere")
    elif kind == "directory":
        (tmp_path / "a.txt").mkdir()
    else:
        os.mkfifo(tmp_path / "a.txt")

    with pytest.raises(Intruded):
        atomic.verify(here, "a.txt", seen)


def test_where_there_are_no_leases_nobody_is_taken_for_a_writer(
    here: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = see(here)
    monkeypatch.setattr(kernel, "IS_LINUX", False)

    with (tmp_path / "a.txt").open("r+b"):
        atomic.verify(here, "a.txt", seen)


def test_a_staged_file_has_another_name_until_it_is_on_the_disk(here: int, tmp_path: Path) -> None:
    os.close(atomic.stage(here, TEMP, b"new", None))
    assert sorted(names(tmp_path)) == [TEMP.replace(".tmp", ".new"), "a.txt"]

    assert atomic.is_unready(here, TEMP)

    atomic.make_ready(here, TEMP)
    assert not atomic.is_unready(here, TEMP)
    assert sorted(names(tmp_path)) == [TEMP, "a.txt"]

    atomic.discard(here, TEMP)
    assert sorted(names(tmp_path)) == ["a.txt"]


def test_what_cannot_be_staged_leaves_nothing(here: int, tmp_path: Path) -> None:
    impossible = FileMetadata(0o600, os.geteuid(), os.getegid(), (("user.x", b"y" * 100_000),))

    with pytest.raises(OSError, match=r"\[Errno"):
        atomic.stage(here, TEMP, b"new", impossible)

    assert names(tmp_path) == {"a.txt": b"old"}
