"""The set `claude`: `str_replace_based_edit_tool`, five commands in one tool."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from keyhole import arguments
from keyhole.answers.receipt import Receipt
from keyhole.edits.model.operations import Edit, WriteFile
from keyhole.engine.facade import Engine
from keyhole.engine.history.recall import UndoRequest
from keyhole.engine.reading import ReadRequest
from keyhole.phrases import Words, shown
from keyhole.refusals import Refusal, Refused
from keyhole.toolsets.base import (
    Arguments,
    Caller,
    Tool,
    ToolAnswer,
    receipt_answer,
)
from keyhole.toolsets.schemas import Schema, array, choice, string, taking, whole
from keyhole.toolsets.wording import at_home, helped, respelled

_NAME = "str_replace_based_edit_tool"
# What our fields are called in each command.
_NAMES: Mapping[str, Mapping[str, str]] = {
    "view": {"lines": "view_range"},
    "create": {"content": "file_text"},
    "str_replace": {"find": "old_str", "content": "new_str"},
    "insert": {"content": "insert_text", "lines": "insert_line"},
    "undo_edit": {},
}
_LEVELS = 2
_IN_CELLS = "numbers count in each cell, so edit by str_replace; view_range counts all lines"
_MOST_ENTRIES = 1000
# The arguments of each command; whatever else is sent must be empty.
_TAKES: Mapping[str, tuple[str, ...]] = {
    "view": ("view_range",),
    "create": ("file_text",),
    "str_replace": ("old_str", "new_str"),
    "insert": ("insert_line", "insert_text", "new_str"),
    "undo_edit": (),
}


# What to do next with this tool, where our own help names what it does not have.
_HELP = {
    "not-found": "view the lines in question, and send them as they stand",
    "ambiguous": "add lines before or after to `old_str`, so that it stands once",
    "file-exists": "change it with str_replace or insert, or choose another path",
    "syntax-broken": "correct the new text and send the call again",
    "elision-left": "send the whole text, without anything left out",
    "merge-markers": "send the text without the markers",
}


def _run(engine: Engine, given: Arguments, caller: Caller) -> ToolAnswer:
    command = arguments.required(given, "command")
    if command not in _COMMANDS:
        headline = f"`command` is {command[:40]!r}; it is one of {', '.join(_COMMANDS)}"
        raise Refused(arguments.bad_argument("command", headline))
    own = ("command", "path", *_TAKES[command])
    arguments.check_names([name for name in given if given[name]], own, f"command {command}")
    try:
        return _COMMANDS[command](engine, given, caller)
    except Refused as refused:
        raise Refused(*respelled(refused.refusals, _NAMES[command])) from None


def _view(engine: Engine, given: Arguments, caller: Caller) -> ToolAnswer:
    path = arguments.required(given, "path")
    if engine.is_directory(path):
        return _listing(engine, given, path)
    reading = engine.read(path, ReadRequest(lines=_range(given)), caller.actor)
    rows = [f"{number:6}\t{line}" for number, line in reading.numbered_rows]
    tail = ["(there is more: give a view_range)"] if reading.truncated else []
    if reading.marks:
        first, last = reading.lines
        tail = [f"(lines {first}-{last} of {reading.total_lines}; {_IN_CELLS})", *tail]
    return ToolAnswer("\n".join([*rows, *tail]), reading.as_data())


def _range(given: Arguments) -> str | None:
    """Return lines as `read` takes them; a last line of -1 is the end of the file."""
    value = given.get("view_range")
    if not value:
        return None
    numbers = value if isinstance(value, list) and len(value) == 2 else []
    if not numbers or any(type(number) is not int for number in numbers):
        headline = f"`view_range` is {value!r:.40}; it is two line numbers, as in [11, 20]"
        raise Refused(arguments.bad_argument("view_range", headline))
    first, last = numbers
    return f"{first}-{'' if last == -1 else last}"


def _listing(engine: Engine, given: Arguments, path: str) -> ToolAnswer:
    if given.get("view_range"):
        headline = f"`view_range` is for files, and {path} is a directory"
        raise Refused(arguments.bad_argument("view_range", headline, "leave it out"))
    under = engine.resolve(path)
    start = 0 if under == "." else len(under) + 1
    found: dict[str, None] = {}
    for file in engine.files(path):
        parts = file[start:].split("/")
        if any(part.startswith(".") for part in parts[:_LEVELS]):
            continue
        found |= dict.fromkeys("/".join(parts[:n]) + "/" for n in range(1, len(parts)) if n <= 2)
        found |= {"/".join(parts): None} if len(parts) <= _LEVELS else {}
    entries = sorted(found)[:_MOST_ENTRIES]
    more = len(found) - len(entries)
    tail = [f"({more} more: view a directory below)"] if more else []
    data = {"path": path, "entries": entries, "truncated": bool(more)}
    return ToolAnswer("\n".join([f"{path}:", *map(shown, entries), *tail]), data)


def _create(engine: Engine, given: Arguments, caller: Caller) -> ToolAnswer:
    path, content = arguments.required(given, "path"), arguments.required(given, "file_text")
    receipt = engine.write(WriteFile(path, content), caller.options(_NAME))
    return _edited(receipt, caller, "create", f"created {path}")


def _str_replace(engine: Engine, given: Arguments, caller: Caller) -> ToolAnswer:
    path, old = arguments.required(given, "path"), arguments.required(given, "old_str")
    if not old:
        move = "quote the text to replace; `insert` adds lines"
        raise Refused(arguments.bad_argument("old_str", "`old_str` is empty", move))
    edit = Edit(path=path, find=old, content=arguments.text(given, "new_str"), verbatim=True)
    receipt = engine.edit([edit], caller.options(_NAME))
    return _edited(receipt, caller, "str_replace", f"edited {path}")


def _insert(engine: Engine, given: Arguments, caller: Caller) -> ToolAnswer:
    path, line = arguments.required(given, "path"), arguments.number(given, "insert_line", -1)
    if line < 0:
        raise Refused(arguments.bad_argument("insert_line", "`insert_line` is missing"))
    # Its name was new_str before it was insert_text.
    name = "new_str" if given.get("insert_text") is None and "new_str" in given else "insert_text"
    new = arguments.required(given, name) or "\n"
    edit = Edit(path=path, lines=line, action="after", content=new, indent="keep")
    receipt = engine.edit([edit], caller.options(_NAME))
    return _edited(receipt, caller, "insert", f"edited {path}")


def _undo_edit(engine: Engine, given: Arguments, caller: Caller) -> ToolAnswer:
    """Take back the caller's last edit of a file that is not taken back yet."""
    path = arguments.required(given, "path")
    last = engine.last_edit(path, caller.actor)
    if not last:
        headline = f"there is no edit of yours left to undo in {path}"
        raise Refused(Refusal("nothing-to-undo", headline, help="view the file as it stands"))
    receipt = engine.undo(UndoRequest(id=last, path=path), caller.options(_NAME))
    return _edited(receipt, caller, "undo_edit", f"undid {last}")


