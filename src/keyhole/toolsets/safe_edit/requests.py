"""Requests of `safe-edit`: one tool with five ways to say an edit, exactly one of them a call."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import Enum, StrEnum

from keyhole.arguments import bad_argument, check_names, flag, integer, objects, required, text
from keyhole.edits.model.operations import Edit, Operation, WriteFile
from keyhole.fastclasses import dataclass
from keyhole.refusals import Refused

# What each type is called here, and the language its file must be in. A template block is whatever
# part of the file bears the name: where no template tells, another detector may place the edit.
TYPES: Mapping[str, tuple[tuple[str, ...], str]] = {
    "markdown_section": (("section", "preamble"), "markdown"),
    "python_function": (("function",), "python"),
    "python_method": (("method",), "python"),
    "python_class": (("class",), "python"),
    "template_block": (("template_block",), ""),
}
_NAMES = (
    "segment_type",
    "segment_name",
    "new_content",
    "indentation_strategy",
    "explicit_indent",
)
_MOST_COLUMNS = 1000


class SegmentType(StrEnum):
    """What a segment is."""

    MARKDOWN_SECTION = "markdown_section"
    PYTHON_FUNCTION = "python_function"
    PYTHON_METHOD = "python_method"
    PYTHON_CLASS = "python_class"
    TEMPLATE_BLOCK = "template_block"


class IndentationStrategy(StrEnum):
    """How new text is indented: as its place is, as it was sent, or by a number of columns."""

    AUTO = "auto"
    PRESERVE_AGENT = "preserve_agent"
    EXPLICIT = "explicit"


STRATEGIES = tuple(map(str, IndentationStrategy))


@dataclass(frozen=True, slots=True)
class SegmentEdit:
    r"""Replace a whole segment, its heading or first line included.

    >>> SegmentEdit.edit_method("Worker.process", "def process(self):\n    return 1")
    """

    segment_type: str
    segment_name: str
    new_content: str
    indentation_strategy: str = "auto"
    explicit_indent: int | None = None

    def __post_init__(self) -> None:
        """Refuse what names no segment, brings no text, or says two things about indentation."""
        object.__setattr__(self, "segment_type", _plain(self.segment_type))
        strategy = _plain(self.indentation_strategy).lower()
        object.__setattr__(self, "indentation_strategy", strategy)
        _check_choice("segment_type", self.segment_type, tuple(TYPES))
        _check_choice("indentation_strategy", self.indentation_strategy, STRATEGIES)
        for name in ("segment_name", "new_content"):
            if not getattr(self, name).strip():
                move = "segments are replaced, not deleted: delete by line_edits"
                why = move if name == "new_content" else "name the segment"
                raise Refused(bad_argument(name, f"`{name}` is empty", why))
        self._check_indent()

    def _check_indent(self) -> None:
        name, indent = "explicit_indent", self.explicit_indent
        if self.indentation_strategy != "explicit":
            if indent is not None:
                headline = "`explicit_indent` is given, and indentation_strategy is not explicit"
                raise Refused(bad_argument(name, headline, "leave it out, or say explicit"))
            return
        if indent is None:
            headline = "explicit_indent required when indentation_strategy=EXPLICIT"
            raise Refused(bad_argument(name, headline, "give a number of spaces"))
        if type(indent) is not int or not 0 <= indent <= _MOST_COLUMNS:
            headline = f"`explicit_indent` is {indent}; it is a number of spaces from 0"
            raise Refused(bad_argument(name, headline))

    @staticmethod
    def of(data: object) -> SegmentEdit:
        """Make one of a JSON object, or take one that is made already."""
        if isinstance(data, SegmentEdit):
            return data
        if not isinstance(data, Mapping):
            raise Refused(bad_argument("segment_edit", "`segment_edit` is not an object"))
        check_names(data, _NAMES, "segment_edit")
        strategy = text(data, "indentation_strategy") or "auto"
        return SegmentEdit(
            required(data, "segment_type"),
            required(data, "segment_name"),
            required(data, "new_content"),
            strategy,
            data.get("explicit_indent"),
        )

    @staticmethod
    def edit_section(section: str, content: str) -> SegmentEdit:
        """Replace a section of a Markdown file."""
        return SegmentEdit("markdown_section", section, content)

    @staticmethod
    def edit_function(function: str, content: str) -> SegmentEdit:
        """Replace a Python function."""
        return SegmentEdit("python_function", function, content)

    @staticmethod
    def edit_method(method: str, content: str) -> SegmentEdit:
        """Replace a method of a Python class: `Class.method`."""
        return SegmentEdit("python_method", method, content)

    @staticmethod
    def edit_class(name: str, content: str) -> SegmentEdit:
        """Replace a Python class."""
        return SegmentEdit("python_class", name, content)

    @staticmethod
    def edit_template_block(block: str, content: str) -> SegmentEdit:
        """Replace a block that a template gave a file."""
        return SegmentEdit("template_block", block, content)

    def as_edit(self, path: str = "") -> Edit:
        """Return the engine's own edit."""
        kinds, language = TYPES[self.segment_type]
        indents: dict[str, str | int] = {"auto": "auto", "preserve_agent": "keep"}
        return Edit(
            path=path,
            segment=self.segment_name,
            content=self.new_content,
            indent=indents.get(self.indentation_strategy, self.explicit_indent or 0),
            kinds=kinds,
            language=language,
        )


def _plain(value: object) -> str:
    """Return a choice as a word; a member of anybody's enumeration stands for its value."""
    return str(value.value if isinstance(value, Enum) else value)


def _check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    if value not in choices:
        headline = f"`{name}` is {str(value)[:80]!r}; it is one of {', '.join(choices)}"
        raise Refused(bad_argument(name, headline))


WAYS = ("content", "line_edits", "insert_lines", "search/replace", "segment_edit")
MODES = ("strict", "interactive", "verify_only")

# Flags of Python's `re` that RE2 has, each with its letter; those that change nothing here; and
# those it does not have.
_FLAGS = {re.IGNORECASE.value: "i", re.MULTILINE.value: "m", re.DOTALL.value: "s"}
_NO_MATTER = re.ASCII.value | re.UNICODE.value
_SEARCH_ONLY = ("regex", "exact", "search_count", "search_flags")
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
        match="exact" if flag(given, "exact") and not is_regex else "tolerant",
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
