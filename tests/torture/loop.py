"""A small ext4 of our own on a loop device, to be filled up or switched off."""

from __future__ import annotations

import ctypes
import fcntl
import os
import shutil
import struct
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tests.torture.arena import memory_directory

_SHUTDOWN, _DROP_EVERYTHING = 0x8004587D, 2
_NEW_MOUNTS, _ALL_PRIVATE = 0x20000, 0x44000


@dataclass(frozen=True, slots=True)
class LoopDisk:
    """An image that can be mounted, and put back as it was."""

    home: Path

    @property
    def mounted(self) -> Path:
        return self.home / "mnt"

    def save(self) -> None:
        """Keep the image as it is, to start from again."""
        _copy(self.home / "now.img", self.home / "saved.img")

    def restore(self) -> None:
        """Put the kept image back.

        As a new file: the kernel may hold on to the loop device of the old one for a moment, and
        `mount` would take that again, with what it remembers.
        """
        _copy(self.home / "saved.img", self.home / "next.img")
        (self.home / "next.img").replace(self.home / "now.img")

    @contextmanager
    def mount(self, options: str = "") -> Iterator[Path]:
        """Mount the image for a while."""
        loop = f"loop,{options}" if options else "loop"
        _quietly("mount", "-o", loop, str(self.home / "now.img"), str(self.mounted))
        try:
            yield self.mounted
        finally:
            _quietly("umount", str(self.mounted))

    def cut_power(self) -> None:
        """Drop everything that is not on the disk, at once."""
        fd = os.open(self.mounted, os.O_RDONLY)
        fcntl.ioctl(fd, _SHUTDOWN, struct.pack("I", _DROP_EVERYTHING))


@contextmanager
def loop_disk(mebibytes: int) -> Iterator[LoopDisk]:
    """Give a fresh file system."""
    with memory_directory() as home:
        disk = LoopDisk(home)
        disk.mounted.mkdir()
        with (disk.home / "now.img").open("wb") as image:
            image.truncate(mebibytes << 20)
        # Blocks of 4 KiB, as on every disk: SQLite maps its index into memory, and with smaller
        # blocks a full disk would show as a bus error, not as an error of a call.
        options = ["-b", "4096", *(["-J", "size=4"] if mebibytes > 8 else ["-O", "^has_journal"])]
        _quietly("mkfs.ext4", "-q", "-F", *options, str(disk.home / "now.img"))
        yield disk


def mount_alone() -> None:
    """Let nobody else see what this process mounts from now on.

    A program that copies all mounts, as those that make networks do, would keep a disk alive
    that was switched off, and the next mount would find it so.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(_NEW_MOUNTS) or libc.mount(b"none", b"/", None, _ALL_PRIVATE, None):
        raise OSError(ctypes.get_errno(), "mounts are shared with others")


def why_not() -> str:
    """Return why this machine has no loop devices for us, or nothing."""
    if os.geteuid() != 0:
        return "not root"
    for program in ("mkfs.ext4", "mount", "umount"):
        if shutil.which(program) is None:
            return f"no {program}"
    try:
        with loop_disk(16) as disk, disk.mount():
            return ""
    except subprocess.CalledProcessError as error:
        return f"{error.cmd[0]} failed"


def _copy(source: Path, target: Path) -> None:
    """Copy what is there of a file, and leave its holes."""
    with source.open("rb") as old, target.open("wb") as new:
        size, at = os.fstat(old.fileno()).st_size, 0
        new.truncate(size)
        with suppress(OSError):  # There is no more data.
            while True:
                start = os.lseek(old.fileno(), at, os.SEEK_DATA)
                at = os.lseek(old.fileno(), start, os.SEEK_HOLE)
                os.pwrite(new.fileno(), os.pread(old.fileno(), at - start, start), start)


def _quietly(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True)
