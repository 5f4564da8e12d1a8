"""Problems as a receipt shows them (diagnostics) and as refusals with the place and a caret."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from keyhole.edits.checks.syntax.compare import delta
from keyhole.edits.checks.syntax.problem import Problem
from keyhole.edits.checks.syntax.table import syntax_of
from keyhole.edits.model.plan import Diagnostic, FilePlan, LocatedEdit
from keyhole.fastclasses import replace
from keyhole.phrases import FileName, say
from keyhole.refusals import Refusal
from keyhole.text.changes import Change, ChangeSet
from keyhole.text.diff import unified, window
from keyhole.text.document import Document, chop

_MOST_TRIED = 8


def edit_to_blame(file: FilePlan, problem: Problem, point: int) -> int | None:
    """Return the index of the edit that brought a problem.

    An open bracket is often noticed far away. So each of several edits is tried alone: the first
    that breaks the file by itself is to blame; where none does, the nearest one.
    """
    changed = [edit for edit in file.edits if edit.changes]
    if len(changed) <= 1:
        return changed[0].index if changed else None
    if problem.code == "syntax-broken" and len(changed) <= _MOST_TRIED:
        guilty = next((edit for edit in changed if _breaks_alone(file, edit)), None)
        if guilty:
            return guilty.index
    lies = dict(zip(file.changes.changes, file.changes.spans_after(), strict=True))
    return min(changed, key=lambda edit: _distance(edit, lies, point)).index


def _breaks_alone(file: FilePlan, edit: LocatedEdit) -> bool:
    assert file.before is not None, "BUG: a new file has one edit"
    assert file.after is not None, "BUG: a file that goes has no problems"
    before = file.before.text
    alone = ChangeSet.of(len(before), edit.changes)
    assert isinstance(alone, ChangeSet), "BUG: the changes of one edit do not overlap"
    found = delta(syntax_of(file.path, file.after), before, alone.apply(before), alone)
    return any(not problem.doubtful for problem in found.new)


def _distance(edit: LocatedEdit, lies: Mapping[Change, tuple[int, int]], point: int) -> int:
    spans = [lies[change] for change in edit.changes if change in lies]
    return min((max(start - point, point - end, 0) for start, end in spans), default=point)


_AROUND = 2
_WIDEST = 160
_QUOTED_TOO = say("write the code out, or put the same line into {find}, to keep its code")
_HELP = {
    "elision-left": "write the code out",
    "merge-markers": "settle the conflict and write the result",
    "control-characters": "leave them out, or write them as escapes",
    "bad-indentation": "indent as the file does at that place",
}


def diagnostic_of(file: FilePlan, problem: Problem, severity: str, *, new: bool) -> Diagnostic:
    """Return a problem with its line and column in the text after."""
    assert file.after is not None, "BUG: a file that goes has no problems"
    line, column = place_of(file.after, point_of(file, problem))
    cell = f"cell#{file.after.cell_at(line)}" if file.after.stored else ""
    line = file.after.line_shown(line)
    return Diagnostic(severity, problem.code, problem.message, line, column, new, cell)


def refusals_of(file: FilePlan, problems: Sequence[Problem]) -> list[Refusal]:
    """Return a refusal for each edit and code; each shows the first place and lists the rest."""
    groups: dict[tuple[str, int | None], list[Problem]] = {}
    for problem in problems:
        key = problem.code, edit_to_blame(file, problem, point_of(file, problem))
        groups.setdefault(key, []).append(problem)
    return [_refusal(file, edit, group) for (_, edit), group in groups.items()]


def _refusal(file: FilePlan, edit: int | None, group: Sequence[Problem]) -> Refusal:
    assert file.after is not None, "BUG: a file that goes has no problems"
    first, code = group[0], group[0].code
    point = point_of(file, first)
    line, column = place_of(file.after, point)
    found = [diagnostic_of(file, problem, "error", new=True).as_data() for problem in group]
    mend = _HELP.get(code, "correct the new text and send the call again")
    return Refusal(
        code,
        _headline(file.path, first, file.after.place_shown(line), column),
        where=with_caret(file.after, point),
        help=say(
            "{}; or set {mode:bare} interactive to write it as it is",
            _QUOTED_TOO if code == "elision-left" and file.before else mend,
        ),
        edit=edit,
        path=file.path,
        hash_current=file.before.hash if file.before else "",
        data={"line": file.after.line_shown(line), "column": column, "diagnostics": found},
        mend=mend,
        kind="check",
    )


def with_diff(refusal: Refusal, file: FilePlan) -> Refusal:
    """Return a refusal that shows the whole change, for a dry run."""
    diff = unified(file.path, file.before.text if file.before else None, file.changes)
    return replace(refusal, data={**refusal.data, "diff": diff})


def _headline(path: str, problem: Problem, line: str, column: int) -> str:
    if problem.code == "syntax-broken":
        broken = "{} would be broken at line {}, column {}: {}"
        return say(broken, FileName(path), line, column, problem.message)
    return say("line {} of {}: {}", line, FileName(path), problem.message)


def point_of(file: FilePlan, problem: Problem) -> int:
    """Return the one offset to show: where a change begins, if a wide problem holds one."""
    inside = (
        start for start, _ in file.changes.spans_after() if problem.start < start < problem.end
    )
    point = next(inside, problem.start)
    return min(point, len(file.after.text) if file.after else 0)


def place_of(document: Document, point: int) -> tuple[int, int]:
    """Return the line and column of an offset, from 1."""
    start = document.text.rfind(document.terminator, 0, point) + 1
    return document.line_at(point), point - start + 1


def with_caret(document: Document, point: int) -> str:
    """Return the lines around an offset, numbered, with a caret below it."""
    line, column = place_of(document, point)
    rows = window(document, (point, point), _AROUND)
    width = len(str(rows[-1][0])) if rows else 1
    shown: list[str] = []
    for at, text in rows:
        number = document.line_shown(at)
        if at != line:
            shown.append(f"{number:>{width}}| {text[:_WIDEST]}")
            continue
        left = max(column - 1 - _WIDEST // 2, 0)
        start = point - column + 1 + left
        end = document.text.find(document.terminator, point)
        cut = document.text[start : end if end >= 0 else None][:_WIDEST]
        blanks = "".join("\t" if sign == "\t" else " " for sign in cut[: column - 1 - left])
        shown += [f"{number:>{width}}| {chop(cut)}", f"{' ' * width}  {blanks}^"]
    return "\n".join(shown)
