"""What changed: everything since a point as one diff, file by file, each hunk with its reason."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from keyhole.engine.history.changes import HEAD, UNSEEN, ChangesRequest
from keyhole.engine.history.cumulative import Cumulative, CumulativeFile, HunkReason, TouchedFile
from keyhole.fastclasses import dataclass
from keyhole.refusals import Refusal
from keyhole.surfaces.pages.diffs import Shown, diff
from keyhole.surfaces.pages.frame import (
    PageFrame,
    actor_of,
    added_removed,
    editor_of,
    path_of,
    task_of,
)
from keyhole.surfaces.pages.html import Html, join, link, tag
from keyhole.surfaces.web.page_frame import choices, empty, page
from keyhole.surfaces.web.pages.undoing import refusal

_NO_VERSION = "gone"
# So many reasons stand above a hunk; more are folded.
_MOST_TOLD = 6


@dataclass(frozen=True, slots=True)
class ChangedFiles:
    """The files of a page: what is known of each, and which are shown at once."""

    found: Cumulative
    viewed: frozenset[str]
    # The diffs of the first files; the others come when they are looked at.
    shown: Mapping[str, CumulativeFile]
    counts: Mapping[str, tuple[int, int]]

    def is_viewed(self, file: TouchedFile) -> bool:
        """Tell whether the reviewer marked this version of a file as viewed."""
        return file.path in self.viewed


def changed(
    frame: PageFrame, wanted: ChangesRequest, files: ChangedFiles, known: Mapping[str, list[str]]
) -> Html:
    """Return the page."""
    found = files.found
    words = words_of(wanted)
    return page(
        frame,
        "Changes",
        _head(frame, wanted, files, known),
        tag("p", found.note, class_="hint") if found.note else None,
        None if found.files else _nothing(wanted),
        tag(
            "div",
            _tree(files) if len(found.files) > 1 else None,
            tag(
                "div",
                *(changed_file(frame, words, files, each) for each in found.files),
                class_="files",
            ),
            class_="review" if len(found.files) > 1 else "review lone",
        )
        if found.files
        else None,
        at="/changes",
        live="changes",
    )


def no_changes(
    frame: PageFrame,
    wanted: ChangesRequest,
    refusals: Sequence[Refusal],
    known: Mapping[str, list[str]],
) -> Html:
    """Return the page where there is nothing to compare with, with the ways to another point."""
    head = tag(
        "section",
        tag("h1", _title(wanted)),
        _scopes(frame, wanted),
        _form(wanted, known),
        class_="head",
    )
    return page(frame, "Changes", head, *(refusal(frame, each) for each in refusals), at="/changes")


def words_of(wanted: ChangesRequest) -> dict[str, str]:
    """Return a request as it stands in an address."""
    fields = ("since", "task", "actor", "session", "path")
    return {name: value for name in fields if (value := str(getattr(wanted, name)))}


def _head(
    frame: PageFrame, wanted: ChangesRequest, files: ChangedFiles, known: Mapping[str, list[str]]
) -> Html:
    found = files.found
    number, entries = len(found.files), len(found.entries)
    viewed = sum(files.is_viewed(each) for each in found.files)
    counted = len(files.counts) == number
    both = [sum(pair[at] for pair in files.counts.values()) for at in (0, 1)]
    said = f"{_several(number, 'file')} in {_several(entries, 'transaction')}"
    return tag(
        "section",
        tag("h1", _title(wanted)),
        tag(
            "p",
            tag("span", said),
            added_removed(*both) if counted else None,
            tag("span", f"{viewed} of {number} viewed", id="viewed") if number else None,
            class_="meta",
        ),
        _scopes(frame, wanted),
        _form(wanted, known),
        _seen(frame, wanted, found) if found.entries else None,
        class_="head",
    )


def _several(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def _title(wanted: ChangesRequest) -> str:
    of = [
        f"{name} {value}"
        for name, value in (
            ("of task", wanted.task),
            ("by", wanted.actor),
            ("of session", wanted.session),
            ("in", wanted.path),
        )
        if value
    ]
    since = {UNSEEN: "since you looked", HEAD: "since the last commit", "": ""}
    when = since.get(wanted.since, f"since {wanted.since}")
    return " ".join(filter(None, ("What changed", when, *of)))


def _scopes(frame: PageFrame, wanted: ChangesRequest) -> Html:
    """Return the points that a diff may begin at."""
    rest = {name: value for name, value in words_of(wanted).items() if name != "since"}
    points = ((UNSEEN, "Since I looked"), (HEAD, "Since HEAD"), ("1d", "Since yesterday"))
    links = [
        link(
            frame.to("/changes", **rest, since=point),
            name,
            aria_current="true" if wanted.since == point else None,
        )
        for point, name in (*points, ("all", "All"))
    ]
    return tag("p", tag("span", *links, class_="switch"), class_="actions")


def _form(wanted: ChangesRequest, known: Mapping[str, list[str]]) -> Html:
    fields = (
        ("since", "Since", "12, 2h, 3d, HEAD", wanted.since),
        ("task", "Task", "login", wanted.task),
        ("actor", "Agent", "claude-code", wanted.actor),
        ("session", "Session", "session-0f3a…", wanted.session),
        ("path", "File or directory", "src", wanted.path),
    )
    inputs = [
        tag(
            "label",
            tag("span", label),
            tag(
                "input",
                name=name,
                value=value,
                placeholder=example,
                autocomplete="off",
                list=f"known-{name}" if known.get(name) else None,
            ),
        )
        for name, label, example, value in fields
    ]
    active = sum(1 for name, _, _, value in fields if value and name != "since")
    return tag(
        "details",
        tag("summary", "Filter", tag("em", active, class_="badge") if active else None),
        tag(
            "form",
            *inputs,
            *choices(known),
            tag("button", "Show", class_="primary"),
            action="/changes",
            class_="filters",
        ),
        class_="filter",
    )


def _seen(frame: PageFrame, wanted: ChangesRequest, found: Cumulative) -> Html | None:
    """Return the button that marks what is shown; of a part of the files nothing was seen whole."""
    if frame.static or not frame.csrf or wanted.path:
        return None
    body = {"upto": found.newest, "but": found.unfinished}
    words = words_of(wanted)
    whole = words in ({}, {"since": UNSEEN})
    return tag(
        "form",
        tag(
            "button",
            "Mark all as seen" if whole else "Mark these as seen",
            class_="button",
            id="see-all",
            disabled=True,
        ),
        tag("p", class_="problem", role="alert", hidden=True),
        data_post="/api/seen",
        data_body=json.dumps(body if whole else {**body, "of": words}),
        class_="confirm",
    )


def _nothing(wanted: ChangesRequest) -> Html:
    if wanted.since == UNSEEN:
        return empty("Nothing changed since you looked.")
    return empty("Nothing changed here.")


def _tree(files: ChangedFiles) -> Html:
    """Return the files by directory, each with how much it changed and whether it was viewed."""
    groups = groupby(files.found.files, key=lambda each: each.path.rpartition("/")[0])
    parts = [
        tag(
            "li",
            tag("span", directory or ".", class_="dim directory"),
            tag("ul", *(_leaf(files, each) for each in own)),
        )
        for directory, own in groups
    ]
    return tag("nav", tag("ul", *parts), class_="tree", aria_label="Changed files")


def _leaf(files: ChangedFiles, file: TouchedFile) -> Html:
    counts = files.counts.get(file.path)
    viewed = " viewed" if files.is_viewed(file) else ""
    kind = "new" if file.before is None else "gone" if file.after is None else "changed"
    return tag(
        "li",
        link(f"#{anchor(file.path)}", file.path.rpartition("/")[2], title=f"{file.path}: {kind}"),
        added_removed(*counts) if counts else tag("span", "…", class_="counts"),
        class_=f"leaf {kind}{viewed}",
        data_leaf=file.path,
    )


def anchor(path: str) -> str:
    """Return the id of a file's section."""
    return f"file-{path}"


