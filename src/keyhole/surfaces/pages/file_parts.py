"""What stands above a file's diff and its edits, and what checks say of the file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from keyhole.engine.history.compare import EditRow, FileComparison
from keyhole.surfaces.pages.frame import PageFrame, added_removed, editor_of, path_of
from keyhole.surfaces.pages.html import Html, join, tag


def file_head(frame: PageFrame, file: FileComparison, action: Html | None = None) -> Html:
    """Return the line above a file's diff."""
    words = [
        word
        for word, so in (("new file", file.created), ("deleted", file.deleted))
        if so and not file.moved_to
    ]
    moved = [tag("span", " → "), path_of(frame, file.moved_to)] if file.moved_to else []
    return tag(
        "header",
        tag("h2", path_of(frame, file.path), *moved),
        *(tag("em", word, class_="word") for word in words),
        added_removed(file.sides.added, file.sides.removed),
        _editor(frame, file),
        action,
        class_="filehead",
    )


def _editor(frame: PageFrame, file: FileComparison) -> Html | None:
    if file.deleted and not file.moved_to:
        return None
    line = next((block.new[0] + 1 for block in file.sides.blocks if block.changed), 1)
    return editor_of(frame, file.moved_to or file.path, file.sides.stored_line(line))


def rung(matched: str) -> Html | None:
    """Return how a place was found."""
    if not matched:
        return None
    kind = "rung exact" if matched == "exact" else "rung"
    return tag("span", matched, class_=kind, title="how the place was found")


def edit_words(edit: EditRow, number: str, segment: Html | None, *marks: Html | None) -> Html:
    """Return what is said above the rows where an edit begins: which, where, how found and why."""
    why = tag("span", edit.reason, class_="why") if edit.reason else None
    return join((tag("b", number), segment, rung(edit.matched), *marks, why))


def diagnostics(found: list[object]) -> Html | None:
    """Return what checks said of a file."""
    rows = [join(_diagnostic(each)) for each in found if isinstance(each, Mapping)]
    return tag("ul", *(tag("li", row) for row in rows), class_="diagnostics") if rows else None


def _diagnostic(each: Mapping[str, object]) -> Iterator[Html]:
    severity = str(each.get("severity", ""))
    yield tag("em", severity, class_=f"word {'refused' if severity == 'error' else 'undo'}")
    place = f"line {each.get('line')}"
    if str(each.get("segment", "")).startswith("cell#"):  # in a notebook lines count in the cell
        place += f" of {each['segment']}"
    yield tag("span", f"{place}: {each.get('message')} ")
    yield tag("code", str(each.get("code", "")), class_="dim")
    if not each.get("new", True):
        yield tag("small", " as before", class_="dim")


def listed(value: object) -> list[object]:
    """Return the items of what a journal holds; of anything else, none."""
    return list(value) if isinstance(value, list | tuple) else []
