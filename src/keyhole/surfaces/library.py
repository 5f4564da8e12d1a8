"""The Python library: a workspace in one import, with a method for each use case."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from os import PathLike, fspath
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypedDict, TypeGuard, Unpack

from keyhole import arguments, toolsets
from keyhole.answers.history import History, PastTransaction
from keyhole.answers.reading import Hits, Outlined, OutlinedTree, Reading
from keyhole.answers.receipt import Receipt
from keyhole.answers.template import FileSchema, TemplateList
from keyhole.arguments import check_call
from keyhole.edits.model.operations import Edit, Operation
from keyhole.engine import opening
from keyhole.engine.edit.requests import operation_of
from keyhole.engine.facade import Engine
from keyhole.engine.history.changes import Changes, ChangesRequest
from keyhole.engine.history.recall import HistoryRequest, UndoRequest
from keyhole.engine.history.tracker import EditTracker
from keyhole.engine.options import Options
from keyhole.engine.reading import ReadRequest, Search, Shape
from keyhole.engine.rename.request import Rename
from keyhole.engine.root import find_root
from keyhole.engine.scaffold import Scaffold
from keyhole.engine.sweep.request import SWEEP_ARGUMENTS, Sweep
from keyhole.refusals import Refusal, Refused
from keyhole.toolsets.base import Arguments, ToolAnswer

if TYPE_CHECKING:
    from keyhole.engine.history.insights import Stats
    from keyhole.engine.linting.check import CheckAnswer
    from keyhole.engine.sharing.cross_checkout import Conflicts
    from keyhole.engine.upkeep import Tasks
    from keyhole.engine.verdicts import Waiting

Name = str | PathLike[str]


class UndoOptions(TypedDict, total=False):
    """The options of an undo; a misspelt one is a type error."""

    expected_hash: str | Mapping[str, str]
    mode: str
    dry_run: bool
    on_conflict: str
    reason: str
    actor: str
    tool: str
    backup: bool
    shrink: str
    carry_over: bool
    claim: float
    propose: bool
    session: str
    apart: bool
    ids: Mapping[str, str]


class CallOptions(UndoOptions, total=False):
    """The options of a call that edits; a misspelt one is a type error."""

    task: str


_OPTIONS = frozenset(Options.__match_args__)


class Workspace:
    """A directory whose files are edited safely: `Workspace(root).edit(Edit(...), path="app.py")`.

    Without a root it is the nearest directory from the current one upwards that has a journal,
    `keyhole.toml` or `.git`, else the current one; `root` names it, and paths are relative to it.
    Options of a call are those of the contract: expected_hash, mode, dry_run, on_conflict, task,
    reason; a misspelt one is a `TypeError`. A refused call returns a receipt that is false, and
    whose `check()` raises; opening a directory that cannot be a workspace raises `Refused`. Threads
    may share a workspace: calls that write the same file wait for each other.
    """

    def __init__(  # noqa: PLR0913 - what a caller may say, each by its name
        self,
        root: str | Path = "",
        *,
        actor: str = "python",
        read_only: bool = False,
        task_mode: str = "",
        article: str = "",
        journal: str = "",
    ) -> None:
        check_call(root=root, actor=actor, read_only=read_only, task_mode=task_mode)
        check_call(article=article, journal=journal)
        self._engine: Engine = opening.open_place(
            Path(root) if root else find_root(Path()),
            read_only=read_only,
            task_mode=task_mode,
            article=article,
            journal=journal,
        ).engine
        self._actor = actor

    @property
    def root(self) -> Path:
        """The directory, as the engine sees it."""
        return Path(self._engine.root)

    def edit(
        self,
        edits: Operation | Iterable[Operation],
        path: Name = "",
        **options: Unpack[CallOptions],
    ) -> Receipt:
        """Carry out one or more edits as one transaction, or change nothing and say why."""

        def edit(given: Options) -> Receipt:
            check_call(path=path)
            return self._engine.edit(_listed(edits), given, fspath(path))

        return self._carried_out(options, edit)

    def sweep(
        self, edits: Edit | Iterable[Edit], glob: str, path: Name = ".", **options: object
    ) -> Receipt:
        """Change every place in the files of a glob as one transaction, or preview the places.

        Without `expected_count`, `only` or `without` (places by id) nothing is written. `except` is
        globs of files to leave out, `boundary` is word or identifier, `cases` changes a name in its
        other spellings too; all of these are options beside those of any call.
        """
        own = {name: options.pop(name) for name in SWEEP_ARGUMENTS & options.keys()}

        def sweep(given: Options) -> Receipt:
            check_call(path=path, glob=glob)
            asked = {**own, "glob": glob, "path": fspath(path)}
            wanted = Sweep.of(asked, tuple(each for each in _listed(edits) if _is_edit(each)))
            assert wanted is not None, "BUG: a glob makes a sweep"
            return self._engine.refactoring.sweep(wanted, given)

        return self._carried_out(options, sweep)

    def rename(
        self, path: Name, segment: str, to: str, *, comments: bool = False, **options: object
    ) -> Receipt:
        """Rename a symbol with its definition, imports and uses, in all files."""

        def rename(given: Options) -> Receipt:
            check_call(path=path, segment=segment, to=to, comments=comments)
            wanted = Rename(fspath(path), segment, to, comments)
            return self._engine.refactoring.rename(wanted, given)

        return self._carried_out(options, rename)

    def references(self, path: Name, segment: str, limit: int = 100) -> Hits:
        """Return where a symbol that a file defines is imported and used."""
        check_call(path=path, segment=segment, limit=limit)
        return self._engine.refactoring.references(fspath(path), segment, limit)

    def preview(
        self,
        edits: Operation | Iterable[Operation],
        path: Name = "",
        **options: Unpack[CallOptions],
    ) -> Receipt:
        """Say what `edit` would do, and write nothing."""
        given: CallOptions = {**options, "dry_run": True}
        return self.edit(edits, path, **given)

    def patch(self, text: str | bytes, path: Name = "", **options: Unpack[CallOptions]) -> Receipt:
        """Carry out a patch in any known format, as one transaction; `path` overrides headers."""

        def patch(given: Options) -> Receipt:
            check_call(patch=text, path=path)
            return self._engine.patch(text, given, fspath(path))

        return self._carried_out(options, patch)

    def write(
        self,
        path: Name,
        content: str | None = None,
        *,
        delete: bool = False,
        move_to: Name = "",
        allow_shrink: bool = False,
        **options: Unpack[CallOptions],
    ) -> Receipt:
        """Give a file a whole text, delete it, or move it."""

        def write(given: Options) -> Receipt:
            check_call(path=path, delete=delete, move_to=move_to, allow_shrink=allow_shrink)
            names = fspath(path), fspath(move_to)
            operation = operation_of(
                names[0], content, delete=delete, move_to=names[1], allow_shrink=allow_shrink
            )
            return self._engine.write(operation, given)

        return self._carried_out(options, write)

    def scaffold(
        self,
        template: str,
        path: Name,
        variables: Mapping[str, object] | None = None,
        **options: Unpack[CallOptions],
    ) -> Receipt:
        """Make a new file from a template, or change nothing and say why."""

        def scaffold(given: Options) -> Receipt:
            check_call("variables", template=template, path=path, variables=variables)
            wanted = Scaffold(template, fspath(path), variables or {})
            return self._engine.scaffold(wanted, given)

        return self._carried_out(options, scaffold)

    def templates(self, template: str = "") -> TemplateList:
        """Return the templates there are with what each asks for, or the one that is named."""
        check_call(template=template)
        return self._engine.templates(template)

    def schema(self, path: Name) -> FileSchema:
        """Return what a file is made of, what its template asks for, what can be edited how."""
        check_call(path=path)
        return self._engine.schema(fspath(path), self._actor)

    def read(
        self,
        path: Name,
        *,
        segment: str = "",
        part: str = "whole",
        lines: str | int | list[int] | None = None,
        numbered: bool = False,
    ) -> Reading:
        """Return a file, a segment of it or some of its lines, or raise `Refused`."""
        check_call(path=path, segment=segment, part=part, numbered=numbered)
        wanted = ReadRequest(segment, part, lines, numbered)
        return self._engine.read(fspath(path), wanted, self._actor)

    def outline(
        self, path: Name = ".", *, depth: int = 0, kinds: Collection[str] = (), query: str = ""
    ) -> Outlined | OutlinedTree:
        """Return what the parts of a file, or of the files below a directory, are called."""
        check_call(path=path, depth=depth, kinds=kinds, query=query)
        return self._engine.outline(fspath(path), Shape(depth, kinds, query), self._actor)

    def search(  # noqa: PLR0913 - the parameters of the contract
        self,
        query: str,
        path: Name = ".",
        *,
        regex: bool = False,
        glob: str = "",
        context: int = 0,
        limit: int = 100,
    ) -> Hits:
        """Return where some text stands in the tree, each place with the address of its segment."""
        check_call(query=query, path=path, regex=regex, glob=glob, context=context, limit=limit)
        return self._engine.search(Search(query, fspath(path), regex, glob, context, limit))

    def history(  # noqa: PLR0913 - the parameters of the contract
        self,
        path: Name = "",
        *,
        segment: str = "",
        task: str | None = None,
        actor: str | None = None,
        since: str = "",
        limit: int = 50,
        machine: str | None = None,
        worktree: str | None = None,
    ) -> History:
        """Return the transactions, newest first: of this workspace, or of all that share.

        `since` is how long ago (90s, 30m, 2h, 3d, 1w) or a date.
        """
        check_call(path=path, segment=segment, since=since, limit=limit)
        check_call("task actor", task=task, actor=actor)
        check_call("machine worktree", machine=machine, worktree=worktree)
        start = arguments.since({"since": since} if since else {})
        wanted = HistoryRequest(fspath(path), actor, task, start, limit, machine, worktree)
        return self._engine.history(wanted, segment)

    def conflicts(self) -> Conflicts:
        """Return where workspaces that share a journal changed the same without a merge."""
        return self._engine.conflicts()

    def show(self, transaction: str) -> PastTransaction:
        """Return one transaction with its reasons and diffs, or raise `Refused`."""
        check_call(transaction=transaction)
        return self._engine.show(transaction)

    def undo(
        self,
        transaction: str = "",
        *,
        edit: int | None = None,
        task: str = "",
        to: str = "",
        **options: Unpack[UndoOptions],
    ) -> Receipt:
        """Take back a transaction, one edit of it, a task, or all since a point.

        Without arguments it is this caller's last transaction; undoing an undo is redo.
        """

        def undo(given: Options) -> Receipt:
            check_call("edit", transaction=transaction, edit=edit, task=task, to=to)
            return self._engine.undo(UndoRequest(transaction, edit, task, to), given)

        return self._carried_out(options, undo)

    def redo(self, transaction: str = "", **options: Unpack[UndoOptions]) -> Receipt:
        """Take an undo back: the one named or that took this back, else this caller's last."""

        def redo(given: Options) -> Receipt:
            check_call(transaction=transaction)
            return self._engine.undo(UndoRequest(transaction, redo=True), given)

        return self._carried_out(options, redo)

    def diff(
        self,
        path: Name = "",
        *,
        since: str = "",
        task: str = "",
        actor: str = "",
        session: str = "",
    ) -> Changes:
        """Return what many transactions did as one diff, with the reason of each hunk.

        `since` is a transaction, how long ago (2h, 3d), a date, or HEAD for the last commit of git.
        """
        check_call(path=path, since=since, task=task, actor=actor)
        return self._engine.review.diff(ChangesRequest(since, task, actor, session, fspath(path)))

    def tasks(self) -> Tasks:
        """Return the tasks, those that edited last first."""
        return self._engine.administration.tasks()

    def proposals(self, *, decided: bool = False) -> Waiting:
        """Return the proposals that wait for a person, and those that were decided if asked for."""
        from keyhole.engine.verdicts import waiting

        return waiting(self._engine.review.proposals(), decided=decided)

    def stats(self, *, since: str = "") -> Stats:
        """Return how calls went: transactions, refusals by code, retries."""
        check_call(since=since)
        return self._engine.stats(arguments.since({"since": since} if since else {}))

    def check(self, *paths: Name) -> CheckAnswer:
        """Return what is wrong with files as they stand; without paths, with all of them."""
        return self._engine.administration.check([fspath(path) for path in paths])

    def call(self, tool: str, arguments: Arguments, *tool_sets: str, task: str = "") -> ToolAnswer:
        """Call a tool of another interface: `call("apply_patch", {"input": patch}, "codex")`.

        The answer is what an agent would get: text, data, and whether it was refused.
        """
        check_call(tool=tool, arguments=arguments, tool_sets=tool_sets, task=task)
        found = toolsets.tool_named(tool, tool_sets)
        caller = toolsets.Caller(self._actor, task, "library")
        return toolsets.call(found, lambda _: self._engine, arguments, caller)

    def tracker(self) -> EditTracker:
        """Return a tracker of who edited which lines, on top of what tasks wrote here."""
        return self._engine.tracker()

    def close(self) -> None:
        """Let go of the journal and the root."""
        self._engine.close()

    def __enter__(self) -> Self:
        """Use the workspace in a `with` block."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the workspace."""
        self.close()

    def _carried_out(
        self, options: Mapping[str, object], work: Callable[[Options], Receipt]
    ) -> Receipt:
        """Return the receipt of a call, also where its words alone are refused."""
        if strays := [name for name in options if name not in _OPTIONS]:
            raise TypeError(_unknown(strays[0]))
        try:
            return work(Options(**{"actor": self._actor, **options}))  # type: ignore[arg-type]
        except Refused as refused:
            return Receipt.refused(refused.refusals)


