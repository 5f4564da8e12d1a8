"""What a card shows: a transaction, a proposal, or what an undo would do, drawn as on the page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from keyhole.answers.history import PastTransaction
from keyhole.answers.receipt import Receipt
from keyhole.engine.facade import Engine
from keyhole.engine.history.compare import EditRow, FileComparison, compare_plan
from keyhole.engine.history.timeline import outcome_of
from keyhole.engine.proposals import ProposalPreview
from keyhole.fastclasses import dataclass
from keyhole.surfaces.pages.diffs import Shown, by_block, diff
from keyhole.surfaces.pages.file_parts import edit_words, file_head
from keyhole.surfaces.pages.frame import (
    PageFrame,
    actor_of,
    added_removed,
    moment,
    task_of,
)
from keyhole.surfaces.pages.html import Child, Html, join, tag
from keyhole.surfaces.pages.titles import proposed_title, title_of

# A card is a glance: what is beyond is counted, and a person cannot keep what the card left out.
MOST_FILES, MOST_LINES = 20, 600
_WHOLE = "This is too much for a card. `keyhole review` shows all of it."


@dataclass(frozen=True, slots=True)
class Drawn:
    """A card: its HTML, what became of what it shows, and the hash of the diff."""

    html: Html
    state: str
    shown: str = ""

    @property
    def data(self) -> dict[str, object]:
        """Return what the view of the card reads."""
        return {"html": str(self.html), "state": self.state, "shown": self.shown}


def frame_of(engine: Engine) -> PageFrame:
    """Return a frame whose links lead nowhere: a card has no pages around it."""
    root = engine.root
    return PageFrame(Path(root).name or root, root, engine.allowed.read_only, static=True)


def is_whole(files: Sequence[FileComparison]) -> bool:
    """Tell whether a card shows every line of these diffs."""
    lines = sum(file.sides.added + file.sides.removed for file in files)
    return len(files) <= MOST_FILES and lines <= MOST_LINES


def transaction_card(engine: Engine, past: PastTransaction) -> Drawn:
    """Return the card of a transaction, with undo where it can be taken back."""
    frame, files = frame_of(engine), engine.review.compared(past)
    entry, state = past.entry, outcome_of(past)
    by = next((each.by for each in past.undoings if each.is_whole), "")
    may_undo = state in {"applied", "undo"} and not (frame.read_only or entry.is_elsewhere)
    head = _head(
        frame,
        title_of(past),
        files,
        tag("em", state, class_=f"word {state}"),
        actor_of(frame, entry.call.actor),
        task_of(frame, entry.call.task),
        moment(entry.time),
        tag("code", entry.id, class_="dim"),
        tag("span", f"taken back by {by}") if by else None,
    )
    buttons = _buttons([("undo", "Undo", "button")] if may_undo else [])
    return Drawn(join((head, *_files(frame, files), buttons)), state)


def proposal_card(engine: Engine, stands: ProposalPreview) -> Drawn:
    """Return the card of a proposal, with keep and reject while it waits."""
    each, frame = stands.proposed, frame_of(engine)
    waits = each.verdict is None
    plans = stands.plan.files if waits else each.plan.files
    files = [compare_plan(plan) for plan in plans if not plan.moved_from]
    clashes = [unit.clash for unit in stands.units if unit.clash and waits]
    head = _head(
        frame,
        proposed_title(stands),
        files,
        tag("em", each.outcome, class_=f"word {each.outcome}"),
        actor_of(frame, each.asked.actor),
        task_of(frame, each.asked.task),
        moment(each.asked.time),
        tag("code", each.id, class_="dim"),
    )
    notes = [tag("p", tag("em", "conflict", class_="word refused"), clash) for clash in clashes]
    panel = tag("section", *notes, class_="panel warn") if notes else None
    fits, offered = len(clashes) < len(stands.units), []
    if waits and not frame.read_only:
        said = "Keep what still fits" if clashes else "Keep"
        offered = [("keep", said, "primary")] if fits and is_whole(files) else []
        offered.append(("reject", "Reject", "button"))
    lead = tag("p", "Nothing of this is written yet.", class_="lead") if waits else None
    body = join((head, lead, panel, *_files(frame, files), _buttons(offered)))
    return Drawn(body, each.outcome, stands.seal)


def undo_card(engine: Engine, name: str, ahead: Receipt) -> Drawn:
    """Return what an undo would do now, or why it cannot be done."""
    frame = frame_of(engine)
    back = ("back", "Back", "button")
    if not ahead.ok:
        said = [
            tag("p", tag("em", no.code, class_="word refused"), no.headline)
            for no in ahead.refusals
        ]
        panel = tag("section", *said, class_="panel warn")
        return Drawn(join((tag("h1", f"Undo {name}"), panel, _buttons([back]))), "refused")
    told = sorted(ahead.files, key=lambda file: file.path)
    files = [compare_plan(file.plan) for file in told]
    head = _head(frame, f"Undo {name}?", files, tag("span", "Nothing is changed yet."))
    confirm = [("confirm", "Undo now", "primary")] if is_whole(files) else []
    parts = (head, *_files(frame, files), _buttons([*confirm, back]))
    return Drawn(join(parts), "undoing", ahead.seal)


def _head(frame: PageFrame, title: str, files: Sequence[FileComparison], *words: Child) -> Html:
    counts = added_removed(
        sum(file.sides.added for file in files), sum(file.sides.removed for file in files)
    )
    meta = tag("p", *words, counts, tag("span", frame.workspace, class_="dim"), class_="meta")
    return tag("section", tag("h1", title), meta, class_="head")


def _files(frame: PageFrame, files: Sequence[FileComparison]) -> Iterator[Html]:
    if not is_whole(files):
        yield tag("p", _WHOLE, class_="hint")
    lines = 0
    for file in files[:MOST_FILES]:
        lines += file.sides.added + file.sides.removed
        if lines > MOST_LINES:
            return
        banners = {
            block: join(tag("div", _edit(edit), class_="edit") for edit in edits)
            for block, edits in by_block(file.edits).items()
        }
        lone = join(banners.values()) if not file.sides.blocks else None
        body = (file_head(frame, file), lone, diff(file, Shown("inline", banners)))
        yield tag("section", *body, class_="file")


def _edit(edit: EditRow) -> Html:
    segment = tag("span", edit.segment, class_="segment") if edit.segment else None
    return edit_words(edit, f"Edit {edit.index + 1}", segment)


def _buttons(offered: Sequence[tuple[str, str, str]]) -> Html | None:
    buttons = [
        tag("button", said, type="button", data_act=word, class_=kind)
        for word, said, kind in offered
    ]
    return tag("p", *buttons, class_="actions") if buttons else None
