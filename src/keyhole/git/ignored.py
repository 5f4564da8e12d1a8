"""What git leaves out of a tree without the tree saying so, as lines for an `info/exclude`.

Where the tree is a part of a checkout, the `.gitignore` files above it count, read from where the
tree lies: in a tree at `app` the line `/app/build` of the checkout is `/build`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from fnmatch import fnmatchcase
from pathlib import PurePath

from keyhole.disk.bounded import GIT_FILE, UnfitFile, read_bounded
from keyhole.git.repository import repository_of


def excluded(tree: str) -> bytes:
    """Return the patterns, those that count more further down."""
    repository = repository_of(tree)
    if repository is None:
        return b""
    texts = [_read(os.path.join(repository.common, "info/exclude"))]
    names = PurePath(tree).relative_to(repository.top).parts
    if not names:
        return texts[0]
    texts[0] = b"\n".join(_below(texts[0], names))
    for count in range(len(names)):
        text = _read(os.path.join(repository.top, *names[:count], ".gitignore"))
        texts.append(b"\n".join(_below(text, names[count:])))
    return b"\n".join(texts) + b"\n"


def _read(path: str) -> bytes:
    with suppress(UnfitFile, ValueError, OSError):
        return read_bounded(path, GIT_FILE) or b""
    return b""


def _below(text: bytes, names: tuple[str, ...]) -> Iterator[bytes]:
    """Yield the lines of a `.gitignore` as they read some directories further down."""
    for line in text.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").split(b"\n"):
        mark, pattern = (b"!", line[1:]) if line.startswith(b"!") else (b"", line)
        if not pattern or pattern.startswith(b"#"):
            continue
        if b"/" not in pattern.rstrip(b"/ "):
            yield line
            continue
        for rest in _rests(os.fsdecode(pattern).removeprefix("/").split("/"), names):
            yield mark + b"/" + os.fsencode("/".join(rest))


def _rests(steps: list[str], names: tuple[str, ...]) -> list[list[str]]:
    """Return what is left of an anchored pattern below directories that its beginning fits."""
    found = [steps]
    for name in names:
        # `**` stands for no directory, for this one, or for this one and more.
        wide = [each[1:] for each in found if each[0] == "**" and each[1:]]
        deep = [each for each in found if each[0] == "**"]
        found = deep + [
            each[1:] for each in found + wide if each[0] != "**" and fnmatchcase(name, each[0])
        ]
        found = [each for each in found if any(each)]
    return found