def changed_file(
    frame: PageFrame, words: Mapping[str, str], files: ChangedFiles, file: TouchedFile
) -> Html:
    """Return one file: its diff, or the way to it where it comes later."""
    made = files.shown.get(file.path)
    viewed = files.is_viewed(file)
    body = _diff(frame, made) if made else _later(frame, words, file)
    return tag(
        "section",
        _file_head(frame, file, files.counts.get(file.path), made, viewed=viewed),
        body,
        class_=f"file{' viewed' if viewed else ''}",
        id=anchor(file.path),
        data_load=None if made else frame.to("/changes/file", **_address(words, file)),
    )


def _address(words: Mapping[str, str], file: TouchedFile) -> dict[str, str]:
    return {**words, "file": file.path}


def _later(frame: PageFrame, words: Mapping[str, str], file: TouchedFile) -> Html:
    target = frame.to("/changes", **{**words, "path": file.path})
    return tag("p", link(target, "Show this file"), class_="cut")


def _file_head(
    frame: PageFrame,
    file: TouchedFile,
    counts: tuple[int, int] | None,
    made: CumulativeFile | None,
    *,
    viewed: bool,
) -> Html:
    words = [
        word
        for word, so in (("new file", file.before is None), ("deleted", file.after is None))
        if so
    ]
    moved = [tag("span", " → "), path_of(frame, file.path)] if file.first != file.path else []
    line = _first_line(made) if made else 1
    return tag(
        "header",
        tag("h2", path_of(frame, file.first if moved else file.path), *moved),
        *(tag("em", word, class_="word") for word in words),
        added_removed(*counts) if counts else None,
        editor_of(frame, file.path, line) if file.after is not None else None,
        _viewed(file, viewed=viewed) if frame.csrf else None,
        class_="filehead",
    )


