"""Plan a call, on the versions of the files that its caller expects."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from keyhole.edits.checks.validate import validate
from keyhole.edits.model.hunk import Hunk
from keyhole.edits.model.operations import (
    DeleteFile,
    Edit,
    InOrder,
    LineRange,
    MoveFile,
    Operation,
    SetMode,
    WriteFile,
)
from keyhole.edits.model.plan import FilePlan, Plan, Snapshot, expected_of
from keyhole.edits.rebase import carried_over, stale
from keyhole.edits.repeated import if_applied_since, may_repeat, unless_applied_since
from keyhole.edits.resolve import Unresolved, resolve
from keyhole.engine.edit.check_conflicts import Cleared, check_conflicts
from keyhole.engine.edit.requests import Request
from keyhole.engine.options import Options
from keyhole.engine.template_facts import detector, refreshed
from keyhole.fastclasses import replace
from keyhole.journal.model import Query
from keyhole.phrases import FileName, say
from keyhole.refusals import Refusal, Refused
from keyhole.storage.paths.access import LOOKING
from keyhole.text.document import Document
from keyhole.workspace.held import Fetched
from keyhole.workspace.tree import Tree

if TYPE_CHECKING:
    from keyhole.matching.revision import Revision

# An edit that is sent again follows the one that was made, or a few that came between.
_OWN_EDITS = 3
_LAST_EDITS = 8
# A quote is searched in each of those versions as long as in the file.
_LONGEST_SEARCHED = 500_000


def planned(tree: Tree, request: Request, snapshot: Snapshot, options: Options) -> Plan:
    """Return the checked plan of a call on the files as they stand, or refuse."""
    snapshot = replace(
        snapshot,
        detect=detector(tree),
        shown=_versions_known(tree, snapshot, options.actor),
        past=lambda path: _before_edits(tree, Query(path, limit=_LAST_EDITS, alone=True)),
        since=partial(_since, tree),
        is_unseen=partial(_is_unseen, tree, request, snapshot, options),
    )
    plan = _resolve(tree, request, snapshot, options)
    is_written = not (plan.is_empty or tree.options.read_only)
    if is_written and any(map(may_repeat, plan.files)):
        from keyhole.engine.edit.resending import without_resent

        plan = without_resent(tree, request, plan, options)
    plan = refreshed(tree, plan)
    plan = _behind_links(tree, request, plan)
    plan = _with_line_drift(tree, request, snapshot, plan, options)
    plan = _with_others_told(tree, plan, options.actor)
    return validate(plan, options.mode, tree.exists)


def _with_line_drift(
    tree: Tree, request: Request, snapshot: Snapshot, plan: Plan, options: Options
) -> Plan:
    """Return the plan with a warning where others may have moved the lines that a number names."""
    counts = any(
        each.lines if isinstance(each, Edit) else isinstance(each, InOrder)
        for each in request.operations
    )
    if not counts or options.expected_hash or tree.options.read_only:
        return plan

    return with_line_drift_warnings(tree, request.operations, snapshot, plan, options.actor)


def others_since(
    tree: Tree, path: str, present: Document, actor: str, plan: FilePlan | None = None
) -> tuple[str, ...]:
    """Return what others did to a file since a caller last saw it; who saw it last is told nothing.

    The lines are those that the file has now, or once the plan is carried out.
    """
    path = path if plan else tree.resolve(path)
    if tree.known.is_last(path, present.hash, actor):
        return ()
    if tree.options.read_only or not tree.is_observed:
        return ()
    from keyhole.engine.observe.since_seen import others_since

    return others_since(tree, path, present, actor, plan)


def _with_others_told(tree: Tree, plan: Plan, actor: str) -> Plan:
    """Return the plan with a warning of what others did to its files."""
    told = {
        file.path: others_since(tree, file.path, file.before, actor, file)
        for file in plan.files
        if file.before
    }
    if not any(told.values()):
        return plan
    return Plan(
        tuple(
            replace(file, warnings=(*file.warnings, *told.get(file.path, ())))
            for file in plan.files
        )
    )


def _behind_links(tree: Tree, request: Request, plan: Plan) -> Plan:
    """Return the plan with a warning for each path that leads through a symbolic link."""
    led = {
        path: given
        for path, given in request.spelling.items()
        if given != path and tree.root.spelt(given) != path
    }
    if not led:
        return plan
    warned = {
        path: f"{given} leads through a link: the file is {path}" for path, given in led.items()
    }
    return Plan(
        tuple(
            replace(file, warnings=(*file.warnings, warned[file.path]))
            if file.path in warned
            else file
            for file in plan.files
        )
    )


def _versions_known(
    tree: Tree, snapshot: Snapshot, actor: str
) -> Mapping[str, tuple[Document, ...]]:
    """Return the versions that the caller was shown, found or left, the latest first."""
    if tree.options.read_only or not isinstance(snapshot.shown, Fetched):
        return snapshot.shown

    def known(path: str) -> tuple[Document, ...]:
        current = snapshot.files[path]
        is_long = current is not None and len(current.text) > _LONGEST_SEARCHED
        shown = ((time, 2, document) for time, document in tree.shown_at(path, actor))
        own = () if is_long else _own_versions(tree, path, actor)
        latest = sorted((*shown, *own), key=lambda each: each[:2], reverse=True)
        return tuple({document.hash: document for _, _, document in latest}.values())

    return Fetched(tuple(snapshot.files), known)


def _before_edits(tree: Tree, query: Query) -> Iterator[Document]:
    """Yield the versions of a file that its last edits were made on, newest first."""
    for entry in tree.journal.entries(query):
        for file in entry.files:
            is_asked = file.path == query.path and file.before
            image = tree.journal.image(file.before) if is_asked and file.before else None
            if image is not None:
                yield Document.from_bytes(image, file.encoding)


def _own_versions(tree: Tree, path: str, actor: str) -> Iterator[tuple[float, int, Document]]:
    """Yield the versions that the caller's last edits found and left, each with time and order."""
    for entry in tree.journal.entries(Query(path, actor, limit=_OWN_EDITS, alone=True)):
        for file in entry.files:
            for order, hash_ in enumerate((file.before, file.after)):
                image = tree.journal.image(hash_) if file.path == path and hash_ else None
                if image is not None:
                    yield entry.draft.time, order, Document.from_bytes(image, file.encoding)


