"""Proposals: edits that wait, what they would do now, and a person's decision about each."""

from __future__ import annotations

import json
from collections.abc import Sequence

from keyhole.answers.history import ProposalSummary
from keyhole.engine.history.compare import EditRow, FileComparison, compare_plan
from keyhole.engine.proposals import ProposalPreview, Unit
from keyhole.surfaces.pages.diffs import Shown, by_block, diff
from keyhole.surfaces.pages.file_parts import edit_words, file_head
from keyhole.surfaces.pages.frame import (
    PageFrame,
    actor_of,
    added_removed,
    moment,
    path_of,
    task_of,
)
from keyhole.surfaces.pages.html import Html, join, link, tag
from keyhole.surfaces.pages.titles import proposed_title
from keyhole.surfaces.web.page_frame import empty, needs_script, page

_KINDS = {"partly-accepted": "partly"}


def proposals(frame: PageFrame, found: Sequence[ProposalSummary]) -> Html:
    """Return the list: those that wait first."""
    waiting = [each for each in found if each.proposed.verdict is None]
    decided = [each for each in found if each.proposed.verdict is not None]
    body: list[Html] = []
    if not found:
        body = [
            empty(
                "No agent has proposed anything. With ",
                tag("code", "keyhole mcp --propose"),
                " edits wait here for your word instead of being written.",
            )
        ]
    for name, group in (("Waiting for you", waiting), ("Decided", decided[:100])):
        if group:
            rows = [tag("h2", name, class_="day"), *(_row(frame, each) for each in group)]
            body.append(tag("div", *rows, class_="items"))
    return page(frame, "Proposals", tag("h1", "Proposals"), *body, at="/proposals", live="list")


def _row(frame: PageFrame, summary: ProposalSummary) -> Html:
    each = summary.proposed
    asked = each.asked
    kind = _KINDS.get(each.outcome, each.outcome)
    return tag(
        "article",
        tag("span", class_="dot", title=each.outcome),
        moment(asked.time, day=False),
        tag(
            "div",
            link(frame.to(f"/proposals/{each.id}"), proposed_title(summary), class_="title"),
            tag(
                "p",
                actor_of(frame, asked.actor),
                task_of(frame, asked.task),
                tag("span", asked.tool, class_="tool"),
                *(path_of(frame, file.path) for file in each.plan.files[:4]),
                class_="meta",
            ),
            class_="what",
        ),
        tag("span", tag("em", each.outcome, class_=f"word {kind}"), class_="words"),
        tag("span", class_="counts"),
        id=f"row-{each.id}",
        class_=f"row {kind if each.verdict is None else 'applied'}",
        data_state=each.outcome,
    )


def proposal(frame: PageFrame, stands: ProposalPreview, view: str) -> Html:
    """Return the page of one proposal."""
    each = stands.proposed
    decided = each.verdict is not None
    # What was decided is shown as it was proposed; what waits, as it would be now.
    plans = each.plan.files if decided else stands.plan.files
    files = [compare_plan(plan) for plan in plans if not plan.moved_from]
    clashing = [unit for unit in stands.units if unit.clash and not decided]
    return page(
        frame,
        proposed_title(stands),
        _head(frame, stands, files),
        *(_clash(unit, decides=frame.acts) for unit in clashing),
        *(_file(frame, stands, file, view) for file in files),
        _form(stands) if frame.acts and not decided else None,
        at="/proposals",
    )


