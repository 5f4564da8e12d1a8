"""The past: list transactions, show one, take some back."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence

from keyhole.answers.history import History, PastTransaction
from keyhole.answers.receipt import Receipt, TakenBack
from keyhole.fastclasses import dataclass, replace
from keyhole.history import targets
from keyhole.history.versions import changes_of, version
from keyhole.journal.model import Call, Entries, Entry, FileChange, Query, Records, Undone
from keyhole.phrases import ArgumentName, joined, say
from keyhole.refusals import Refusal, Refused
from keyhole.text.changes import Change, ChangeSet
from keyhole.text.diff import unified, unified_deletion
from keyhole.text.document import spelled
from keyhole.workspace.tree import Tree, TreeOptions

# So many transactions are looked through for a segment: a rare name costs no full scan.
_MOST_LOOKED, _PAGE = 2000, 100
_IDS = say("look at {history:tool} for the ids")
_SEGMENT_SECONDS = 3.0


def by_name(query: Query) -> Query:
    """Return a query with people and tasks as the journal spells them."""
    actor, task = (one if one is None else spelled(one) for one in (query.actor, query.task))
    return replace(query, actor=actor, task=task)


@dataclass(frozen=True, slots=True)
class HistoryRequest:
    """Which transactions to list, newest first."""

    path: str = ""
    actor: str | None = None
    task: str | None = None
    since: float = 0.0
    limit: int = 50
    # Only a shared journal knows more than one of these.
    machine: str | None = None
    worktree: str | None = None

    @property
    def query(self) -> Query:
        """Return the question to a journal, but for the spelling of the path."""
        asked = Query(self.path, self.actor, self.task, self.since, limit=self.limit)
        return by_name(replace(asked, machine=self.machine, worktree=self.worktree))


def placed(tree: Tree, wanted: HistoryRequest) -> Query:
    """Return the question to a journal of this workspace; the root is all of it."""
    path = tree.resolve(wanted.path) if wanted.path else ""
    return replace(wanted.query, path="" if path == "." else path)


def check_one_workspace(query: Query) -> None:
    """Refuse to choose among machines where there is only one."""
    for name in ("machine", "worktree"):
        if getattr(query, name) is not None:
            headline = say(
                "{} chooses among workspaces, and this one shares no journal", ArgumentName(name)
            )
            help_line = "name the shared journal with --journal or KEYHOLE_JOURNAL"
            raise Refused(Refusal("bad-request", headline, help=help_line, data={"field": name}))


def records(tree: Tree) -> Records:
    """Return the records of all workspaces that share a journal, or of this one."""
    if tree.shared is None:
        return tree.journal
    from keyhole.sharing.records import SharedRecords

    return SharedRecords(tree.shared, tree.journal)


def records_for(tree: Tree, query: Query) -> Records:
    """Return the records that a query is about; refuse a machine's name where there is only one."""
    if tree.shared is None:
        check_one_workspace(query)
    return records(tree)


_WAYS = ("id", "task", "to", "prompt")


