"""The engine: each walk from a request to its receipt, straight down. Every surface calls this and nothing below."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from keyhole.edits.locate import unknown_accept
from keyhole.edits.operations import DeleteFile, Edit, MoveFile, Operation, WriteFile
from keyhole.edits.plan import FilePlan, Plan, Proposal, Snapshot
from keyhole.edits.rebase import carried_over, stale
from keyhole.edits.resolve import Unresolved, resolve
from keyhole.edits.expected import expected_of
from keyhole.receipts import Receipt
from keyhole.refusals import Refusal, Refused
from keyhole.text.document import Document
from keyhole.workspace.journal.base import Attempt, Call
from keyhole.workspace.proposals import Proposals
from keyhole.workspace.tree import Tree, TreeOptions

if TYPE_CHECKING:
    from keyhole.looking import Search, Shape, Wanted
    from keyhole.readings import Hits, Outlined, OutlinedTree, Reading

MODES = ("strict", "interactive", "verify_only")
ON_CONFLICT = ("refuse", "warn", "skip", "force", "ask")


@dataclass(frozen=True, slots=True)
class Options:
    """What a caller says about a call besides the edits: the options of the contract, and who calls."""

    expected_hash: str | Mapping[str, str] = ""
    mode: str = "strict"
    dry_run: bool = False
    on_conflict: str = "refuse"
    task: str = ""
    reason: str = ""
    actor: str = ""
    tool: str = "library"

    def __post_init__(self) -> None:
        """Refuse values that mean nothing."""
        given = (("mode", self.mode, MODES), ("on_conflict", self.on_conflict, ON_CONFLICT))
        for name, value, choices in given:
            if value not in choices:
                headline = f"`{name}` is {value!r}; it is one of {', '.join(choices)}"
                raise Refused(Refusal("bad-request", headline, data={"field": name}))

    @property
    def writes(self) -> bool:
        """Tell whether the call is to change files."""
        return not self.dry_run and self.mode != "verify_only"

    @property
    def call(self) -> Call:
        """Return who asked, for the journal."""
        return Call(self.actor, self.task, self.tool, self.reason, self.on_conflict)


@dataclass(frozen=True, slots=True)
class _Request:
    """A call with its paths made canonical, and how the caller spelt them."""

    operations: tuple[Operation, ...]
    paths: frozenset[str]
    spelling: Mapping[str, str]
    proposals: Mapping[str, Proposal] = field(default_factory=dict)


class Engine:
    """One workspace: a tree of files, its journal, and the walks on them."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self._offers = Proposals(tree.state / "proposals")

    @staticmethod
    def open(root: Path, state_home: Path, options: TreeOptions | None = None) -> Engine:
        """Open the workspace at `root`, or refuse."""
        return Engine(Tree.open(root, state_home=state_home, options=options))

    def close(self) -> None:
        """Let go of the journal and the root."""
        self.tree.close()

    # --- edit, write --------------------------------------------------------------------------------------

    def edit(self, edits: Iterable[Edit], options: Options, path: str = "") -> Receipt:
        """Carry out edits completely, or change nothing and say why; `path` is for edits without one."""
        try:
            return self._carry_out(self._request(list(edits), path), options)
        except Refused as refused:
            return self._refused(refused, options, path)

    def write(self, operation: WriteFile | DeleteFile | MoveFile, options: Options) -> Receipt:
        """Write, delete or move a whole file, or change nothing and say why."""
        try:
            return self._carry_out(self._request([operation], ""), options)
        except Refused as refused:
            return self._refused(refused, options, operation.path)

    # --- read, outline, search ----------------------------------------------------------------------------

    def read(self, path: str, wanted: Wanted, actor: str = "") -> Reading:
        """Return a piece of a file, and remember that this caller was shown this version."""
        from keyhole.looking import read  # noqa: PLC0415 - an edit needs none of the reading walks

        document = self._shown(path, actor)
        return read(document, path, wanted)

    def outline(self, path: str, shape: Shape, actor: str = "") -> Outlined | OutlinedTree:
        """Return the outline of a file, or of the files below a directory."""
        from keyhole.looking import outline, outline_tree  # noqa: PLC0415 - see above

        if self.tree.is_directory(path):
            return outline_tree(self.tree, path, shape)
        return outline(self._shown(path, actor), path, shape)

    def search(self, wanted: Search) -> Hits:
        """Return the places of the tree that hold some text, with their segments."""
        from keyhole.looking import search  # noqa: PLC0415 - see above

        return search(self.tree, wanted)

    def _shown(self, path: str, actor: str) -> Document:
        document = self.tree.read(path)
        if document.is_binary:
            raise Refused(_not_text(path))
        return document

    # --- the walk of one edit -----------------------------------------------------------------------------

    def _carry_out(self, request: _Request, options: Options) -> Receipt:
        """The walk of one edit: hold, resolve, commit, receipt."""
        if not options.writes:
            plan = self._planned(request, self._snapshot(request.paths), options)
            return Receipt.done(plan, _verdict(plan), dry_run=True, spelling=request.spelling)
        with self.tree.hold(request.paths, actor=options.actor) as held:
            plan = self._planned(request, held.snapshot, options)
            if plan.is_empty:
                return Receipt.done(plan, _verdict(plan), spelling=request.spelling)
            entry = held.commit(plan, options.call)
        receipt = Receipt.done(plan, entry.outcome, transaction=entry.id, spelling=request.spelling)
        return replace(receipt, warnings=entry.warnings)

    def _planned(self, request: _Request, snapshot: Snapshot, options: Options) -> Plan:
        """Resolve on the versions the caller expects, and carry the result over to the files as they stand."""
        expected = expected_of(options.expected_hash, request.spelling, request.paths)
        older = self._older_versions(request, snapshot, expected)
        resolved_on = replace(snapshot, files={**snapshot.files, **older})
        plan = resolve(request.operations, resolved_on, request.proposals)
        if not older:
            return plan
        return Plan(tuple(_on_current(file, snapshot) if file.path in older else file for file in plan.files))

    def _older_versions(
        self, request: _Request, snapshot: Snapshot, expected: Mapping[str, str]
    ) -> dict[str, Document]:
        """Return the versions to resolve on where a file is not the one the caller expects."""
        older = {}
        for path, current in snapshot.files.items():
            wanted = expected.get(path, "")
            whole = [op for op in request.operations if op.path == path and isinstance(op, WriteFile)]
            if current is not None and whole and not wanted:
                raise Refused(_file_exists(request.spelling.get(path, path), current))
            if not wanted or current is None or current.hash == wanted:
                continue
            edits_only = all(isinstance(op, Edit) for op in request.operations if op.path == path)
            base = self._version(path, wanted) if edits_only else None
            if base is None:
                raise Refused(stale(request.spelling.get(path, path), wanted, current))
            older[path] = base
        return older

    def _request(self, operations: Sequence[Operation], path: str) -> _Request:
        """Give every operation its path, in the one spelling the tree uses."""
        if not operations:
            raise Refused(_no_edits())
        offers = self._accepted(operations)
        spelling: dict[str, str] = {}
        named: list[Operation] = []
        for index, operation in enumerate(operations):
            given = _path_of(operation, path, offers, index)
            canonical = self.tree.resolve(given)
            spelling.setdefault(canonical, given)
            named.append(replace(operation, path=canonical))
            if isinstance(operation, MoveFile):
                target = self.tree.resolve(operation.to)
                spelling.setdefault(target, operation.to)
                named[-1] = replace(operation, path=canonical, to=target)
        return _Request(tuple(named), frozenset(spelling), spelling, offers)

    def _accepted(self, operations: Sequence[Operation]) -> dict[str, Proposal]:
        wanted = [op.accept for op in operations if isinstance(op, Edit) and op.accept]
        found = {accept: self._offers.get(accept) for accept in wanted}
        return {accept: offer for accept, offer in found.items() if offer is not None}

    def _version(self, path: str, wanted: str) -> Document | None:
        """Return an older version of a file, if the journal knows that the file had it."""
        journal = self.tree.journal
        image = journal.image(wanted) if journal.has_version(path, wanted) else None
        return Document.from_bytes(image, self.tree.options.encoding) if image is not None else None

    def _snapshot(self, paths: Iterable[str]) -> Snapshot:
        """Read files without a lock, for a call that writes nothing."""
        return Snapshot({path: self._peek(path) for path in paths})

    def _peek(self, path: str) -> Document | None:
        try:
            return self.tree.read(path)
        except Refused as refused:
            if refused.refusals[0].code == "no-file":
                return None
            raise

    def _refused(self, refused: Refused, options: Options, path: str) -> Receipt:
        """Remember a refusal and what it offers; the receipt says it all."""
        if isinstance(refused, Unresolved):
            self._offers.keep(refused.proposals)
        if options.writes and not self.tree.options.read_only:
            codes = tuple(refusal.code for refusal in refused.refusals)
            attempt = Attempt(time.time(), options.actor, options.task, options.tool, codes, path)
            with suppress(Refused):  # a journal that cannot be used is told of by the calls that need it
                self.tree.journal.refuse(attempt)
        return Receipt.refused(refused.refusals)


