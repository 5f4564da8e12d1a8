"""What stands around a diff: who, when, which file, how many lines, and where links lead."""

from __future__ import annotations

from datetime import datetime

from keyhole.engine.preferences import editor_link
from keyhole.fastclasses import dataclass, field
from keyhole.surfaces.pages.html import Html, link, tag, url


@dataclass(frozen=True, slots=True)
class PageFrame:
    """Where a page is shown: the workspace, and whether one can act on it.

    In an exported file there is no server: links lead to places of the same file, or nowhere.
    """

    workspace: str
    root: str = ""
    read_only: bool = False
    csrf: str = ""
    static: bool = False
    proposals: int = 0
    # How many transactions the reviewer has not seen, and the form of links into the editor.
    unseen: int = 0
    editor: str = ""
    # The other workspaces that the same command reviews: their names and addresses.
    others: tuple[tuple[str, str], ...] = ()
    # The transactions that an exported file holds.
    held: frozenset[str] = field(default_factory=frozenset)
    # What had happened when the page was made, so that it knows whether it is behind.
    mark: str = ""
    # Whether other workspaces share the journal, and whether it cannot be asked now.
    shares: bool = False
    away: bool = False
    # Whether changes by others are looked for, so that there are prompts to go back to.
    observed: bool = False

    @property
    def waiting(self) -> int:
        """Return how many things wait for the reviewer."""
        return self.unseen + self.proposals

    @property
    def acts(self) -> bool:
        """Tell whether the page may offer to change anything."""
        return not self.static and not self.read_only

    def to(self, path: str, /, **parameters: object) -> str:
        """Return the address of a page."""
        return "" if self.static else url(path, **parameters)

    def to_transaction(self, name: str, /, **parameters: object) -> str:
        """Return the address of a transaction."""
        if self.static:
            return f"#tx-{name}" if name in self.held else ""
        return url(f"/tx/{name}", **parameters)

    def to_file(self, path: str, segment: str = "") -> str:
        """Return the address of a file's history."""
        return self.to("/file", path=path, segment=segment)

    def to_task(self, task: str) -> str:
        """Return the address of a task."""
        return self.to("/task", name=task)


def moment(seconds: float, *, day: bool = True) -> Html:
    """Return a time as the people at this machine read it."""
    when = datetime.fromtimestamp(seconds).astimezone()
    said = when.strftime("%d %b %Y, %H:%M:%S" if day else "%H:%M:%S")
    return tag("time", said, datetime=when.isoformat(timespec="seconds"), title=f"{when:%c %Z}")


def day_of(seconds: float) -> str:
    """Return the day of a time, near ones by name."""
    when = datetime.fromtimestamp(seconds).astimezone()
    days = (datetime.now().astimezone().date() - when.date()).days
    near = {0: "Today", 1: "Yesterday"}
    return near.get(days, when.strftime("%A, %d %B %Y"))


def path_of(frame: PageFrame, path: str) -> Html:
    """Return a path that leads to the file's history, its directory quieter than its name."""
    directory, slash, name = path.rpartition("/")
    dim = tag("span", f"{directory}{slash}", class_="dim") if slash else None
    return link(frame.to_file(path), dim, name, class_="path")


def actor_of(frame: PageFrame, actor: str) -> Html | None:
    """Return who it was, with a link to all they did."""
    return link(frame.to("/", actor=actor), actor, class_="actor") if actor else None


def task_of(frame: PageFrame, task: str) -> Html | None:
    """Return the task, with a link to all of it."""
    return link(frame.to_task(task), task, class_="task") if task else None


def place_of(elsewhere: str) -> Html | None:
    """Return where something was done, if that was not here."""
    return tag("span", f"on {elsewhere}", class_="dim place") if elsewhere else None


def added_removed(added: int, removed: int) -> Html:
    """Return how many lines came and went."""
    return tag(
        "span",
        tag("span", f"+{added}", class_="plus"),
        " ",
        tag("span", f"−{removed}", class_="minus"),
        class_="counts",
    )


def editor_of(frame: PageFrame, path: str, line: int) -> Html | None:
    """Return the link that opens a file at a line in the reader's editor."""
    if not frame.editor or frame.static:
        return None
    target = editor_link(frame.editor, f"{frame.root}/{path}", line)
    said = f"Open {path} at line {line} in the editor"
    return link(target, "open", class_="editor", title=said, aria_label=said) if target else None
