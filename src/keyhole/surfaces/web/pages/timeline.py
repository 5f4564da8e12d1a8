"""The timeline: what happened, newest first, with filters in the address."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import groupby

from keyhole.answers.history import PastTransaction
from keyhole.engine.history.timeline import OUTCOMES, Filter, Item, Page, outcome_of
from keyhole.fastclasses import dataclass, field
from keyhole.refusals import CODES
from keyhole.surfaces.pages.frame import (
    PageFrame,
    actor_of,
    added_removed,
    day_of,
    moment,
    path_of,
    place_of,
    task_of,
)
from keyhole.surfaces.pages.html import Html, join, link, tag, url
from keyhole.surfaces.pages.titles import title_of
from keyhole.surfaces.web.page_frame import choices, empty, page

_MOST_FILES = 4
_MOST_SAID = 4
SAID = {
    "applied": "applied",
    "undone": "undone",
    "undo": "undo",
    "refused": "refused",
    "not_applied": "rolled back",
    "committed_pending": "in progress",
}

# How many lines an entry adds and removes, or None where counting would take too long now.
Count = Callable[[PastTransaction], tuple[int, int] | None]


@dataclass(frozen=True, slots=True)
class Filters:
    """The filters as they stand in the address, and what they mean."""

    words: Mapping[str, str]
    wanted: Filter
    cursor: str = ""


@dataclass(frozen=True, slots=True)
class Aids:
    """What a reviewer has not seen, and what the filters offer."""

    unseen: frozenset[str] = frozenset()
    known: Mapping[str, list[str]] = field(default_factory=dict)


def timeline(frame: PageFrame, asked: Filters, found: Page, count: Count, aids: Aids) -> Html:
    """Return the page."""
    moments = join(days(frame, found.items, count, aids.unseen))
    rows = tag("div", moments, id="items", class_="items")
    nothing = None if found.items else _nothing(asked)
    first = not asked.cursor
    return page(
        frame,
        "Timeline",
        tag("h1", "Timeline", class_="unseen-title"),
        _filters(asked, aids.known, shares=frame.shares),
        nothing,
        rows,
        _more(frame, asked, found),
        at="/",
        live="timeline" if first else "",
        sought=asked.words.get("q", ""),
    )


def days(
    frame: PageFrame, items: tuple[Item, ...], count: Count, unseen: Collection[str] = ()
) -> Iterator[Html]:
    """Yield the moments under the days they belong to."""
    for day, own in groupby(items, key=lambda item: day_of(item.time)):
        yield tag("h2", day, class_="day")
        yield from (_row(frame, item, count, unseen) for item in own)


def _row(frame: PageFrame, item: Item, count: Count, unseen: Collection[str]) -> Html:
    if item.past is not None:
        return transaction_row(frame, item.past, count, unseen=item.past.entry.id in unseen)
    return _refused(frame, item)


def transaction_row(
    frame: PageFrame, past: PastTransaction, count: Count, *, unseen: bool = False
) -> Html:
    """Return a transaction in one row."""
    entry, call = past.entry, past.entry.call
    outcome = outcome_of(past)
    counted = count(past)
    files = [path_of(frame, change.path) for change in entry.files[:_MOST_FILES]]
    more = len(entry.files) - _MOST_FILES
    head = link(frame.to_transaction(entry.id), title_of(past), class_="title")
    return tag(
        "article",
        tag("span", class_="dot", title=SAID[outcome]),
        moment(entry.time, day=False),
        tag(
            "div",
            head,
            tag(
                "p",
                actor_of(frame, call.actor),
                task_of(frame, call.task),
                tag("span", call.tool, class_="tool"),
                place_of(entry.origin.elsewhere if entry.origin else ""),
                *files,
                tag("span", f"and {more} more", class_="dim") if more > 0 else None,
                class_="meta",
            ),
            class_="what",
        ),
        _words(past, outcome, unseen),
        added_removed(*counted) if counted else tag("span", "…", class_="counts"),
        id=f"row-{entry.id}",
        class_=f"row {outcome}{' unseen' if unseen else ''}",
        data_name=entry.id,
        data_state=f"{outcome}{len(past.undoings)}",
        data_undo=frame.to("/undo", id=entry.id) or None,
    )


def _words(past: PastTransaction, outcome: str, unseen: bool) -> Html:  # noqa: FBT001 - a row is new or not
    """Return what is said of a transaction at a glance."""
    words = _word(outcome), _partly(past), outside(past), _look(past), _new(unseen)
    return tag("span", *words, class_="words")


def _new(unseen: bool) -> Html | None:  # noqa: FBT001 - a row has it or not
    return tag("em", "new", class_="word new", title="not seen yet") if unseen else None


def outside(past: PastTransaction) -> Html | None:
    """Return a mark where others than keyhole made a change, which was found by a look."""
    details = past.entry.call.details
    if not details.get("observed"):
        return None
    said = "git" if details.get("git") else "outside"
    return tag("em", said, class_="word partly", title="changed by others, and found by a look")


def _partly(past: PastTransaction) -> Html | None:
    partly = outcome_of(past) != "undone" and past.undoings
    return tag("em", "partly undone", class_="word undone") if partly else None


def _look(past: PastTransaction) -> Html | None:
    """Return a mark where a file was changed that runs code when somebody builds or logs in."""
    paths = past.worth_review
    title = f"runs code when somebody builds, tests or logs in: {', '.join(paths)}"
    return tag("em", "worth a look", class_="word partly", title=title) if paths else None


def _word(outcome: str) -> Html | None:
    if outcome == "applied":
        return None
    return tag("em", SAID[outcome], class_=f"word {outcome}")


def _refused(frame: PageFrame, item: Item) -> Html:
    """Return a refused call in one row."""
    attempt = item.attempt
    assert attempt is not None, "BUG: a moment is a transaction or a refusal"
    codes = [tag("code", code, title=CODES.get(code, "")) for code in dict.fromkeys(attempt.codes)]
    known = CODES.get(attempt.codes[0], "") if attempt.codes else ""
    why, *more = attempt.said.split("\n") if attempt.said else [known]
    return tag(
        "article",
        tag("span", class_="dot", title="refused"),
        moment(attempt.time, day=False),
        tag(
            "div",
            link(_refused_call(frame, item), f"Refused: {why}", class_="title"),
            *(tag("p", each, class_="dim said") for each in _some(more)),
            tag(
                "p",
                actor_of(frame, attempt.actor),
                task_of(frame, attempt.task),
                tag("span", attempt.tool, class_="tool"),
                place_of(attempt.origin.elsewhere if attempt.origin else ""),
                path_of(frame, attempt.path) if attempt.path else None,
                class_="meta",
            ),
            class_="what",
        ),
        tag("span", *codes, class_="words codes"),
        tag("span", class_="counts"),
        id=f"no-{attempt.time!r}",
        class_="row refused",
        data_state="refused",
    )


def _refused_call(frame: PageFrame, item: Item) -> str:
    """Return the address of a refused call of this workspace."""
    attempt = item.attempt
    if attempt is None or (attempt.origin is not None and not attempt.origin.mine):
        return ""
    return frame.to("/refusal", at=repr(attempt.time), actor=attempt.actor)


def _some(lines: list[str]) -> list[str]:
    """Return some lines, and how many more there are."""
    more = len(lines) - _MOST_SAID
    return [*lines[:_MOST_SAID], *([f"and {more} more"] if more > 0 else [])]


def _places(words: Mapping[str, str]) -> tuple[Html, ...]:
    """Return the fields for where an edit was made: other machines share the journal."""
    machine = _field("machine", "Machine", "build-7", words)
    return machine, _field("worktree", "Worktree", "/home/me/project", words)


def _filters(asked: Filters, known: Mapping[str, list[str]], *, shares: bool) -> Html:
    words = asked.words
    active = [name for name in words if name != "q" and words[name]]
    fields = [
        _field("path", "File or directory", "src/app.py", words),
        _field("segment", "Segment", "Worker.run", words),
        _field("task", "Task", "login", words),
        _field("actor", "Actor", "claude-code", words),
        *(_places(words) if shares else ()),
        _outcome(words.get("outcome", "")),
        _field("since", "Since", "2h, 3d, 2026-01-31", words),
        _field("until", "Until", "1h, 2026-02-01", words),
        _field("q", "Text in reasons and diffs", "retries", words),
        tag(
            "label",
            tag(
                "input",
                type="checkbox",
                name="refusals",
                value="no",
                checked=words.get("refusals") == "no",
            ),
            " hide refusals",
            class_="check",
        ),
        tag("button", "Show", class_="primary"),
    ]
    chips = [_chip(asked, name) for name in words if words[name]]
    return tag(
        "section",
        tag(
            "details",
            tag("summary", "Filter", tag("em", len(active), class_="badge") if active else None),
            tag("form", *fields, *choices(known), action="/", class_="filters"),
        ),
        tag("p", *chips, link("/", "Show everything", class_="clear"), class_="chips")
        if chips
        else None,
        class_="filter",
    )


# The fields that offer what there is.
_LISTS = {name: f"known-{name}" for name in ("task", "actor", "path", "segment")}


def _field(name: str, label: str, example: str, words: Mapping[str, str]) -> Html:
    value = words.get(name, "")
    return tag(
        "label",
        tag("span", label),
        tag(
            "input",
            name=name,
            value=value,
            placeholder=example,
            autocomplete="off",
            list=_LISTS.get(name),
        ),
    )


def _outcome(value: str) -> Html:
    options = [tag("option", "Any outcome", value="")]
    options += [tag("option", SAID[one], value=one, selected=one == value) for one in OUTCOMES]
    return tag("label", tag("span", "Outcome"), tag("select", *options, name="outcome"))


def _chip(asked: Filters, name: str) -> Html:
    rest = {key: each for key, each in asked.words.items() if key != name}
    return link(
        url("/", **rest),
        tag("b", name),
        f" {asked.words[name]} ",
        tag("span", "×", class_="dim"),
        class_="chip",
        title="Remove this filter",
    )


def older(frame: PageFrame, found: Page, **where: str) -> Html | None:
    """Return the way to older moments of a file or a task, if there are any."""
    if not found.next:
        return None
    target = frame.to("/", **where, before=found.next)
    return tag("p", link(target, "Older", class_="button"), class_="more")


def _more(frame: PageFrame, asked: Filters, found: Page) -> Html | None:
    if not found.next:
        return None
    said = "Older"
    note = None
    if found.stopped:
        said = "Search older ones"
        note = tag("span", "Looked back to ", moment(found.stopped), class_="dim")
    older = frame.to("/", **{**asked.words, "before": found.next})
    return tag("p", note, link(older, said, class_="button", rel="next", id="older"), class_="more")


def _nothing(asked: Filters) -> Html:
    if any(asked.words.values()):
        return empty("Nothing fits these filters.")
    return empty(
        "Nothing has happened here yet. Edits appear as agents make them: try ",
        tag("code", "keyhole edit FILE --find TEXT --content TEXT --reason WHY"),
    )