def _on_current(file: FilePlan, snapshot: Snapshot) -> FilePlan:
    current = snapshot.files[file.path]
    assert current is not None, "BUG: only a file that is there has an older version"
    return carried_over(file, current)


def _verdict(plan: Plan) -> str:
    """Name the outcome of a plan that is not committed."""
    if not plan.is_empty:
        return "verified"
    edits = [edit for file in plan.files for edit in file.edits]
    return "already-applied" if edits and all(edit.already_applied for edit in edits) else "unchanged"


def _path_of(operation: Operation, path: str, offers: Mapping[str, Proposal], index: int) -> str:
    if isinstance(operation, Edit) and operation.accept:
        offer = offers.get(operation.accept)
        if offer is None:
            raise Refused(unknown_accept(operation.accept).at(edit=index))
        return operation.path or path or offer.path
    if not (operation.path or path):
        headline = f"edit {index} has no path, and the call has none either"
        raise Refused(Refusal("bad-request", headline, help="give `path`", edit=index, data={"field": "path"}))
    return operation.path or path


def _not_text(path: str) -> Refusal:
    help_line = "it can be edited with `find` and match exact; give its encoding if it is text in another one"
    return Refusal("not-text", f"{path} is not text: it holds NUL bytes", help=help_line, path=path)


def _no_edits() -> Refusal:
    return Refusal("bad-request", "`edits` is empty", help="give at least one edit", data={"field": "edits"})


def _file_exists(path: str, current: Document) -> Refusal:
    return Refusal(
        "file-exists",
        f"{path} exists, and the write does not say which version it replaces",
        help=f"edit the part you mean, or give expected_hash {current.hash} to replace the whole file",
        path=path,
        hash_current=current.hash,
    )
