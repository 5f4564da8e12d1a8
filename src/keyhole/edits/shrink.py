"""Edits that delete more than half of a long file are refused or left out."""

from __future__ import annotations

from keyhole.edits.model.plan import FilePlan, Plan
from keyhole.fastclasses import dataclass
from keyhole.phrases import FileName, say
from keyhole.refusals import Refusal, Refused
from keyhole.text.diff import numbered, window
from keyhole.text.document import Document

# Lines from which on a file is long enough to ask before most of it goes.
LONG = 50
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class ShrinkCheck:
    """The plan without the files that shrink too much, and warnings about those."""

    plan: Plan
    warnings: tuple[str, ...] = ()


def check_shrink(plan: Plan, shrink: str) -> ShrinkCheck:
    """Return the plan without files that shrink by more than half, or refuse: as `shrink` says."""
    if shrink == "allow":
        return ShrinkCheck(plan)
    shrunk = [file for file in plan.files if _is_shrunk(file)]
    if not shrunk:
        return ShrinkCheck(plan)
    if shrink == "refuse":
        raise Refused(*map(_refusal, shrunk))
    if any(file.bound for file in shrunk):
        shrunk += [file for file in plan.files if file.bound and file not in shrunk]
    left_out = "{} was left out: most of it would have been deleted"
    warnings = (say(left_out, FileName(file.path)) for file in shrunk)
    return ShrinkCheck(
        Plan(tuple(file for file in plan.files if file not in shrunk)), tuple(warnings)
    )


def _is_shrunk(file: FilePlan) -> bool:
    if file.before is None or file.after is None:
        return False
    had, has = len(file.before.text), len(file.after.text)
    return has * 2 < had and file.before.line_count >= LONG


def _refusal(file: FilePlan) -> Refusal:
    before, after = file.before, file.after
    assert before is not None, "BUG: a file that comes does not shrink"
    assert after is not None, "BUG: a file that goes is asked for by name"
    first, last = file.changes.changes[0], file.changes.changes[-1]
    kept = list(file.changes.spans_after())
    sides = (
        "now:",
        _quoted(before, (first.start, last.end)),
        "then:",
        _quoted(after, (kept[0][0], kept[-1][1])),
    )
    return Refusal(
        "shrinks",
        say(
            "the call would leave {} of the {} lines of {}",
            after.line_count,
            before.line_count,
            FileName(file.path),
        ),
        where="\n".join(sides),
        help=say(
            "edit only the part you mean; if the rest shall go, "
            "{write:tool} with {allow_shrink:bare}"
        ),
        path=file.path,
        hash_current=before.hash,
    )


def _quoted(document: Document, span: tuple[int, int]) -> str:
    if span[0] == span[1]:
        return "nothing in its place"
    lines = window(document, span, 0, _SHOWN)
    more = document.line_at(span[1] - 1) - lines[-1][0]
    return f"{numbered(lines)}{f'{chr(10)}... and {more} lines more' if more > 0 else ''}"
