"""The set `codex`: `apply_patch`, one patch from *** Begin Patch to *** End Patch in a call."""

from __future__ import annotations

from collections.abc import Iterable

from keyhole import arguments
from keyhole.dialects import begin_patch
from keyhole.edits.operations import MoveFile
from keyhole.engine import Engine
from keyhole.receipts import Receipt
from keyhole.refusals import Refused
from keyhole.toolsets.base import Arguments, Caller, Said, Tool, receipt_said
from keyhole.toolsets.schemas import taking, text


def _paths(given: Arguments) -> Iterable[str]:
    try:
        operations = begin_patch.parse(arguments.required(given, "input"))
    except Refused:
        return ()
    targets = [one.to for one in operations if isinstance(one, MoveFile)]
    return [*(one.path for one in operations), *targets]


def _apply_patch(engine: Engine, given: Arguments, caller: Caller) -> Said:
    operations = begin_patch.parse(arguments.required(given, "input"))
    receipt = engine.edit(operations, caller.options("apply_patch"))
    said = receipt_said(receipt)
    return Said(_summary(receipt), said.data) if receipt.ok else said


def _summary(receipt: Receipt) -> str:
    """Name each file with the letter of what became of it."""
    lines = ["Success. Updated the following files:"]
    for file in receipt.files:
        letter = "A" if file.plan.before is None else "D" if file.plan.after is None else "M"
        lines.append(f"{letter} {file.path}")
    return "\n".join(lines)


TOOLS = (
    Tool(
        "apply_patch",
        "Apply a patch",
        "Add, update, move and delete files with one patch, all of it or nothing. Example: "
        '{"input": "*** Begin Patch\\n*** Update File: a.py\\n@@ def f():\\n-    return 1\\n'
        '+    return 2\\n*** End Patch"}',
        taking("input", input=text("the whole patch, from *** Begin Patch to *** End Patch")),
        _apply_patch,
        writes=True,
        destructive=True,
        paths=_paths,
    ),
)
