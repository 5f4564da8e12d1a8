"""Faults of edits made for older versions, planted again."""

from collections.abc import Callable

from keyhole.matching import merge
from keyhole.matching.merge import Met
from keyhole.matching.revision import Revision
from keyhole.text.changes import ChangeSet, Clash
from keyhole.text.diff import diff, line_changes


def _glued(ours: ChangeSet, revision: Revision) -> ChangeSet | Met:
    before, made = revision.before.text, revision.changes
    theirs = diff(before, revision.after.text) if made is None else line_changes(before, made)
    found = ours.rebase(theirs)
    if isinstance(found, Clash):
        return Met(dict(zip(theirs.changes, theirs.spans_after(), strict=True))[found.theirs])
    return found


def stale_append_is_glued() -> None:
    """Lay a stale edit beside the changes since by characters, whatever became of line ends."""
    vars(merge)["merged"] = _glued


PLANTED: dict[str, Callable[[], None]] = {"a stale append is glued": stale_append_is_glued}
