"""Names of files in answers: in full where the file is not below the first root.

A relative name would mean another file, that of the first root.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from keyhole.file_receipts import FileReceipt
from keyhole.histories import History, PastTransaction, ProposalSummary
from keyhole.readings import Hits, OutlinedTree
from keyhole.receipts import Receipt
from keyhole.values import replace

T = TypeVar("T")


def in_full(base: str, answer: T) -> T:
    """Return an answer about the root at `base` with every file named from `/` on."""
    named = _named(base, answer)
    assert isinstance(named, type(answer)), "BUG: an answer of another kind"
    return named


def _named(base: str, answer: object) -> object:
    match answer:
        case Hits():
            return replace(answer, hits=tuple(_moved(base, hit) for hit in answer.hits))
        case OutlinedTree():
            return replace(answer, files=tuple(_moved(base, file) for file in answer.files))
        case Receipt():
            return _receipt(base, answer)
        case History():
            return replace(
                answer,
                transactions=tuple(_past(base, each) for each in answer.transactions),
                proposals=tuple(_offer(base, each) for each in answer.proposals),
            )
        case PastTransaction():
            return _past(base, answer)
        case ProposalSummary():
            return _offer(base, answer)
    return answer


def _full(base: str, path: str) -> str:
    return f"{base}/{path}" if path and not path.startswith("/") else path


def _moved(base: str, value: T) -> T:
    """Return a value with its paths in full: its own, and those a move has."""
    names = ("path", "moved_from", "moved_to", "like")
    paths = {name: getattr(value, name) for name in names if hasattr(value, name)}
    changed = {name: _full(base, path) for name, path in paths.items()}
    moved: T = replace(value, **changed)  # type: ignore[type-var]
    return moved


def _receipt(base: str, receipt: Receipt) -> Receipt:
    conflicts = ({**each, "path": _full(base, str(each["path"]))} for each in receipt.conflicts)
    return replace(
        receipt,
        files=tuple(_file(base, file) for file in receipt.files),
        refusals=tuple(
            each.spelt({path: _full(base, path) for path in each.files})
            for each in receipt.refusals
        ),
        conflicts=tuple(conflicts),
    )


def _file(base: str, file: FileReceipt) -> FileReceipt:
    # The diff goes by the path of the plan, and is for the root whatever the file is called.
    plan = replace(_moved(base, file.plan), path=file.plan.path)
    return replace(file, path=_full(base, file.path), plan=plan)


def _past(base: str, past: PastTransaction) -> PastTransaction:
    draft = past.entry.draft
    draft = replace(draft, files=tuple(_moved(base, change) for change in draft.files))
    return replace(past, entry=replace(past.entry, draft=draft), diffs=_keyed(base, past.diffs))


def _offer(base: str, offer: ProposalSummary) -> ProposalSummary:
    plan = offer.proposed.plan
    plan = replace(plan, files=tuple(_moved(base, file) for file in plan.files))
    return replace(
        offer, proposed=replace(offer.proposed, plan=plan), diffs=_keyed(base, offer.diffs)
    )


def _keyed(base: str, diffs: Mapping[str, str] | None) -> dict[str, str] | None:
    return None if diffs is None else {_full(base, path): diff for path, diff in diffs.items()}
