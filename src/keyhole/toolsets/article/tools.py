"""The set `article`: `edit_article`, `read_file` and `write_file`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from keyhole.answers.receipt import Receipt
from keyhole.arguments import bad_argument, check_names, objects, required
from keyhole.edits.model.operations import Edit, InOrder
from keyhole.engine.facade import Engine
from keyhole.phrases import Words
from keyhole.refusals import Refusal, Refused
from keyhole.toolsets.base import Arguments, Caller, Tool, ToolAnswer
from keyhole.toolsets.files import READ_FILE, warned, write_file
from keyhole.toolsets.schemas import array, flag, giving, string, taking
from keyhole.toolsets.wording import (
    at_home,
    hash_now,
    in_truth,
    is_proposed,
    nearest_files,
    noted,
    plural,
    refusal_text,
    respelled,
    worth_a_look,
)

_FIELDS = ("old_string", "new_string", "reason")
# What our fields are called here.
_NAMES = {"find": "old_string", "content": "new_string"}
_FENCES = re.compile(r"`{3,}")
HINT = "Add a heading, preceding paragraph, or other unique text to old_string"


def edits(given: Mapping[str, object]) -> InOrder:
    """Return what a call of `edit_article` asks for, or refuse it."""
    path = required(given, "path")
    if "\0" in path:
        raise Refused(bad_argument("path", "`path` holds a NUL byte"))
    return InOrder(
        path, tuple(_edit(index, one) for index, one in enumerate(objects(given, "edits")))
    )


def _edit(index: int, one: Mapping[str, object]) -> Edit:
    check_names(one, _FIELDS, f"edit {index}")
    for name in _FIELDS:
        if not isinstance(one.get(name), str):
            _refuse(index, name, f"Missing or invalid '{name}'")
    old, new, reason = (str(one[name]) for name in _FIELDS)
    if not old:
        _refuse(index, "old_string", "old_string is empty: quote the text to replace")
    if not reason.strip():
        _refuse(index, "reason", "reason is empty: say why this change is needed")
    if old == new:
        _refuse(index, "new_string", "old_string and new_string are the same: nothing would change")
    return Edit(find=old, content=new, match="exact", verbatim=True, reason=reason)


def _refuse(index: int, name: str, what: str) -> None:
    raise Refused(bad_argument(name, what).at(edit=index))


def done(receipt: Receipt) -> dict[str, object]:
    """Return the answer to a call that was carried out."""
    file = receipt.files[0]
    if file.plan.is_unchanged:
        return {"success": True, "output": "No article changes applied.", "appliedEdits": []}
    words = Words(_NAMES)
    asked = [{"index": each.index, "reason": each.reason} for each in file.plan.edits]
    return {
        "success": True,
        "output": in_truth(receipt, f"Applied {plural(len(asked), 'edit')} to {file.path}"),
        "appliedEdits": [] if is_proposed(receipt) else asked,
        "hash": hash_now(receipt),
        "transaction": receipt.transaction,
        "warnings": [*noted(receipt, words), *worth_a_look(receipt)],
    }


def refused(refusals: Sequence[Refusal]) -> dict[str, object]:
    """Return the answer to a call that was refused."""
    first = at_home(respelled(refusals, _NAMES), "create the file with write_file")[0]
    data: dict[str, object] = {"success": False, "error": _error(first), "code": first.code}
    if first.edit is not None:
        data["index"] = first.edit
    if first.code == "ambiguous":
        data |= {"hint": HINT, "lines": first.data.get("lines", [])}
    return data


def _error(refusal: Refusal) -> str:
    head = f"Edit {refusal.edit}: " if refusal.edit is not None else ""
    match refusal.code:
        case "no-file":
            return "\n".join(
                filter(None, [f"File not found: {refusal.path}", nearest_files(refusal)])
            )
        case "ambiguous" if "lines" in refusal.data:
            lines = refusal.data["lines"]
            count = len(lines) if isinstance(lines, list) else 2
            return (
                f"{head}Text appears {count} times in file - include more surrounding context "
                "to make it unique"
            )
        case "not-found":
            return f"{head}{_not_found(refusal)}"
    return f"{head}{refusal_text(refusal)}"


def _not_found(refusal: Refusal) -> str:
    """Say what is nearest, then show how the text began when this edit came to it."""
    near = "\n".join(
        f"The nearest place, lines {each.lines[0]}-{each.lines[1]}:\n{each.text}"
        for each in refusal.candidates
    )
    start, length = str(refusal.data.get("text_start", "")), refusal.data.get("text_length", 0)
    total = length if isinstance(length, int) else 0
    preview = start
    if total > len(start):
        preview = f"{start}...\n\n[File truncated - {total} chars total]"
    fence = "`" * max((len(each) + 1 for each in _FENCES.findall(preview)), default=3)
    pieces = [
        "Text not found in file. The old_string you provided does not exist in the file.",
        near,
        f"Actual file content:\n{fence}\n{preview}\n{fence}",
        "Please use exact text from the file above.",
    ]
    return "\n\n".join(filter(None, pieces))


def _edit_article(engine: Engine, given: Arguments, caller: Caller) -> ToolAnswer:
    operation = edits(given)
    check_article(engine, operation.path)
    receipt = engine.edit([operation], caller.options("edit_article"))
    if not receipt.ok:
        raise Refused(*receipt.refusals)
    return warned(done(receipt))


def check_article(engine: Engine, path: str) -> None:
    """Refuse any file but the article that the server was started for, if it was for one."""
    wanted = engine.allowed.article
    if wanted and engine.resolve(path) != engine.resolve(wanted):
        headline = f"path must be the article, {wanted}; it is {path}"
        raise Refused(Refusal("path-denied", headline, help=f"edit {wanted}", path=path))


def _refuse_call(refusals: Sequence[Refusal]) -> ToolAnswer:
    data = refused(refusals)
    hint = f"\n{data['hint']}" if "hint" in data else ""
    return ToolAnswer(f"{data['error']}{hint}", data, refused=True)


_EDIT = taking(
    "old_string",
    "new_string",
    "reason",
    old_string=string(
        "exact text to find. MUST be unique in the file: include surrounding context if needed"
    ),
    new_string=string("replacement text, inserted literally"),
    reason=string("why this change is needed (reference the code change)"),
)

TOOLS = (
    Tool(
        "edit_article",
        "Edit the article",
        "Use it to change the article by targeted edits, in order, all of them or none. Each "
        "old_string must match to the character and be unique: copy it from the file with "
        "enough context. Keep "
        "edits minimal, one logical change an entry; if no change is needed, say so and do not "
        'call. Example: {"path": "docs/auth.md", "edits": [{"old_string": "accepts a password.", '
        '"new_string": "accepts a password and a token.", "reason": "login() takes a token"}]}',
        taking("path", "edits", path=string("path of the article"), edits=array(_EDIT)),
        _edit_article,
        gives=giving(
            "success",
            success=flag(),
            output=string(),
            error=string(),
            hint=string(),
            appliedEdits=array({"type": "object"}),
        ),
        writes=True,
        destructive=True,
        refuse=_refuse_call,
    ),
    READ_FILE,
    write_file(
        "Use it to write a whole file: for new files and major rewrites. Use edit_article "
        "otherwise."
    ),
)
