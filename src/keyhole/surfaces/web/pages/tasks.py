"""Tasks: what each did as one diff, its refused calls, and the undo of all of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from keyhole.engine.history.compare import FileComparison
from keyhole.engine.history.timeline import Page
from keyhole.engine.upkeep import Tasks
from keyhole.fastclasses import dataclass
from keyhole.surfaces.pages.diffs import Shown, diff
from keyhole.surfaces.pages.file_parts import file_head
from keyhole.surfaces.pages.frame import PageFrame, added_removed, moment
from keyhole.surfaces.pages.html import Html, join, link, tag
from keyhole.surfaces.web.page_frame import empty, page
from keyhole.surfaces.web.pages.timeline import Count, days, older


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """What a task did in another checkout, from before its first edit to after its last."""

    place: str
    files: tuple[FileComparison, ...]


@dataclass(frozen=True, slots=True)
class Whole:
    """All that a task did, as one diff; `note` says what the diff may hold beside it."""

    files: tuple[FileComparison, ...]
    note: str = ""
    undoable: bool = False
    # What it did in other checkouts, where those files live.
    elsewhere: tuple[Elsewhere, ...] = ()

    @property
    def all_files(self) -> tuple[FileComparison, ...]:
        """Return the files of every checkout."""
        return (*self.files, *(file for each in self.elsewhere for file in each.files))


def tasks(frame: PageFrame, found: Tasks) -> Html:
    """Return the list of tasks."""
    rows = [
        tag(
            "tr",
            tag("td", link(frame.to_task(each.name), each.name, class_="task")),
            tag("td", each.transactions, class_="num"),
            tag("td", moment(each.last)),
            tag("td", *(_place(one.elsewhere) for one in each.origins)) if frame.shares else None,
            tag("td", tag("em", "ended" if each.ended else "open", class_="word")),
            data_open=True,
        )
        for each in found.tasks
    ]
    where = ("Where",) if frame.shares else ()
    words = ("Task", "Transactions", "Last", *where, "State")
    head = tag("tr", *(tag("th", word) for word in words))
    body = tag("table", tag("thead", head), tag("tbody", *rows), class_="list")
    nothing = empty("No edit named a task. Agents name one with ", tag("code", "task"), ".")
    return page(frame, "Tasks", tag("h1", "Tasks"), body if rows else nothing, at="/tasks")


def _place(elsewhere: str) -> Html:
    return tag("div", elsewhere or "here", class_="dim place")


def task(frame: PageFrame, name: str, whole: Whole, found: Page, count: Count) -> Html:
    """Return the page of one task."""
    return page(
        frame,
        name,
        task_head(name, whole.all_files),
        tag(
            "p",
            link(frame.to("/undo", task=name), "Undo the whole task", class_="button", id="undo"),
            class_="actions",
        )
        if frame.acts and whole.undoable
        else None,
        tag("div", join(days(frame, found.items, count)), class_="items", id="items"),
        older(frame, found, task=name),
        *task_diff(frame, name, whole),
    )


def task_diff(frame: PageFrame, name: str, whole: Whole) -> Iterator[Html | None]:
    """Yield all that a task did as one diff, then what it did in each other checkout."""
    yield tag("h2", "All of it as one diff", class_="day") if whole.files else None
    yield tag("p", whole.note, class_="hint") if whole.note else None
    yield from (task_file(frame, file) for file in whole.files)
    for each in whole.elsewhere:
        yield tag("h2", f"On {each.place}", class_="day")
        command = tag("code", f"keyhole undo --task {name}")
        yield tag("p", "These files live there; ", command, " there takes it back.", class_="hint")
        yield from (task_file(frame, file) for file in each.files)


def task_head(name: str, files: Sequence[FileComparison]) -> Html:
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


def task_file(frame: PageFrame, file: FileComparison) -> Html:
    """Return one file of a task's diff."""
    return tag("section", file_head(frame, file), diff(file, Shown()), class_="file")
