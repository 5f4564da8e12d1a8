"""Conflicts across workspaces: both sides of each, before anybody merges."""

from __future__ import annotations

from keyhole.engine.sharing.cross_checkout import CheckoutConflict, Conflicts, ConflictSide
from keyhole.surfaces.pages.frame import PageFrame, actor_of, path_of, task_of
from keyhole.surfaces.pages.html import Html, link, tag
from keyhole.surfaces.web.page_frame import empty, page
from keyhole.surfaces.web.pages.transaction import unified

_KINDS = {"hot": "both changed the same lines", "soft": "both changed the same segment or file"}


def conflicts(frame: PageFrame, found: Conflicts) -> Html:
    """Return the page of all current conflicts, hot ones first."""
    nothing = empty("No two workspaces changed the same without a merge.")
    body = [_conflict(frame, each) for each in found.conflicts] or [nothing]
    return page(frame, "Conflicts", tag("h1", "Conflicts"), *body, at="/conflicts")


def _conflict(frame: PageFrame, conflict: CheckoutConflict) -> Html:
    path = conflict.meeting.path
    hot = "refused" if conflict.kind == "hot" else "undo"
    segment = conflict.segment
    return tag(
        "section",
        tag(
            "h2",
            tag("em", conflict.kind, class_=f"word {hot}", title=_KINDS.get(conflict.kind, "")),
            path_of(frame, path),
            link(frame.to_file(path, segment), segment, class_="segment") if segment else None,
            class_="meta",
        ),
        tag("div", *(_side(frame, side) for side in conflict.sides), class_="versions"),
        class_="panel conflict",
    )


def _side(frame: PageFrame, side: ConflictSide) -> Html:
    return tag(
        "figure",
        tag(
            "figcaption",
            task_of(frame, side.task) or actor_of(frame, side.actor),
            tag("span", f"on {side.origin}"),
            link(frame.to_transaction(side.transaction), side.reason or side.transaction),
            class_="meta",
        ),
        unified(side.diff),
    )
