"""What an edit adds: the findings of the text after it that were not there before."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from keyhole.text.align import AlignedHunk, differences
from keyhole.text.document import split_lines
from keyhole.workspace.linters.base import Finding

# A number that stands alone counts lines or things, and moves with the text around it.
_NUMBER = re.compile(r"(?<![\w'\"`.-])\d+(?![\w'\"`])")

Key = tuple[str, str, str]


class _Old(NamedTuple):
    """A finding of the text before, and the lines of the new text that it may stand on."""

    first: int
    last: int
    at_top: bool
    at_end: bool


def new_findings(
    before: Iterable[Finding], after: Iterable[Finding], old: str, new: str
) -> tuple[Finding, ...]:
    """Return the findings of `new` that `old` did not have.

    A finding is old if one of the same code and message stood on the line that its line was, on a
    line that became part of the same changed stretch, or likewise on the first or last line of the
    file. Each old finding accounts for one.
    """
    old_lines, new_lines = split_lines(old), split_lines(new)
    hunks = list(differences(old_lines, new_lines))
    known: dict[Key, list[_Old]] = {}
    for finding in before:
        known.setdefault(_key(finding), []).append(_carried(finding, hunks, len(old_lines)))
    return tuple(_unknown(after, known, len(new_lines)))


def _unknown(
    after: Iterable[Finding], known: dict[Key, list[_Old]], last_line: int
) -> Iterator[Finding]:
    for finding in after:
        fitting = [
            each for each in known.get(_key(finding), []) if _fits(finding.line, each, last_line)
        ]
        if not fitting:
            yield finding
            continue
        # The one with the least choice goes first, so that it takes no place another needs.
        known[_key(finding)].remove(min(fitting, key=lambda each: each.last - each.first))


def _fits(line: int, old: _Old, last_line: int) -> bool:
    if old.first <= line <= old.last:
        return True
    return (old.at_top and line <= 1) or (old.at_end and line >= last_line)


def _key(finding: Finding) -> Key:
    said = _NUMBER.sub("0", finding.message)  # house: the words of another program
    return finding.linter, finding.code, said


def _carried(finding: Finding, hunks: Sequence[AlignedHunk], last_line: int) -> _Old:
    """Return where a finding's line went; a line that is gone went nowhere."""
    line, shift = finding.line - 1, 0
    at_top, at_end = finding.line <= 1, finding.line >= last_line
    for hunk in hunks:
        if line < hunk.old_start:
            break
        if line < hunk.old_end:
            return _Old(hunk.new_start + 1, hunk.new_end, at_top, at_end)
        shift = hunk.new_end - hunk.old_end
    return _Old(line + shift + 1, line + shift + 1, at_top, at_end)