def _since(tree: Tree, path: str, older: Document, present: Document) -> tuple[Revision, ...]:
    from keyhole.engine.edit.resending import revisions_since

    return revisions_since(tree.journal, path, older, present)


def _is_unseen(
    tree: Tree, request: Request, snapshot: Snapshot, options: Options, path: str
) -> bool:
    """Tell whether a caller has not seen the present version and names no other."""
    current = snapshot.files[path]
    if current is None or tree.options.read_only:
        return False
    if path in expected_of(options.expected_hash, request.spelling, request.paths):
        return False
    return not tree.has_seen(path, current.hash, options.actor)


def _resolve(tree: Tree, request: Request, snapshot: Snapshot, options: Options) -> Plan:
    """Resolve on the versions that the caller expects, then carry the plan over to the present."""
    expected = expected_of(options.expected_hash, request.spelling, request.paths)
    older = _older_versions(tree, request, snapshot, expected, options)
    resolved_on = replace(snapshot, files={**snapshot.files, **older}) if older else snapshot
    try:
        plan = resolve(request.operations, resolved_on, request.offered)
    except Unresolved as unresolved:
        refusals = _with_other_files(tree, unresolved.refusals, request)
        raise Unresolved(refusals, unresolved.offered) from None
    if not older:
        return plan
    return Plan(
        tuple(
            _on_current(tree, file, snapshot) if file.path in older else file for file in plan.files
        )
    )


