"""Tasks: what each did, as one diff, what it was refused, and how to take all of it back."""

from __future__ import annotations

from collections.abc import Sequence

from keyhole.surfaces.web.frame import Frame, added_removed, empty, moment, page
from keyhole.surfaces.web.html import Html, join, link, tag
from keyhole.surfaces.web.pages.diffs import Shown, diff
from keyhole.surfaces.web.pages.timeline import Count, days
from keyhole.surfaces.web.pages.transaction import file_head
from keyhole.values import dataclass
from keyhole.walks.comparing import Compared
from keyhole.walks.tending import Tasks
from keyhole.walks.timeline import Page


@dataclass(frozen=True, slots=True)
class Whole:
    """All that a task did, as one diff; `note` says what the diff may hold beside it."""

    files: tuple[Compared, ...]
    note: str = ""
    undoable: bool = False


def tasks(frame: Frame, found: Tasks) -> Html:
    """Return the list of tasks."""
    rows = [
        tag(
            "tr",
            tag("td", link(frame.to_task(each.name), each.name, class_="task")),
            tag("td", each.transactions, class_="num"),
            tag("td", moment(each.last)),
            tag("td", tag("em", "ended" if each.ended else "open", class_="word")),
            data_open=True,
        )
        for each in found.tasks
    ]
    head = tag("tr", *(tag("th", word) for word in ("Task", "Transactions", "Last", "State")))
    body = tag("table", tag("thead", head), tag("tbody", *rows), class_="list")
    nothing = empty("No edit named a task. Agents name one with ", tag("code", "task"), ".")
    return page(frame, "Tasks", tag("h1", "Tasks"), body if rows else nothing, at="/tasks")


def task(frame: Frame, name: str, whole: Whole, found: Page, count: Count) -> Html:
    """Return the page of one task."""
    return page(
        frame,
        name,
        task_head(name, whole.files),
        tag(
            "p",
            link(frame.to("/undo", task=name), "Undo the whole task", class_="button", id="undo"),
            class_="actions",
        )
        if frame.acts and whole.undoable
        else None,
        tag("div", join(days(frame, found.items, count)), class_="items", id="items"),
        tag(
            "p",
            link(frame.to("/", task=name, before=found.next), "Older", class_="button"),
            class_="more",
        )
        if found.next
        else None,
        tag("h2", "All of it as one diff", class_="day") if whole.files else None,
        tag("p", whole.note, class_="hint") if whole.note else None,
        *(task_file(frame, file) for file in whole.files),
    )


def task_head(name: str, files: Sequence[Compared]) -> Html:
    """Return the title of a task, and how much it changed."""
    added = sum(file.sides.added for file in files)
    removed = sum(file.sides.removed for file in files)
    return tag(
        "section",
        tag("h1", "Task ", tag("span", name, class_="task")),
        tag(
            "p",
            tag("span", f"{len(files)} file{'s' if len(files) != 1 else ''}"),
            added_removed(added, removed),
            class_="meta",
        ),
        class_="head",
    )


def task_file(frame: Frame, file: Compared) -> Html:
    """Return one file of a task's diff."""
    return tag("section", file_head(frame, file), diff(file, Shown()), class_="file")
