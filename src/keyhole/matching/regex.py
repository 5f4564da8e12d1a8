"""Regular expressions that agents send, run by RE2: linear time. The one home of re2."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Protocol, cast

from keyhole.fastclasses import dataclass
from keyhole.phrases import say, shown
from keyhole.refusals import Refusal, Refused

# In new text only groups are special: \1 to \99, \g<name>; \\1 is a backslash and a one.
_GROUP = re.compile(r"\\(?:(?P<number>\d{1,2})|g<(?P<name>\w+)>|(?P<plain>\\(?=\d|g<)))")
# As many as new text can name by number.
_MOST_GROUPS = 99
# A search may take as many steps as the pattern has parts, for each character of the file.
_MOST_PATTERN = 10_000


@dataclass(frozen=True, slots=True)
class RegexMatch:
    """One match: its span, the text of each group by number, and by name."""

    start: int
    end: int
    groups: Sequence[str]
    names: dict[str, str]

    def group(self, key: str) -> str:
        """Return the text of a group by its number or its name, or refuse what is none."""
        if key.isdigit() and int(key) < len(self.groups):
            return self.groups[int(key)]
        if key in self.names:
            return self.names[key]
        raise Refused(_no_group(key, self))


class _Match(Protocol):
    def span(self, group: int | str = 0) -> tuple[int, int]: ...


class _Pattern(Protocol):
    groups: int
    groupindex: dict[str, int]

    def finditer(self, text: str, pos: int, endpos: int) -> Iterator[_Match]: ...

    def search(self, text: bytes) -> _Match | None: ...


def hits(pattern: str, text: str, low: int, high: int) -> Iterator[RegexMatch]:
    """Yield every match that is not empty; `^` and `$` match at line ends."""
    compiled = _compile(pattern)
    count, named = compiled.groups, compiled.groupindex  # both are counted out at each look
    if count > _MOST_GROUPS:
        why = f"it has {count} groups; the most is {_MOST_GROUPS}"
        raise Refused(_bad_regex(pattern, why))
    # RE2 reads UTF-8, which cannot spell the escapes of undecodable bytes: they match as U+FFFD.
    for match in compiled.finditer(shown(text), low, high):
        start, end = match.span()
        if end > start:
            spans = [(start, end), *(match.span(number) for number in range(1, count + 1))]
            groups = [text[a:b] if a >= 0 else "" for a, b in spans]
            names = {name: groups[number] for name, number in named.items()}
            yield RegexMatch(start, end, groups, names)


def starts(pattern: str, text: str) -> Iterator[int]:
    """Yield where each match begins that is not empty, whatever groups the pattern has.

    Groups cost time at each match; this search asks for none.
    """
    for match in _compile(pattern, captures=False).finditer(shown(text), 0, len(text)):
        start, end = match.span()
        if end > start:
            yield start


def bytes_matcher(pattern: str) -> Callable[[bytes], bool]:
    """Return a function that tells whether some bytes in ASCII hold a match, also an empty one."""
    search = _compile(pattern, captures=False).search
    return lambda data: search(data) is not None


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
        help=say(
            "RE2 has no look-around and no back-references; leave {regex} out to find plain text"
        ),
    )


@dataclass(frozen=True, slots=True)
class Template:
    """New text with groups in it: literal pieces, and the keys of the groups between them."""

    pieces: tuple[str, ...]
    keys: tuple[str, ...]

    @staticmethod
    def of(text: str) -> Template:
        """Read new text; everything but groups is literal."""
        pieces, keys, at = [""], [], 0
        for match in _GROUP.finditer(text):
            pieces[-1] += text[at : match.start()]
            at = match.end()
            if match["plain"]:
                pieces[-1] += "\\"
            else:
                keys.append(match["name"] or match["number"])
                pieces.append("")
        pieces[-1] += text[at:]
        return Template(tuple(pieces), tuple(keys))

    def expand(self, hit: RegexMatch) -> str:
        """Return the text with its groups filled in."""
        if not self.keys:
            return self.pieces[0]
        filled = [hit.group(key) for key in self.keys]
        return "".join(chain.from_iterable(zip(self.pieces, [*filled, ""], strict=True)))


def expand_all(template: Template, found: Sequence[RegexMatch], most: int) -> Iterator[str]:
    """Yield the new text of each hit; refuse if all of them would be too long together."""
    counts = Counter(template.keys)
    literal = sum(map(len, template.pieces))
    size = len(found) * literal
    for hit in found:
        size += sum(count * len(hit.group(key)) for key, count in counts.items())
        if size > most:
            raise Refused(_too_long(size, most))
    return map(template.expand, found)


def _too_long(size: int, most: int) -> Refusal:
    return Refusal(
        "too-large",
        f"the new text would have over {most} characters, {size} or more",
        help=say("name fewer groups in {content}, or fewer places"),
    )


def _no_group(key: str, hit: RegexMatch) -> Refusal:
    have = ", ".join(
        [f"\\{n}" for n in range(1, len(hit.groups))] + [f"\\g<{n}>" for n in hit.names]
    )
    return Refusal(
        "bad-regex",
        say("{content} names group {}, which the pattern does not have", key),
        help=f"the pattern's groups are {have or 'none'}; write \\\\{key} for a plain backslash",
    )