def _head(frame: PageFrame, stands: ProposalPreview, files: Sequence[FileComparison]) -> Html:
    each = stands.proposed
    asked, verdict = each.asked, each.verdict
    said = None
    if verdict:
        said = tag(
            "ul",
            tag(
                "li",
                f"{each.outcome} by {verdict.by}, ",
                moment(verdict.time),
                ", as " if verdict.transaction else None,
                link(frame.to_transaction(verdict.transaction), verdict.transaction)
                if verdict.transaction
                else None,
            ),
            tag("li", f"“{verdict.comment}”") if verdict.comment else None,
            class_="notes",
        )
    return tag(
        "section",
        tag("h1", proposed_title(stands)),
        tag(
            "p",
            tag("em", each.outcome, class_=f"word {_KINDS.get(each.outcome, each.outcome)}"),
            actor_of(frame, asked.actor),
            task_of(frame, asked.task),
            tag("span", asked.tool, class_="tool"),
            moment(asked.time),
            tag("code", each.id, class_="dim"),
            added_removed(sum(f.sides.added for f in files), sum(f.sides.removed for f in files)),
            class_="meta",
        ),
        tag("p", "Nothing of this is written yet.", class_="lead") if verdict is None else None,
        said,
        class_="head",
    )


def _file(frame: PageFrame, stands: ProposalPreview, file: FileComparison, view: str) -> Html:
    own = {unit.edit: unit for unit in stands.units if unit.path == file.path}
    banners: dict[int, Html] = {}
    if None in own:
        first = next((at for at, block in enumerate(file.sides.blocks) if block.changed), 0)
        reasons = "; ".join(edit.reason for edit in file.edits if edit.reason)
        banners[first] = _banner(stands, own[None], EditRow(0, reasons))
    else:
        for block, edits in by_block(file.edits).items():
            banners[block] = join(
                _banner(stands, own[edit.index], edit) for edit in edits if edit.index in own
            )
    lone = join(banners.values()) if not file.sides.blocks else None
    return tag(
        "section",
        file_head(frame, file),
        lone,
        diff(file, Shown(view, banners)),
        class_="file",
    )


def _banner(stands: ProposalPreview, unit: Unit, edit: EditRow) -> Html:
    verdict = stands.proposed.verdict
    if verdict:
        kind = "accepted" if unit.key in verdict.accepted else "rejected"
        word = tag("em", kind, class_=f"word {kind}")
    else:
        word = _choice(unit)
    return tag(
        "div",
        edit_words(
            edit,
            "All of it" if unit.edit is None else f"Edit {edit.index + 1}",
            tag("span", edit.segment, class_="segment") if edit.segment else None,
        ),
        word,
        class_="edit",
        id=f"unit-{unit.key}",
    )


def _choice(unit: Unit) -> Html:
    """Return the two answers; what clashes can only be rejected."""
    no = tag(
        "label",
        tag("input", type="radio", name=unit.key, value="reject", checked=bool(unit.clash)),
        "Reject",
        class_="no",
    )
    yes = tag("label", tag("input", type="radio", name=unit.key, value="accept"), "Accept")
    return tag("span", None if unit.clash else yes, no, class_="verdict")


def _clash(unit: Unit, *, decides: bool) -> Html:
    both = tag(
        "div",
        tag("figure", tag("figcaption", "stands there now"), tag("pre", unit.now)),
        tag("figure", tag("figcaption", "was proposed"), tag("pre", unit.wanted)),
        class_="versions",
    )
    edit = f"Edit {unit.edit + 1}" if unit.edit is not None else "The proposal"
    return tag(
        "section",
        tag("p", tag("em", "conflict", class_="word refused"), f"{edit}: {unit.clash}"),
        both if unit.now or unit.wanted else None,
        tag("p", _choice(unit)) if decides else None,
        class_="panel warn",
    )


def _form(stands: ProposalPreview) -> Html:
    body = {"id": stands.proposed.id, "shown": stands.seal}
    return tag(
        "form",
        tag("button", "Accept all", type="button", id="accept-all", class_="plain", disabled=True),
        tag("button", "Reject all", type="button", id="reject-all", class_="plain", disabled=True),
        tag(
            "input",
            name="comment",
            placeholder="A word for the agent",
            aria_label="A word for the agent",
            autocomplete="off",
        ),
        tag("button", "Decide", id="decide", class_="primary", disabled=True),
        needs_script(f"keyhole show {stands.proposed.id}"),
        tag("p", id="problem", class_="problem", role="alert", hidden=True),
        class_="decide",
        id="decisions",
        data_post="/api/decide",
        data_body=json.dumps(body),
    )
