"""Requests of `text` and `text-files`, in the engine's words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from keyhole.answers.receipt import Receipt
from keyhole.arguments import (
    bad_argument,
    check_names,
    flag,
    integer,
    objects,
    required,
    text,
)
from keyhole.edits.model.operations import Edit, InOrder
from keyhole.fastclasses import dataclass, replace
from keyhole.phrases import Words, render
from keyhole.refusals import Refusal, Refused
from keyhole.toolsets.wording import (
    at_home,
    cut,
    hash_now,
    refusal_details,
    refusal_text,
    respelled,
    status_of,
    worth_a_look,
)

OPERATIONS = ("replace", "insert", "delete")
TARGETS = ("lines", "heading", "beforeHeading", "appendToSection", "codeBlock")
EXTENSIONS = (
    *(".md", ".markdown", ".txt", ".rst", ".json", ".yaml", ".yml", ".toml", ".ini", ".cfg"),
    *(".conf", ".csv", ".xml", ".html", ".log"),
)
# Targets that there once were, and what to use now.
REMOVED: Mapping[str, str] = {
    "text": "use TextReplace to replace text",
    "pattern": "find it with TextInspect in mode search with regex, then use TextReplace",
    "afterHeading": "use appendToSection to add to a section, or heading to insert below it",
    "section": "use heading for a section of Markdown, or TextReplace",
}
# What our fields are called here, and in `TextReplace`.
NAMES = {"expected_hash": "expectedHash", "segment": "target", "lines": "target"}
REPLACE_NAMES = {**NAMES, "find": "oldText", "content": "newText"}
_OCCURRENCES = ("first", "last", "all")
_NUMBER = re.compile(r"[1-9]\d{0,11}")


@dataclass(frozen=True, slots=True)
class TextCall:
    """A call that was understood: the file, the edit, the version it is for, what to note."""

    path: str
    edit: Edit
    expected: str
    given: Mapping[str, object]
    operation: str = "replace"
    target: str = ""
    notes: tuple[str, ...] = ()


def replacement(given: Mapping[str, object]) -> TextCall:
    """Return what a call of `TextReplace` asks for, or refuse it."""
    path = required(given, "filePath")
    old = required(given, "oldText")
    if not old:
        raise Refused(bad_argument("oldText", "`oldText` is empty", "quote the text to replace"))
    edit = Edit(
        path=path,
        find=old,
        content=required(given, "newText"),
        occurrence=_occurrence(given.get("occurrence")),
        match="exact" if flag(given, "exact") else "tolerant",
        verbatim=True,
    )
    return TextCall(path, edit, text(given, "expectedHash"), given)


def _occurrence(value: object) -> str | int:
    if value is None:
        return "first"
    if value in _OCCURRENCES:
        return str(value)
    word = str(value) if type(value) in {str, int} else ""
    if _NUMBER.fullmatch(word):
        return int(word)
    headline = f"`occurrence` is {str(value)[:80]!r}; it is first, last, all or a number from 1"
    raise Refused(bad_argument("occurrence", headline))


def patch(given: Mapping[str, object]) -> TextCall:
    """Return what a call of `TextPatch` asks for, or refuse it."""
    path = required(given, "filePath")
    operation = _operation(required(given, "operation"))
    ((name, value),) = _target(given.get("target")).items()
    content = _content(given, operation)
    indent = "auto" if flag(given, "preserveIndent", default=True) else "keep"
    place = _place(name, value, operation)
    edit = Edit(path=path, content=content, indent=indent, **place)  # type: ignore[arg-type]
    expected = text(given, "expectedHash")
    return TextCall(path, edit, expected, given, operation, name)


def _operation(name: str) -> str:
    if name == "replaceLines":
        move = 'use operation "replace" with target lines'
        raise Refused(bad_argument("operation", "`replaceLines` is no longer an operation", move))
    if name not in OPERATIONS:
        headline = f"`operation` is {name[:80]!r}; it is one of {', '.join(OPERATIONS)}"
        raise Refused(bad_argument("operation", headline))
    return name


def _content(given: Mapping[str, object], operation: str) -> str | None:
    if operation != "delete":
        return required(given, "content")
    if given.get("content"):
        headline = "`content` and operation delete do not go together"
        raise Refused(bad_argument("content", headline, "use operation replace to put text there"))
    return None


def _target(target: object) -> Mapping[str, object]:
    """Return the one target of a call."""
    valid = f"a target is one of {', '.join(TARGETS)}"
    if not isinstance(target, dict) or not target:
        raise Refused(bad_argument("target", "`target` is not an object that names a place", valid))
    for name in target:
        if name in REMOVED:
            headline = f"target `{name}` was removed"
            raise Refused(bad_argument("target", headline, f"{REMOVED[name]}; {valid}"))
        if name not in TARGETS:
            raise Refused(bad_argument("target", f"unknown target `{name[:80]}`", valid))
    if len(target) > 1:
        headline = f"`target` names {' and '.join(target)}; it names exactly one place"
        raise Refused(bad_argument("target", headline))
    return target


def _place(name: str, value: object, operation: str) -> dict[str, object]:
    """Return where the edit goes and what it does there, in the engine's fields."""
    if name == "lines":
        return _lines(value, operation)
    if name == "codeBlock":
        return _code_block(value, operation)
    if not isinstance(value, str) or not value.strip():
        raise Refused(bad_argument("target", f"`{name}` is not the text of a heading"))
    section = {"segment": value, "kinds": ("section",), "language": "markdown"}
    if name == "heading":
        # Replace and delete mean the section, as its guide promises; insert is below the heading.
        inserts = {"action": "after", "part": "heading"}
        return {**section, **(inserts if operation == "insert" else {"action": operation})}
    if operation != "insert":
        headline = f"`{name}` is a point, and a point can only be inserted at"
        move = "use target heading to replace or delete a section"
        raise Refused(bad_argument("operation", headline, move))
    return {**section, "action": "before" if name == "beforeHeading" else "append"}


