"""Resolve: operations and a snapshot to a plan, or every refusal at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial

from keyhole import progress
from keyhole.edits.by_text.explain import (
    ExplainedRefusal,
    Offering,
    not_found,
    offer_of,
    one_of_many,
    written_earlier,
)
from keyhole.edits.by_text.quoted import Missing
from keyhole.edits.by_text.target import Target, versions_of
from keyhole.edits.combine import combine
from keyhole.edits.locate import DisplacedQuote, at_meant_place, locate, locate_hunk, numbered
from keyhole.edits.model.hunk import Hunk
from keyhole.edits.model.operations import (
    CopyFile,
    DeleteFile,
    Edit,
    InOrder,
    MoveFile,
    Numbered,
    Operation,
    SetMode,
    WriteFile,
    is_series,
    stage_of,
)
from keyhole.edits.model.plan import CandidateEdit, FilePlan, LocatedEdit, Plan, Snapshot
from keyhole.edits.repeated import makes_present_text
from keyhole.edits.whole_files import (
    copy_file,
    delete_file,
    move_file,
    untouched,
    with_modes,
    write_file,
)
from keyhole.fastclasses import dataclass, field, replace
from keyhole.phrases import Accept, FileName, say
from keyhole.refusals import Candidate, Refusal, Refused
from keyhole.text.lines import range_shown

_MOST_EXPLAINED = 50
_MOST_TOLD = 200
# Each stage reads the files anew: many of them would take longer than anybody waits.
_MOST_STAGES = 300


class Unresolved(Refused):
    """The refusals of a call, and the edits they offer instead."""

    def __init__(self, refusals: Sequence[Refusal], offered: Sequence[CandidateEdit]) -> None:
        super().__init__(*refusals)
        self.offered = tuple(offered)


@dataclass
class _Answers:
    """The refusals and candidates of a call so far."""

    refusals: list[Refusal] = field(default_factory=list)
    offered: list[CandidateEdit] = field(default_factory=list)
    written: list[str] = field(default_factory=list)
    # Whether somebody reads them; those of a second try are only counted.
    tells: bool = True


def resolve(
    operations: Sequence[Operation],
    snapshot: Snapshot,
    offered: Mapping[str, CandidateEdit] | None = None,
) -> Plan:
    """Return the plan of all operations, each located on the text before the call, or refuse.

    A refusal is raised as `Unresolved`, with one for every operation that cannot be carried out.
    The path of every operation must be a key of the snapshot.
    """
    answers, counted = _Answers(), tuple(enumerate(operations))
    progress.expect(len(operations), "locating edits")
    if is_series(operations):
        files = _resolve_series(counted, snapshot, answers)
    else:
        files = _resolve_stage(counted, snapshot, offered or {}, answers)
    if answers.refusals:
        answers.refusals.sort(key=lambda refusal: (refusal.edit is None, refusal.edit or 0))
        if len(operations) > 1 and answers.offered:
            _offer_the_call(counted, snapshot, offered or {}, answers)
        raise Unresolved(answers.refusals, answers.offered)
    return Plan(tuple(files))


def _offer_the_call(
    operations: Sequence[Numbered],
    snapshot: Snapshot,
    offered: Mapping[str, CandidateEdit],
    answers: _Answers,
) -> None:
    """Let candidates of the one edit that failed carry out the others, or say that they do not."""
    from keyhole.edits.whole_call import alone, renamed, with_rest

    failed, rest = {refusal.edit for refusal in answers.refusals}, _Answers(tells=False)
    others = [each for each in operations if each[0] not in failed]
    files = _resolve_stage(others, snapshot, offered, rest) if len(failed) == 1 else []
    only_edits = all(isinstance(each, Edit | Hunk) for _, each in others)
    if rest.refusals or len(failed) != 1 or not only_edits:
        answers.refusals = list(map(alone, answers.refusals))
        return
    before, answers.offered = answers.offered, with_rest(answers.offered, Plan(tuple(files)))
    answers.refusals = [renamed(each, before, answers.offered) for each in answers.refusals]


def _resolve_series(
    operations: Sequence[Numbered], snapshot: Snapshot, answers: _Answers
) -> list[FilePlan]:
    """Resolve operations stage by stage, or hunks all at once where only that fits.

    Several parts of a patch for one file follow each other, as `git apply` and `patch` take them.
    Some agents write each of them for the file as it stands.
    """
    from keyhole.edits.series import in_series

    only_hunks = all(isinstance(each, Hunk) for _, each in operations)
    stages = stage_of(operations[-1][1])
    if stages > _MOST_STAGES and only_hunks:
        return _resolve_stage(operations, snapshot, {}, answers)
    if stages > _MOST_STAGES:
        answers.refusals.append(_too_long(stages))
        return []

    def stage(group: Sequence[Numbered], present: Snapshot) -> list[FilePlan]:
        return _resolve_stage(group, present, {}, answers)

    files = in_series(operations, snapshot, stage, answers.refusals)
    if answers.refusals and only_hunks:
        at_once = _Answers(tells=False)
        found = _resolve_stage(operations, snapshot, {}, at_once)
        if not at_once.refusals:
            answers.refusals.clear()
            return found
    # What is offered may be for a text that an earlier stage leaves.
    answers.offered.clear()
    return files


def _too_long(stages: int) -> Refusal:
    headline = f"{stages} parts of the patch follow each other; the most is {_MOST_STAGES}"
    return Refusal("too-large", headline, help="send it in several calls")


def _resolve_stage(
    operations: Sequence[Numbered],
    snapshot: Snapshot,
    offered: Mapping[str, CandidateEdit],
    answers: _Answers,
) -> list[FilePlan]:
    """Resolve operations that never see each other, file by file."""
    by_path: dict[str, list[Numbered]] = {}
    for index, operation in operations:
        by_path.setdefault(operation.path, []).append((index, operation))
    files: list[FilePlan] = []
    for path, group in by_path.items():
        files += _resolve_file(path, group, snapshot, offered, answers)
    if len(files) < 2:
        return files
    # A name that one file leaves and another takes has a plan for each.
    sides = [(file.path, file.path in snapshot.leaving and file.after is None) for file in files]
    twice = [path for (path, _), count in Counter(sides).items() if count > 1]
    answers.refusals += map(_written_twice, twice)
    return files


def _resolve_file(
    path: str,
    group: Sequence[Numbered],
    snapshot: Snapshot,
    offered: Mapping[str, CandidateEdit],
    answers: _Answers,
) -> list[FilePlan]:
    document = snapshot.files[path]
    edits = [(index, each) for index, each in group if isinstance(each, Edit | Hunk)]
    modes = [(index, each) for index, each in group if isinstance(each, SetMode)]
    if len(edits) + len(modes) < len(group):
        return _resolve_whole(path, group, snapshot, answers)
    if document is None and (made := _new_file_of(path, group)):
        return _resolve_whole(path, [(group[0][0], made)], snapshot, answers)
    if document is None:
        answers.refusals += [_no_file(path).at(edit=index, path=path) for index, _ in group]
        return []
    if document.flaw:
        from keyhole.edits.cell_marks import no_notebook

        answers.refusals += [no_notebook(path, document).at(edit=index) for index, _ in group]
        return []
    quotes = [each.find for _, each in edits if isinstance(each, Edit) and each.find]
    target = Target(path, document, versions_of(path, snapshot), quotes, snapshot.detect)
    placed = _locate_all(edits, target, offered, answers)
    if answers.refusals and len(placed) < len(edits):
        return []
    try:
        if len(placed) > 1:
            from keyhole.edits.neighbours import fitted_together

            placed = fitted_together(target, edits, placed)
        has_versions = snapshot.shown or snapshot.past
        was_made = partial(_was_applied, path, group, snapshot) if has_versions else None
        plan = combine(target, placed, was_made) if placed else untouched(path, document)
        return [with_modes(plan, modes, snapshot) if modes else plan]
    except Refused as refused:
        answers.refusals += [refusal.at(path=path) for refusal in refused.refusals]
        answers.offered += refused.offered if isinstance(refused, Offering) else ()
        return []


def _was_applied(path: str, group: Sequence[Numbered], snapshot: Snapshot) -> bool:
    """Tell whether the edits of a file, made on an older version, come to the present text."""

    def on(base: Snapshot) -> FilePlan | None:
        made = _resolve_file(path, group, base, {}, _Answers(tells=False))
        return made[0] if made else None

    return makes_present_text(path, snapshot, on)


def _locate_all(
    edits: Sequence[tuple[int, Edit | Hunk]],
    target: Target,
    offered: Mapping[str, CandidateEdit],
    answers: _Answers,
) -> list[LocatedEdit]:
    """Return the located edits; after many refusals the others are not looked at."""
    placed = []
    for number, (index, edit) in enumerate(edits):
        if len(answers.refusals) >= _MOST_TOLD:
            answers.refusals.append(_not_looked_at(len(edits) - number, target.path))
            break
        if found := _try_locate(index, edit, target, offered, answers):
            placed.append(found)
    return placed


def _not_looked_at(count: int, path: str) -> Refusal:
    return Refusal(
        "bad-request",
        say(
            "{} more edits of {} were not looked at: {} are refused already",
            count,
            FileName(path),
            _MOST_TOLD,
        ),
        help="mend what is refused, and send fewer edits in one call",
        path=path,
    )


def _new_file_of(path: str, group: Sequence[Numbered]) -> WriteFile | None:
    """Return the new file of a lone hunk that has no old lines."""
    (_, hunk), *more = group
    if more or not isinstance(hunk, Hunk) or not hunk.says_start or hunk.old:
        return None
    text = "".join(f"{line}\n" for line in hunk.new)
    text = text.removesuffix("\n") if hunk.open_after else text
    return WriteFile(path, text, reason=hunk.reason, holds_bytes=True)


def _try_locate(
    index: int,
    edit: Edit | Hunk,
    target: Target,
    offered: Mapping[str, CandidateEdit],
    answers: _Answers,
) -> LocatedEdit | None:
    try:
        if isinstance(edit, Hunk):
            return numbered(at_meant_place(edit, locate_hunk(edit, target), target), index)
        return numbered(at_meant_place(edit, locate(edit, target, offered), target), index)
    except DisplacedQuote as elsewhere:
        refusals: tuple[Refusal, ...] = (elsewhere.explained.refusal,)
        answers.offered += elsewhere.explained.offered
    except Missing as missing:
        explained = _explained(missing, target, answers)
        refusals = (explained.refusal,)
        answers.offered += explained.offered
    except Refused as refused:
        refusals = _offered(refused.refusals, edit, target, answers)
        answers.offered += refused.offered if isinstance(refused, Offering) else ()
    finally:
        progress.step()
        answers.written.append(
            "\n".join(edit.new) if isinstance(edit, Hunk) else edit.content or ""
        )
    at = {"path": target.path, "hash_current": target.document.hash}
    if target.document.stored:
        from keyhole.edits.cell_marks import counted_in_cells

        refusals = tuple(counted_in_cells(refusal, target.document) for refusal in refusals)
    answers.refusals += [refusal.at(edit=index, **at) for refusal in refusals]
    return None


def _offered(
    refusals: tuple[Refusal, ...], edit: Edit | Hunk, target: Target, answers: _Answers
) -> tuple[Refusal, ...]:
    """Return refusals, with the edits of the places that may have been meant."""
    if not answers.tells or len(answers.refusals) >= _MOST_EXPLAINED:
        return refusals
    explained = [with_offers(refusal, edit, target) for refusal in refusals]
    answers.offered += [offer for each in explained for offer in each.offered]
    return tuple(each.refusal for each in explained)


def _explained(missing: Missing, target: Target, answers: _Answers) -> ExplainedRefusal:
    """Return refusals with the nearest places, for the first few missing quotes."""
    if not answers.tells or len(answers.refusals) >= _MOST_EXPLAINED:
        return one_of_many(missing.name, target.path)
    if any(missing.quote.old in text for text in answers.written):
        return written_earlier(missing.name, target.path)
    return not_found(missing.name, target.path, target.view, missing.quote, missing.scope)


def _no_file(path: str) -> Refusal:
    help_line = say("check the path; {write:tool} creates a file")
    return Refusal("no-file", say("there is no file {}", FileName(path)), help=help_line)


def _written_twice(path: str) -> Refusal:
    return Refusal(
        "bad-request",
        say("two operations of the call write {}", FileName(path)),
        help="send them in calls of their own",
        path=path,
    )


def _is_exchange(group: Sequence[Numbered]) -> bool:
    """Tell whether two operations free a path and write it."""
    if len(group) != 2:
        return False
    (_, first), (_, second) = group
    if isinstance(first, MoveFile) or isinstance(second, MoveFile):
        return isinstance(first, WriteFile | CopyFile) or isinstance(second, WriteFile | CopyFile)
    return isinstance(first, DeleteFile) and isinstance(second, WriteFile | CopyFile)


def _resolve_whole(
    path: str, group: Sequence[Numbered], snapshot: Snapshot, answers: _Answers
) -> list[FilePlan]:
    """Resolve the one operation on a file as a whole."""
    if path in snapshot.leaving and _is_exchange(group):
        return [plan for each in group for plan in _resolve_whole(path, [each], snapshot, answers)]
    if len(group) > 1:
        index = group[1][0]
        headline = say(
            "{} is written as a whole, and has other edits in the same call", FileName(path)
        )
        help_line = "send them in calls of their own"
        answers.refusals.append(
            Refusal("bad-request", headline, help=help_line, edit=index, path=path)
        )
        return []
    index, operation = group[0]
    progress.step()
    try:
        if isinstance(operation, InOrder):
            from keyhole.edits.in_order import in_order

            return [in_order(operation, snapshot)]
        if isinstance(operation, WriteFile):
            return [write_file(operation, index, snapshot)]
        if isinstance(operation, DeleteFile):
            return [delete_file(operation, index, snapshot)]
        if isinstance(operation, CopyFile):
            return [copy_file(operation, index, snapshot)]
        assert isinstance(operation, MoveFile), "BUG: an operation of no known kind"
        return move_file(operation, index, snapshot)
    except Refused as refused:
        answers.refusals += [refusal.at(edit=index, path=path) for refusal in refused.refusals]
        return []


_OTHERWISE = "name the segment as the outline does"
_MOST_OFFERED = 20


def with_offers(refusal: Refusal, edit: Edit | Hunk, target: Target) -> ExplainedRefusal:
    """Return a refusal of a name or quote; each place that could take the edit has an id."""
    if refusal.code not in {"unknown-segment", "ambiguous"}:
        return ExplainedRefusal(refusal)
    near = refusal.candidates[:_MOST_OFFERED]
    found = [(each, _proposal(each, refusal, edit, target)) for each in near]
    offered = tuple(offer for _, offer in found if offer)
    if not offered:
        return ExplainedRefusal(refusal)
    candidates = tuple(
        replace(each, accept=offer.accept) if offer else each for each, offer in found
    )
    candidates += refusal.candidates[_MOST_OFFERED:]
    first = next(each for each in candidates if each.accept)
    other = refusal.help if refusal.code == "ambiguous" else _OTHERWISE
    place = f"`{first.segment}`" if first.segment else _spelled(first.lines, target)
    move = say("if {} is meant, {}; else {}", place, Accept(first.accept), other)
    return ExplainedRefusal(replace(refusal, candidates=candidates, help=move, mend=other), offered)


def _spelled(lines: tuple[int, int], target: Target) -> str:
    first, last = lines
    if first == last:
        return f"line {target.document.place_shown(first)}"
    return f"the place at lines {range_shown(target.document, lines)}"


def _proposal(
    candidate: Candidate, refusal: Refusal, edit: Edit | Hunk, target: Target
) -> CandidateEdit | None:
    """Return the edit at one place, or None where that would change nothing or is refused."""
    try:
        placed = _placed_at(candidate, refusal, edit, target)
    except (Refused, Missing):
        return None
    is_sound = placed is not None and bool(placed.changes) and not placed.misplaced
    return offer_of(target.path, target.document, placed) if placed and is_sound else None


def _placed_at(
    candidate: Candidate, refusal: Refusal, edit: Edit | Hunk, target: Target
) -> LocatedEdit | None:
    """Locate an edit at one of the places that it fits, if the lines tell it from the others."""
    if isinstance(edit, Edit) and candidate.segment:
        return locate(replace(edit, segment=candidate.segment), target, {})
    first, lines = candidate.lines[0], refusal.data.get("lines")
    if not isinstance(lines, list) or lines.count(first) != 1:
        return None
    if isinstance(edit, Hunk):
        placed = locate_hunk(replace(edit, line=first), target)
    elif refusal.kind in {"find", "pattern"}:
        placed = locate(replace(edit, occurrence=lines.index(first) + 1), target, {})
    else:
        return None
    return placed if target.document.line_at(placed.span[0]) == first else None
