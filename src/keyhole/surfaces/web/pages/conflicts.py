"""Conflicts across workspaces: both sides of each, before anybody merges."""

from __future__ import annotations

from keyhole.engine.sharing.cross_checkout import (
    CheckoutConflict,
    Conflicts,
    Side,
    Stretch,
    diff_of,
    reason_of,
)
from keyhole.surfaces.web.html import Html, link, tag
from keyhole.surfaces.web.page_frame import PageFrame, actor_of, empty, page, path_of, task_of
from keyhole.surfaces.web.pages.transaction import unified

_KINDS = {"hot": "both changed the same lines", "soft": "both changed the same segment or file"}


def conflicts(frame: PageFrame, found: Conflicts) -> Html:
    """Return the page of all current conflicts, hot ones first."""
    nothing = empty("No two workspaces changed the same without a merge.")
    body = [_conflict(frame, each) for each in found.conflicts] or [nothing]
    return page(frame, "Conflicts", tag("h1", "Conflicts"), *body, at="/conflicts")


def _conflict(frame: PageFrame, conflict: CheckoutConflict) -> Html:
    met = conflict.meeting
    hot = "refused" if conflict.kind == "hot" else "undo"
    segment = conflict.segment
    return tag(
        "section",
        tag(
            "h2",
            tag("em", conflict.kind, class_=f"word {hot}", title=_KINDS.get(conflict.kind, "")),
            path_of(frame, met.path),
            link(frame.to_file(met.path, segment), segment, class_="segment") if segment else None,
            class_="meta",
        ),
        tag(
            "div",
            _side(frame, met.one, met.here),
            _side(frame, met.other, met.there),
            class_="versions",
        ),
        class_="panel conflict",
    )


def _side(frame: PageFrame, side: Side, stretch: Stretch) -> Html:
    entry = stretch.entry
    machine, worktree = side.place
    branch = f" ({entry.origin.branch})" if entry.origin and entry.origin.branch else ""
    return tag(
        "figure",
        tag(
            "figcaption",
            task_of(frame, entry.call.task) or actor_of(frame, entry.call.actor),
            tag("span", f"on {machine}:{worktree}{branch}"),
            link(frame.to_transaction(entry.id), reason_of(entry, side.path) or entry.id),
            class_="meta",
        ),
        unified(diff_of(side, stretch)),
    )
