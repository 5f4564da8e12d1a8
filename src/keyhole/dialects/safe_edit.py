"""The dialect `safe-edit`: one tool with five ways to say an edit, exactly one of them a call."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from keyhole.arguments import bad_argument, check_names, flag, integer, objects, required, text
from keyhole.dialects.segment_edit import SegmentEdit
from keyhole.edits.operations import Edit, Operation, WriteFile
from keyhole.refusals import Refused
from keyhole.values import dataclass

WAYS = ("content", "line_edits", "insert_lines", "search/replace", "segment_edit")
MODES = ("strict", "interactive", "verify_only")

# Flags of Python's `re` that RE2 has, each with its letter; those that change nothing here; and
# those it does not have.
_FLAGS = {re.IGNORECASE.value: "i", re.MULTILINE.value: "m", re.DOTALL.value: "s"}
_NO_MATTER = re.ASCII.value | re.UNICODE.value
_SEARCH_ONLY = ("regex", "search_count", "search_flags")
# New text that would read as a group of the pattern: one more backslash makes it plain.
_LIKE_GROUP = re.compile(r"\\+(?=\d|g<)")


@dataclass(frozen=True, slots=True)
class SafeEditCall:
    """A call that was understood: which way, in which mode, and the engine's operations."""

    path: str
    way: str
    operations: tuple[Operation, ...]
    mode: str
    show_diff: bool
    given: Mapping[str, object]


def asked(given: Mapping[str, object]) -> SafeEditCall:
    """Return what a call of `safe_edit_file` asks for, or refuse it."""
    path = required(given, "path")
    mode = text(given, "mode") or "strict"
    if mode not in MODES:
        headline = f"`mode` is {mode[:80]!r}; it is one of {', '.join(MODES)}"
        raise Refused(bad_argument("mode", headline))
    way = _way(given)
    operations = tuple(_OPERATIONS[way](path, given, mode))
    return SafeEditCall(path, way, operations, mode, flag(given, "show_diff", default=True), given)


def _way(given: Mapping[str, object]) -> str:
    """Return the one way that the call uses; what is there counts, whether or not it is empty."""
    names = {way: way.split("/") for way in WAYS}
    used = [way for way in WAYS if any(given.get(name) is not None for name in names[way])]
    if len(used) != 1:
        what = f"{' and '.join(used)} are given" if used else "none is given"
        headline = f"exactly one edit mode must be specified; {what}"
        raise Refused(bad_argument("mode", headline, f"give one of {', '.join(WAYS)}"))
    if used[0] != "search/replace":
        for name in _SEARCH_ONLY:
            if given.get(name):
                raise Refused(bad_argument(name, f"`{name}` goes with search and replace only"))
    return used[0]


def _content(path: str, given: Mapping[str, object], mode: str) -> Iterator[Operation]:
    yield WriteFile(path, required(given, "content"), allow_shrink=mode == "interactive")


def _line_edits(path: str, given: Mapping[str, object], _: str) -> Iterator[Operation]:
    for index, one in enumerate(objects(given, "line_edits")):
        check_names(one, ("start_line", "end_line", "new_content"), f"line_edits[{index}]")
        start, end = _line(one, "start_line", index), _line(one, "end_line", index)
        if start < 1 or end < start:
            headline = f"line_edits[{index}] has start_line {start} and end_line {end}"
            move = "start_line is at least 1, end_line at least start_line"
            raise Refused(bad_argument("line_edits", headline, move))
        yield Edit(
            path=path, lines=(start, end), content=required(one, "new_content"), indent="keep"
        )


def _insert_lines(path: str, given: Mapping[str, object], _: str) -> Iterator[Operation]:
    """Yield an insertion after the line above: there is one for every line, and for the end."""
    for index, one in enumerate(objects(given, "insert_lines")):
        check_names(one, ("at_line", "content"), f"insert_lines[{index}]")
        at = _line(one, "at_line", index)
        if at < 1:
            headline = f"insert_lines[{index}] has at_line {at}; lines are counted from 1"
            raise Refused(bad_argument("insert_lines", headline))
        content = required(one, "content")
        yield Edit(path=path, lines=at - 1, action="after", content=content, indent="keep")


def _line(one: Mapping[str, object], name: str, index: int) -> int:
    if one.get(name) is None:
        raise Refused(bad_argument(name, f"`{name}` of entry {index} is missing"))
    return integer(one, name, 0)


def _search(path: str, given: Mapping[str, object], _: str) -> Iterator[Operation]:
    for name in ("search", "replace"):
        if given.get(name) is None:
            headline = f"`{name}` is missing: search and replace go together"
            raise Refused(bad_argument(name, headline))
    search, replace = required(given, "search"), required(given, "replace")
    if not search:
        move = "give the text to find; content mode writes a whole file"
        raise Refused(bad_argument("search", "`search` is empty", move))
    flags, is_regex = _flags(given), flag(given, "regex")
    ignores_case = bool(flags & re.IGNORECASE.value)
    if not is_regex and ignores_case:
        search, replace = re.escape(search), _LIKE_GROUP.sub(lambda m: m[0] + "\\", replace)
    pattern = f"{_letters(flags)}{search}" if is_regex or ignores_case else search
    yield Edit(
        path=path,
        find=pattern,
        content=replace,
        regex=is_regex or ignores_case,
        occurrence="all",
        most=_count(given),
        verbatim=True,
    )


def _count(given: Mapping[str, object]) -> int:
    count = integer(given, "search_count", 0)
    if given.get("search_count") is not None and count < 1:
        headline = f"`search_count` is {count}; it is a number from 1, and without it all count"
        raise Refused(bad_argument("search_count", headline))
    return count


def _flags(given: Mapping[str, object]) -> int:
    flags = integer(given, "search_flags", 0)
    known = sum(_FLAGS) | _NO_MATTER
    if flags < 0 or flags & ~known:
        unknown = flags if flags < 0 else flags & ~known
        headline = f"`search_flags` has {unknown}, which is no flag that patterns have here"
        move = "add up IGNORECASE 2, MULTILINE 8, DOTALL 16"
        raise Refused(bad_argument("search_flags", headline, move))
    return flags


def _letters(flags: int) -> str:
    """Return flags as a pattern says them; `^` and `$` mean lines only if MULTILINE says so."""
    on = "".join(letter for value, letter in _FLAGS.items() if flags & value)
    off = "" if flags & re.MULTILINE.value else "-m"
    return f"(?{on}{off})"


def _segment(path: str, given: Mapping[str, object], _: str) -> Iterator[Operation]:
    yield SegmentEdit.of(given.get("segment_edit")).as_edit(path)


_OPERATIONS = {
    "content": _content,
    "line_edits": _line_edits,
    "insert_lines": _insert_lines,
    "search/replace": _search,
    "segment_edit": _segment,
}
