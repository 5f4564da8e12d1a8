"""The dialect `surgical`: `edit_file`, `patch_file` and `insert_at` in the engine's words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from keyhole.arguments import bad_argument, integer, required
from keyhole.dialects.wording import (
    at_home,
    hash_now,
    in_truth,
    is_proposed,
    plural,
    respelled,
    told,
    worth_a_look,
)
from keyhole.edits.operations import Edit
from keyhole.file_receipts import FileReceipt
from keyhole.phrases import Words, render, say
from keyhole.receipts import Receipt
from keyhole.refusals import Refusal, Refused
from keyhole.values import replace

# What our fields are called: in `edit_file`, and in the tools that quote nothing.
_EDIT_NAMES = {"find": "old_content", "content": "new_content"}
_NAMES = {"lines": "line"}


def names_of(given: Mapping[str, object]) -> Mapping[str, str]:
    """Return what our fields are called in the tool that is called with these arguments."""
    return _EDIT_NAMES if "old_content" in given else _NAMES


def edit(given: Mapping[str, object]) -> Edit:
    """Return what a call of `edit_file` asks for, or refuse it."""
    old = required(given, "old_content")
    if not old:
        move = "quote the text to replace; insert_at adds text"
        raise Refused(bad_argument("old_content", "`old_content` is empty", move))
    return Edit(
        path=required(given, "path"),
        find=old,
        content=required(given, "new_content"),
        occurrence=_occurrence(given),
        verbatim=True,
    )


def _occurrence(given: Mapping[str, object]) -> str | int:
    number = integer(given, "occurrence", 1)
    if number < -1:
        headline = f"`occurrence` is {number}; it is 1, 2, ..., -1 for the last or 0 for all"
        raise Refused(bad_argument("occurrence", headline))
    return {0: "all", -1: "last", 1: "first"}.get(number, number)


def insertion(given: Mapping[str, object]) -> Edit:
    """Return what a call of `insert_at` asks for: after line n, before the first, or at the end."""
    if given.get("line") is None:
        raise Refused(bad_argument("line", "`line` is missing"))
    line = integer(given, "line", 0)
    if line < -1:
        headline = (
            f"`line` is {line}; it is 0 for the beginning, n for after line n, -1 for the end"
        )
        raise Refused(bad_argument("line", headline))
    content = required(given, "content")
    path = required(given, "path")
    return Edit(path=path, lines=line, action="after", content=content, indent="keep")


def done(verb: str, receipt: Receipt, given: Mapping[str, object]) -> dict[str, object]:
    """Return the answer to a call that was carried out."""
    first, *others = receipt.files
    data = first.as_data("brief")
    plan, edits = first.plan, first.plan.edits
    lines = [edit["lines_after"] for edit in _listed(data["edits"])]
    before = plan.before.line_count if plan.before else 0
    after = plan.after.line_count if plan.after else 0
    found = sum(edit.found for edit in edits)
    replaced = sum(0 if edit.already_applied else edit.replaced for edit in edits)
    backup = next((_beside(first, file.path) for file in others if ".bak" in file.path), None)
    answer: dict[str, object] = {
        "success": True,
        "path": first.path,
        "changed": receipt.outcome in {"applied", "committed_pending"},
        "found": found,
        "replaced": replaced,
        "lines": lines,
        "linesBefore": before,
        "linesAfter": after,
        "backup": backup,
        "hash": hash_now(receipt),
        "transaction": receipt.transaction,
        "warnings": _warnings(receipt, Words(names_of(given))),
    }
    same = not answer["changed"] and not is_proposed(receipt)
    output = f"Nothing to change in {first.path}" if same else _output(verb, answer)
    return {"output": in_truth(receipt, output), **answer}


def _beside(file: FileReceipt, path: str) -> str:
    """Return the name of a backup in the words in which its file was named."""
    given, own = file.path, file.plan.path
    return f"{given.removesuffix(own)}{path}" if given.endswith(f"/{own}") else path


def _listed(value: object) -> list[dict[str, object]]:
    return value if isinstance(value, list) else []


def _warnings(receipt: Receipt, words: Words) -> list[str]:
    """Return everything worth a second look, conflicts with other tasks included."""
    file = receipt.files[0]
    notes = [render(note, words) for edit in file.plan.edits for note in edit.notes]
    rungs = [f"matched {e.matched}" for e in file.plan.edits if e.matched != "exact"]
    return [*rungs, *notes, *worth_a_look(receipt)]


def _output(verb: str, answer: Mapping[str, object]) -> str:
    where = _place(answer["lines"])
    counts = f"{answer['linesBefore']} -> {answer['linesAfter']} lines"
    kept = f", backup {answer['backup']}" if answer["backup"] else ""
    times = plural(int(str(answer["replaced"])), "place")
    return f"{verb} {answer['path']}: {times}{where}, {counts}{kept}"


def _place(lines: object) -> str:
    pairs = lines if isinstance(lines, list) else []
    if not pairs:
        return ""
    return f" at line {pairs[0][0]}" if len(pairs) == 1 else f" from line {pairs[0][0]} on"


def explained(refusals: Sequence[Refusal], given: Mapping[str, object]) -> tuple[Refusal, ...]:
    """Return refusals in the words of the document."""
    known = at_home(respelled(refusals, names_of(given)), "create it")
    return tuple(_explained(one, given) for one in known)


def _explained(refusal: Refusal, given: Mapping[str, object]) -> Refusal:
    found, total = refusal.data.get("lines"), refusal.data.get("total_lines")
    if refusal.code == "no-file" and refusal.kind != "directory":
        return replace(refusal, help="use write_file to create it")
    if refusal.code == "not-found" and isinstance(found, list):
        number = given.get("occurrence")
        headline = f"Requested occurrence {number} but only {len(found)} found"
        return replace(refusal, headline=headline)
    if refusal.code == "not-found" and total is not None and "line" in given:
        headline = f"line {given['line']} is out of bounds (file has {total} lines)"
        move = f"give 0 for the beginning, 1 to {total} for after that line, or -1 for the end"
        return replace(refusal, headline=headline, help=move)
    if refusal.code == "not-found":
        quote = str(given.get("old_content") or "")[:100]
        looked = say("looked for: {}\n{}", repr(quote), refusal.where)
        where = looked if quote else refusal.where
        return replace(refusal, where=where)
    return refusal


def refused(refusals: Sequence[Refusal]) -> dict[str, object]:
    """Return the answer to a call that was refused."""
    error = "\n".join(map(told, refusals))
    data: dict[str, object] = {"success": False, "error": error, "code": refusals[0].code}
    if refusals[0].hash_current:
        data["hash"] = refusals[0].hash_current
    if refusals[0].candidates:
        data["candidates"] = [each.as_data() for each in refusals[0].candidates]
    return data