def _unknown(name: str) -> str:
    alike = max(_OPTIONS, key=lambda each: _shared(name, each))
    hint = f"; did you mean {alike!r}?" if _shared(name, alike) > _ALIKE else ""
    return f"a call has no option {name!r}{hint}"


# The share of letters that a misspelt option has in common with the one that was meant.
_ALIKE = 0.7


def _shared(one: str, other: str) -> float:
    return 2 * sum((Counter(one) & Counter(other)).values()) / (len(one) + len(other))


def _listed(edits: Operation | Iterable[Operation] | str) -> list[Operation]:
    """Return edits as a list; whatever else Python lets pass for them is refused."""
    if isinstance(edits, str) or not isinstance(edits, Iterable):
        given: list[object] = [edits]
    else:
        given = list(edits)
    operations = [each for each in given if isinstance(each, Operation)]
    if len(operations) < len(given):
        raise Refused(_not_an_edit(next(e for e in given if not isinstance(e, Operation))))
    return operations


def _is_edit(operation: Operation) -> TypeGuard[Edit]:
    """Tell whether an operation is an edit, or refuse what names its file itself."""
    if not isinstance(operation, Edit):
        raise Refused(_not_an_edit(operation))
    return True


def _not_an_edit(stray: object) -> Refusal:
    return Refusal(
        "bad-request",
        f"`edits` holds a {type(stray).__name__} that is no edit: {str(stray)[:80]!r}",
        help='pass edits as objects: edit([Edit(find="old", content="new")], path="app.py")',
        data={"field": "edits"},
    )
