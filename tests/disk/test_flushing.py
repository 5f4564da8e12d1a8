"""Flushing beside other work: nothing is lost, neither a file nor an error."""

import errno
import os
from pathlib import Path

import pytest

from keyhole.disk import kernel
from keyhole.disk.files import Flush
from keyhole.refusals import Refused


@pytest.fixture
def flush() -> Flush:
    return Flush()


def opened(tmp_path: Path, count: int) -> list[int]:
    return [os.open(tmp_path / f"{nth}", os.O_WRONLY | os.O_CREAT, 0o600) for nth in range(count)]


def is_open(fd: int) -> bool:
    try:
        os.fstat(fd)
    except OSError:
        return False
    return True


def test_every_file_is_flushed_and_closed(
    flush: Flush, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flushed: list[int] = []
    monkeypatch.setattr(kernel, "flush", flushed.append)
    fds = opened(tmp_path, 3)
    for fd in fds:
        flush.begin(fd, f"{fd}.txt")

    flush.finish()

    assert sorted(flushed) == sorted(fds)
    assert not any(map(is_open, fds))


def test_an_error_reaches_whoever_waits_and_every_file_is_closed(
    flush: Flush, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fds = opened(tmp_path, 3)

    def broken(fd: int) -> None:
        if fd == fds[1]:
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(kernel, "flush", broken)
    for fd, name in zip(fds, "abc", strict=True):
        flush.begin(fd, f"{name}.txt")

    with pytest.raises(Refused) as caught:
        flush.finish()

    assert "b.txt" in caught.value.refusals[0].headline
    assert not any(map(is_open, fds))
    flush.finish()


def test_what_is_on_its_way_is_counted(flush: Flush, tmp_path: Path) -> None:
    (fd,) = opened(tmp_path, 1)
    flush.begin(fd, "a.txt")

    assert len(flush) == 1
    flush.finish()

    assert not is_open(fd)
