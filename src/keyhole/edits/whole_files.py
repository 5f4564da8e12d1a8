"""Operations on a file as a whole: write it, delete it, move it."""

from __future__ import annotations

from collections.abc import Sequence

from keyhole.edits.by_text.explain import not_found
from keyhole.edits.by_text.quoted import Missing
from keyhole.edits.by_text.target import Target
from keyhole.edits.checks.validate import LONG
from keyhole.edits.combine import combine
from keyhole.edits.locate import locate_hunk, numbered
from keyhole.edits.model.hunk import Hunk
from keyhole.edits.model.operations import CopyFile, DeleteFile, MoveFile, SetMode, WriteFile
from keyhole.edits.model.plan import FilePlan, LocatedEdit, Snapshot
from keyhole.fastclasses import replace
from keyhole.matching.view import plain_newlines
from keyhole.phrases import FileName, say
from keyhole.refusals import Refusal, Refused
from keyhole.text.align import unchanged
from keyhole.text.changes import Change, ChangeSet
from keyhole.text.diff import diff
from keyhole.text.document import Document, chop, split_lines, stored_as


def write_file(operation: WriteFile, index: int, snapshot: Snapshot) -> FilePlan:
    """Plan a whole text for a file; an existing file keeps its encoding, mark and line ends.

    The engine checks that the caller knows the hash of an existing file.
    """
    before = snapshot.files[operation.path]
    if before is None or operation.path in snapshot.leaving:
        encoding = stored_as(operation.path, snapshot.encoding or None)
        after = Document.from_bytes(b"", encoding).with_stored(operation.content)
        changes = ChangeSet(0, (Change(0, 0, after.text),) if after.text else ())
        plan = _whole(operation, index, None, after, changes)
        return replace(plan, executable=operation.executable or None)
    after = before.with_stored(_in_newlines_of(before, operation.content))
    _refuse_shrinking(operation, before, after)
    return _whole(operation, index, before, after, diff(before.text, after.text))


def _in_newlines_of(before: Document, content: str) -> str:
    """Return plain content with the file's line ends; kept lines keep their own ends."""
    if before.stored or "\r" in content or "\r" not in before.text:
        return content
    had, wanted = split_lines(before.text, before.terminator), split_lines(content)
    old, new = [chop(line) for line in had], [chop(line) for line in wanted]
    ends = [before.newline if line.endswith("\n") else "" for line in wanted]
    for i, j in unchanged(old, new):
        if ends[j] and (end := had[i][len(old[i]) :]):
            ends[j] = end
    return "".join(line + end for line, end in zip(new, ends, strict=True))


def _refuse_shrinking(operation: WriteFile, before: Document, after: Document) -> None:
    had, has = before.line_count, after.line_count
    if operation.allow_shrink or had < LONG or has * 2 >= had:
        return
    raise Refused(
        Refusal(
            "shrinks",
            say(
                "the write would leave {} of the {} lines of {}", has, had, FileName(operation.path)
            ),
            help=say("edit the part you mean, or set {allow_shrink:bare} if the rest shall go"),
            mend="edit the part you mean",
            hash_current=before.hash,
        )
    )


def delete_file(operation: DeleteFile, index: int, snapshot: Snapshot) -> FilePlan:
    """Plan a file's deletion."""
    before = _existing(operation.path, snapshot)
    expected = operation.expect
    if expected is not None and not _has_text(before, expected):
        headline = say("{} is not as the deletion says it is", FileName(operation.path))
        help_line = "look at what would be lost; delete the file without its text if it shall go"
        raise Refused(Refusal("not-found", headline, help=help_line, hash_current=before.hash))
    gone = _whole(operation, index, before, None, _all_of(before))
    return replace(gone, is_program=operation.path in snapshot.programs)


def _has_text(document: Document, text: str) -> bool:
    """Tell whether a file has a text, however its lines end, or its very bytes."""
    if plain_newlines(document.text) == plain_newlines(text):
        return True
    return document.to_bytes() == text.encode("utf-8", "surrogateescape")


def move_file(operation: MoveFile, index: int, snapshot: Snapshot) -> list[FilePlan]:
    """Plan a move: the old path goes, the new one comes with the same bytes."""
    before = _existing(operation.path, snapshot)
    if not _is_free(operation.to, snapshot):
        headline = say(
            "cannot move {} to {}: there already is such a file",
            FileName(operation.path),
            FileName(operation.to),
        )
        raise Refused(
            Refusal("file-exists", headline, help="choose another path, or delete that file first")
        )
    gone = _whole(operation, index, before, None, _all_of(before))
    plan = _text_after(operation.path, before, operation.hunks)
    gone = replace(gone, edits=(replace(gone.edits[0], notes=_located_hunks(plan)),))
    is_program = operation.path in snapshot.programs
    mode = operation.executable if operation.executable != is_program else None
    return [
        replace(gone, moved_to=operation.to, is_program=is_program),
        replace(
            _new(operation.to, plan.after),
            moved_from=operation.path,
            executable=mode,
            is_program=is_program,
        ),
    ]