def _with_other_files(tree: Tree, refusals: Sequence[Refusal], request: Request) -> list[Refusal]:
    """Return refusals that name the other files in which their quotes stand."""
    quoted = [_quoted_by(request, refusal) for refusal in refusals]
    if not any(quoted):
        return list(refusals)
    from keyhole.engine.reading import elsewhere

    found = elsewhere(tree, [each for each in quoted if each])
    return [
        _with_places(tree, refusal, request, each[0], found.get(each, ())) if each else refusal
        for refusal, each in zip(refusals, quoted, strict=True)
    ]


def _quoted_by(request: Request, refusal: Refusal) -> tuple[str, str] | None:
    """Return the file of an edit whose quote was not found, and the quote."""
    operation = _operation_of(request, refusal)
    quote = _quote_of(operation)
    if refusal.code != "not-found" or operation is None or not quote:
        return None
    return operation.path, quote


def _with_places(
    tree: Tree, refusal: Refusal, request: Request, path: str, places: tuple[str, ...]
) -> Refusal:
    if not places:
        return refusal
    if request.spelling.get(path, "").startswith("/"):
        # Who names files in full has several roots, perhaps, and this may not be the first.
        places = tuple(f"{tree.root.path}/{place}" for place in places)
    stands = f"it stands in {', '.join(places)}"
    where = say("{}; {}", refusal.where, stands) if refusal.where else stands
    return replace(refusal, where=where, suggestions=(*refusal.suggestions, *places))


def _older_versions(
    tree: Tree, request: Request, snapshot: Snapshot, expected: Mapping[str, str], options: Options
) -> dict[str, Document]:
    """Return the versions to resolve on where a file is not the one the caller expects."""
    older = {}
    for path, current in snapshot.files.items():
        wanted = expected.get(path, "")
        own = [each for each in request.operations if each.path == path]
        leaves = any(isinstance(each, DeleteFile | MoveFile) for each in own)
        writes = any(isinstance(each, WriteFile) for each in own) and not leaves
        if current is not None and current.text and not wanted and writes:
            raise Refused(_file_exists(request.spelling.get(path, path), current))
        if current is None and wanted and writes:
            raise Refused(_gone(request.spelling.get(path, path), wanted))
        if not wanted or current is None or current.hash == wanted:
            continue
        edits_only = all(isinstance(each, Edit | Hunk | InOrder | SetMode) for each in own)
        may_rebase = edits_only and options.carry_over
        base = tree.version(path, wanted, options.actor) if may_rebase else None
        if base is None:
            raise Refused(stale(request.spelling.get(path, path), wanted, current))
        older[path] = base
    return older


def _operation_of(request: Request, refusal: Refusal) -> Operation | None:
    """Return the operation that a refusal is about, also within edits in order."""
    if refusal.edit is None:
        return None
    first = request.operations[0]
    if isinstance(first, InOrder):
        return replace(first.edits[refusal.edit], path=first.path)
    return request.operations[refusal.edit]


def _quote_of(operation: Operation | None) -> str:
    if isinstance(operation, Edit):
        return operation.find or ""
    return "\n".join(operation.old) if isinstance(operation, Hunk) else ""


def _on_current(tree: Tree, file: FilePlan, snapshot: Snapshot) -> FilePlan:
    current = snapshot.files[file.path]
    assert current is not None, "BUG: only a file that is there has an older version"
    assert file.before is not None, "BUG: an older version is there"
    if made := if_applied_since(file, current):
        return made
    since = _since(tree, file.path, file.before, current)
    return unless_applied_since(file, carried_over(file, current, since))


def _file_exists(path: str, current: Document) -> Refusal:
    return Refusal(
        "file-exists",
        say("{} exists, and the write does not say which version it replaces", FileName(path)),
        help=say(
            "edit the part you mean, or give {expected_hash:bare} {} to replace it whole",
            current.hash,
        ),
        path=path,
        hash_current=current.hash,
    )


def _gone(path: str, expected: str) -> Refusal:
    headline = say("{} is not at {}: there is no such file", FileName(path), expected)
    help_line = say(
        "it may have been deleted or moved; leave {expected_hash:bare} out to make it anew"
    )
    return Refusal("stale", headline, help=help_line, path=path)


