"""Placeholders in new text: lines such as `# rest unchanged`, which would lose the code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property

from keyhole.edits.checks.syntax.problem import Problem
from keyhole.edits.model.plan import FilePlan
from keyhole.matching.query import Structure
from keyhole.segments.languages.table import language_of
from keyhole.text.document import Document
from keyhole.text.indent import indent_of

# Every line that says that code was left out has one of these.
_MAY_OMIT = (
    "...",
    "\u2026",
    "rest",
    "remain",
    "existing",
    "unchanged",
    "unmodified",
    "omitted",
    "same",
    "no change",
    "other",
    "previous",
    "original",
    "elided",
    "truncated",
    "not shown",
    "snip",
    "untouched",
    "intact",
    "brevity",
    "as before",
    "continues",
    "etc",
    "and so on",
)
_PROSE = frozenset({"md", "markdown", "rst", "txt", "adoc", "eml", "mbox", "patch", "diff", "rej"})
_COMMENT = re.compile(r"\s*(?:#|//|--|/\*|\*|<!--|;|%)")
_MARKUP = re.compile(r"\s*(?:<!--|\{/\*)")
_ENDS_SENTENCE = (".", ":", ";", "!", "?", "*/", "-->")
_DOTS = ("...", "\u2026")
_OPENERS = frozenset({"/*", "/**", "<!--", "{/*", "(*", "{-", "{#"})
_CLOSERS = frozenset({"*/", "**/", "-->", "*/}", "*)", "-}", "#}"})
_THREE = 3
_BOTH = 2  # the lines above and below
# Elsewhere the syntax forbids them.
_DOTS_ARE_STATEMENTS = frozenset({"python", "bash"})


def is_prose(path: str) -> bool:
    """Tell whether a file of that name holds prose, in which code is only shown."""
    return path.rpartition(".")[2].lower() in _PROSE


def placeholders(file: FilePlan, lines: Iterable[tuple[int, str]]) -> Iterator[Problem]:
    """Yield the first of the changed lines that stands for code which would be lost."""
    assert file.after is not None, "BUG: a file that goes has no problems"
    whole = _Whole(file, file.after)
    for start, text in lines:
        if not _may_omit(text):
            continue
        at = start
        for line in text.split(file.after.terminator):
            if _may_omit(line) and whole.is_left(line, at):
                message = f"a placeholder stands for code that would be lost: {line.strip()[:80]}"
                yield Problem(at, at + len(line), message, code="elision-left")
                return
            at += len(line) + 1


def _may_omit(text: str) -> bool:
    lowered = text.lower()
    return any(word in lowered for word in _MAY_OMIT)


class _Whole:
    """A file before and after; it tells a placeholder from a comment and from code."""

    def __init__(self, file: FilePlan, after: Document) -> None:
        self._file = file
        self._after = after

    def is_left(self, line: str, at: int) -> bool:
        """Tell whether a line that begins at an offset of the text after is a placeholder."""
        from keyhole.matching import elision

        number, words = self._after.line_at(at) - 1, line.strip()
        if elision.speaks_of_omission(line) or elision.speaks_behind_code(line):
            return words not in self._before and self._counts_as_placeholder(number)
        if elision.says_that_it_stays(line):
            return words not in self._before and self._is_sentence_start(number)
        if self._is_whole_comment(number):
            inner = f"/* {words.lstrip('* ')} */"
            is_one = elision.speaks_of_omission(inner) or elision.says_that_it_stays(inner)
            return is_one and words not in self._before and self._loses_lines
        if elision.is_dotted_comment(line):
            return self._is_more(words) and self._is_dotted(number)
        if elision.has_left_out_body(line):
            return words not in self._before and self._is_lost_in_code(number)
        return words in _DOTS and self._is_more(words) and self._is_among_statements(number)

    def _is_whole_comment(self, number: int) -> bool:
        """Tell whether a line is the only text of a comment of three lines."""
        around = [row.strip() for row in self._rows[max(number - 1, 0) : number + 2]]
        return len(around) == _THREE and around[0] in _OPENERS and around[2] in _CLOSERS

    def _is_more(self, words: str) -> bool:
        """Tell whether the file has more of such lines than before: a moved line does not count."""
        return [row.strip() for row in self._rows].count(words) > self._before.count(words)

    def _counts_as_placeholder(self, number: int) -> bool:
        return number not in self._structure.literals or self._loses_lines

    def _is_sentence_start(self, number: int) -> bool:
        """Tell whether a comment does not end a sentence that began on the line above."""
        from keyhole.matching.omission import is_brief

        line = self._rows[number]
        if is_prose(self._file.path) and line.startswith("#"):
            is_heading = self._structure.kind == "sections"
            if is_heading or not self._loses_lines:
                return False
        if is_brief(line) and (self._comments_beside(number) or not self._loses_lines):
            return False  # a label, or the end of a sentence
        above = self._rows[number - 1].rstrip() if number else ""
        goes_on = _COMMENT.match(above) and not above.endswith(_ENDS_SENTENCE)
        words = line.lstrip("#/*-;%<!{( \t")
        return not (goes_on and words[:1].islower()) and self._counts_as_placeholder(number)

    def _is_dotted(self, number: int) -> bool:
        """Tell whether a comment of dots stands for code and does not continue a comment."""
        line, kind = self._rows[number], self._structure.kind
        if number in self._structure.literals:
            return False
        comments = self._comments_beside(number)
        if is_prose(self._file.path):
            return bool(_MARKUP.match(line)) and self._loses_lines
        sure = not comments and kind != "text"
        return sure or (len(comments) < _BOTH and self._loses_lines)

    def _is_lost_in_code(self, number: int) -> bool:
        is_code = self._structure.kind == "code" and number not in self._structure.literals
        return is_code and self._loses_lines

    def _comments_beside(self, number: int) -> list[int]:
        beside = (n for n in (number - 1, number + 1) if 0 <= n < len(self._rows))
        return [n for n in beside if _COMMENT.match(self._rows[n])]

    def _is_among_statements(self, number: int) -> bool:
        """Tell whether dots precede another statement of their block, and lines are lost.

        Alone in a body, `...` is Python.
        """
        is_code = language_of(self._file.path, self._after) in _DOTS_ARE_STATEMENTS
        if not is_code or number in self._structure.literals:
            return False
        below = next((row for row in self._rows[number + 1 :] if row.strip()), "")
        same = indent_of(below) == indent_of(self._rows[number]) and below
        return bool(same) and self._loses_lines

    @cached_property
    def _rows(self) -> list[str]:
        return self._after.text.split(self._after.terminator)

    @cached_property
    def _before(self) -> list[str]:
        """The lines of the text before, without the blanks around them."""
        before = self._file.before
        return [row.strip() for row in before.text.split(before.terminator)] if before else []

    @cached_property
    def _structure(self) -> Structure:
        from keyhole.edits.by_text.structure import structure_of

        return structure_of(self._file.path, self._after)

    @cached_property
    def _loses_lines(self) -> bool:
        """Tell whether words of the text before are gone where the call changes it."""
        if self._file.before is None:
            return False
        mark = self._file.before.terminator
        for change in self._file.changes.changes:
            gone = self._file.before.text[change.start : change.end].split(mark)
            kept = {row.strip() for row in change.text.split(mark)}
            if any(row.strip() and row.strip() not in kept for row in gone):
                return True
        return False
