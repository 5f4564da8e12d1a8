"""System calls and their fallbacks, also those of systems we are not on."""

import ctypes
import errno
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from keyhole.disk import kernel

WAYS = [kernel.open_beneath, kernel.walk_beneath]


@pytest.fixture
def here(tmp_path: Path) -> Iterator[int]:
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "a/b/c.txt").write_bytes(b"text")
    (tmp_path / "link").symlink_to("a")
    (tmp_path / "a/out").symlink_to("/")
    fd = os.open(tmp_path, os.O_RDONLY)
    yield fd
    os.close(fd)


@pytest.mark.parametrize("way", WAYS)
def test_a_path_below_is_opened(here: int, way: Callable[[int, str, int], int]) -> None:
    fd = way(here, "a/b/c.txt", os.O_RDONLY)

    assert os.read(fd, 10) == b"text"
    assert os.get_inheritable(fd) is False
    os.close(fd)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "path", ["link/b/c.txt", "a/out/etc", "link", "a/../..", "..", "a/b/../../.."]
)
def test_links_and_ways_up_are_not_followed(
    here: int, way: Callable[[int, str, int], int], path: str
) -> None:
    with pytest.raises(OSError, match=r"\[Errno"):
        way(here, path, os.O_RDONLY)


def test_a_sandbox_that_blocks_the_call_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert kernel.has_beneath() is True

    def blocked(*_: object) -> int:
        raise OSError(errno.EPERM, "Operation not permitted")

    kernel.has_beneath.cache_clear()
    monkeypatch.setattr(kernel, "open_beneath", blocked)
    assert kernel.has_beneath() is False
    kernel.has_beneath.cache_clear()
    monkeypatch.setattr(kernel, "IS_LINUX", False)
    assert kernel.has_beneath() is False
    kernel.has_beneath.cache_clear()


def test_names_are_swapped_and_moved_without_replacing(here: int, tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"x")
    (tmp_path / "y").write_bytes(b"y")

    kernel.swap(here, "x", here, "y")
    with pytest.raises(FileExistsError):
        kernel.move_new(here, "x", here, "y")
    kernel.move_new(here, "x", here, "z")

    assert ((tmp_path / "y").read_bytes(), (tmp_path / "z").read_bytes()) == (b"x", b"y")


def test_a_machine_without_the_call_says_so(here: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "_RENAME_NUMBER", None)

    with pytest.raises(OSError, match="x") as caught:
        kernel.swap(here, "a", here, "x")
    assert caught.value.errno in kernel.MISSING


def test_a_mac_is_asked_in_its_own_words(here: int, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[object, ...]] = []

    class Library:
        @staticmethod
        def renameatx_np(*values: object) -> int:
            asked.append(values)
            return 0

    monkeypatch.setattr(kernel, "IS_MAC", True)
    monkeypatch.setattr(kernel, "_libc", lambda: Library)
    kernel.swap(here, "x", here, "y")
    kernel.move_new(here, "x", here, "y")

    assert [values[:4] for values in asked] == [(here, b"x", here, b"y")] * 2
    assert [getattr(values[4], "value", None) for values in asked] == [2, 4]


def test_a_mac_is_flushed_to_the_platter(monkeypatch: pytest.MonkeyPatch) -> None:
    import fcntl

    asked: list[tuple[int, int]] = []
    monkeypatch.setattr(kernel, "IS_MAC", True)
    monkeypatch.setattr(fcntl, "fcntl", lambda fd, what: asked.append((fd, what)))
    kernel.flush(7)

    assert asked == [(7, 51)]


def test_elsewhere_a_hint_is_no_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "IS_LINUX", False)
    monkeypatch.setattr(kernel, "_libc", None)

    kernel.start_writeout(1)
    kernel.wake_with_parent()


def test_a_process_asks_to_go_on_when_its_parent_dies() -> None:
    found, get_signal = ctypes.c_int(), 2
    try:
        kernel.wake_with_parent()
        kernel._libc().prctl(get_signal, ctypes.byref(found))
    finally:
        kernel._libc().prctl(kernel._PARENT_DEATH_SIGNAL, 0)

    assert found.value == signal.SIGCONT


def test_elsewhere_nothing_is_known_of_mounts(here: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "IS_LINUX", False)

    assert kernel.is_mount_point(here, "a") is False


def test_a_file_that_is_not_open_lies_on_no_mount() -> None:
    assert kernel._mount_of(-1) == ""