@dataclass(frozen=True, slots=True)
class UndoRequest:
    """What to take back: one transaction or one edit of it, a task, or all since a point.

    Nothing named is the caller's last transaction.
    """

    id: str = ""
    edit: int | None = None
    task: str = ""
    to: str = ""
    redo: bool = False
    # Only what the transaction did to this file.
    path: str = ""
    # The seal of what was shown: the undo is refused if it would do anything else.
    shown: str = ""
    # All since a prompt, a checkpoint or a time, of one session, of agents, or of everybody.
    prompt: str = ""
    session: str = ""
    # Of a rewind, what clashes stands and is named; without it nothing is done then.
    partly: bool = False
    # A person saw the preview and said yes, which counts where agents only propose.
    decided: bool = False

    def __post_init__(self) -> None:
        """Refuse two ways of saying what to take back."""
        object.__setattr__(self, "task", spelled(self.task))
        ways = [name for name in _WAYS if getattr(self, name)]
        if len(ways) > 1:
            known, given = (
                joined(", ", (ArgumentName(each, bare=True) for each in names))
                for names in (_WAYS, ways)
            )
            headline = say("an undo takes one of {}; given: {}", known, given)
            raise Refused(Refusal("bad-request", headline, help="give one of them"))
        if self.partly and not self.prompt:
            headline = say("{partly} is for a rewind, so it needs {prompt} beside it")
            raise Refused(Refusal("bad-request", headline, data={"field": "partly"}))
        if (self.edit is not None or self.path) and not self.id:
            name = "path" if self.path else "edit"
            headline = say("{} needs the id of its transaction beside it", ArgumentName(name))
            raise Refused(Refusal("bad-request", headline, data={"field": name}))

    def check(self, allowed: TreeOptions, ahead: Receipt) -> None:
        """Refuse an undo that differs from its preview, or an agent's where edits are proposed."""
        if allowed.propose and not self.decided:
            headline = "edits are only proposed here, and an undo is one"
            help_line = "ask the user to undo it in `keyhole review`"
            raise Refused(Refusal("read-only", headline, help=help_line))
        if not self.shown or self.shown == ahead.seal:
            return
        paths = ", ".join(file.path for file in ahead.files)
        headline = f"the undo would now do something else to {paths} than what was shown"
        help_line = "look at the preview again"
        raise Refused(Refusal("stale", headline, help=help_line, path=ahead.files[0].path))


def targets_of(journal: Entries, wish: UndoRequest, actor: str) -> tuple[Undone, ...]:
    """Return the transactions that an undo request means, newest first."""
    if wish.id and wish.redo:
        return targets.one(journal, _undo_of(journal, wish.id))
    if wish.id:
        return targets.one(journal, wish.id, wish.edit, wish.path)
    if wish.task:
        return targets.of_task(journal, wish.task)
    if wish.to:
        return targets.back_to(journal, wish.to)
    if wish.redo:
        return targets.last_undo(journal, actor)
    return targets.last(journal, actor)


def undoes_at(journal: Entries, wish: UndoRequest, actor: str) -> float | None:
    """Return when the last transaction was made that an undo would take back, if any was."""
    try:
        entry = journal.entry(targets_of(journal, wish, actor)[0].entry)
    except Refused:
        return None
    return entry.time if entry else None


def last_edit(journal: Entries, path: str, actor: str) -> str:
    """Return the actor's last transaction that still stands in a file, "" if there is none."""
    query = Query(path, actor)
    while entries := journal.entries(query):
        for entry in entries:
            undoings = targets.undoings(journal, entry)
            undone = any(each.is_whole or each.path == path for each in undoings)
            if not undone and not targets.is_undo(entry):
                return entry.id
        query = replace(query, before=entries[-1].order)
    return ""


@dataclass(frozen=True, slots=True)
class News:
    """Transactions that somebody has not seen yet, and the number of the newest there is."""

    newest: int
    transactions: tuple[PastTransaction, ...] = ()


def news(journal: Entries, known: int | None, since: float, most: int) -> News:
    """Return what was done behind the `known` transaction; where none is, what was `since`."""
    newest = next((entry.order for entry in journal.entries(Query(limit=1))), 0)
    if newest == known:
        return News(newest)
    query = Query(limit=most, since=since if known is None else 0.0)
    found = (entry for entry in journal.entries(query) if entry.order > (known or 0))
    return News(newest, tuple(map(PastTransaction, found)))


def undo_call(journal: Entries, call: Call, undone: Sequence[Undone], wish: UndoRequest) -> Call:
    """Return the call of an undo, for the journal; one that takes an undo back is a redo."""
    is_redo = any(targets.entry_of(journal, each.entry).call.undoes for each in undone)
    kinds = {"redo": is_redo, targets.REWIND: bool(wish.prompt)}
    details = {**call.details, **{name: True for name, is_so in kinds.items() if is_so}}
    return replace(call, undoes=tuple(undone), details=details)


