"""Conflicts across workspaces: both sides of each, before anybody merges."""

from __future__ import annotations

from keyhole.surfaces.web.frame import Frame, empty, page
from keyhole.surfaces.web.html import Html, link, tag
from keyhole.walks.meeting import Conflict, Conflicts, Side, Stretch, diff_of, reason_of


def conflicts(frame: Frame, found: Conflicts) -> Html:
    """Return the page of all current conflicts, hot ones first."""
    nothing = empty("No two workspaces changed the same without a merge.")
    body = [_conflict(frame, each) for each in found.conflicts] or [nothing]
    return page(frame, "Conflicts", tag("h1", "Conflicts"), *body, at="/conflicts")


def _conflict(frame: Frame, conflict: Conflict) -> Html:
    met = conflict.meeting
    return tag(
        "section",
        tag(
            "h2",
            tag("em", conflict.kind, class_="word"),
            " ",
            link(frame.to_file(met.path), met.path),
            f" {conflict.segment}" if conflict.segment else None,
        ),
        _side(frame, met.one, met.here),
        _side(frame, met.other, met.there),
        class_="conflict",
    )


def _side(frame: Frame, side: Side, stretch: Stretch) -> Html:
    entry = stretch.entry
    machine, worktree = side.place
    branch = f" ({entry.origin.branch})" if entry.origin and entry.origin.branch else ""
    task = entry.call.task
    who = link(frame.to_task(task), task, class_="task") if task else entry.call.actor
    place = f" on {machine}:{worktree}{branch}, "
    reason = reason_of(entry, side.path)
    return tag(
        "article",
        tag("p", who, place, link(frame.to_transaction(entry.id), entry.id)),
        tag("p", reason) if reason else None,
        tag("pre", diff_of(side, stretch)),
    )
