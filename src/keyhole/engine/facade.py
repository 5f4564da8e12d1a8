"""The engine: each walk from request to receipt. Every surface calls this, and nothing below."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

from keyhole.answers.receipt import Receipt
from keyhole.candidates import Candidates
from keyhole.edits.checks.validate import validate
from keyhole.edits.model.operations import DeleteFile, MoveFile, Operation, WriteFile
from keyhole.edits.model.plan import Plan
from keyhole.edits.resolve import Unresolved
from keyhole.engine.edit.check_conflicts import (
    Cleared,
    check_conflicts,
    kept,
    known_versions,
    receipt_of,
    with_details,
    with_lease_check,
)
from keyhole.engine.edit.plan import not_text, others_since, planned, preview, snapshot_of, verdict
from keyhole.engine.edit.requests import Request, request_of, spelled_as_in
from keyhole.engine.missing_files import naming_nearest, with_nearest
from keyhole.engine.options import Options
from keyhole.engine.template_facts import detector, examined
from keyhole.fastclasses import replace
from keyhole.history.versions import CachedJournal
from keyhole.refusals import Refused
from keyhole.text.document import Document
from keyhole.workspace.tree import Tree, TreeOptions

if TYPE_CHECKING:
    from keyhole.answers.history import History, PastTransaction
    from keyhole.answers.reading import Hits, Outlined, OutlinedTree, Reading
    from keyhole.answers.template import FileSchema, TemplateList
    from keyhole.engine.administration import Administration
    from keyhole.engine.checkpoints import Checkpoints
    from keyhole.engine.history.insights import Stats
    from keyhole.engine.history.recall import HistoryRequest, News, UndoRequest
    from keyhole.engine.history.tracker import EditTracker
    from keyhole.engine.linting.lint import Linted, Linting
    from keyhole.engine.reading import ReadRequest, Search, Shape
    from keyhole.engine.refactoring import Refactoring
    from keyhole.engine.review import Review
    from keyhole.engine.scaffold import Scaffold
    from keyhole.engine.sharing.cross_checkout import Conflicts
    from keyhole.language_servers.desk import LanguageServers


class Engine:
    """One workspace: a tree of files, its journal, and a method per use case."""

    def __init__(
        self,
        tree: Tree,
        linting: Linting | None = None,
        servers: Callable[[], LanguageServers] | None = None,
    ) -> None:
        self._tree = tree
        self._linting, self._servers = linting, servers
        self._offers = Candidates(tree.state / "proposals")

    @staticmethod
    def open(
        root: Path,
        state_home: Path,
        options: TreeOptions | None = None,
        linting: Linting | None = None,
    ) -> Engine:
        """Open the workspace at `root`, or refuse."""
        return Engine(Tree.open(root, state_home=state_home, options=options), linting)

    def close(self) -> None:
        """Let go of the journal and the root."""
        self._tree.close()

    @property
    def root(self) -> str:
        """Return the directory of the workspace, without links."""
        return self._tree.root.path

    @property
    def spellings(self) -> tuple[str, str]:
        """Return the directory of the workspace without links, and as it was named."""
        return self._tree.root.path, self._tree.root.spelling

    @property
    def allowed(self) -> TreeOptions:
        """Return what the user allows here."""
        return self._tree.options

    @property
    def administration(self) -> Administration:
        """Return what people do with the workspace as such, from its check-up to its leases."""
        from keyhole.engine.administration import Administration

        return Administration(self._tree, self._linting, self._servers)

    @property
    def review(self) -> Review:
        """Return the past and the proposals as people look at them and decide."""
        from keyhole.engine.review import Review

        return Review(self._tree, self._linting)

    @property
    def refactoring(self) -> Refactoring:
        """Return the changes of all places at once: sweeps, and symbols by their names."""
        from keyhole.engine.refactoring import Refactoring

        return Refactoring(self._tree, self._carry_out, self._refused, self._servers)

    @property
    def checkpoints(self) -> Checkpoints:
        """Return what is known of others who change the tree, and the ways back."""
        from keyhole.engine.checkpoints import Checkpoints

        return Checkpoints(self._tree, self.undo)

    def tracker(self) -> EditTracker:
        """Return a tracker of who edited which lines."""
        from keyhole.engine.history.tracker import EditTracker

        return EditTracker(self._tree)

    def holds(self, path: str) -> bool:
        """Tell whether a full path lies below the root, however that is spelt."""
        return any(Path(path).is_relative_to(spelling) for spelling in self.spellings)

    def resolve(self, path: str) -> str:
        """Return the one name of a file, relative to the root, or refuse one outside."""
        return self._tree.resolve(path)

    def exists(self, path: str) -> bool:
        """Tell whether anything is at a path; what may not be looked at may be there."""
        return self._tree.exists(path)

    def is_directory(self, path: str) -> bool:
        """Tell whether a path is a directory."""
        return self._tree.is_directory(path)

    def files(self, under: str = ".", glob: str = "") -> Iterator[str]:
        """Yield the files below a directory in order, without those that .gitignore names."""
        return self._tree.walk(under, glob=glob)

    def document(self, path: str, version: str = "", actor: str = "") -> Document:
        """Return a file in the version that has this hash, if it is known, else as it stands."""
        older = self._tree.version(path, version, actor) if version else None
        return older or self._tree.read(path)

    def offered(self, accept: str) -> str:
        """Return the file that a refusal offered to edit, "" if none did."""
        offer = self._offers.get(accept)
        return offer.path if offer else ""

    def edit(self, edits: Iterable[Operation], options: Options, path: str = "") -> Receipt:
        """Carry out edits completely, or change nothing and say why.

        `path` is for edits that bring none of their own.
        """
        return self._answer(list(edits), options, path)

    def patch(self, text: str | bytes, options: Options, path: str = "") -> Receipt:
        """Carry out a patch in whatever format it came, all of it or nothing."""
        from keyhole.patches.detect import parse

        try:
            operations = parse(text, path)
        except Refused as refused:
            return self._refused(refused, options, path)
        return self._answer(operations, options, path)

    def write(self, operation: WriteFile | DeleteFile | MoveFile, options: Options) -> Receipt:
        """Write, delete or move a whole file, or change nothing and say why."""
        return self._answer([operation], options, operation.path)

    def scaffold(self, wanted: Scaffold, options: Options) -> Receipt:
        """Make a new file from a template, or change nothing and say why."""
        from keyhole.engine.scaffold import written

        try:
            operation = written(self._tree, wanted)
        except Refused as refused:
            return self._refused(refused, options, wanted.path)
        return self.write(operation, options)

    def templates(self, template: str = "") -> TemplateList:
        """Return the templates there are, or the one that is named."""
        from keyhole.engine.scaffold import listed

        return listed(self._tree, template)

    def schema(self, path: str, actor: str = "") -> FileSchema:
        """Return what a file is made of, what its template asks for, what can be edited how."""
        from keyhole.engine.scaffold import file_schema

        return file_schema(self._tree, path, self._shown(path, actor)[0])

    def read(self, path: str, wanted: ReadRequest, actor: str = "") -> Reading:
        """Return a piece of a file, and remember that this caller was shown this version."""
        from keyhole.engine.reading import read

        document, warnings = self._shown(path, actor)
        return replace(read(document, path, wanted, detector(self._tree)), warnings=warnings)

    def outline(self, path: str, shape: Shape, actor: str = "") -> Outlined | OutlinedTree:
        """Return the outline of a file, or of the files below a directory."""
        from keyhole.engine.reading import outline, outline_tree

        if self._tree.is_directory(path):
            return outline_tree(self._tree, path, shape)
        document, warnings = self._shown(path, actor)
        found = outline(document, path, shape, examined(self._tree, path, document))
        return replace(found, warnings=warnings)

    def search(self, wanted: Search) -> Hits:
        """Return the places of the tree that hold some text, with their segments."""
        from keyhole.engine.reading import search

        with self.naming_nearest():
            return search(self._tree, wanted)

    def naming_nearest(self) -> AbstractContextManager[None]:
        """Let what is refused for a file that is not there name the files most like it."""
        return naming_nearest(self._tree)

    def _shown(self, path: str, actor: str) -> tuple[Document, tuple[str, ...]]:
        """Return a file to show, and what others did to it since this caller last saw it."""
        with self.naming_nearest():
            document = self._tree.read(path)
        if document.is_binary:
            raise Refused(not_text(path))
        warnings = others_since(self._tree, path, document, actor)
        self._tree.remember(path, document, actor)
        return document, warnings

    def _answer(self, operations: Sequence[Operation], options: Options, path: str) -> Receipt:
        try:
            request = request_of(self._tree, self._offers, operations, path)
            with spelled_as_in(request):
                return self._carry_out(request, options)
        except Refused as refused:
            return self._refused(refused, options, path, *operations)

    def _carry_out(self, request: Request, options: Options) -> Receipt:
        """Walk one call through: hold, resolve, commit, receipt."""
        seen = known_versions(self._tree, request, options)
        if not options.writes:
            ahead = preview(self._tree, request, options, seen)
            told = self._linted(ahead.plan, options, request.spelling)
            left, spelling = verdict(ahead.plan), request.spelling
            receipt = ahead.on(Receipt.done(ahead.plan, left, dry_run=True, spelling=spelling))
            return told.on(receipt) if told else receipt
        linted = self._linted_ahead(request, options)
        backups = self._backups(request, options)
        paths = request.paths.union(backups.values())
        with self._tree.hold_resolved(paths, actor=options.actor) as held:
            plan = planned(self._tree, request, held.snapshot, options)
            settled = check_conflicts(self._tree, plan, options, seen)
            if settled.plan.is_empty:
                left = verdict(settled.plan)
                return settled.on(Receipt.done(settled.plan, left, spelling=request.spelling))
            told = self._linted(settled.plan, options, request.spelling, linted)
            if options.propose or self._tree.options.propose:
                from keyhole.engine.proposals import propose

                return propose(self._tree, settled, options, request.spelling)
            if backups:
                settled = replace(settled, plan=kept(settled.plan, held.snapshot, backups))
            settled = with_lease_check(self._tree, settled, options)
            call = with_details(options.call, settled, told, request.operations)
            entry = held.commit(settled.plan, call, fence=settled.fence)
        receipt = receipt_of(self._tree, settled, entry, request.spelling)
        return told.on(receipt) if told else receipt

    def _backups(self, request: Request, options: Options) -> dict[str, str]:
        if not (options.backup or self._tree.options.backup):
            return {}
        from keyhole.engine.edit.backups import backups_for

        return backups_for(self._tree, request.paths, asked=options.backup)

    def _linted_ahead(self, request: Request, options: Options) -> Linted | None:
        """Run the linters before the files are locked: they take seconds, and others may wait."""
        if self._linting is None:
            return None
        from keyhole.engine.linting.lint import linted

        try:
            files = snapshot_of(self._tree, request.paths, options.actor)
            plan = planned(self._tree, request, files, options)
        except Refused:  # said by the walk under the lock, if it is still so
            return None
        return linted(self._tree, plan, self._linting)

    def _linted(
        self,
        plan: Plan,
        options: Options,
        spelling: Mapping[str, str],
        ahead: Linted | None = None,
    ) -> Linted | None:
        """Ask the linters, or refuse what they object to."""
        if self._linting is None:
            return None
        from keyhole.engine.linting.lint import linted

        told = linted(self._tree, plan, self._linting, ahead)
        told.judge(plan, options, spelling)
        return told

    def end_session(self, session: str) -> None:
        """End the task of a connection that is over, if it wrote anything here."""
        if self._tree.sessions.is_kept(session):
            self._tree.journal.end_task(session, time.time())

    def undo(self, wish: UndoRequest, options: Options) -> Receipt:
        """Take back transactions, whatever happened since, or change nothing and say why."""
        from keyhole.engine.history.recall import taken_back, undo_call
        from keyhole.engine.undoing import already_done, holding, is_known, meant, undone, with_rest

        try:
            journal = CachedJournal(self._tree.journal)
            spelling = {self._tree.resolve(wish.path): wish.path} if wish.path else {}
            wish = replace(wish, path=next(iter(spelling), ""))
            targets = meant(self._tree, journal, wish, options.actor)
            with holding(self._tree, journal, targets, wish, options.actor) as held:
                taken, stands = undone(self._tree, journal, targets, held.snapshot, wish)
                known = taken.is_return or is_known(self._tree, taken.plan)
                mode = "interactive" if known or wish.prompt else options.mode
                taken = replace(taken, plan=validate(taken.plan, mode, self._tree.exists))
                # To return to an old text needs no leave of a linter.
                told = None if known else self._linted(taken.plan, options, spelling)
                back = taken_back(journal, taken.undoes, spelling)
                ahead = Receipt.done(taken.plan, "verified", dry_run=True, spelling=spelling)
                ahead = replace(ahead, took_back=back, warnings=stands)
                if not options.writes:
                    ahead = with_rest(self._tree, wish, ahead)
                    return told.on(ahead) if told else ahead
                wish.check(self._tree.options, ahead)
                call = undo_call(journal, options.call, taken.undoes, wish)
                settled = with_lease_check(self._tree, Cleared(taken.plan), options)
                gains, made = taken.gains, taken.made
                entry = held.commit(taken.plan, call, gains=gains, made=made, fence=settled.fence)
            receipt = receipt_of(self._tree, settled, entry, spelling)
            warnings = (*receipt.warnings, *stands)
            receipt = replace(receipt, took_back=back, warnings=warnings)
            receipt = with_rest(self._tree, wish, receipt)
            return told.on(receipt) if told else receipt
        except Refused as refused:
            done = already_done(refused, dry_run=not options.writes)
            return done or self._refused(refused, options, "")

    def history(self, wanted: HistoryRequest, segment: str = "") -> History:
        """Return transactions, newest first, and the proposals beside them."""
        from keyhole.engine import proposals
        from keyhole.engine.history import recall

        query = recall.placed(self._tree, wanted)
        if self._tree.shared is None:
            recall.check_one_workspace(query)
            found = recall.history(self._tree.journal, query, segment)
        else:
            from keyhole.engine.sharing import share

            found = share.history(self._tree.shared, self._tree.journal, query, segment)
        return replace(found, proposals=proposals.offers(self._tree, query))

    def show(self, name: str) -> PastTransaction:
        """Return one transaction with its reasons and diffs."""
        if self._tree.shared is None:
            from keyhole.engine.history.recall import show

            return show(self._tree.journal, name)
        from keyhole.engine.sharing import share

        return share.show(self._tree.shared, self._tree.journal, name)

    def named(self, name: str) -> History:
        """Return one transaction or proposal with its reasons and diffs."""
        from keyhole.answers.history import History
        from keyhole.engine.proposals import offer
        from keyhole.review_queue import is_proposal

        if is_proposal(name):
            return History((), proposals=(offer(self._tree, name),))
        return History((self.show(name),))

    def knows(self, name: str) -> bool:
        """Tell whether there is a transaction or a proposal of this name."""
        from keyhole.engine.proposals import queue_of

        proposed = queue_of(self._tree).get(name)
        return (proposed or self._tree.journal.entry(name)) is not None

    def undoes_at(self, wish: UndoRequest, actor: str) -> float | None:
        """Return when the last transaction was made that an undo would take back, if any was."""
        from keyhole.engine.history.recall import undoes_at

        return undoes_at(self._tree.journal, wish, actor)

    def last_edit(self, path: str, actor: str) -> str:
        """Return the actor's last transaction that still stands in a file, "" if there is none."""
        from keyhole.engine.history.recall import last_edit

        return last_edit(self._tree.journal, self.resolve(path), actor)

    def news(self, known: int | None, since: float, most: int) -> News:
        """Return the transactions behind the `known` one; where none is, those made `since`."""
        from keyhole.engine.history.recall import news

        return news(self._tree.journal, known, since, most)

    def stats(self, since: float = 0.0, wanted: HistoryRequest | None = None) -> Stats:
        """Count how calls went; of what is wanted only machine and worktree matter."""
        from keyhole.engine.history.recall import HistoryRequest, check_one_workspace

        query = (wanted or HistoryRequest()).query
        if self._tree.shared is None:
            from keyhole.engine.history.insights import Stats

            check_one_workspace(query)
            return Stats(self._tree.journal.tally(since), since)
        from keyhole.engine.sharing import share

        return share.stats(self._tree.shared, self._tree.journal, since, query)

    def conflicts(self) -> Conflicts:
        """Return where workspaces of the project changed the same and nobody has merged it yet."""
        from keyhole.engine.sharing.share import conflicts

        return conflicts(self._tree)

    def _refused(self, refused: Refused, options: Options, path: str, *sent: Operation) -> Receipt:
        """Remember a refusal and what it offers; the receipt says it all."""
        if isinstance(refused, Unresolved):
            self._offers.keep(refused.offered)
        if options.writes and not self._tree.options.read_only:
            from keyhole.engine import struggles

            struggles.keep(self._tree, refused, options, path, sent)
        return Receipt.refused(with_nearest(self._tree, refused.refusals))
