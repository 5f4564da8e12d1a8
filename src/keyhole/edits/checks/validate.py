"""Validate a plan: what is wrong with the new texts, and whether that stops the call."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from keyhole import progress
from keyhole.edits.checks.guards import mistakes_in, mixed_encodings, new_lines, tabs_in_yaml
from keyhole.edits.checks.syntax.problem import Problem, ProblemDelta
from keyhole.edits.checks.syntax.table import syntax_of
from keyhole.edits.model.plan import FilePlan, Plan
from keyhole.fastclasses import dataclass, replace
from keyhole.phrases import FileName, say
from keyhole.refusals import Refusal, Refused
from keyhole.text.changes import ChangeSet
from keyhole.text.diff import numbered, window
from keyhole.text.document import Document

# Languages in which it never matters how many blanks there are between two words.
_FREE_FORM = frozenset({"csharp", "css", "dart", "java", "json", "jsonc", "json5", "rust", "zig"})


def check_file(file: FilePlan, exists: Callable[[str], bool]) -> ProblemDelta:
    """Return what is wrong with a file after the changes: what they bring, and what was there."""
    if file.after is None or file.moved_from or file.like or file.is_unchanged:
        return ProblemDelta()
    found = _read(file, file.after, exists)
    if misplaced := tuple(_misplaced(file)):
        found = replace(found, new=(*misplaced, *found.new))
    if all(change.text.isascii() for change in file.changes.changes):
        return found

    mixed = tuple(mixed_encodings(file))
    return replace(found, new=(*found.new, *mixed)) if mixed else found


def _misplaced(file: FilePlan) -> Iterator[Problem]:
    """Yield the edits whose text stands at another column than their place has."""
    lies = dict(zip(file.changes.changes, file.changes.spans_after(), strict=True))
    for edit in file.edits:
        if edit.misplaced:
            start, end = next((lies[each] for each in edit.changes if each in lies), (0, 0))
            yield Problem(start, end, edit.misplaced, code="bad-indentation")


def _read(file: FilePlan, after: Document, exists: Callable[[str], bool]) -> ProblemDelta:
    syntax = syntax_of(file.path, after)
    if after.flaw:
        message = f"the notebook cannot be read: {after.flaw}"
        flaw = (Problem(0, min(1, len(after.text)), message),)
        return ProblemDelta((), flaw) if file.before and file.before.flaw else ProblemDelta(flaw)
    guards = tuple(mistakes_in(file, syntax))
    # What a guard finds would break the syntax too, and the guard's message is the better one.
    if guards or not syntax or after.is_binary:
        return ProblemDelta(guards)
    before = file.before.text if file.before else None
    if before is not None and syntax in _FREE_FORM and _only_blanks(before, file.changes):
        return ProblemDelta()
    from keyhole.edits.checks.syntax.compare import delta

    found = delta(syntax, before, after.text, file.changes)
    if syntax == "yaml" and found.new:
        tabs = tuple(tabs_in_yaml(after.text, new_lines(file)))
        found = replace(found, new=tabs or found.new)
    if syntax == "markdown":
        from keyhole.edits.checks.markdown_checks import may_touch_structure, new_warnings

        if may_touch_structure(file, new_lines(file)):
            warned = new_warnings(file.path, before, after.text, exists)
            found = replace(found, new=(*found.new, *warned))
    return found


def _only_blanks(before: str, changes: ChangeSet) -> bool:
    """Tell whether the changes only change blanks: each line has the same words."""
    pairs = ((before[change.start : change.end], change.text) for change in changes.changes)
    return all(
        old and new and _words(old) == _words(new) and _edges(old) == _edges(new)
        for old, new in pairs
    )


def _words(text: str) -> list[list[str]]:
    return [line.split() for line in text.split("\n") if line.strip()]


def _edges(text: str) -> tuple[bool, bool]:
    return text[0].isspace(), text[-1].isspace()


Exists = Callable[[str], bool]

_MOST_OLD = 5


def validate(plan: Plan, mode: str, exists: Exists) -> Plan:
    """Return the plan with what the checks say, or refuse what would break a file.

    Only what the call brings stops it, and not in mode interactive. `exists` tells whether a linked
    file is there.
    """
    there = _as_planned(plan, exists)
    files: list[FilePlan] = []
    refusals: list[Refusal] = []
    progress.expect(len(plan.files), "checking files")
    for file in plan.files:
        found = check_file(file, there)
        progress.step()
        stops = [problem for problem in found.new if not problem.doubtful]
        if stops and mode != "interactive":
            refusals += _refusals(file, stops, mode)
        files.append(_with_findings(file, found))
    if refusals:
        raise Refused(*refusals)
    return Plan(tuple(files))


def _refusals(file: FilePlan, stops: Sequence[Problem], mode: str) -> list[Refusal]:
    from keyhole.edits.checks.diagnostics import refusals_of, with_diff

    first, *others = refusals_of(file, stops)
    return [with_diff(first, file) if mode == "verify_only" else first, *others]


def _with_findings(file: FilePlan, found: ProblemDelta) -> FilePlan:
    """Return the plan of a file with the findings of the checks as warnings."""
    if not (found.new or found.old or file.diagnostics):
        return file
    from keyhole.edits.checks.diagnostics import diagnostic_of

    new = (diagnostic_of(file, problem, "warning", new=True) for problem in found.new)
    old = (diagnostic_of(file, each, "warning", new=False) for each in found.old[:_MOST_OLD])
    return replace(file, diagnostics=(*new, *old))


def _as_planned(plan: Plan, exists: Exists) -> Exists:
    """Return which files there are once the plan is carried out."""
    planned = {file.path: file.after is not None for file in plan.files}
    return lambda path: planned[path] if path in planned else exists(path)


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
    """Tell whether most of a long file goes that nobody quoted: what is quoted is meant."""
    if file.before is None or file.after is None:
        return False
    changes = [change for edit in file.edits if edit.is_unquoted for change in edit.changes]
    had, gone = (
        len(file.before.text),
        sum(each.end - each.start - len(each.text) for each in changes),
    )
    return gone * 2 > had and file.before.line_count >= LONG


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
        mend="edit only the part you mean",
        path=file.path,
        hash_current=before.hash,
    )


def _quoted(document: Document, span: tuple[int, int]) -> str:
    if span[0] == span[1]:
        return "nothing in its place"
    lines = window(document, span, 0, _SHOWN)
    more = document.line_at(span[1] - 1) - lines[-1][0]
    return f"{numbered(lines)}{f'{chr(10)}... and {more} lines more' if more > 0 else ''}"