def copy_file(operation: CopyFile, index: int, snapshot: Snapshot) -> FilePlan:
    """Plan a new file with the text and the executable bit of another."""
    before = _existing(operation.source, snapshot)
    if not _is_free(operation.path, snapshot):
        headline = say(
            "cannot copy {} to {}: there is such a file",
            FileName(operation.source),
            FileName(operation.path),
        )
        raise Refused(Refusal("file-exists", headline, help="choose another path"))
    plan = _text_after(operation.source, before, operation.hunks)
    is_program = operation.source in snapshot.programs
    mode = is_program if operation.executable is None else operation.executable
    notes = (say("copied from {}", FileName(operation.source)), *_located_hunks(plan))
    new = _new(operation.path, plan.after)
    placed = LocatedEdit(index, new.changes.changes, reason=operation.reason, notes=notes)
    return replace(new, edits=(placed,), executable=mode or None)


def _new(path: str, after: Document | None) -> FilePlan:
    assert after is not None, "BUG: a file that is moved or copied stays a file"
    changes = ChangeSet(0, (Change(0, 0, after.text),) if after.text else ())
    return FilePlan(path, None, after, changes)


def _located_hunks(plan: FilePlan) -> tuple[str, ...]:
    """Return how each hunk of a moved or copied file found its place."""
    rows = []
    for edit in plan.edits:
        line = plan.before.line_at(edit.span[0]) if plan.before else 1
        rows.append(f"hunk {edit.index + 1}: line {line}, matched {edit.matched}")
        rows += [say("hunk {}: {}", edit.index + 1, note) for note in edit.notes]
    return tuple(rows)


def _text_after(path: str, before: Document, hunks: Sequence[Hunk]) -> FilePlan:
    """Return the text that the hunks of a move or copy make, or refuse every hunk that fails."""
    target = Target(path, before)
    placed: list[LocatedEdit] = []
    refusals: list[Refusal] = []
    for number, hunk in enumerate(hunks):
        try:
            placed.append(numbered(locate_hunk(hunk, target), number))
        except Missing as missing:
            found = not_found(missing.name, path, target.view, missing.quote, missing.scope)
            # An offer would change the file and leave it where it is.
            refusals.append(_of_hunk(number, replace(found.refusal, candidates=())))
        except Refused as refused:
            refusals += [_of_hunk(number, refusal) for refusal in refused.refusals]
    if refusals:
        raise Refused(*refusals)
    return combine(target, placed)


def _of_hunk(number: int, refusal: Refusal) -> Refusal:
    return replace(refusal, headline=say("hunk {}: {}", number + 1, refusal.headline))


def _is_free(path: str, snapshot: Snapshot) -> bool:
    return snapshot.files[path] is None or path in snapshot.leaving


def _existing(path: str, snapshot: Snapshot) -> Document:
    before = snapshot.files[path]
    if before is None:
        headline = say("there is no file {}", FileName(path))
        raise Refused(Refusal("no-file", headline, help="check the path"))
    return before


def _all_of(document: Document) -> ChangeSet:
    size = len(document.text)
    return ChangeSet(size, (Change(0, size, ""),) if size else ())


def _whole(
    operation: WriteFile | DeleteFile | MoveFile,
    index: int,
    before: Document | None,
    after: Document | None,
    changes: ChangeSet,
) -> FilePlan:
    size = len(before.text) if before else 0
    placed = LocatedEdit(index, changes.changes, reason=operation.reason, span=(0, size))
    return FilePlan(operation.path, before, after, changes, (placed,))


def untouched(path: str, document: Document) -> FilePlan:
    """Return the plan of a file whose text stays."""
    return FilePlan(path, document, document, ChangeSet(len(document.text)))


def with_modes(
    plan: FilePlan, modes: Sequence[tuple[int, SetMode]], snapshot: Snapshot
) -> FilePlan:
    """Return a file's plan with its mode, or refuse two that contradict each other."""
    if len({operation.executable for _, operation in modes}) > 1:
        headline = say("{} shall be a program and shall be none", FileName(plan.path))
        index = modes[1][0]
        help_line = "send one of the two"
        raise Refused(Refusal("bad-request", headline, help=help_line).at(edit=index))
    for index, operation in modes:
        is_so = (plan.path in snapshot.programs) == operation.executable
        kind = "a program" if operation.executable else "no program"
        notes = (f"the file is {kind} already",) if is_so else ()
        placed = LocatedEdit(
            index, (), reason=operation.reason, notes=notes, already_applied=is_so, is_mode=True
        )
        edits = sorted((*plan.edits, placed), key=lambda edit: edit.index)
        wanted = None if is_so else operation.executable
        plan = replace(plan, edits=tuple(edits), executable=wanted)
    return plan