def of_any_level(asked: TextCall) -> TextCall | None:
    """Return a call that names a heading by its text alone, for one whose marks fit none."""
    name = asked.edit.segment or ""
    title = name.lstrip("#").strip()
    if asked.target == "codeBlock" or not name.startswith("#") or not title:
        return None
    note = f"no heading is '{name}' with these marks: matched by its text"
    edit = replace(asked.edit, segment=title)
    return replace(asked, edit=edit, notes=(*asked.notes, note))


_ACTIONS = {"replace": "replace", "insert": "after", "delete": "delete"}


def _lines(value: object, operation: str) -> dict[str, object]:
    if not isinstance(value, dict):
        raise Refused(bad_argument("target", "`lines` is not an object with start and end"))
    check_names(value, ("start", "end"), "`lines`")
    start = integer(value, "start", 0)
    end = integer(value, "end", start)
    if start < 1 or end < start:
        headline = f"`lines` is {start}-{end}; start is from 1, and end not before it"
        raise Refused(bad_argument("target", headline))
    return {"lines": (start, end), "action": _ACTIONS[operation]}


def _code_block(value: object, operation: str) -> dict[str, object]:
    """Return the place between the fences of a code block, which is counted from 0."""
    if not isinstance(value, dict):
        raise Refused(bad_argument("target", "`codeBlock` is not an object with an index"))
    check_names(value, ("index",), "`codeBlock`")
    index = integer(value, "index", -1)
    if index < 0:
        raise Refused(bad_argument("target", "`index` of codeBlock is not a number from 0"))
    actions = {"replace": "replace", "insert": "append", "delete": "delete"}
    return {
        "segment": f"code#{index + 1}",
        "kinds": ("code_block",),
        "language": "markdown",
        "part": "body",
        "action": actions[operation],
    }