def _edited(receipt: Receipt, caller: Caller, command: str, done: str) -> ToolAnswer:
    """Say what was done, with the lines around it numbered as `view` numbers them."""
    if not receipt.ok:
        raise Refused(*receipt.refusals)
    if receipt.outcome not in {"applied", "committed_pending"}:
        done = f"nothing changed: {receipt.outcome}"
    answer = receipt_answer(receipt, caller.detail, Words(_NAMES[command]))
    return ToolAnswer(f"{done}\n{answer.text}", answer.data)


def _reworded(refusals: Sequence[Refusal]) -> Sequence[Refusal]:
    return helped(at_home(refusals, "make it with `create`"), _HELP)


_COMMANDS: Mapping[str, Callable[[Engine, Arguments, Caller], ToolAnswer]] = {
    "view": _view,
    "create": _create,
    "str_replace": _str_replace,
    "insert": _insert,
    "undo_edit": _undo_edit,
}

_FIELDS: Mapping[str, Schema] = {
    "command": choice(tuple(_COMMANDS)),
    "path": string("file or directory"),
    "view_range": array({"type": "integer"}, "view: first and last line; -1 is the end"),
    "file_text": string("create: the whole text; the file must not exist"),
    "old_str": string("str_replace: text that stands once in the file"),
    "new_str": string("str_replace: what to put there; left out, nothing"),
    "insert_line": whole("insert: the line to insert below; 0 is the start of the file"),
    "insert_text": string("insert: whole lines"),
}
_OF_COMMANDS = {
    command: taking(**{name: _FIELDS[name] for name in ("command", "path", *own)})
    for command, own in _TAKES.items()
}


def _narrowed(given: Arguments) -> Schema | None:
    return _OF_COMMANDS.get(str(given.get("command")))


TOOLS = (
    Tool(
        _NAME,
        "View and edit files",
        "Use it to view a file with line numbers, or a directory; create a file; replace text that "
        "stands once; insert below a line; undo your last edit of a file. Example: "
        '{"command": "str_replace", "path": "a.py", "old_str": "x = 1", "new_str": "x = 2"}',
        taking("command", **_FIELDS),
        _run,
        writes=True,
        looks=True,
        destructive=True,
        reworded=_reworded,
        narrowed=_narrowed,
    ),
)
