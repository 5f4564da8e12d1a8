"""What a process did to the files below a directory, read from strace's output."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

# Only the calls that are asked for stop a process: an import makes thousands of others.
STRACE = ("strace", "-f", "--seccomp-bpf")
_CALLS = (
    "openat,openat2,close,write,pwrite64,ftruncate,fsync,fdatasync,rename,renameat,renameat2,"
    "unlink,unlinkat,mkdir,mkdirat,link,linkat,rmdir"
)
_LINE = re.compile(r"\d+\s+(\w+)\((.*)\)\s+= (-?\d+)")
_STRING = r'"((?:\\x[0-9a-f]{2})*)"'
_AT = rf"(AT_FDCWD|\d+), {_STRING}"


@dataclass(frozen=True, slots=True)
class Op:
    """One operation: on an inode (`write`, `truncate`), or on names in a directory (the others)."""

    kind: str
    inode: str = ""
    directory: str = ""
    name: str = ""
    other: str = ""
    offset: int = 0
    data: bytes = b""

    @property
    def names(self) -> list[tuple[str, str]]:
        """Return the names in directories that it depends on and changes."""
        return [(self.directory, name) for name in (self.name, self.other) if name]


def record(home: Path, base: Path, command: list[str]) -> list[Op]:
    """Run a command under strace and return what it did below `base`, in order."""
    before = _files(base)
    log = home / "strace.log"
    done = subprocess.run(
        [*STRACE, "-xx", "-s", "9999999", "-o", log, "-e", f"trace={_CALLS}", *command],
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    reader = _Reader(base, dict(before), _directories(base, before))
    with log.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            reader.take(line)
    return reader.ops


def python(module: str, *arguments: str) -> list[str]:
    """Return the command that runs a module of ours."""
    return [sys.executable, "-m", module, *arguments]


def _files(base: Path) -> dict[str, str]:
    """Return the inodes of the files that are there, by path."""
    paths = (path.relative_to(base).as_posix() for path in base.rglob("*") if path.is_file())
    return {path: f"old:{path}" for path in paths}


def _directories(base: Path, _: dict[str, str]) -> set[str]:
    found = {path.relative_to(base).as_posix() for path in base.rglob("*") if path.is_dir()}
    return found | {""}


@dataclass(slots=True)
class _Reader:
    """Follows file descriptors and names through a trace."""

    base: Path
    inodes: dict[str, str]
    directories: set[str]
    ops: list[Op] = field(default_factory=list)
    open_files: dict[int, tuple[str, str]] = field(default_factory=dict)
    offsets: dict[int, int] = field(default_factory=dict)

    def take(self, line: str) -> None:
        """Read one line of the trace."""
        found = _LINE.match(line)
        if found is None or int(found.group(3)) < 0:
            return
        call, arguments, result = found.group(1), found.group(2), int(found.group(3))
        handler = getattr(self, f"_{_SAME.get(call, call)}", None)
        if handler is not None:
            handler(arguments, result)

    def _where(self, at: str, raw: str) -> tuple[str, str] | None:
        """Return directory and name below the base, or None for what is elsewhere or no concern."""
        path = os.fsdecode(_bytes(raw))
        if not path.startswith("/"):
            kind, start = self.open_files.get(-1 if at == "AT_FDCWD" else int(at), ("", ""))
            if kind != "directory":
                return None
            path = os.path.normpath(self.base / start / path)
        if path != str(self.base) and not path.startswith(f"{self.base}/"):
            return None
        relative = os.path.relpath(path, self.base)
        directory, name = os.path.split("" if relative == "." else relative)
        unimportant = name.endswith((".lock", "-shm")) or directory.endswith("/locks")
        return None if unimportant else (directory, name)

    def _openat(self, arguments: str, fd: int) -> None:
        found = re.match(_AT + r", (.*)", arguments)
        assert found, arguments
        self.open_files.pop(fd, None)
        where = self._where(found.group(1), found.group(2))
        if where is None:
            return
        path = _joined(*where)
        if path in self.directories:
            self.open_files[fd] = ("directory", path)
            return
        if path not in self.inodes:
            if "O_CREAT" not in found.group(3):
                return
            self.inodes[path] = f"new:{len(self.ops)}:{path}"
            self.ops.append(Op("create", self.inodes[path], *where))
        elif "O_TRUNC" in found.group(3):
            self.ops.append(Op("truncate", self.inodes[path]))
        self.open_files[fd] = ("file", self.inodes[path])
        self.offsets[fd] = 0

    def _close(self, arguments: str, _: int) -> None:
        self.open_files.pop(int(arguments), None)

    def _write(self, arguments: str, written: int) -> None:
        found = re.match(rf"(\d+), {_STRING}", arguments)
        assert found, arguments[:80]
        fd, data = int(found.group(1)), _bytes(found.group(2))[:written]
        if fd == 1 and data.startswith(b"acked"):
            self.ops.append(Op("acked"))
        elif fd in self.open_files:
            inode, offset = self.open_files[fd][1], self.offsets[fd]
            self.ops.append(Op("write", inode, offset=offset, data=data))
            self.offsets[fd] += written

    def _pwrite64(self, arguments: str, written: int) -> None:
        found = re.match(rf"(\d+), {_STRING}, \d+, (\d+)", arguments)
        assert found, arguments[:80]
        fd, data = int(found.group(1)), _bytes(found.group(2))[:written]
        if fd in self.open_files:
            inode = self.open_files[fd][1]
            self.ops.append(Op("write", inode, offset=int(found.group(3)), data=data))

    def _ftruncate(self, arguments: str, _: int) -> None:
        fd, length = arguments.split(", ")
        if int(fd) in self.open_files:
            self.ops.append(Op("truncate", self.open_files[int(fd)][1], offset=int(length)))

    def _fsync(self, arguments: str, _: int) -> None:
        kind, what = self.open_files.get(int(arguments), ("", ""))
        if kind:
            inode, directory = (what, "") if kind == "file" else ("", what)
            self.ops.append(Op(f"flush {kind}", inode, directory))

    def _renameat(self, arguments: str, _: int) -> None:
        found = re.match(rf"{_AT}, {_AT}(.*)", arguments)
        assert found, arguments
        old, new = (found.group(1), found.group(2)), (found.group(3), found.group(4))
        self._renamed(old, new, found.group(5))

    def _rename(self, arguments: str, _: int) -> None:
        found = re.match(rf"{_STRING}, {_STRING}", arguments)
        assert found, arguments
        self._renamed(("AT_FDCWD", found.group(1)), ("AT_FDCWD", found.group(2)), "")

    def _renamed(self, old: tuple[str, str], new: tuple[str, str], flags: str) -> None:
        source, target = self._where(*old), self._where(*new)
        if source is None or target is None:
            return
        assert source[0] == target[0], "a rename across directories is not modelled"
        kind = "exchange" if "EXCHANGE" in flags else "rename"
        self.ops.append(Op(kind, "", source[0], source[1], target[1]))
        a, b = _joined(*source), _joined(*target)
        if kind == "exchange":
            self.inodes[a], self.inodes[b] = self.inodes[b], self.inodes[a]
        else:
            self.inodes[b] = self.inodes.pop(a)

    def _unlinkat(self, arguments: str, _: int) -> None:
        found = re.match(_AT + "(.*)", arguments)
        assert found, arguments
        where = (found.group(1), found.group(2))
        self._unlinked(where, directory="REMOVEDIR" in found.group(3))

    def _unlink(self, arguments: str, _: int) -> None:
        found = re.match(_STRING, arguments)
        assert found, arguments
        self._unlinked(("AT_FDCWD", found.group(1)), directory=False)

    def _unlinked(self, path: tuple[str, str], *, directory: bool) -> None:
        where = self._where(*path)
        if where is not None:
            assert not directory, "removing directories is not modelled"
            self.inodes.pop(_joined(*where), None)
            self.ops.append(Op("unlink", "", *where))

    def _mkdirat(self, arguments: str, _: int) -> None:
        found = re.match(_AT, arguments)
        assert found, arguments
        self._made((found.group(1), found.group(2)))

    def _mkdir(self, arguments: str, _: int) -> None:
        found = re.match(_STRING, arguments)
        assert found, arguments
        self._made(("AT_FDCWD", found.group(1)))

    def _made(self, path: tuple[str, str]) -> None:
        where = self._where(*path)
        if where is not None:
            self.directories.add(_joined(*where))
            self.ops.append(Op("mkdir", "", *where))


_SAME = {"openat2": "openat", "fdatasync": "fsync", "renameat2": "renameat"}


def _bytes(raw: str) -> bytes:
    return bytes.fromhex(raw.replace("\\x", ""))


def _joined(directory: str, name: str) -> str:
    return f"{directory}/{name}" if directory and name else directory or name
