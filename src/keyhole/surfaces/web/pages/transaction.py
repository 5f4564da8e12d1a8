"""One transaction: who and why, each file's diff, each edit's reason, and how to take it back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from keyhole.answers.history import PastTransaction
from keyhole.engine.history.compare import EditRow, FileComparison
from keyhole.engine.history.timeline import outcome_of
from keyhole.fastclasses import dataclass
from keyhole.surfaces.pages.diffs import VIEWS, Shown, by_block, diff
from keyhole.surfaces.pages.file_parts import diagnostics, edit_words, file_head, listed
from keyhole.surfaces.pages.frame import (
    PageFrame,
    actor_of,
    added_removed,
    moment,
    place_of,
    task_of,
)
from keyhole.surfaces.pages.html import Html, join, link, tag
from keyhole.surfaces.pages.titles import title_of
from keyhole.surfaces.web.page_frame import page
from keyhole.surfaces.web.pages.timeline import SAID, outside


@dataclass(frozen=True, slots=True)
class ShownTransaction:
    """How a transaction is shown: the view, whether it is new, and those before and after it."""

    view: str = VIEWS[0]
    unseen: bool = False
    before: str = ""
    after: str = ""


def transaction(
    frame: PageFrame,
    past: PastTransaction,
    files: Sequence[FileComparison],
    shown: ShownTransaction,
) -> Html:
    """Return the page of one transaction."""
    body = transaction_body(frame, past, files, shown.view)
    undo = frame.to("/undo", id=past.entry.id) if may_undo(frame, past) else ""
    inner = tag(
        "div",
        _neighbours(frame, shown),
        body,
        data_undo=undo or None,
        data_unseen=past.entry.id if shown.unseen else None,
        data_name=past.entry.id,
        id="transaction",
    )
    return page(frame, title_of(past), inner, live="transaction")


def _neighbours(frame: PageFrame, shown: ShownTransaction) -> Html:
    """Return the ways to the transactions after and before this one, newest first."""
    after = link(frame.to_transaction(shown.after), "Newer", rel="next", id="newer")
    before = link(frame.to_transaction(shown.before), "Older", rel="prev", id="older-one")
    ways = [after if shown.after else None, before if shown.before else None]
    return tag("nav", *ways, class_="neighbours", aria_label="Transactions around")


def transaction_body(
    frame: PageFrame, past: PastTransaction, files: Sequence[FileComparison], view: str
) -> Html:
    """Return a transaction, for a page of its own or as a part of an exported file."""
    return join(
        (
            _head(frame, past, files, view),
            _links(frame, past),
            _conflicts(frame, past),
            *(_file(frame, past, file, view) for file in files),
        )
    )


def _head(
    frame: PageFrame, past: PastTransaction, files: Sequence[FileComparison], view: str
) -> Html:
    entry, call = past.entry, past.entry.call
    outcome = outcome_of(past)
    added = sum(file.sides.added for file in files)
    removed = sum(file.sides.removed for file in files)
    return tag(
        "section",
        tag("h1", title_of(past)),
        tag(
            "p",
            tag("em", SAID[outcome], class_=f"word {outcome}"),
            outside(past),
            actor_of(frame, call.actor),
            task_of(frame, call.task),
            tag("span", call.tool, class_="tool"),
            place_of(entry.origin.elsewhere if entry.origin else ""),
            moment(entry.time),
            tag("code", entry.id, class_="dim"),
            added_removed(added, removed),
            class_="meta",
        ),
        tag("p", views(frame, entry.id, view), _actions(frame, past), class_="actions"),
        _elsewhere(past),
        class_="head",
    )


def _elsewhere(past: PastTransaction) -> Html | None:
    """Return where to undo what was done in another checkout."""
    if not past.entry.is_elsewhere:
        return None
    command = tag("code", f"keyhole undo {past.entry.id}")
    words = f"Its files live on {past.entry.origin}; "
    return tag("p", words, command, " there takes it back.", class_="hint")


def may_undo(frame: PageFrame, past: PastTransaction) -> bool:
    """Tell whether a page may offer to take something of a transaction back."""
    entry = past.entry
    return frame.acts and entry.outcome == "applied" and not entry.is_elsewhere


def views(frame: PageFrame, name: str, view: str) -> Html | None:
    """Return the switch between two sides and one column."""
    if frame.static:
        return None
    said = {"split": "Side by side", "inline": "Inline"}
    words = [
        link(
            frame.to_transaction(name, view=one),
            said[one],
            aria_current="true" if one == view else None,
        )
        for one in VIEWS
    ]
    return tag("span", *words, class_="switch")


def _actions(frame: PageFrame, past: PastTransaction) -> Html | None:
    if not may_undo(frame, past):
        return None
    whole = next((each for each in past.undoings if each.is_whole), None)
    if whole:
        target = frame.to("/undo", id=past.entry.id, redo="1")
        return link(target, "Redo", class_="button", id="undo")
    said = "Redo: take this undo back" if past.entry.call.undoes else "Undo"
    return link(frame.to("/undo", id=past.entry.id), said, class_="button", id="undo")


def _links(frame: PageFrame, past: PastTransaction) -> Html | None:
    lines = [
        tag("li", "takes back ", _undone(frame, each.entry, each.edit, each.path))
        for each in past.entry.call.undoes
    ]
    lines += [
        tag(
            "li",
            "all of it was" if each.is_whole else _part(each.edit, each.path),
            " taken back by ",
            link(frame.to_transaction(each.by), each.by),
        )
        for each in past.undoings
    ]
    details = past.entry.call.details
    if proposal := details.get("proposal"):
        target = frame.to(f"/proposals/{proposal}")
        by = f", accepted by {details.get('accepted_by', '')}"
        lines.append(tag("li", "proposed as ", link(target, proposal), by))
    lines += [tag("li", f"warning: {said}") for said in listed(details.get("warnings"))]
    lines += [
        tag("li", f"worth a look: {path} runs code when somebody builds, tests or logs in")
        for path in past.worth_review
    ]
    return tag("ul", *lines, class_="notes") if lines else None


def _undone(frame: PageFrame, name: str, edit: int | None, path: str) -> Html:
    part = f"{_part(edit, path).removesuffix(' was')} of " if edit is not None or path else ""
    return join((part, link(frame.to_transaction(name), name)))


def _part(edit: int | None, path: str) -> str:
    return f"edit {edit + 1} was" if edit is not None else f"what it did to {path} was"


def _conflicts(frame: PageFrame, past: PastTransaction) -> Html | None:
    met = listed(past.entry.call.details.get("conflicts"))
    if not met:
        return None
    return tag("section", *(_conflict(frame, each) for each in met), class_="conflicts")


def _conflict(frame: PageFrame, met: object) -> Html | None:
    if not isinstance(met, Mapping):
        return None
    went = "was left out" if met.get("skipped") else "went ahead all the same"
    name = str(met.get("transaction", ""))
    return tag(
        "div",
        tag(
            "p",
            tag("em", "conflict", class_="word refused"),
            f"Edit {_from_one(met.get('edit'))} in {met.get('path')} {went}: task ",
            task_of(frame, str(met.get("task", ""))),
            " edited there in ",
            link(frame.to_transaction(name), name),
            f", {met.get('reason')}" if met.get("reason") else None,
        ),
        unified(str(met.get("diff", ""))),
        class_="panel warn",
    )


def _from_one(index: object) -> object:
    """Return the number of an edit as people count."""
    return index + 1 if isinstance(index, int) else index


def unified(patch: str) -> Html | None:
    """Return the other side's diff, as short as it can be, its lines in colours."""
    if not patch:
        return None
    kinds = {"+": "plus", "-": "minus", "@": "dim"}
    lines = [
        tag("span", f"{line}\n", class_=kinds.get(line[:1]))
        for line in patch.rstrip("\n").split("\n")
        if not line.startswith(("diff --git ", "--- ", "+++ "))
    ]
    return tag("pre", *lines, class_="unified", tabindex=0)


