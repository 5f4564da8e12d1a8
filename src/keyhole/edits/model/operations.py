"""Operations: what a caller wants done, in our words, checked once at the edge."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NoReturn, TypeGuard

from keyhole.edits.model.hunk import Hunk
from keyhole.fastclasses import dataclass
from keyhole.phrases import ArgumentName, joined, say
from keyhole.refusals import Refusal, Refused

# Numbers have at most twelve digits: no file has more lines, and none is too long to be said.
_LARGEST = 10**12
# How much of an unknown field's name is that of the one it may be meant for.
_ALIKE = 0.7
_SURROGATE = re.compile("[\ud800-\udfff]")
# In a path, half a pair from this range left out stands for a byte of a name that is no text.
_NO_BYTE = re.compile("[\ud800-\udc7f\udd00-\udfff]")


def bad(name: str, what: str, help_line: str = "") -> NoReturn:
    """Refuse a field by its name."""
    headline = say("{} {}", ArgumentName(name), what)
    raise Refused(Refusal("bad-request", headline, help=help_line, data={"field": name}))


def unknown_field(name: str, known: Sequence[str]) -> Refusal:
    """Return the refusal of a field that no edit has, with the one it may be meant for."""
    from keyhole.text.align import most_alike

    close = [known[index] for index, _ in most_alike(name, known, _ALIKE, 1)]
    hint = f"did you mean `{close[0]}`? " if close else ""
    return Refusal(
        "bad-request",
        f"unknown field `{name}`",
        help=f"{hint}an edit has {', '.join(known)}",
        suggestions=tuple(close),
        data={"field": name},
    )


def check_text(name: str, value: object) -> None:
    """Refuse a value that is not text, is empty where text is needed, or cannot be written."""
    if value is None:
        return
    if not isinstance(value, str):
        bad(name, f"is {type(value).__name__}; it is text")
    if name in {"find", "until", "pattern", "segment", "accept"} and not value:
        bad(
            name,
            "is empty",
            _EMPTY_HELP.get(name) or say("leave {} out, or give it a value", ArgumentName(name)),
        )
    if value.isascii():
        return
    if found := (_NO_BYTE if name == "path" else _SURROGATE).search(value):
        at = f"U+{ord(found.group()):04X} at character {found.start()}"
        bad(name, f"holds half of a surrogate pair, {at}", "send the character as one code point")


_EMPTY_HELP = {
    "find": say(
        "quote the text to find; to add to the file, leave {find} out and append or prepend"
    ),
}


def check_choice(name: str, value: object, choices: Sequence[str]) -> None:
    """Refuse a value that is none of the choices."""
    if value not in choices:
        bad(name, f"is {describe(value)}; it is one of {', '.join(choices)}")


def describe(value: object) -> str:
    """Return a value as a headline can hold it."""
    if isinstance(value, int) and not -_LARGEST < value < _LARGEST:
        return "a number with too many digits"
    shown = repr(value)
    return shown if len(shown) <= 80 else f"{shown[:80]}..."


def is_number(value: object) -> TypeGuard[int]:
    """Tell whether a value is a number that a file could have."""
    return type(value) is int and -_LARGEST < value < _LARGEST


ACTIONS = ("replace", "before", "after", "prepend", "append", "delete", "move")
PARTS = ("whole", "body", "signature", "doc", "decorators", "heading")
MATCHES = ("tolerant", "exact")
CELL_TYPES = ("code", "markdown", "raw")
OCCURRENCES = ("unique", "first", "last", "all")

# Numbers have at most twelve digits: no file has more lines, and none is too long to be said.
_LINES = re.compile(r"^\s*(\d{1,12})\s*(?:(-)\s*(\d{0,12}))?\s*$")
_FROM_END = re.compile(r"^\s*-\s*([1-9]\d{0,11})\s*-\s*$")
_NUMBER = re.compile(r"-?\d{1,12}")
_MOST_COLUMNS = 1000
_TEXT_FIELDS = (
    *("path", "segment", "find", "until", "pattern", "content", "accept", "reason", "to"),
)
_FOR_DIALECTS = ("kinds", "language", "most", "verbatim")


@dataclass(frozen=True, slots=True)
class LineRange:
    """Lines `first` to `last`, 1-based and inclusive; a `last` of 0 is the end of the file.

    A `first` of 0 is the point before the first line, -1 the point after the last. `from_end` says
    that `first` is counted from the last line on: 40 is the fortieth-last.
    """

    first: int
    last: int = 0
    from_end: bool = False

    @property
    def is_edge(self) -> bool:
        """Tell whether this is no line at all but the point before the first or after the last."""
        return self.first in {0, -1}


@dataclass(frozen=True, slots=True)
class Edit:
    """One edit: where, and what; a malformed one is refused when it is made.

    >>> Edit(find="retries = 3", content="retries = 5", reason="the gateway needs longer")
    """

    path: str = ""
    segment: str | None = None
    find: str | None = None
    until: str | None = None
    lines: str | int | Sequence[int] | LineRange | None = None
    pattern: str | None = None
    regex: bool = False
    occurrence: str | int = "unique"
    action: str = "replace"
    part: str = "whole"
    content: str | None = None
    match: str = "tolerant"
    accept: str | None = None
    indent: str | int = "auto"
    reason: str = ""
    # For cells of notebooks: where a moved cell goes, what type of cell it becomes, and whether its
    # outputs go.
    to: str | None = None
    cell_type: str | None = None
    clear_outputs: bool = False
    # For dialects, and no fields of a JSON object: the kinds that the segment may be of, the
    # language of its file, how many places `all` means at most, counted from the first, and
    # whether new text goes in to the character wherever the quote stands to the character.
    kinds: tuple[str, ...] = ()
    language: str = ""
    most: int = 0
    verbatim: bool = False

    def __post_init__(self) -> None:
        """Check the fields one by one, then together."""
        for name in _TEXT_FIELDS:
            if (value := getattr(self, name)) is not None:
                check_text(name, value)
        if not isinstance(self.regex, bool):
            bad("regex", f"is {describe(self.regex)}; it is true or false")
        if not isinstance(self.clear_outputs, bool):
            bad("clear_outputs", f"is {describe(self.clear_outputs)}; it is true or false")
        if self.cell_type is not None:
            check_choice("cell_type", self.cell_type, CELL_TYPES)
        check_choice("action", self.action, ACTIONS)
        check_choice("part", self.part, PARTS)
        check_choice("match", self.match, MATCHES)
        object.__setattr__(self, "lines", line_range(self.lines))
        object.__setattr__(self, "occurrence", _occurrence(self.occurrence))
        _check_indent(self.indent)
        _check_place(self)
        _check_content(self)

    @staticmethod
    def of(data: Mapping[str, object]) -> Edit:
        """Make an edit of a JSON object, refusing a field that no edit has."""
        if not isinstance(data, Mapping):
            bad("edits", "must hold objects, one an edit")
        for name in data:
            if name not in ASKABLE:
                raise Refused(unknown_field(str(name), ASKABLE))
        return Edit(**{name: value for name, value in data.items() if value is not None})  # type: ignore[arg-type]

    @property
    def names_a_place(self) -> bool:
        """Tell whether the edit says where, rather than meaning the file's start or end."""
        return any((self.segment, self.find, self.pattern, self.lines, self.accept))