def taken_back(
    journal: Entries, undone: Sequence[Undone], spelling: Mapping[str, str]
) -> tuple[TakenBack, ...]:
    """Return what an undo took back, for its receipt."""
    return tuple(_taken_back(journal, target, spelling) for target in undone)


def _taken_back(journal: Entries, target: Undone, spelling: Mapping[str, str]) -> TakenBack:
    entry = targets.entry_of(journal, target.entry)
    edits = [
        (change.path, edit.reason)
        for change in entry.files
        for edit in change.edits
        if edit.index == target.edit or (target.edit is None and target.path in {"", change.path})
    ]
    known = [target.path] if target.path else [change.path for change in entry.files]
    paths = known if target.edit is None else dict.fromkeys(path for path, _ in edits)
    reason = entry.call.reason or "; ".join(dict.fromkeys(why for _, why in edits if why))
    told = tuple(spelling.get(path, path) for path in paths)
    return TakenBack(entry.id, entry.call.tool, told, reason, target.edit)


def _undo_of(journal: Entries, name: str) -> str:
    """Return the undo that a redo takes back: the one named, or the one that took this back."""
    entry = targets.entry_of(journal, name)
    if entry.call.undoes:
        return entry.id
    undoers = [undoing.by for undoing in targets.undoings(journal, entry)]
    if not undoers:
        headline = f"transaction {entry.id} is not undone, so there is nothing to redo"
        raise Refused(Refusal("nothing-to-undo", headline, help=_IDS))
    return undoers[-1]


def history(journal: Entries, query: Query, segment: str = "") -> History:
    """Return transactions, newest first; `segment` keeps those that edited it."""
    if not segment:
        return History(tuple(past_of(journal, entry) for entry in journal.entries(query)))
    from keyhole.engine.history.segment_edits import edited_in

    found: list[PastTransaction] = []
    until = time.monotonic() + _SEGMENT_SECONDS
    for looked, entry in enumerate(_paged(journal, query)):
        if looked == _MOST_LOOKED or time.monotonic() > until:
            more = "" if query.path else "; name the file to see more"
            return History(tuple(found), f"looked no further back than {entry.id}{more}")
        if any(edited_in(journal, change, segment) for change in entry.files):
            found.append(past_of(journal, entry))
        if len(found) == query.limit:
            break
    return History(tuple(found))


def _paged(journal: Entries, query: Query) -> Iterator[Entry]:
    """Yield entries page by page, newest first."""
    before = query.before
    while page := journal.entries(replace(query, before=before, limit=_PAGE)):
        yield from page
        if len(page) < _PAGE:
            return
        before = page[-1].order


def found(journal: Entries, name: str) -> PastTransaction:
    """Return one transaction by its id, or refuse."""
    entry = journal.entry(name)
    if entry is None:
        headline = f"there is no transaction {name[:40]!a}"
        raise Refused(Refusal("nothing-to-undo", headline, help=_IDS))
    return past_of(journal, entry)


def show(journal: Entries, name: str) -> PastTransaction:
    """Return one transaction with its reasons and diffs."""
    entry = found(journal, name).entry
    diffs = {change.path: diff_of(journal, change) for change in entry.files}
    return past_of(journal, entry, diffs)


def past_of(journal: Entries, entry: Entry, diffs: dict[str, str] | None = None) -> PastTransaction:
    """Return a transaction with what took it back."""
    undoings = tuple(targets.undoings(journal, entry))
    return PastTransaction(
        entry, tuple(dict.fromkeys(each.by for each in undoings)), diffs, undoings
    )


def diff_of(journal: Entries, change: FileChange) -> str:
    """Return the unified diff of one file of a transaction, from the images the journal keeps."""
    if change.before is None:
        after = version(journal, change.after or "", change.encoding)
        whole = (Change(0, 0, after.text),) if after.text else ()
        return unified(change.path, None, ChangeSet(0, whole), executable=change.executable)
    before = version(journal, change.before, change.encoding)
    if change.after is None:
        return unified_deletion(change.path, before.text, is_program=change.was_program)
    changes = changes_of(journal, change)
    return unified(change.path, before.text, changes, executable=change.executable)
