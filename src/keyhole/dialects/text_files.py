"""The dialect `text-files`: `TextEdit` in the engine's words, and what it answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from keyhole.arguments import bad_argument, check_names, flag, objects, required
from keyhole.dialects.wording import (
    cut,
    hash_now,
    respelled,
    status_of,
    told,
    told_below,
    worth_a_look,
)
from keyhole.edits.operations import Edit, InOrder
from keyhole.phrases import Words, render
from keyhole.receipts import Receipt
from keyhole.refusals import Refusal, Refused

_FIELDS = ("oldString", "newString", "replaceAll")
_QUOTED = 100
# What our fields are called here.
NAMES = {"find": "oldString", "content": "newString", "expected_hash": "expectedHash"}


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
    own = [render(note, Words(NAMES)) for edit in file.plan.edits for note in edit.notes]
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
    return "\n".join(_explained(operation, each) for each in respelled(refusals, NAMES))


def _explained(operation: InOrder, refusal: Refusal) -> str:
    if refusal.edit is None:
        return told(refusal)
    head, quoted = f"Edit {refusal.edit}", cut(operation.edits[refusal.edit].find or "", _QUOTED)
    match refusal.code:
        case "not-found":
            said = f"{head}: oldString not found in {operation.path}: '{quoted}'"
            return "\n".join(filter(None, [said, told_below(refusal)]))
        case "ambiguous":
            lines = refusal.data.get("lines")
            places = ", ".join(map(str, lines)) if isinstance(lines, list) else ""
            move = "add surrounding text, or set replaceAll"
            return f"{head}: oldString is not unique (lines {places}): '{quoted}'; {move}"
    return f"{head}: {told(refusal)}"