# Callers name these; the others are for interfaces that have their own words for them.
ASKABLE = tuple(name for name in Edit.__match_args__ if name not in _FOR_DIALECTS)


# Operations with a `stage` are made one stage after the other, as the patches of a series are: each
# on the files as the stages before left them. Those of one stage never see each other.


@dataclass(frozen=True, slots=True)
class WriteFile:
    """Give a file this whole text: a new file, or one whose current hash the caller knows."""

    path: str
    content: str
    allow_shrink: bool = False
    reason: str = ""
    executable: bool = False
    # Lone surrogates in the text are bytes that a patch brought, and are written as such.
    holds_bytes: bool = False
    stage: int = 0

    def __post_init__(self) -> None:
        """Check the text as any other new text is checked."""
        check_text("path", self.path)
        if not self.holds_bytes:
            check_text("content", self.content)


@dataclass(frozen=True, slots=True)
class DeleteFile:
    """Take a file away; with `expect`, only if this is its text."""

    path: str
    reason: str = ""
    expect: str | None = None
    stage: int = 0
    # What else the file may be called; the first of the names that is there is meant.
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MoveFile:
    """Give a file another path, and change it on the way."""

    path: str
    to: str
    reason: str = ""
    hunks: tuple[Hunk, ...] = ()
    executable: bool | None = None
    stage: int = 0


@dataclass(frozen=True, slots=True)
class InOrder:
    """Edits of one file, each located on the text that those before it left: all or none."""

    path: str
    edits: tuple[Edit, ...]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class CopyFile:
    """Make a new file of another one, and change it on the way."""

    path: str
    source: str
    reason: str = ""
    hunks: tuple[Hunk, ...] = ()
    executable: bool | None = None
    stage: int = 0


@dataclass(frozen=True, slots=True)
class SetMode:
    """Make a file a program, or no longer one; its text stays, or has edits of its own."""

    path: str
    executable: bool
    reason: str = ""
    stage: int = 0


Operation = Edit | Hunk | WriteFile | DeleteFile | MoveFile | InOrder | CopyFile | SetMode


def _occurrence(value: object) -> str | int:
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        value = int(value)
    if is_number(value) and (value >= 1 or value == -1):
        return "last" if value == -1 else value
    if isinstance(value, str) and value in OCCURRENCES:
        return value
    choices = "unique, first, last, all, a number from 1, or -1"
    return bad("occurrence", f"is {describe(value)}; it is {choices}")


def line_range(value: object) -> LineRange | None:
    """Return lines as a caller writes them, or refuse what are none."""
    if value is None or isinstance(value, LineRange):
        return value
    if is_number(value):
        value = str(value)
    if isinstance(value, str):
        return _parsed_lines(value)
    pair = list(value) if isinstance(value, list | tuple) else []
    if len(pair) == 2 and all(map(is_number, pair)) and 1 <= pair[0] <= pair[1]:
        return LineRange(*pair)
    choices = '12, "12-20", "12-", "-40-" or [12, 20], from 1 on'
    return bad("lines", f"is {describe(value)}; it is {choices}")


