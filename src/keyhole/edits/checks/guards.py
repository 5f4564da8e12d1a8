"""Guards on new text: merge marks, control characters and others that agents leave by mistake.

A guard looks at the lines that an edit changes. What the file has already is the file's own affair.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from keyhole.edits.checks.placeholders import is_prose, placeholders
from keyhole.edits.checks.syntax.problem import Problem
from keyhole.edits.model.plan import FilePlan
from keyhole.segments.outline import plain_lines
from keyhole.text.changes import Change
from keyhole.text.document import Document

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
