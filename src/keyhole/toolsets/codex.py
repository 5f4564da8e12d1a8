"""The set `codex`: `apply_patch`, one patch from *** Begin Patch to *** End Patch in a call."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from keyhole import arguments
from keyhole.answers.file_receipt import FileReceipt
from keyhole.answers.receipt import Receipt
from keyhole.edits.model.operations import MoveFile
from keyhole.engine.facade import Engine
from keyhole.patches.detect import parse
from keyhole.phrases import render
from keyhole.refusals import Refusal, Refused
from keyhole.toolsets.base import (
    Arguments,
    Caller,
    Tool,
    ToolAnswer,
    receipt_answer,
)
from keyhole.toolsets.schemas import string, taking
from keyhole.toolsets.wording import at_home, helped, met

_LETTERS = "AMD"
# What to do next with this tool, where our own help names what it does not have.
_HELP = {
    "not-found": "read the file, and send the hunk with its lines as they stand",
    "ambiguous": "give more lines of context, or an @@ line above the place",
    "file-exists": "update the file instead of adding it",
    "syntax-broken": "correct the new lines and send the patch again",
}


def _paths(given: Arguments) -> Iterable[str]:
    try:
        operations = parse(arguments.required(given, "input"))
    except Refused:
        return ()
    targets = [one.to for one in operations if isinstance(one, MoveFile)]
    return [*(one.path for one in operations), *targets]


def _apply_patch(engine: Engine, given: Arguments, caller: Caller) -> ToolAnswer:
    receipt = engine.patch(arguments.required(given, "input"), caller.options("apply_patch"))
    if not receipt.ok:
        raise Refused(*receipt.refusals)
    return ToolAnswer(_summary(receipt), receipt_answer(receipt, caller.detail).data)


def _reworded(refusals: Sequence[Refusal]) -> Sequence[Refusal]:
    return helped(at_home(refusals, "add it with *** Add File"), _HELP)


def _summary(receipt: Receipt) -> str:
    """Name each file with the letter of what became of it, then what was tolerated or warned of."""
    files = [(_letter(file), file.path) for file in receipt.files if not file.plan.moved_to]
    if receipt.outcome not in {"applied", "committed_pending"}:
        lines = [f"Nothing changed: {receipt.outcome}"]
    else:
        lines = ["Success. Updated the following files:"]
        lines += [f"{name} {path}" for letter in _LETTERS for name, path in files if name == letter]
    edits = [(file.path, edit) for file in receipt.files for edit in file.plan.edits]
    lines += [f"note: {path}: {render(note)}" for path, edit in edits for note in edit.notes]
    lines += [
        f"note: {path}: matched {edit.matched}" for path, edit in edits if edit.matched != "exact"
    ]
    lines += [f"warning: {render(warning)}" for warning in receipt.warnings]
    return "\n".join([*lines, *met(receipt)])


def _letter(file: FileReceipt) -> str:
    """Return A, M or D; a file that moved is a modified one at its new path."""
    if file.plan.after is None:
        return "D"
    return "A" if file.plan.before is None and not file.plan.moved_from else "M"


TOOLS = (
    Tool(
        "apply_patch",
        "Apply a patch",
        "Use it to add, update, move and delete files with one patch, all of it or nothing. "
        "Example: "
        '{"input": "*** Begin Patch\\n*** Update File: a.py\\n@@ def f():\\n-    return 1\\n'
        '+    return 2\\n*** End Patch"}',
        taking("input", input=string("the whole patch, from *** Begin Patch to *** End Patch")),
        _apply_patch,
        writes=True,
        destructive=True,
        paths=_paths,
        reworded=_reworded,
    ),
)