def _parsed_lines(value: str) -> LineRange:
    if value.strip() == "-1":
        return LineRange(-1, -1)
    if counted := _FROM_END.match(value):
        return LineRange(int(counted[1]), from_end=True)
    found = _LINES.match(value)
    if not found:
        choices = "12, 12-20, 12-, -40- (the last 40), 0 (before the first) or -1 (after the last)"
        bad("lines", f"is {describe(value)}; it is {choices}")
    first = int(found[1])
    if not found[2]:
        return LineRange(first, first)
    last = int(found[3]) if found[3] else 0
    if first < 1 or (found[3] and last < first):
        bad("lines", f"is {describe(value)}, a range that runs backwards or starts before line 1")
    return LineRange(first, last)


def _check_indent(value: object) -> None:
    if value in ("auto", "keep"):
        return
    if type(value) is not int or not 0 <= value <= _MOST_COLUMNS:
        choices = f"auto, keep, or a number of columns up to {_MOST_COLUMNS}"
        bad("indent", f"is {describe(value)}; it is {choices}")


def _check_place(edit: Edit) -> None:
    """Refuse two ways of naming one place, and an edit that names none."""
    if edit.accept:
        others = [
            ArgumentName(name, bare=True)
            for name in ("segment", "find", "until", "lines", "pattern", "content")
            if getattr(edit, name)
        ]
        if others:
            bad("accept", say("stands for the whole edit; leave out {}", joined(", ", others)))
        return
    for first, second in (
        ("find", "pattern"),
        ("pattern", "lines"),
        ("pattern", "regex"),
    ):
        if getattr(edit, first) and getattr(edit, second):
            bad(second, say("and {} both name the place; give one of them", ArgumentName(first)))
    _check_company(edit)
    if not edit.names_a_place and edit.action not in {"append", "prepend"}:
        help_line = say(
            "give {find:bare}, {segment:bare}, {lines:bare} or {pattern:bare}; "
            "append and prepend alone need no place"
        )
        raise Refused(Refusal("bad-request", "the edit names no place", help=help_line))


def _check_company(edit: Edit) -> None:
    """Refuse fields that need another field, or mean nothing beside another."""
    for name in ("until", "regex"):
        if getattr(edit, name) and not edit.find:
            bad(name, say("needs {find} beside it"))
    if edit.part != "whole" and not edit.segment:
        bad("part", say("needs {segment} beside it"))
    # A segment and lines are one place, so there is no second one to mean.
    if isinstance(edit.occurrence, int) and edit.occurrence > 1 and not (edit.find or edit.pattern):
        bad(
            "occurrence",
            say("counts places of {find} or {pattern}; there is neither"),
            "leave it out; the second of two segments is `name#2`",
        )
    if (edit.action == "move") != bool(edit.to):
        name, other = ("to", "action") if edit.to else ("action", "to")
        bad(
            name,
            say("move needs {} beside it", ArgumentName(other))
            if name == "action"
            else say("needs {action} move beside it"),
            "a cell of a notebook moves to start, end, `before cell#2` or `after cell#2`",
        )
    if edit.action == "move" and (not edit.segment or edit.find or edit.lines or edit.pattern):
        bad("action", "move is for a whole cell", say("name it in {segment:bare}"))
    if edit.until and edit.regex:
        bad("until", say("and {regex} do not go together"), "let the pattern itself run to the end")


def _check_content(edit: Edit) -> None:
    if edit.accept:
        return
    if edit.action == "delete" and edit.content:
        bad(
            "content",
            "and action delete do not go together",
            "use action replace to put text there",
        )
    if edit.action == "move" and edit.content:
        bad("content", "and action move do not go together", "change the cell in a call of its own")
    changes_cell = edit.action == "move" or edit.cell_type or edit.clear_outputs
    if changes_cell and edit.action in {"replace", "move"} and edit.segment and not edit.find:
        return
    if edit.action != "delete" and edit.content is None:
        bad("content", "is missing", "give the new text; an empty one removes what is there")


# An operation, and which one of the call it is.
Numbered = tuple[int, Operation]


def is_series(operations: Sequence[Operation]) -> bool:
    """Tell whether operations follow each other, or files take each other's names."""
    return any(map(stage_of, operations)) or bool(leaving(operations))


def stage_of(operation: Operation) -> int:
    """Return the stage an operation belongs to; only parts of patches have one."""
    return 0 if isinstance(operation, Edit | InOrder) else operation.stage


def leaving(operations: Sequence[Operation]) -> frozenset[str]:
    """Return the paths that operations free and give to other files."""
    gone = {each.path for each in operations if isinstance(each, DeleteFile | MoveFile)}
    come = {each.path for each in operations if isinstance(each, WriteFile | CopyFile)}
    come |= {each.to for each in operations if isinstance(each, MoveFile)}
    return frozenset(gone & come)
