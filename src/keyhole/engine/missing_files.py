"""Missing files: what a path that leads nowhere may have been meant for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice

from keyhole.fastclasses import replace
from keyhole.refusals import Refusal, Refused
from keyhole.text.align import most_alike
from keyhole.workspace.tree import Tree

_MOST_LOOKED_AT = 20_000
_MOST_NAMED = 3
_LEAST_ALIKE = 0.7


def with_nearest(tree: Tree, refusals: Sequence[Refusal]) -> tuple[Refusal, ...]:
    """Return refusals; those of a file that is not there name the files most like it."""
    return tuple(
        replace(each, suggestions=nearest_files(tree, each.path)) if _is_missing(each) else each
        for each in refusals
    )


@contextmanager
def naming_nearest(tree: Tree) -> Iterator[None]:
    """Let what is refused for a file that is not there name the files most like it."""
    try:
        yield
    except Refused as refused:
        if not any(map(_is_missing, refused.refusals)):
            raise
        raise Refused(*with_nearest(tree, refused.refusals)) from None


def _is_missing(refusal: Refusal) -> bool:
    is_path = refusal.code == "no-file" and refusal.path and not refusal.kind
    return bool(is_path) and not refusal.suggestions


def nearest_files(tree: Tree, path: str) -> tuple[str, ...]:
    """Return the paths most like one that is not there, spelled as it is; best first."""
    try:
        wanted = tree.resolve(path.rstrip("/.") or path).casefold()
        files = list(islice(tree.walk(), _MOST_LOOKED_AT))
    except Refused:
        return ()
    found = _most_like(wanted, [*files, *_directories(files)])
    root = tree.root.path
    return tuple(f"{root}/{each}" if path.startswith("/") else each for each in found)


def _most_like(wanted: str, paths: Sequence[str]) -> list[str]:
    """Return the paths most like one in small letters: those that it ends in, then others."""
    name = wanted.rpartition("/")[2]
    folded = [each.casefold() for each in paths]
    known = list(zip(paths, (f"/{each}" for each in folded), strict=True))
    same = sorted((each for each, one in known if f"/{wanted}".endswith(one)), key=len)[::-1]
    called = [each for each, one in known if one.endswith(f"/{name}")]
    alike = [paths[index] for index, _ in most_alike(wanted, folded, _LEAST_ALIKE, _MOST_NAMED)]
    return list(dict.fromkeys([*same, *alike, *called]))[:_MOST_NAMED]


def _directories(files: Sequence[str]) -> list[str]:
    found = dict.fromkeys(each.rpartition("/")[0] for each in files)
    parts = (path.split("/") for path in found if path)
    return list(
        dict.fromkeys("/".join(each[:end]) for each in parts for end in range(1, len(each) + 1))
    )
