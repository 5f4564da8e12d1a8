"""Leases: a task has a file or a segment to itself until the lease runs out.

A lease binds everybody who edits the same checkout, from whatever machine. Other worktrees have
files of their own: there it is a warning.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from keyhole.edits.model.plan import FilePlan, Plan
from keyhole.engine.options import Options
from keyhole.engine.sharing.share import no_shared_journal
from keyhole.fastclasses import dataclass, replace
from keyhole.history.steps_since import overlap
from keyhole.phrases import FileName, Phrase, say
from keyhole.refusals import Refusal, Refused
from keyhole.segments.addresses import find_segment
from keyhole.segments.registry import outline
from keyhole.sharing import leases as claimed
from keyhole.sharing.leases import LONGEST_SECONDS, Lease, LeaseRequest, leases, release, take
from keyhole.sharing.server import Unreachable
from keyhole.workspace.held import read_only

if TYPE_CHECKING:
    from keyhole.answers.receipt import Receipt
    from keyhole.sharing.sender import Sharer
    from keyhole.workspace.tree import Tree

_SECONDS = 5.0


class LeaseCheck:
    """The last check before a commit: whether leases allow it, by the server's clock.

    It runs when everything is staged and right before the intent is recorded, so that a call that
    was held up on the way is still refused.
    """

    def __init__(self, shared: Sharer, plan: Plan, options: Options) -> None:
        self._shared, self._options = shared, options
        self._files = [file for file in plan.files if not file.is_unchanged]
        self.warnings: tuple[str, ...] = ()

    def __call__(self) -> None:
        """Let the commit through, or refuse."""
        paths = [file.path for file in self._files]
        try:
            found = self._shared.ask(lambda journal: leases(journal, paths), _SECONDS)
        except Unreachable as unreachable:
            self._without_server(str(unreachable))
            return
        claimed.learn(self._shared.state, paths, found)
        against = [refusal for file in self._files for refusal in self._against(file, found)]
        if against and self._options.on_conflict != "force":
            raise Refused(*against)
        if self._options.claim:
            self._claim()
        self.warnings = _advice(found)

    def _against(self, file: FilePlan, found: Iterable[Lease]) -> Iterator[Refusal]:
        """Yield what forbids changing a file: leases of others, and an own lease that ran out."""
        here = [each for each in found if each.mine and _touches(file, each.path, each.segment)]
        for lease in here:
            if lease.is_live and lease.task != self._options.task:
                yield _claimed(lease)
        own = [lease for lease in here if self._options.task and lease.task == self._options.task]
        if own and not own[-1].is_live and not self._options.claim:
            yield _too_late(own[-1])

    def _claim(self) -> None:
        for wanted in self._requests():
            claim_place(self._shared, wanted)

    def _requests(self) -> Iterator[LeaseRequest]:
        options = self._options
        for file in self._files:
            segments = {edit.segment for edit in file.edits} or {""}
            for segment in sorted({""} if "" in segments else segments):
                yield LeaseRequest(
                    file.path, segment, options.task, options.claim, options.actor, options.reason
                )

    def _without_server(self, why: str) -> None:
        """Decide by what is known here: a lease that the server cannot confirm does not count."""
        if self._options.claim:
            raise Refused(_unconfirmed(f"no claim can be made: {why}"))
        now = time.time()
        for known in claimed.load(self._shared.state):
            if not any(_touches(file, known.path, known.segment) for file in self._files):
                continue
            own = known.task == self._options.task
            if own == (known.until < now):  # one's own that ran out, or another's that did not
                raise Refused(_unconfirmed(f"the claim of task {known.task!a} stands: {why}"))


def fence_of(tree: Tree, plan: Plan, options: Options) -> LeaseCheck | None:
    """Return the lease check of a commit, or None where no lease can forbid it.

    Without a shared journal only a claim asks for one, and is refused.
    """
    if tree.shared is None:
        raise Refused(no_shared_journal())
    if options.claim:
        _check_claim(options)
    elif not tree.shared.may_be_claimed(file.path for file in plan.files):
        return None
    return LeaseCheck(tree.shared, plan, options)


def with_late_claims(shared: Sharer, receipt: Receipt, plan: Plan) -> Receipt:
    """Return the receipt of an unchecked commit with claims that were heard of meanwhile."""
    paths = [file.path for file in plan.files if not file.is_unchanged]
    if not shared.may_be_claimed(paths):
        return receipt
    try:
        found = shared.ask(lambda journal: leases(journal, paths), _SECONDS)
    except Unreachable:  # the receipt says that news are missing
        return receipt
    claimed.learn(shared.state, paths, found)
    return replace(receipt, warnings=(*receipt.warnings, *_advice(found)))


def _check_claim(options: Options) -> None:
    if not options.task:
        headline = "a claim is a task's, and the call names none"
        move = say("give {task}")
        raise Refused(Refusal("bad-request", headline, help=move, data={"field": "claim"}))
    if not 0 < options.claim <= LONGEST_SECONDS:
        headline = "a claim is for up to a day"
        raise Refused(Refusal("bad-request", headline, data={"field": "claim"}))


def _touches(file: FilePlan, path: str, segment: str) -> bool:
    """Tell whether a plan changes the place of a lease; a missing segment is the whole file."""
    if file.path != path:
        return False
    if not segment or file.before is None or file.after is None:
        return True
    place = outline(path, file.before).by_address.get(segment)
    if place is None:
        return True
    spans = [(change.start, change.end) for change in file.changes.changes]
    return any(overlap(span, place.span) for span in spans)


def claim_place(shared: Sharer, wanted: LeaseRequest) -> Lease:
    """Claim a place, or refuse and name the tasks that have it."""
    found = shared.ask(lambda journal: take(journal, wanted), _SECONDS)
    if isinstance(found, tuple):
        raise Refused(*map(_claimed, found))
    now = shared.ask(lambda journal: leases(journal, [wanted.path]), _SECONDS)
    claimed.learn(shared.state, [wanted.path], now)
    return found


@dataclass(frozen=True, slots=True)
class Leases:
    """Claims as an answer: who has what, and for how long by the server's clock."""

    claims: tuple[Lease, ...]

    def as_data(self) -> dict[str, object]:
        """Return them in a list."""
        return {"claims": [_data(lease) for lease in self.claims]}

    def as_text(self) -> str:
        """Return a line a claim."""
        return "\n".join(map(_describe, self.claims)) or "no claims"


