"""A call as the engine takes it: its operations, with canonical paths."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress

from keyhole.candidates import Candidates
from keyhole.edits.locate import unknown_accept
from keyhole.edits.model.hunk import Hunk
from keyhole.edits.model.operations import (
    CopyFile,
    DeleteFile,
    Edit,
    MoveFile,
    Operation,
    WriteFile,
)
from keyhole.edits.model.plan import CandidateEdit
from keyhole.edits.resolve import Unresolved
from keyhole.engine.options import Options
from keyhole.fastclasses import altered, dataclass, field, replace
from keyhole.journal.model import Attempt
from keyhole.phrases import render, say
from keyhole.refusals import Refusal, Refused
from keyhole.workspace.tree import Tree

_LONGEST_SAID = 1000


@dataclass(frozen=True, slots=True)
class Request:
    """A call with its paths made canonical, and how the caller spelt them."""

    operations: tuple[Operation, ...]
    paths: frozenset[str]
    spelling: Mapping[str, str]
    offered: Mapping[str, CandidateEdit] = field(default_factory=dict)


def request_of(
    tree: Tree, offers: Candidates, operations: Sequence[Operation], path: str
) -> Request:
    """Return operations with canonical paths; `path` is for those without one."""
    if not operations:
        raise Refused(_no_edits())
    accepted = _accepted(offers, operations)
    operations, accepted = _with_rest(offers, operations, accepted)
    spelling: dict[str, str] = {}
    named: list[Operation] = []
    refusals: list[Refusal] = []
    for index, operation in enumerate(operations):
        given = _there(tree, operation) or _path_of(operation, path, accepted, index)
        try:
            named.append(_named(tree, operation, given, spelling))
        except Refused as refused:
            refusals += [each.at(edit=index) for each in refused.refusals]
    refusals += _in_each_others_way(spelling)
    if refusals:
        raise Refused(*refusals)
    return Request(tuple(named), frozenset(spelling), spelling, accepted)


@contextmanager
def spelled_as_in(request: Request) -> Iterator[None]:
    """Let refusals within the block name files as the caller spelt them."""
    try:
        yield
    except Unresolved as unresolved:
        refusals = [each.spelt(request.spelling) for each in unresolved.refusals]
        raise Unresolved(refusals, unresolved.offered) from None
    except Refused as refused:
        raise Refused(*(each.spelt(request.spelling) for each in refused.refusals)) from None


def _named(tree: Tree, operation: Operation, given: str, spelling: dict[str, str]) -> Operation:
    """Return an operation with the tree's own paths, and note the caller's spelling."""
    canonical = _file_at(tree, given)
    spelling.setdefault(canonical, given)
    if isinstance(operation, MoveFile):
        target = _file_at(tree, operation.to)
        spelling.setdefault(target, operation.to)
        return replace(operation, path=canonical, to=target)
    if isinstance(operation, CopyFile):
        source = tree.resolve(operation.source)
        spelling.setdefault(source, operation.source)
        return replace(operation, path=canonical, source=source)
    return _at(operation, canonical)


def _file_at(tree: Tree, given: str) -> str:
    """Return the canonical path of a file, or refuse a path that ends as directories do."""
    if given.endswith("/"):
        headline = f"{given} is the name of a directory"
        raise Refused(
            Refusal("no-file", headline, help="name a file in it", path=given, kind="directory")
        )
    return tree.resolve(given)


def _in_each_others_way(spelling: Mapping[str, str]) -> Iterator[Refusal]:
    """Yield a refusal for each file of the call that is also a directory of another."""
    for path, given in spelling.items():
        above = path.rpartition("/")[0]
        while above and above not in spelling:
            above = above.rpartition("/")[0]
        if above:
            headline = f"{spelling[above]} cannot be a file and hold {given} in one call"
            help_line = "take the one away in a call of its own, then send the rest"
            yield Refusal("bad-request", headline, help=help_line, path=given)


def _there(tree: Tree, operation: Operation) -> str:
    """Return the existing one of the names that a patch header allows."""
    names = operation.names if isinstance(operation, Hunk | DeleteFile) else ()
    return next((name for name in names if _is_there(tree, name)), "")


def _is_there(tree: Tree, name: str) -> bool:
    try:
        return tree.exists(tree.resolve(name))
    except Refused:
        return False


def _at(operation: Operation, path: str) -> Operation:
    return operation if operation.path == path else altered(operation, path=path)


def _accepted(offers: Candidates, operations: Sequence[Operation]) -> dict[str, CandidateEdit]:
    wanted = [op.accept for op in operations if isinstance(op, Edit) and op.accept]
    found = {accept: offers.get(accept) for accept in wanted}
    return {accept: offer for accept, offer in found.items() if offer is not None}


def _with_rest(
    offers: Candidates, operations: Sequence[Operation], accepted: dict[str, CandidateEdit]
) -> tuple[Sequence[Operation], dict[str, CandidateEdit]]:
    """Return the operations with the other edits of the calls that accepted candidates are from."""
    rest = [accept for offer in accepted.values() for accept in offer.rest]
    found = [offers.get(accept) for accept in dict.fromkeys(rest)]
    if not all(found):
        raise Refused(*(unknown_accept(accept).at(edit=0) for accept in accepted))
    more = [offer for offer in found if offer and offer.accept not in accepted]
    edits = (Edit(path=offer.path, accept=offer.accept) for offer in more)
    return [*operations, *edits], {**accepted, **{offer.accept: offer for offer in more}}


def _path_of(
    operation: Operation, path: str, offers: Mapping[str, CandidateEdit], index: int
) -> str:
    if isinstance(operation, Edit) and operation.accept:
        offer = offers.get(operation.accept)
        if offer is None:
            raise Refused(unknown_accept(operation.accept).at(edit=index))
        return operation.path or path or offer.path
    if not (operation.path or path):
        headline = f"edit {index} has no path, and the call has none either"
        raise Refused(
            Refusal(
                "bad-request", headline, help=say("give {path}"), edit=index, data={"field": "path"}
            )
        )
    return operation.path or path


def _no_edits() -> Refusal:
    return Refusal(
        "bad-request",
        say("{edits} is empty"),
        help="give at least one edit",
        data={"field": "edits"},
    )


def operation_of(
    path: str,
    content: str | None,
    *,
    delete: bool,
    move_to: str,
    allow_shrink: bool,
) -> WriteFile | DeleteFile | MoveFile:
    """Return the one operation of a `write`, or refuse none and several."""
    ways = [
        name
        for name, given in (
            ("content", content is not None),
            ("delete", delete),
            ("move_to", move_to),
        )
        if given
    ]
    if len(ways) != 1:
        what = " and ".join(ways) if ways else "none of them"
        raise Refused(
            Refusal("bad-request", f"a write takes content, delete or move_to; given: {what}")
        )
    if delete:
        return DeleteFile(path)
    if move_to:
        return MoveFile(path, move_to)
    return WriteFile(path, content or "", allow_shrink)


def paths_in(patch: str) -> list[str]:
    """Return the files that a patch names."""
    from keyhole.patches.detect import parse

    return [operation.path for operation in parse(patch)]


def attempt_of(tree: Tree, refused: Refused, options: Options, path: str) -> Attempt:
    """Return a refused call as the journal remembers it: by the name that its edits go by."""
    refusals = refused.refusals
    path = path or refusals[0].path
    with suppress(Refused):  # a name that is none stays as it was given
        path = tree.resolve(path)
    return Attempt(
        time.time(),
        options.actor,
        options.task,
        options.tool,
        tuple(refusal.code for refusal in refusals),
        path,
        "\n".join(render(refusal.headline) for refusal in refusals)[:_LONGEST_SAID],
    )
