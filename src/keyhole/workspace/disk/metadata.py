"""What a file carries besides its bytes: mode, owner, extended attributes, access lists."""

from __future__ import annotations

import errno
import os
import stat

from keyhole.values import dataclass, replace

# Labels that the system sets by itself and that most users may not touch.
_SYSTEM = ("security.", "trusted.")
_UNKNOWN = frozenset({errno.ENOTSUP, errno.ENOSYS, errno.EINVAL})
_FORBIDDEN = frozenset({errno.EPERM, errno.EACCES, errno.ENOTSUP})


@dataclass(frozen=True, slots=True)
class FileMetadata:
    """Mode, owner and extended attributes; an access list is one of the attributes."""

    mode: int
    uid: int
    gid: int
    attributes: tuple[tuple[str, bytes], ...] = ()

    @staticmethod
    def of(fd: int, status: os.stat_result) -> FileMetadata:
        """Read the metadata of an open file."""
        mode = stat.S_IMODE(status.st_mode)
        return FileMetadata(mode, status.st_uid, status.st_gid, _attributes(fd))

    @property
    def is_program(self) -> bool:
        """Tell whether the owner may run the file."""
        return bool(self.mode & 0o100)

    def made(self, *, executable: bool) -> FileMetadata:
        """Return this with leave to run the file for all who may read it, or for nobody."""
        runs = (self.mode & 0o444) >> 2
        return replace(self, mode=self.mode | runs if executable else self.mode & ~0o111)

    def put(self, fd: int) -> None:
        """Give an open, new file this metadata; an OSError says that some cannot be kept."""
        made = os.fstat(fd)
        present = _attributes(fd)
        if (made.st_uid, made.st_gid) != (self.uid, self.gid):
            os.fchown(fd, self.uid, self.gid)
        if present != self.attributes:
            # A directory's default access list lands on every new file, also on the successor of
            # one without.
            _drop(fd, dict(present).keys() - dict(self.attributes).keys())
        # After the owner, because a new owner clears the set-id bits.
        os.fchmod(fd, self.mode)
        if present != self.attributes:
            _add(fd, self.attributes)


def _attributes(fd: int) -> tuple[tuple[str, bytes], ...]:
    if not hasattr(os, "listxattr"):
        return ()
    try:
        names = os.listxattr(fd)
    except OSError as error:
        if error.errno in _UNKNOWN:
            return ()
        raise
    return tuple((name, os.getxattr(fd, name)) for name in sorted(names)) if names else ()


def _drop(fd: int, names: set[str]) -> None:
    for name in names:
        try:
            os.removexattr(fd, name)
        except OSError as error:
            _pass_if_system(error, name)


def _add(fd: int, attributes: tuple[tuple[str, bytes], ...]) -> None:
    for name, value in attributes:
        try:
            os.setxattr(fd, name, value)
        except OSError as error:
            _pass_if_system(error, name)


def _pass_if_system(error: OSError, name: str) -> None:
    if not (name.startswith(_SYSTEM) and error.errno in _FORBIDDEN):
        raise error
