"""Line ends that an outsider changed throughout a file: what is taken back comes with the new ones.

Worked example: an entry added a line, and then an editor saved the file with CRLF. Every line of it
is another one to whoever compares bytes, and none to whoever reads it.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate, pairwise

from keyhole.edits.plan import FilePlan, LocatedEdit, Plan, Snapshot
from keyhole.text.changes import Change, ChangeSet
from keyhole.text.document import Document
from keyhole.values import replace
from keyhole.workspace.journal.base import APPLIED, Journal, Query
from keyhole.workspace.past.versions import version

_LF, _CRLF = "\n", "\r\n"


def with_recorded_ends(journal: Journal, snapshot: Snapshot) -> Snapshot | None:
    """Return the files with the line ends that keyhole last saw in them; None if they have them."""
    files = {
        path: respelled
        for path, now in snapshot.files.items()
        if now is not None and (respelled := _respelled(journal, path, now))
    }
    return replace(snapshot, files={**snapshot.files, **files}) if files else None


def _respelled(journal: Journal, path: str, now: Document) -> Document | None:
    last = next(
        (each for each in journal.entries(Query(path, limit=1)) if each.state == APPLIED), None
    )
    change = next((each for each in last.files if each.path == path), None) if last else None
    if change is None or change.after is None or journal.image(change.after) is None:
        return None
    ends = _ends_of(version(journal, change.after, change.encoding).text)
    if not ends or _ends_of(now.text) in {"", ends}:
        return None
    return now.with_text(_spelled(now.text, ends))


def _ends_of(text: str) -> str:
    """Return how all lines of a text end; "" if they end differently, or there are no ends."""
    count, pairs = text.count(_LF), text.count(_CRLF)
    if not count or text.count("\r") != pairs or pairs not in {0, count}:
        return ""
    return _CRLF if pairs else _LF


def _spelled(text: str, ends: str) -> str:
    return text.replace(_CRLF, _LF).replace(_LF, ends)


def in_present_ends(plan: Plan, files: Mapping[str, Document | None]) -> Plan | None:
    """Return a plan for files with recorded line ends as one for the files as they are.

    None where a file would come or go: an outsider's line ends must not be lost.
    """
    plans = []
    for file in plan.files:
        now = files.get(file.path)
        if now is None or file.before is None or now.text == file.before.text:
            plans.append(file)
            continue
        if file.after is None or file.moved_from or file.moved_to:
            return None
        respelled = _in_ends_of(file, now)
        if respelled is None:
            return None
        plans.append(respelled)
    return Plan(tuple(plans))


def _in_ends_of(file: FilePlan, now: Document) -> FilePlan | None:
    assert file.before is not None, "BUG: the file is there"
    text, ends = file.before.text, _ends_of(now.text)
    points = [at for change in file.changes.changes for at in (change.start, change.end)]
    if any(text[at - 1 : at + 1] == _CRLF for at in points if at):
        return None  # A change begins or ends within a line end.
    pieces = (_spelled(text[start:end], ends) for start, end in pairwise((0, *points)))
    moved = tuple(accumulate(map(len, pieces)))
    new = (_spelled(each.text, ends) for each in file.changes.changes)
    changes = ChangeSet(len(now.text), tuple(map(Change, moved[::2], moved[1::2], new)))
    after = now.with_text(changes.apply(now.text))
    own = changes.changes
    edits = (LocatedEdit(0, own, span=(own[0].start, own[-1].end)),) if own else ()
    return replace(file, before=now, after=after, changes=changes, edits=edits)
