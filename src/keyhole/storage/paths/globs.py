"""Patterns of paths as .gitignore writes them, matched without backtracking."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from keyhole.fastclasses import dataclass

# Our own matcher, not a package: patterns come from repositories that may be hostile, and the
# packages translate stars into plain `.*`, which takes exponential time on `*a*a*a*b`. Here every
# choice that a later one cannot improve is an atomic group, so time grows with pattern times path.
_DIRECTORIES = "(?:[^/]+/)*?"
_NEVER = "(?!)"
_MOST_ALTERNATIVES = 64
_BRACES = re.compile(r"\{([^{}]*)\}")
_CLASSES = {
    "alpha": "a-zA-Z",
    "digit": "0-9",
    "alnum": "a-zA-Z0-9",
    "upper": "A-Z",
    "lower": "a-z",
    "space": r"\s",
    "xdigit": "0-9a-fA-F",
}


@dataclass(frozen=True, slots=True)
class Glob:
    """One pattern; it may take back an earlier one, and may be for directories only."""

    matcher: re.Pattern[str]
    negated: bool = False
    directories_only: bool = False

    @staticmethod
    def of(line: str) -> Glob:
        """Read one pattern as it stands in a .gitignore."""
        negated = line.startswith("!")
        pattern = line[1:] if negated else line
        directories_only = pattern.endswith("/")
        pattern = pattern.rstrip("/")
        anchored = "/" in pattern
        pattern = pattern.removeprefix("/")
        source = _source(pattern if anchored else f"**/{pattern}") if pattern else _NEVER
        return Glob(re.compile(source, re.DOTALL), negated, directories_only)

    def matches(self, path: str, *, is_directory: bool) -> bool:
        """Tell whether the pattern names exactly this path."""
        if self.directories_only and not is_directory:
            return False
        return self.matcher.fullmatch(path) is not None

    def covers(self, path: str) -> bool:
        """Tell whether the pattern names this file or a directory above it."""
        at = path.find("/")
        while at >= 0:
            if self.matches(path[:at], is_directory=True):
                return True
            at = path.find("/", at + 1)
        return self.matches(path, is_directory=False)


def read_ignore_lines(text: str) -> tuple[Glob, ...]:
    """Read a whole .gitignore, in its order."""
    lines = (_without_blanks(line.rstrip("\r")) for line in text.split("\n"))
    return tuple(Glob.of(line) for line in lines if line and not line.startswith("#"))


def globs_of(pattern: str) -> tuple[Glob, ...]:
    """Read what a caller asks for: a pattern, where `*.{ts,tsx}` stands for two."""
    return tuple(map(Glob.of, alternatives_of(pattern)))


def alternatives_of(pattern: str) -> tuple[str, ...]:
    """Return the patterns that one with braces stands for; `./src` is `/src`."""
    found = islice(_alternatives(pattern), _MOST_ALTERNATIVES)
    return tuple(f"/{each[2:]}" if each.startswith("./") else each for each in found)


def _without_blanks(line: str) -> str:
    """Drop trailing blanks, unless the last is quoted by a backslash."""
    bare = line.rstrip(" \t")
    return bare + line[len(bare)] if bare.endswith("\\") and bare != line else bare


def _alternatives(pattern: str) -> Iterator[str]:
    # The innermost braces first: in them is none.
    found = _BRACES.search(pattern)
    if found is None:
        yield pattern
        return
    for choice in found[1].split(","):
        yield from _alternatives(pattern[: found.start()] + choice + pattern[found.end() :])


def _source(pattern: str) -> str:
    """Translate a pattern into a regular expression for a whole path.

    The parts between two `**` have a fixed number of components, so the first place where they fit
    is as good as any later one, and the group around them may be atomic. Only the last stretch is
    tied to the end of the path. Worked example: `a/**/b/**/c` is `a/`, then `(?>(?:[^/]+/)*?b/)`,
    then `(?:[^/]+/)*?c`.
    """
    stretches: list[list[str]] = [[]]
    for part in pattern.split("/"):
        if part == "**":
            stretches.append([])
        else:
            stretches[-1].append(_component(part))
    first, *others = ["".join(f"{part}/" for part in stretch) for stretch in stretches]
    if not others:
        return first.removesuffix("/")
    middle = "".join(f"(?>{_DIRECTORIES}{stretch})" for stretch in others[:-1] if stretch)
    last = others[-1].removesuffix("/")
    return first + middle + (_DIRECTORIES + last if last else ".+")


def _component(part: str) -> str:
    """Translate what stands between two slashes."""
    pieces = [""]
    at = 0
    while at < len(part):
        character = part[at]
        at += 1
        if character == "*":
            if pieces[-1] or len(pieces) == 1:
                pieces.append("")
        elif character == "?":
            pieces[-1] += "[^/]"
        elif character == "[":
            source, at = _bracket(part, at)
            pieces[-1] += source
        elif character == "\\" and at < len(part):
            pieces[-1] += re.escape(part[at])
            at += 1
        else:
            pieces[-1] += re.escape(character)
    first, *others = pieces
    if not others:
        return first
    return first + "".join(f"(?>[^/]*?{piece})" for piece in others[:-1]) + f"[^/]*{others[-1]}"


def _bracket(part: str, at: int) -> tuple[str, int]:
    """Translate a character class that opened before `at`; one without an end never matches."""
    end = part.find("]", at + 1 + part.startswith(("!", "^"), at))
    while end > 0 and part[at:end].count("[:") > part[at:end].count(":]"):
        end = part.find("]", end + 1)
    if end < 0:
        return _NEVER, len(part)
    body = part[at:end]
    negated = body.startswith(("!", "^"))
    body = re.sub(r"\\(.)", r"\1", body[1:] if negated else body)
    inside = "".join(_class_piece(piece) for piece in re.split(r"(\[:\w+:\])", body))
    source = f"(?!/)[{'^' if negated else ''}{inside}]"
    try:
        re.compile(source)
    except re.error:
        return _NEVER, end + 1
    return source, end + 1


def _class_piece(piece: str) -> str:
    if piece.startswith("[:"):
        return _CLASSES.get(piece[2:-2], "")
    return re.sub(r"([\\\[\]^&~|])", r"\\\1", piece)
