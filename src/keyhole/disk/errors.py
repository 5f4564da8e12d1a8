"""What the operating system says, as a refusal the caller can act on."""

from __future__ import annotations

import errno
import os

from keyhole.phrases import FileName, say
from keyhole.refusals import Refusal

_CODES = {
    **dict.fromkeys((errno.ENOENT,), "no-file"),
    **dict.fromkeys((errno.EACCES, errno.EPERM, errno.EROFS), "read-only"),
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT, errno.EFBIG), "too-large"),
    **dict.fromkeys((errno.ELOOP, errno.EXDEV, errno.ENOTDIR, errno.ENAMETOOLONG), "path-denied"),
}
_HELP = {
    "no-file": "check the path, or create the file",
    "read-only": "change the permissions of the file and its directory, or ask the user to",
    "too-large": "free some space on the disk, then send the same request again",
    "path-denied": "name a file below the workspace root by a shorter path without links",
    "busy": "send the same request again; if it stays so, check the disk and `keyhole doctor`",
}
# The kind of a refusal of a path that goes on behind the name of a file.
BELOW_FILE = "below-file"
_NOT_A_DIRECTORY = "check the path: it goes on behind the name of a file"


def refusal_of(error: OSError, path: str) -> Refusal:
    """Return the refusal that names what went wrong with `path`."""
    # An input/output error, too many open files and their like may be gone at the next try.
    code = _CODES.get(error.errno or 0, "busy")
    reason = os.strerror(error.errno) if error.errno else str(error)
    help_line = _NOT_A_DIRECTORY if error.errno == errno.ENOTDIR else _HELP[code]
    kind = BELOW_FILE if error.errno == errno.ENOTDIR else ""
    headline = say("{}: {}", FileName(path), reason)
    return Refusal(code, headline, help=help_line, path=path, kind=kind)


def no_file(path: str) -> Refusal:
    """Return the refusal of a file that does not exist."""
    return Refusal(
        "no-file",
        say("there is no file {}", FileName(path)),
        help=say("check the path with {outline:tool}, or create the file with {write:tool}"),
        path=path,
    )
