"""Calls that are sent again: what the caller's last transaction did is not done twice."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from keyhole.edits.model.hunk import Hunk
from keyhole.edits.model.operations import Edit, InOrder, Operation
from keyhole.edits.model.plan import FilePlan, Plan, Snapshot, expected_of
from keyhole.edits.repeated import (
    OwnTransaction,
    SentAgain,
    adds_blank,
    is_call_of,
    may_repeat,
    resend,
)
from keyhole.edits.resolve import Unresolved, resolve
from keyhole.engine.edit.requests import Request
from keyhole.engine.options import Options
from keyhole.history.steps_since import runs_since
from keyhole.history.targets import is_undone
from keyhole.history.versions import change_at, changes_from_spans, version
from keyhole.journal.model import Journal, Query
from keyhole.matching.revision import Revision
from keyhole.refusals import Refused
from keyhole.text.document import Document
from keyhole.workspace.tree import Tree


def revisions_since(
    journal: Journal, path: str, older: Document, present: Document
) -> tuple[Revision, ...]:
    """Return the way of a file from an older version to the present one.

    A difference between two entries of the journal is an outsider's revision.
    """
    return tuple(_revisions(journal, path, older, present))


def _revisions(
    journal: Journal, path: str, older: Document, present: Document
) -> Iterator[Revision]:
    now = older
    for run in runs_since(journal, path, older.hash):
        before, after = run.before.read(journal), run.after.read(journal)
        yield from _unrecorded(now, before)
        yield Revision(before, after, run.changes if run.is_stated else None)
        now = after
    yield from _unrecorded(now, present)


def _unrecorded(one: Document, other: Document) -> Iterator[Revision]:
    """Yield an outsider's revision, if there is one.

    Texts are compared, not hashes: the same bytes read differently when a declaration of their
    encoding has come or gone.
    """
    if one.text != other.text:
        yield Revision(one, other)


def without_resent(tree: Tree, request: Request, plan: Plan, options: Options) -> Plan:
    """Return the plan without what the caller's last transaction already did; or refuse.

    Callers who know the present version mean what they send.
    """
    expected = expected_of(options.expected_hash, request.spelling, request.paths)

    def judged(file: FilePlan) -> FilePlan:
        own = [each for each in request.operations if each.path == file.path]
        edits_only = all(isinstance(each, Edit | Hunk | InOrder) for each in own)
        if not edits_only or not may_repeat(file):
            return file
        if not _is_blind(tree, file, options, expected.get(file.path, "")):
            return file
        sent = _last_of(tree, file.path, request.paths, options)
        mine = _on(sent, file.path, own) if sent else None
        if sent is None or mine is None or not is_call_of(sent, mine):
            return file
        assert file.before is not None, "BUG: a new file repeats nothing"
        since = revisions_since(tree.journal, file.path, sent.after, file.before)
        return resend(file, mine, sent, since)

    try:
        return Plan(tuple(map(judged, plan.files)))
    except SentAgain as again:
        offers = [offer for each in again.explained for offer in each.offered]
        raise Unresolved([each.refusal for each in again.explained], offers) from None


def _is_blind(tree: Tree, file: FilePlan, options: Options, expected: str) -> bool:
    """Tell whether a caller may not know the present version.

    A caller whose answer was lost does not know the version that its own edit left.
    """
    assert file.before is not None, "BUG: a new file repeats nothing"
    now, actor = file.before.hash, options.actor
    if expected:
        return expected != now
    if adds_blank(file):
        return all(each.hash != now for each in tree.shown(file.path, actor))
    return not tree.has_seen(file.path, now, actor)


def _last_of(
    tree: Tree, path: str, paths: Collection[str], options: Options
) -> OwnTransaction | None:
    """Return the caller's last transaction on a file, if it had the same files and stands."""
    journal = tree.journal
    for entry in journal.entries(Query(path, options.actor, options.task, limit=1, alone=True)):
        file = change_at(entry, path)
        if {*paths} != {each.path for each in entry.files}:
            return None
        if entry.call.undoes or not file.before or not file.after or is_undone(journal, entry):
            return None
        before, after = (
            version(journal, hash_, file.encoding) for hash_ in (file.before, file.after)
        )
        changes = changes_from_spans(file.spans, before.text, after.text)
        return OwnTransaction(before, after, changes, len(file.edits))
    return None


def _on(sent: OwnTransaction, path: str, own: Sequence[Operation]) -> FilePlan | None:
    try:
        (plan,) = resolve(own, Snapshot({path: sent.before})).files
    except Refused:
        return None
    return plan