def _viewed(file: TouchedFile, *, viewed: bool) -> Html:
    box = tag(
        "input",
        type="checkbox",
        checked=viewed,
        disabled=True,
        data_view=file.path,
        data_version=file.after or _NO_VERSION,
    )
    return tag("label", box, " Viewed", class_="check")


def _first_line(file: CumulativeFile) -> int:
    sides = file.comparison.sides
    line = next((block.new[0] + 1 for block in sides.blocks if block.changed), 1)
    return sides.stored_line(line)


def _diff(frame: PageFrame, file: CumulativeFile) -> Html:
    blocks = file.comparison.sides.blocks
    banners = {
        at: _banner(frame, file, at, [each for each in file.reasons if each.block == at])
        for at, block in enumerate(blocks)
        if block.changed
    }
    note = tag("p", file.note, class_="hint") if file.note else None
    return join((note, diff(file.comparison, Shown("split", banners))))


def _banner(frame: PageFrame, file: CumulativeFile, at: int, reasons: Sequence[HunkReason]) -> Html:
    """Return what stands above a hunk: why it is there, whose it is, the way into the editor."""
    sides = file.comparison.sides
    line = sides.stored_line(sides.blocks[at].new[0] + 1)
    opened = editor_of(frame, file.path, line) if file.after is not None else None
    told = tag("div", *_told(frame, file, reasons), class_="reasons")
    return tag("div", told, opened, class_="edit hunk", id=f"hunk-{at}-{file.path}")


def _told(
    frame: PageFrame, file: CumulativeFile, reasons: Sequence[HunkReason]
) -> Iterator[Html | None]:
    if not reasons:
        yield tag("span", "no reason is known", class_="dim")
    rows = [_because(frame, file, each) for each in reasons]
    yield from rows[:_MOST_TOLD]
    if more := rows[_MOST_TOLD:]:
        said = tag("summary", _several(len(more), "more reason"), class_="dim")
        yield tag("details", said, tag("div", *more, class_="reasons"))


def _because(frame: PageFrame, file: CumulativeFile, each: HunkReason) -> Html:
    return tag(
        "span",
        link(frame.to_transaction(each.transaction), each.transaction, class_="tx-id"),
        actor_of(frame, each.actor),
        task_of(frame, each.task),
        link(frame.to_file(file.path, each.segment), each.segment, class_="segment")
        if each.segment
        else None,
        tag("span", each.reason, class_="why") if each.reason else None,
        class_="because",
    )