def not_text(path: str) -> Refusal:
    """Refuse a file whose content is no text."""
    headline = say("{} is not text: it holds NUL bytes", FileName(path))
    help_line = say(
        "edit it with {find} and {match:bare} exact, or give its {encoding:bare} if it is text"
    )
    move = "name a file that is text"
    return Refusal("not-text", headline, help=help_line, mend=move, path=path)


def verdict(plan: Plan) -> str:
    """Name the outcome of a plan that is not committed."""
    if not plan.is_empty:
        return "verified"
    edits = [edit for file in plan.files for edit in file.edits]
    return (
        "already-applied" if edits and all(edit.already_applied for edit in edits) else "unchanged"
    )


def snapshot_of(tree: Tree, paths: Iterable[str], actor: str = "") -> Snapshot:
    """Read files without a lock, for a call that writes nothing."""
    files = {path: _peek(tree, path) for path in paths}
    programs = frozenset(path for path in files if tree.is_program(path))
    shown = Fetched(tuple(files), lambda path: tree.shown(path, actor)) if actor else {}
    return Snapshot(files, shown, tree.options.encoding or "", programs)


def _peek(tree: Tree, path: str) -> Document | None:
    try:
        return tree.read(path)
    except Refused as refused:
        if refused.refusals[0].code == "no-file":
            return None
        raise


# Edits of the caller's own since it looked, which moved no line behind its back.
_MOST_FOLLOWED = 20


def with_line_drift_warnings(
    tree: Tree, operations: Iterable[Operation], snapshot: Snapshot, plan: Plan, actor: str
) -> Plan:
    """Return the plan with a warning for each file whose line numbers may mean other lines now."""
    counted = {each.path for each in operations if _counts_lines(each)}
    files = (snapshot.files.get(path) for path in counted)
    unseen = {
        path
        for path, current in zip(counted, files, strict=True)
        if current is not None and _saw_other_lines(tree, path, current, actor)
    }
    return Plan(
        tuple(_with_drift_warning(file) if file.path in unseen else file for file in plan.files)
    )


def _counts_lines(operation: Operation) -> bool:
    """Tell whether an edit names its place by line numbers alone."""
    if isinstance(operation, InOrder):
        return any(map(_counts_lines, operation.edits))
    if not isinstance(operation, Edit) or operation.find or operation.segment:
        return False
    return isinstance(operation.lines, LineRange) and not operation.lines.is_edge


def _saw_other_lines(tree: Tree, path: str, current: Document, actor: str) -> bool:
    """Tell whether others changed a file since the caller was shown it; False if it never was."""
    shown = next(iter(tree.shown(path, actor)), None)
    if shown is None:
        return False
    version = current.hash
    entries = tree.journal.entries(Query(path, limit=_MOST_FOLLOWED, alone=True))
    for entry in entries:
        if version == shown.hash:
            return False
        before = next((file.before for file in entry.files if file.after == version), None)
        if before is None or entry.call.actor != actor:
            return True
        version = before
    return version != shown.hash and len(entries) < _MOST_FOLLOWED


def _with_drift_warning(file: FilePlan) -> FilePlan:
    warning = "others changed the file since you were shown it; the lines are those it has now"
    return replace(file, warnings=(*file.warnings, warning))


def preview(
    tree: Tree, request: Request, options: Options, seen: Mapping[str, Collection[str]]
) -> Cleared:
    """Return the plan that a call would carry out now; nothing is locked.

    A read-only workspace still answers dry runs.
    """
    looks = tree.options.read_only or tree.options.task_mode in LOOKING
    if not looks:
        tree.check_writing(tuple(sorted(request.paths)))
    plan = planned(tree, request, snapshot_of(tree, request.paths, options.actor), options)
    if looks:
        return Cleared(plan)
    # A large deletion is asked about when it is made; here is where one looks at it.
    return check_conflicts(tree, plan, replace(options, shrink="allow"), seen)