def _file(frame: PageFrame, past: PastTransaction, file: FileComparison, view: str) -> Html:
    found = past.entry.call.details.get("diagnostics")
    said = found.get(file.path) if isinstance(found, Mapping) else None
    banners = {
        block: join(_banner(frame, past, file, edit) for edit in edits)
        for block, edits in by_block(file.edits).items()
    }
    top = banners.get(0, Html()) if not file.sides.blocks else Html()
    return tag(
        "section",
        file_head(frame, file, _file_action(frame, past, file)),
        diagnostics(listed(said)),
        top,
        diff(file, Shown(view, banners)),
        class_="file",
        id=f"file-{file.path}",
    )


def _file_action(frame: PageFrame, past: PastTransaction, file: FileComparison) -> Html | None:
    if not may_undo(frame, past) or len(past.entry.files) < 2:
        return None
    if any(each.is_whole for each in past.undoings):
        return None
    own = [each for each in past.undoings if each.path == file.path]
    if own:
        return link(frame.to("/undo", id=own[-1].by), "Redo file", class_="button small")
    target = frame.to("/undo", id=past.entry.id, path=file.path)
    return link(target, "Undo file", class_="button small")


def _banner(frame: PageFrame, past: PastTransaction, file: FileComparison, edit: EditRow) -> Html:
    """Return what is said above the rows where an edit begins."""
    notes = past.entry.call.details.get("notes")
    said = listed(notes.get(str(edit.index))) if isinstance(notes, Mapping) else []
    undone = [each for each in past.undoings if each.edit == edit.index]
    return tag(
        "div",
        edit_words(
            edit,
            f"Edit {edit.index + 1}",
            link(frame.to_file(file.path, edit.segment), edit.segment, class_="segment")
            if edit.segment
            else None,
            tag("em", "undone", class_="word undone") if undone else None,
        ),
        *(tag("small", note, class_="note") for note in said),
        _edit_action(frame, past, edit, [each.by for each in undone]),
        class_="edit",
        id=f"edit-{past.entry.id}-{edit.index}",
    )


def _edit_action(
    frame: PageFrame, past: PastTransaction, edit: EditRow, undone: list[str]
) -> Html | None:
    several = sum(len(change.edits) for change in past.entry.files) > 1
    if not may_undo(frame, past) or not several or edit.mixed:
        return None
    if any(each.is_whole for each in past.undoings):
        return None
    if undone:
        return link(frame.to("/undo", id=undone[-1]), "Redo edit", class_="button small")
    target = frame.to("/undo", id=past.entry.id, edit=edit.index)
    return link(target, "Undo edit", class_="button small")
