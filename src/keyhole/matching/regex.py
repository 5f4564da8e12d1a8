"""Regular expressions that agents send, run by RE2: linear time. The one home of re2."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Protocol, cast

from keyhole.refusals import Refusal, Refused
from keyhole.text.document import shown
from keyhole.values import dataclass

# In new text only groups are special: \1 to \99, \g<name>; \\1 is a backslash and a one.
_GROUP = re.compile(r"\\(?:(?P<number>\d{1,2})|g<(?P<name>\w+)>|(?P<plain>\\(?=\d|g<)))")
# As many as new text can name by number.
_MOST_GROUPS = 99
# A search may take as many steps as the pattern has parts, for each character of the file.
_MOST_PATTERN = 10_000


@dataclass(frozen=True, slots=True)
class Hit:
    """One match: its span, the text of each group by number, and by name."""

    start: int
    end: int
    groups: Sequence[str]
    names: dict[str, str]


class _Match(Protocol):
    def span(self, group: int | str = 0) -> tuple[int, int]: ...


class _Pattern(Protocol):
    groups: int
    groupindex: dict[str, int]

    def finditer(self, text: str, pos: int, endpos: int) -> Iterator[_Match]: ...


def hits(pattern: str, text: str, low: int, high: int) -> Iterator[Hit]:
    """Yield every match that is not empty; `^` and `$` match at line ends."""
    compiled = _compile(pattern)
    if compiled.groups > _MOST_GROUPS:
        why = f"it has {compiled.groups} groups; the most is {_MOST_GROUPS}"
        raise Refused(_bad_regex(pattern, why))
    # RE2 reads UTF-8, which cannot spell the escapes of undecodable bytes: they match as U+FFFD.
    for match in compiled.finditer(shown(text), low, high):
        start, end = match.span()
        if end > start:
            spans = [match.span(number) for number in range(compiled.groups + 1)]
            groups = [text[a:b] if a >= 0 else "" for a, b in spans]
            names = {name: groups[number] for name, number in compiled.groupindex.items()}
            yield Hit(start, end, groups, names)


def starts(pattern: str, text: str) -> Iterator[int]:
    """Yield where each match begins that is not empty, whatever groups the pattern has.

    Groups cost time for each of them at each match, so nobody who needs none pays for any.
    """
    for match in _compile(pattern, captures=False).finditer(shown(text), 0, len(text)):
        start, end = match.span()
        if end > start:
            yield start


def _compile(pattern: str, *, captures: bool = True) -> _Pattern:
    import re2  # type: ignore[import-untyped]

    if len(pattern) > _MOST_PATTERN:
        why = f"it has {len(pattern)} characters; the most is {_MOST_PATTERN}"
        raise Refused(_bad_regex(pattern, why))

    pattern = shown(pattern)  # as the text it is for
    options = re2.Options()
    options.log_errors = False
    options.never_capture = not captures
    try:
        return cast("_Pattern", re2.compile(f"(?m){pattern}", options))
    except re2.error as error:
        why = str(error.args[0], "utf-8", "replace").replace(f"(?m){pattern}", pattern)
        raise Refused(_bad_regex(pattern, why)) from None


def _bad_regex(pattern: str, why: str) -> Refusal:
    return Refusal(
        "bad-regex",
        f"the pattern is not a regular expression of RE2: {' '.join(why.split())}",
        where=f"pattern: {pattern[:200]}",
        help="RE2 has no look-around and no back-references; leave `regex` out to find plain text",
    )


def expand(template: str, hit: Hit) -> str:
    """Return new text with its groups filled in; everything but groups is literal."""

    def fill(match: re.Match[str]) -> str:
        if match["plain"]:
            return "\\"
        key = match["name"] or match["number"]
        if key.isdigit() and int(key) < len(hit.groups):
            return hit.groups[int(key)]
        if key in hit.names:
            return hit.names[key]
        raise Refused(_no_group(key, hit))

    return _GROUP.sub(fill, template)


def _no_group(key: str, hit: Hit) -> Refusal:
    have = ", ".join(
        [f"\\{n}" for n in range(1, len(hit.groups))] + [f"\\g<{n}>" for n in hit.names]
    )
    return Refusal(
        "bad-regex",
        f"`content` names group {key}, which the pattern does not have",
        help=f"the pattern's groups are {have or 'none'}; write \\\\{key} for a plain backslash",
    )
