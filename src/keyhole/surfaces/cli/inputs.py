"""Texts that come from a file or from standard input."""

from __future__ import annotations

import errno
import os
import re
import sys
from pathlib import Path
from typing import IO

from keyhole.refusals import Refusal, Refused
from keyhole.surfaces.cli.flags import Given, Usage
from keyhole.workspace.disk.bounded import Unfit, read_bounded

# Twice the largest file that is read unless the user says otherwise.
MOST_INPUT = 64 * 1024 * 1024
_CHUNK = 1024 * 1024
# As the shell names `<(command)`.
_DESCRIPTOR = re.compile(r"/(dev|proc/self)/fd/\d+|/dev/stdin")


def text_of(given: Given, name: str) -> str | None:
    """Return the value of `--name`, or the text of the file that `--name-file` names."""
    plain, file = given.text(f"--{name}"), given.text(f"--{name}-file")
    if file is None:
        return plain
    if plain is not None:
        raise Usage(f"--{name} and --{name}-file are both given")
    return decoded(given, name, raw(file))


def at_most_one_from_stdin(given: Given, *names: str) -> None:
    """Refuse a command that would read standard input twice."""
    readers = [name for name in names if given.text(name) == "-"]
    if len(readers) > 1:
        raise Usage(f"{' and '.join(readers)} both read standard input")


def raw(file: str) -> bytes:
    """Return the bytes of a file; `-` is standard input."""
    if file == "-":
        if sys.stdin is None:
            raise Usage("standard input is closed")
        return _stream(sys.stdin.buffer, "standard input")
    try:
        if _DESCRIPTOR.fullmatch(file):
            with Path(file).open("rb", buffering=0) as stream:
                return _stream(stream, file)
        if Path(file).is_dir():
            raise Usage(f"{file} cannot be read: {os.strerror(errno.EISDIR)}")
        body = read_bounded(file, MOST_INPUT)
    except Unfit as unfit:
        raise Refused(_unfit(file, unfit)) from None
    except OSError as error:
        raise Usage(f"{file} cannot be read: {error.strerror}") from None
    except ValueError:
        raise Usage(f"{file!r} is no file name") from None
    if body is None:
        raise Usage(f"{file} cannot be read: {os.strerror(errno.ENOENT)}")
    return body


def _stream(stream: IO[bytes], name: str) -> bytes:
    """Read a stream to its end, within the limit: some have none."""
    pieces, size = [], 0
    while piece := stream.read(_CHUNK):
        size += len(piece)
        if size > MOST_INPUT:
            raise Refused(_unfit(name, Unfit("too-large", f"has more than {MOST_INPUT} bytes")))
        pieces.append(piece)
    return b"".join(pieces)


def _unfit(name: str, unfit: Unfit) -> Refusal:
    help_line = f"give a regular file, or a pipe with -, of at most {MOST_INPUT} bytes"
    return Refusal(unfit.code, f"{name} {unfit}", help=help_line)


def piped(otherwise: str) -> bytes:
    """Return what comes through a pipe; at a terminal nobody would know what is waited for."""
    if sys.stdin is None or sys.stdin.isatty():
        raise Usage(f"standard input is no pipe: {otherwise}")
    return raw("-")


def decoded(given: Given, name: str, body: bytes) -> str:
    """Return bytes as text, in the encoding that the flags name or UTF-8."""
    encoding = given.text("--encoding") or "utf-8"
    try:
        return body.decode(encoding)
    except UnicodeDecodeError as error:
        headline = f"`{name}` is not {encoding} at byte {error.start}"
        help_line = "send it in that encoding, or name the one it has with --encoding"
        raise Refused(Refusal("encoding", headline, help=help_line, data={"field": name})) from None
    except LookupError:
        raise Usage(f"--encoding {encoding!r} is no encoding") from None
