"""Guards on new text: merge marks, control characters and others that agents leave by mistake.

A guard looks at the lines that an edit changes. What the file has already is the file's own affair.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property

from keyhole.edits.checks.syntax.problem import Problem
from keyhole.edits.model.plan import FilePlan
from keyhole.matching import elision
from keyhole.matching.omission import is_brief, may_omit
from keyhole.matching.query import Structure
from keyhole.text.changes import Change
from keyhole.text.document import Document, plain_lines
from keyhole.text.indent import indent_of

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
        if not may_omit(text):
            continue
        at = start
        for line in text.split(file.after.terminator):
            if may_omit(line) and whole.is_left(line, at):
                message = f"a placeholder stands for code that would be lost: {line.strip()[:80]}"
                yield Problem(at, at + len(line), message, code="elision-left")
                return
            at += len(line) + 1


class _Whole:
    """A file before and after; it tells a placeholder from a comment and from code."""

    def __init__(self, file: FilePlan, after: Document) -> None:
        self._file = file
        self._after = after

    def is_left(self, line: str, at: int) -> bool:
        """Tell whether a line that begins at an offset of the text after is a placeholder."""
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
        from keyhole.segments.languages.table import language_of

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


_LEAST_ECHO = 4
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_MARKER = r"(?m)^(?:<{7}|>{7}|\|{7})(?=[ \r]|$)"
_MARKS = ("<<<<<<<", ">>>>>>>", "|||||||")


# Whole lines that an edit changes, as they would stand, and where they begin.
NewLines = tuple[int, str]


def new_lines(file: FilePlan) -> list[NewLines]:
    """Return the lines of the text after that the changes touch."""
    if file.after is None:
        return []
    before = file.before.text if file.before else ""
    text, mark, reach = file.after.text, file.after.terminator, 0
    found: list[NewLines] = []
    for change, (start, end) in zip(file.changes.changes, file.changes.spans_after(), strict=True):
        first = max(text.rfind(mark, min(reach, start), start) + 1, reach)
        # What ends with its line, or takes whole lines away, does not touch the next one.
        gone_or_new = change.text or before[change.start : change.end]
        ends_line = gone_or_new.endswith(mark) and (end > start or first == start)
        reach = end if ends_line else (text.find(mark, end) + 1 or len(text))
        if reach > first:
            found.append((first, text[first:reach]))
    return found


def mistakes_in(file: FilePlan, syntax: str) -> list[Problem]:
    """Return the problems of new text that look like mistakes of an agent."""
    lines = new_lines(file)
    before = file.before.text if file.before else ""
    found = [*_control_characters(lines, before)]
    found += _merge_markers(lines, before, file.path)
    found += placeholders(file, lines)
    if syntax == "markdown" and found:
        found = [each for each in found if not _is_example(file, each)]
    if syntax == "python" and file.after and any("\t" in text for _, text in lines):
        found += mixed_in_python(before, file.after.text, lines)
    return found


def _control_characters(lines: Iterable[NewLines], before: str) -> Iterator[Problem]:
    for start, text in lines:
        found = next((each for each in _CONTROL.finditer(text) if each.group() not in before), None)
        if found:
            at = start + found.start()
            name = "NUL" if found.group() == "\0" else f"U+{ord(found.group()):04X}"
            message = f"the new text holds the control character {name}"
            yield Problem(at, at + 1, message, code="control-characters")
            return


def _merge_markers(lines: Iterable[NewLines], before: str, path: str) -> Iterator[Problem]:
    """Yield the first mark of a merge; `=======` alone is a heading or a rule."""
    found = [
        (start + hit.start(), hit.group())
        for start, text in lines
        if any(mark in text for mark in _MARKS)
        for hit in re.finditer(_MARKER, text)
    ]
    if not found or re.search(_MARKER, before):
        return
    # A line of `>` may be a quotation where people write.
    if is_prose(path) and not {"<<<<<<<", ">>>>>>>"} <= {mark for _, mark in found}:
        return
    at = found[0][0]
    message = "the new text holds the marks of a merge conflict"
    yield Problem(at, at + 7, message, code="merge-markers")


def _is_example(file: FilePlan, problem: Problem) -> bool:
    """Tell whether a line of a markdown text is shown in a code block."""
    if file.after is None or problem.code == "control-characters":
        return False
    from keyhole.segments.markdown import elements
    from keyhole.segments.mdx import blanker_of

    found = elements(file.after.text, blanker_of(file.path))
    blocks = (each for each in found if each.kind == "CodeBlock")
    return any(each.start < problem.start < each.end for each in blocks)


def echoes(document: Document, changes: Iterable[Change]) -> Iterator[str]:
    """Yield a note for new text that repeats the line just outside it, which is often a slip."""
    text, mark = document.text, document.terminator
    for change in changes:
        lines = [line.strip() for line in change.text.split(mark) if line.strip()]
        if not lines:
            continue
        above = text[
            text.rfind(mark, 0, max(change.start - 1, 0)) + 1 : max(change.start - 1, 0)
        ].strip()
        end = text.find(mark, change.end)
        below = text[change.end : end if end >= 0 else None].strip()
        starts_line = change.start == 0 or text[change.start - 1] == mark
        ends_line = change.text.endswith(mark)
        if starts_line and above == lines[0] and len(above) >= _LEAST_ECHO:
            yield f"the new text begins with the line above, which now stands twice: {above[:80]}"
        if ends_line and below == lines[-1] and len(below) >= _LEAST_ECHO:
            yield f"the new text ends with the line below, which now stands twice: {below[:80]}"


# How a document keeps bytes that are invalid in its encoding.
_FOREIGN = re.compile("[\udc80-\udcff]")


def mixed_encodings(file: FilePlan) -> Iterator[Problem]:
    """Yield a warning where non-ASCII text is added to a file with undecodable bytes."""
    if file.before is None or not _FOREIGN.search(file.before.text):
        return
    for change, (start, end) in zip(file.changes.changes, file.changes.spans_after(), strict=True):
        if not _FOREIGN.sub("", change.text).isascii():
            name = file.before.encoding
            message = f"the file has bytes that are not {name}, and this is written in {name}"
            yield Problem(start, end, message, doubtful=True, code="mixed-encodings")
            return


_MIXED = re.compile(r"(?m)^(?: +\t|\t+ )[ \t]*(?=[^\s#])")
_TABBED = re.compile(r"(?m)^ *\t[ \t]*(?=[^\s#])")

Lines = Iterable[tuple[int, str]]


def mixed_in_python(before: str, after: str, lines: Lines) -> Iterator[Problem]:
    """Yield the first new line that mixes tabs and spaces, unless the file does so already.

    Lines inside strings and brackets may be indented in any way.
    """
    hits = [start + hit.start() for start, text in lines for hit in _MIXED.finditer(text)]
    if not hits or _MIXED.search(before):
        return
    from keyhole.segments.python.lines import join_lines

    continued = join_lines(plain_lines(after)).continued
    for at in hits:
        if after.count("\n", 0, at) not in continued:
            message = "tabs and spaces are mixed in one indent"
            yield Problem(at, _end(after, at), message, code="bad-indentation")
            return


def tabs_in_yaml(after: str, lines: Lines) -> Iterator[Problem]:
    """Yield the first of the new lines of a broken YAML text that is indented with a tab."""
    hits = (start + hit.start() for start, text in lines for hit in _TABBED.finditer(text))
    at = next(hits, None)
    if at is not None:
        message = "YAML is indented with spaces, never with tabs"
        yield Problem(at, _end(after, at), message, code="bad-indentation")


def _end(text: str, at: int) -> int:
    """Return where the indent at `at` ends."""
    line_end = text.find("\n", at)
    line = text[at : line_end if line_end >= 0 else len(text)]
    return at + len(line) - len(line.lstrip(" \t"))