def ranges(query: str, total: int) -> list[tuple[int, int]]:
    """Return the ranges that a list like `5, 50-60, 80-` names, cut to the file's lines."""
    found = []
    for piece in query.split(","):
        match = re.fullmatch(r"\s*(\d{1,12})\s*(?:(-)\s*(\d{0,12}))?\s*", piece)
        if not match:
            headline = f"`query` is {query[:80]!r}; in mode lines it is like 5, 50-60 or 80-"
            raise Refused(bad_argument("query", headline))
        first = int(match[1])
        last = first if not match[2] else int(match[3]) if match[3] else total
        if last < first and match[3]:
            raise Refused(bad_argument("query", f"`query` has the range {piece}, which is empty"))
        if max(first, 1) <= min(last, total):
            found.append((max(first, 1), min(last, total)))
    return found


_FIELDS = ("oldString", "newString", "replaceAll")
_QUOTED = 100
# What our fields are called here.
FILE_NAMES = {"find": "oldString", "content": "newString", "expected_hash": "expectedHash"}


def edits(given: Mapping[str, object]) -> InOrder:
    """Return what a call of `TextEdit` asks for, or refuse it."""
    path = required(given, "filePath")
    return InOrder(
        path, tuple(_edit(index, one) for index, one in enumerate(objects(given, "edits")))
    )


def _edit(index: int, one: Mapping[str, object]) -> Edit:
    try:
        return _asked(index, one)
    except Refused as refused:
        raise Refused(*(each.at(edit=index) for each in refused.refusals)) from None


def _asked(index: int, one: Mapping[str, object]) -> Edit:
    check_names(one, _FIELDS, f"edit {index}")
    old, new = required(one, "oldString"), required(one, "newString")
    occurrence = "all" if flag(one, "replaceAll") else "unique"
    if not old:
        raise Refused(bad_argument("oldString", "`oldString` is empty"))
    if old == new:
        raise Refused(bad_argument("newString", "`oldString` and `newString` are the same"))
    return Edit(find=old, content=new, match="exact", verbatim=True, occurrence=occurrence)


def done(path: str, receipt: Receipt) -> dict[str, object]:
    """Return the answer to a call that was carried out; lines are those of the file as it is."""
    file = receipt.files[0]
    rows = file.as_data("brief")["edits"]
    made = [_made(row) for row in rows] if isinstance(rows, list) else []
    data: dict[str, object] = {
        "status": status_of(receipt),
        "filePath": path,
        "edits": made,
        "totalOccurrencesReplaced": sum(int(str(each["occurrencesReplaced"])) for each in made),
        "fileHash": hash_now(receipt),
    }
    own = [render(note, Words(FILE_NAMES)) for edit in file.plan.edits for note in edit.notes]
    notes = [*own, *worth_a_look(receipt)]
    return {**data, **({"note": "; ".join(notes)} if notes else {})}


def _made(row: Mapping[str, object]) -> dict[str, object]:
    lines = row["lines_after"]
    first, last = lines if isinstance(lines, list) else (0, 0)
    return {
        "index": row["index"],
        "occurrencesReplaced": row["occurrences_replaced"],
        "affectedLines": {"start": first, "end": last},
    }


def explained(operation: InOrder, refusals: Sequence[Refusal]) -> str:
    """Say why nothing was changed: which edit, its text in short, and the next move."""
    known = at_home(respelled(refusals, FILE_NAMES), "create the file with TextCreate")
    return "\n".join(_explained(operation, each) for each in known)


def _explained(operation: InOrder, refusal: Refusal) -> str:
    if refusal.edit is None:
        return refusal_text(refusal)
    head, quoted = f"Edit {refusal.edit}", cut(operation.edits[refusal.edit].find or "", _QUOTED)
    match refusal.code:
        case "not-found":
            line = f"{head}: oldString not found in {operation.path}: '{quoted}'"
            return "\n".join(filter(None, [line, refusal_details(refusal)]))
        case "ambiguous":
            lines = refusal.data.get("lines")
            places = ", ".join(map(str, lines)) if isinstance(lines, list) else ""
            move = "add surrounding text, or set replaceAll"
            return f"{head}: oldString is not unique (lines {places}): '{quoted}'; {move}"
    return f"{head}: {refusal_text(refusal)}"
