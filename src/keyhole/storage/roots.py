"""Roots: bring every spelling of a path to one name below the root, and open it from there."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterable
from pathlib import Path

from keyhole.disk import kernel
from keyhole.disk.errors import no_file, refusal_of
from keyhole.disk.kernel import Kernel
from keyhole.fastclasses import dataclass, replace
from keyhole.phrases import printable
from keyhole.refusals import Refusal, Refused

MOST_BYTES, MOST_BYTES_OF_NAME, MOST_PARTS, MOST_LINKS = 4096, 255, 100, 40
_CONTROL = re.compile(rb"[\x00-\x1f\x7f]")
_HAS_HANDLES = os.open in os.supports_dir_fd
_DIRECTORY = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)
_LOOK: int = getattr(os, "O_PATH", 0)


@dataclass(frozen=True, slots=True)
class Root:
    """The directory a workspace lives in, held open: no path from `/` is used below it."""

    path: str
    spelling: str
    fd: int
    kernel: Kernel
    # Its device and inode, which no other directory has while it is held.
    identity: tuple[int, int]

    @staticmethod
    def open(path: Path, kernel_use: Kernel) -> Root:
        """Hold the root, or refuse when there is none."""
        if not _HAS_HANDLES:
            raise Refused(_no_platform())
        real = os.path.realpath(path)
        try:
            fd = os.open(real, _DIRECTORY | os.O_CLOEXEC)
        except NotADirectoryError:
            raise Refused(_bad_root(path, "is a file, not a directory")) from None
        except FileNotFoundError:
            raise Refused(_bad_root(path, "does not exist")) from None
        except (OSError, ValueError) as error:
            raise Refused(_bad_root(path, f"cannot be opened ({error})")) from None
        usable = replace(kernel_use, beneath=kernel_use.beneath and kernel.has_beneath())
        return Root(real, os.path.abspath(path), fd, usable, _identity(os.fstat(fd)))

    def close(self) -> None:
        """Let the root go."""
        os.close(self.fd)

    def canonical(self, spelling: str) -> str:
        """Return the one name of a file below the root: relative, no `.`, no links on the way."""
        parts = self._parts(spelling)
        self._check_in_place()
        path = "/".join(parts)
        return path if self._leads_straight(path) else self._follow(parts, spelling)

    def check_unlinked(self, paths: Iterable[str]) -> None:
        """Refuse files by the names they had where a link now leads to another one, or outside."""
        found = [_linked(path) for path in sorted(paths) if self._is_linked(path)]
        if found:
            raise Refused(*found)

    def _is_linked(self, path: str) -> bool:
        try:
            return self.canonical(path) != self.spelt(path)
        except Refused:
            return True

    def _check_in_place(self) -> None:
        """Refuse if the root's path leads to another directory by now."""
        for path in (self.path,) if self.path == self.spelling else (self.path, self.spelling):
            try:
                there = _identity(os.stat(path))
            except OSError:
                raise Refused(_lost_root(path, "is gone")) from None
            if there != self.identity:
                raise Refused(_lost_root(path, "is another directory than when it was opened"))

    def _leads_straight(self, path: str) -> bool:
        """Tell whether a path exists and has no link on the way, as most paths.

        One system call proves it, and opens nothing.
        """
        if not (self.kernel.beneath and _LOOK):
            return False
        try:
            os.close(kernel.open_beneath(self.fd, path, _LOOK))
        except OSError:
            return False
        return True

    def parent(self, path: str, spelling: str = "") -> tuple[int, str]:
        """Open the directory of a canonical path, and return it with the last name.

        Where there is no directory, the refusal is of the file, in the caller's `spelling`.
        """
        directory, _, name = path.rpartition("/")
        try:
            return self.open_below(directory or ".", _DIRECTORY), name or "."
        except FileNotFoundError:
            raise Refused(no_file(spelling or path)) from None
        except OSError as error:
            raise Refused(_unreachable(error, directory)) from None

    def directory(self, path: str) -> int:
        """Open a directory by its canonical path; "" is the root itself."""
        try:
            return self.open_below(path or ".", _DIRECTORY)
        except OSError as error:
            raise Refused(_unreachable(error, path)) from None

    def open_below(self, path: str, flags: int) -> int:
        """Open a canonical path with the safest call there is."""
        if self.kernel.beneath:
            return kernel.open_beneath(self.fd, path, flags)
        return kernel.walk_beneath(self.fd, path, flags)

    def spelt(self, spelling: str) -> str:
        """Return a spelling as a path below the root, without a look at the disk."""
        return "/".join(self._parts(spelling))

    def names(self, path: str) -> int:
        """Tell how many names a file has in all, hard links included; 0 if it is not there."""
        try:
            return os.stat(path, dir_fd=self.fd, follow_symlinks=False).st_nlink
        except OSError:
            return 0

    def _parts(self, spelling: str) -> list[str]:
        """Return the checked components of a spelling; these are used from here on."""
        if refusal := _malformed(spelling):
            raise Refused(refusal)
        relative = self._relative(spelling) if spelling.startswith("/") else spelling
        parts = [part for part in relative.split("/") if part not in {"", "."}]
        if ".." in parts[1:] and parts[0] != "..":
            raise Refused(_denied(spelling, "goes through `..`"))
        if ".." in parts or parts[:1] == ["~"]:
            raise Refused(_outside(spelling))
        if (
            len(parts) > MOST_PARTS
            or len(max(map(os.fsencode, parts), key=len, default=b"")) > MOST_BYTES_OF_NAME
        ):
            raise Refused(_denied(spelling, "has a name or a depth over the limit"))
        return parts or ["."]

    def _relative(self, spelling: str) -> str:
        for root in (self.path, self.spelling):
            prefix = root.rstrip("/") + "/"
            if spelling.startswith(prefix) or spelling == root:
                return spelling[len(prefix) :]
        raise Refused(_outside(spelling))

    def _follow(self, parts: list[str], spelling: str) -> str:
        """Resolve links one at a time; each step stays below the root, or the path is refused."""
        done: list[str] = []
        todo, links = list(reversed(parts)), 0
        while todo:
            part = todo.pop()
            if part == "..":
                if not done:
                    raise Refused(_outside(spelling))
                done.pop()
                continue
            target = self._link(done, part)
            if target is None:
                done.append(part)
                continue
            links += 1
            if links > MOST_LINKS:
                raise Refused(_denied(spelling, "passes too many symbolic links"))
            if target.startswith("/"):
                target, done = self._relative_link(target, spelling), []
            todo += [step for step in reversed(target.split("/")) if step not in {"", "."}]
        return "/".join(done) or "."

    def _link(self, done: list[str], name: str) -> str | None:
        """Return where `name` points if it is a link; None for anything else, also for nothing."""
        try:
            at = self.open_below("/".join(done) or ".", _DIRECTORY)
        except OSError as error:
            if error.errno in {errno.ENOENT, errno.ENOTDIR}:
                return None
            raise Refused(_unreachable(error, "/".join(done))) from None
        try:
            return os.readlink(name, dir_fd=at)
        except OSError:
            return None
        finally:
            os.close(at)

    def _relative_link(self, target: str, spelling: str) -> str:
        prefix = self.path.rstrip("/") + "/"
        if target == self.path:
            return "."
        if not target.startswith(prefix):
            raise Refused(_outside(spelling))
        return target[len(prefix) :]


