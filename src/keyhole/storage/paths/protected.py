"""Control files that run code or steer tools: agents may not write them, in whatever spelling."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache

from keyhole.storage.paths.globs import Glob

# Directories and files that are protected wherever they stand, with everything below them.
_NAMES = frozenset(
    {
        ".git",
        ".hg",
        ".svn",
        ".jj",
        ".idea",
        ".cursor",
        ".claude",
        ".gemini",
        ".codex",
        ".devcontainer",
        ".devcontainer.json",
        ".husky",
        ".mcp.json",
        ".envrc",
        "keyhole.toml",
        ".keyhole",
    }
)
_PAIRS = frozenset(
    {
        (".vscode", "settings.json"),
        (".vscode", "tasks.json"),
        (".vscode", "launch.json"),
        (".vscode", "mcp.json"),
    }
)
# Windows keeps a short name for each long one: `GIT~1` opens `.git`.
_SHORT = re.compile(
    r"(git|hg|svn|jj|idea|cursor|claude|gemini|codex|vscode|husky|devcon|envrc|mcp)~\d+"
)
# Characters that HFS+ leaves out when it compares names.
_IGNORED = dict.fromkeys(
    [*range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070), 0xAD, 0xFEFF]
)

# Files that run code when somebody builds, tests or logs in: writing them is work, but worth a
# look.
_REVIEW = (
    ".github/workflows/",
    "package.json",
    "Makefile",
    "conftest.py",
    "setup.py",
    "*.pth",
    ".pre-commit-config.yaml",
    ".npmrc",
    ".bashrc",
    ".bash_profile",
    ".profile",
    ".zshrc",
)


def protected_part(path: str, allowed: Iterable[Glob] = ()) -> str:
    """Return the component of `path` that makes it protected, or nothing.

    Whether the file exists makes no difference, and `allowed` is what the user (never an agent) has
    opened.
    """
    parts = path.split("/")
    folded = [folded_name(part) for part in parts]
    for index, name in enumerate(folded):
        pair = (folded[index - 1], name) if index else ("", name)
        if name in _NAMES or pair in _PAIRS or _SHORT.fullmatch(name):
            return "" if any(glob.covers(path) for glob in allowed) else parts[index]
    return ""


def worth_review(path: str) -> bool:
    """Tell whether a person should look at a change of this file, although it is allowed."""
    return any(glob.covers(path) for glob in _review_globs())


@cache
def _review_globs() -> tuple[Glob, ...]:
    return tuple(Glob.of(line) for line in _REVIEW)


@lru_cache(maxsize=4096)
def folded_name(name: str) -> str:
    """Return a name as the most forgiving file system would compare it.

    Worked example: `.GIT::$INDEX_ALLOCATION` is `.git` to one system or another.
    """
    if not name.isascii():
        from unicodedata import normalize

        name = normalize("NFKC", name.translate(_IGNORED)).translate(_IGNORED)
    name = name.split(":", 1)[0] or name
    return name.casefold().rstrip(" .") or name