def claims(tree: Tree) -> Leases:
    """Return the claims of the project that have not run out."""
    return Leases(tuple(lease for lease in _ask(tree, None) if lease.is_live))


def claim(tree: Tree, wanted: LeaseRequest) -> Leases:
    """Claim a file or a segment for a task; return the leases there, also of other worktrees."""
    shared = _writable(tree)
    _check_claim(Options(task=wanted.task, claim=wanted.seconds))
    if wanted.segment:
        wanted = _with_address(tree, wanted)
    elif not tree.exists(wanted.path):
        headline = f"there is no file {wanted.path!a}"
        raise Refused(Refusal("no-file", headline, path=wanted.path))
    try:
        own = claim_place(shared, wanted)
    except Unreachable as unreachable:
        raise Refused(_unconfirmed(f"no claim can be made: {unreachable}")) from None
    others = [each for each in _ask(tree, [wanted.path]) if each.is_live and not each.mine]
    return Leases((own, *(each for each in others if each.covers(own.path, own.segment))))


def release_claims(tree: Tree, task: str, path: str | None = None) -> Leases:
    """Give the claims of a task in this checkout back; return what is still claimed here."""
    shared = _writable(tree)
    try:
        shared.ask(lambda journal: release(journal, task, path), _SECONDS)
    except Unreachable as unreachable:
        raise Refused(_unconfirmed(str(unreachable))) from None
    left = _ask(tree, None)
    claimed.learn(shared.state, {each.path for each in claimed.load(shared.state)}, left)
    return Leases(tuple(lease for lease in left if lease.is_live and lease.mine))


def _with_address(tree: Tree, wanted: LeaseRequest) -> LeaseRequest:
    """Return a lease request with the canonical address of its segment."""
    document = tree.read(wanted.path)
    found = find_segment(outline(wanted.path, document), wanted.segment, document)
    return replace(wanted, segment=found.address)


def _writable(tree: Tree) -> Sharer:
    if tree.shared is None:
        raise Refused(no_shared_journal())
    if tree.options.read_only:
        raise Refused(read_only())
    _ = tree.journal  # with it the directory where claims are remembered
    return tree.shared


def _ask(tree: Tree, paths: list[str] | None) -> tuple[Lease, ...]:
    if tree.shared is None:
        raise Refused(no_shared_journal())
    try:
        return tree.shared.ask(lambda journal: leases(journal, paths), _SECONDS)
    except Unreachable as unreachable:
        raise Refused(_unconfirmed(str(unreachable))) from None


def _data(lease: Lease) -> dict[str, object]:
    return {
        "path": lease.path,
        "segment": lease.segment,
        "task": lease.task,
        "actor": lease.actor,
        "machine": lease.machine,
        "reason": lease.reason,
        "token": lease.token,
        "seconds_left": round(lease.left, 1),
        "binding": lease.mine,
    }


def _place(lease: Lease) -> Phrase:
    file = FileName(lease.path)
    return say("{} `{}`", file, lease.segment) if lease.segment else say("{}", file)


def _describe(lease: Lease) -> str:
    why = f": {lease.reason}" if lease.reason else ""
    where = "here" if lease.mine else "in another worktree"
    left = f"for {max(lease.left, 0):.0f} s"
    return f"{_place(lease)}  task {lease.task} on {lease.machine}, {where}, {left}{why}"


def _advice(found: Iterable[Lease]) -> tuple[str, ...]:
    words = "task {} on {} has claimed {} in another worktree"
    others = (lease for lease in found if lease.is_live and not lease.mine)
    return tuple(say(words, lease.task, lease.machine, _place(lease)) for lease in others)


def _claimed(lease: Lease) -> Refusal:
    why = f" ({lease.reason})" if lease.reason else ""
    return Refusal(
        "conflict",
        say(
            "task {} has claimed {} for another {} s",
            ascii(lease.task),
            _place(lease),
            f"{max(lease.left, 0):.0f}",
        ),
        where=f"{lease.actor} on {lease.machine}{why}",
        help="do something else first, or talk to whoever has it; `keyhole task claims` lists all",
        path=lease.path,
        data={"task": lease.task, "machine": lease.machine, "token": lease.token},
    )


def _too_late(lease: Lease) -> Refusal:
    return Refusal(
        "conflict",
        say(
            "the claim of task {} on {} ran out {} s ago",
            ascii(lease.task),
            _place(lease),
            f"{-lease.left:.0f}",
        ),
        help="read the file as it stands, then claim it again and send the edit anew",
        path=lease.path,
        data={"task": lease.task, "token": lease.token},
    )


def _unconfirmed(why: str) -> Refusal:
    return Refusal(
        "busy",
        f"claims need the shared journal, and it is out of reach: {why}",
        help=say("send the edit without {claim}, or wait until the server is back"),
    )