def _malformed(spelling: str) -> Refusal | None:
    if not spelling:
        return _denied(spelling, "is empty")
    try:
        raw = os.fsencode(spelling)
    except UnicodeEncodeError:
        return _denied(spelling, "holds a lone surrogate")
    if len(raw) > MOST_BYTES:
        return _denied(spelling[:80] + "…", f"is longer than {MOST_BYTES} bytes")
    if _CONTROL.search(raw):
        return _denied(spelling, "holds a control character")
    if "\\" in spelling:
        return _denied(spelling, "holds a backslash; separate names with /")
    return None


def _unreachable(error: OSError, path: str) -> Refusal:
    if error.errno in {errno.ELOOP, errno.EXDEV, errno.EAGAIN}:
        return _denied(path, "passes a symbolic link that changed meanwhile")
    if error.errno == errno.ENOENT:
        return no_file(path)
    return refusal_of(error, path)


def _denied(path: str, why: str) -> Refusal:
    return Refusal(
        "path-denied",
        f"`{printable(path)}` {why}",
        help="name a file below the workspace root, relative to it",
        path=path,
    )


def _linked(path: str) -> Refusal:
    """Return the refusal of a file that a link stands for by now."""
    return Refusal(
        "path-denied",
        f"`{printable(path)}` leads through a symbolic link by now",
        help="put the link elsewhere first, and send the same request again",
        path=path,
    )


def _outside(path: str) -> Refusal:
    return _denied(path, "is not inside the workspace")


def _bad_root(path: Path, why: str) -> Refusal:
    return Refusal(
        "no-file",
        f"the workspace root {printable(str(path))} {why}",
        help="name an existing directory with --root",
    )


def _identity(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino


def _lost_root(path: str, why: str) -> Refusal:
    return Refusal(
        "no-file",
        f"the workspace root {printable(path)} {why}",
        help="start keyhole again, so that it serves the directory that is there",
    )


def _no_platform() -> Refusal:
    return Refusal(
        "read-only",
        "this system has no directory handles, so files cannot be reached safely",
        help="run keyhole on Linux or macOS, or inside WSL",
    )
