"""Faults of edits made for older versions, planted again."""

from collections.abc import Callable

from keyhole.edits import resolve
from keyhole.edits.by_text.target import Target
from keyhole.matching import ladder, merge
from keyhole.matching.merge import MergeClash
from keyhole.matching.revision import Revision
from keyhole.matching.view import View
from keyhole.text.changes import ChangeSet, Clash
from keyhole.text.diff import diff, line_changes


def _glued(ours: ChangeSet, revision: Revision) -> ChangeSet | MergeClash:
    before, made = revision.before.text, revision.changes
    theirs = diff(before, revision.after.text) if made is None else line_changes(before, made)
    found = ours.rebase(theirs)
    if isinstance(found, Clash):
        return MergeClash(
            dict(zip(theirs.changes, theirs.spans_after(), strict=True))[found.theirs]
        )
    return found


def stale_append_is_glued() -> None:
    """Lay a stale edit beside the changes since by characters, whatever became of line ends."""
    vars(merge)["merged"] = _glued


def base_lands_on_a_copy() -> None:
    """Take what reads as the version shown did for the place, and carry over by comparing texts."""
    vars(resolve)["at_meant_place"] = lambda _edit, placed, _target: placed
    for module in (ladder, merge):
        vars(module)["follow"] = lambda span, _since: span
    vars(merge)["_is_known"] = lambda *_: True
    vars(merge)["_beside"] = lambda _blocks, _over, _text: None

    def compared(target: Target, base: View) -> tuple[Revision, ...]:
        return (Revision(base.document, target.document),)

    setattr(Target, "revisions", compared)  # noqa: B010 - mypy forbids the plain assignment


PLANTED: dict[str, Callable[[], None]] = {
    "a stale append is glued": stale_append_is_glued,
    "base lands on a copy": base_lands_on_a_copy,
}
