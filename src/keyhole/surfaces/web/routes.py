"""The routes of the review page: from an address to the engine and back to a page."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

from keyhole import arguments
from keyhole.answers.history import PastTransaction
from keyhole.answers.receipt import Receipt
from keyhole.arguments import bad_argument, parse_moment, required, text
from keyhole.engine.history.blame import homes
from keyhole.engine.history.changes import HEAD, UNSEEN, ChangesRequest
from keyhole.engine.history.compare import contribution
from keyhole.engine.history.cumulative import CumulativeFile
from keyhole.engine.history.recall import UndoRequest
from keyhole.engine.history.timeline import OUTCOMES, Cursor, Filter, Page
from keyhole.engine.options import Options
from keyhole.engine.proposals import Decision
from keyhole.engine.rewind.targets import EVERYBODY
from keyhole.fastclasses import replace
from keyhole.refusals import Refused
from keyhole.surfaces.pages.diffs import VIEWS
from keyhole.surfaces.pages.html import Html, url
from keyhole.surfaces.web.page_frame import page
from keyhole.surfaces.web.pages.changes import (
    ChangedFiles,
    changed,
    changed_file,
    no_changes,
    words_of,
)
from keyhole.surfaces.web.pages.conflicts import conflicts
from keyhole.surfaces.web.pages.files import FileFacts, file_page, gone_page, segment_page
from keyhole.surfaces.web.pages.insight import insight
from keyhole.surfaces.web.pages.prompts import prompts as prompts_page
from keyhole.surfaces.web.pages.proposals import proposal as proposal_page
from keyhole.surfaces.web.pages.proposals import proposals as proposals_page
from keyhole.surfaces.web.pages.refusals import refusals, refused_call
from keyhole.surfaces.web.pages.tasks import Elsewhere, Whole, task, tasks
from keyhole.surfaces.web.pages.timeline import Aids, Filters, timeline
from keyhole.surfaces.web.pages.transaction import ShownTransaction, transaction
from keyhole.surfaces.web.pages.undoing import undoing
from keyhole.surfaces.web.review import ReviewSite

Words = Mapping[str, str]
# What a page of changes shows at once: so many files, so many rows, no longer than this.
_FIRST_FILES, _FIRST_ROWS, _COMPARING, _COUNTING = 8, 600, 0.3, 0.03
_MOST_NAMED = 1000

_NAMES = (
    "path",
    "segment",
    "task",
    "actor",
    "machine",
    "worktree",
    "outcome",
    "since",
    "until",
    "q",
    "refusals",
)


def filters_of(words: Words) -> Filters:
    """Return the filters of an address; refuse an invalid time or an unknown outcome."""
    given = {name: words[name] for name in _NAMES if words.get(name)}
    outcome = given.get("outcome", "")
    if outcome and outcome not in OUTCOMES:
        headline = f"`outcome` is {outcome[:40]!r}; it is one of {', '.join(OUTCOMES)}"
        raise Refused(arguments.bad_argument("outcome", headline))
    wanted = Filter(
        path=given.get("path", "").strip("/"),
        segment=given.get("segment", ""),
        task=given.get("task", ""),
        actor=given.get("actor", ""),
        outcome=outcome,
        since=arguments.since(given),
        until=arguments.since({"since": given["until"]}) if "until" in given else None,
        text=given.get("q", ""),
        refusals=given.get("refusals") != "no",
        machine=given.get("machine", ""),
        worktree=given.get("worktree", ""),
    )
    return Filters(given, wanted, words.get("before", ""))


def view_of(words: Words) -> str:
    """Return the view an address asks for."""
    view = words.get("view", "")
    return view if view in VIEWS else VIEWS[0]


def undo_request_of(words: Mapping[str, object]) -> UndoRequest:
    """Return what to take back, from an address or a body."""
    given = dict(words)
    if isinstance(edit := given.get("edit"), str):
        given["edit"] = int(edit) if edit.isascii() and edit.isdecimal() else None
    return UndoRequest(
        id=arguments.text(given, "id"),
        edit=None if given.get("edit") is None else arguments.number(given, "edit", 0),
        task=arguments.text(given, "task"),
        redo=bool(given.get("redo")),
        path=arguments.text(given, "path"),
        shown=arguments.text(given, "shown"),
        prompt=arguments.text(given, "prompt"),
        partly=bool(given.get("partly") and given.get("prompt")),
        session=EVERYBODY if given.get("exact") and given.get("prompt") else "",
    )


Show = Callable[[ReviewSite, Words], Html]
Act = Callable[[ReviewSite, Mapping[str, object]], tuple[Receipt, str]]

_MOST_OF_TASK = 100
_MOST_PROMPTS = 50
# An undo looks at each, so more would keep the page waiting for longer than people do.
_MOST_EXACT = 1000


def _timeline(site: ReviewSite, words: Words) -> Html:
    asked = filters_of(words)
    moments = site.past.page(asked.wanted, Cursor.of(asked.cursor))
    past = [item.past for item in moments.items if item.past]
    unseen = site.past.unseen_of(site.reviewer, past)
    return timeline(site.frame(), asked, moments, site.counter(), Aids(unseen, site.known()))


def _transaction(site: ReviewSite, words: Words) -> Html:
    past = site.past.transaction(words["name"])
    is_unseen = bool(site.past.unseen_of(site.reviewer, [past]))
    around = site.past.around(past)
    shown = ShownTransaction(view_of(words), is_unseen, *around)
    return transaction(site.frame(), past, site.past.compared(past), shown)


def _undoing(site: ReviewSite, words: Words) -> Html:
    wish = undo_request_of(words)
    options = Options(dry_run=True, actor=site.actor, tool="review undo")
    return undoing(site.frame(), wish, _taken_back(site, wish, options), view_of(words))


def _taken_back(site: ReviewSite, wish: UndoRequest, options: Options) -> Receipt:
    undo = site.engine.checkpoints.rewind if wish.prompt else site.engine.undo
    return undo(wish, options)


def _prompts(site: ReviewSite, _: Words) -> Html:
    checkpoints = site.engine.checkpoints
    if not checkpoints.is_observed:
        return prompts_page(site.frame(), (), site.counter(), ())
    items = site.past.page(Filter(refusals=False), size=_MOST_OF_TASK).items
    past = [item.past for item in items if item.past]
    unseen = site.past.unseen_of(site.reviewer, past)
    found = checkpoints.by_prompt(past, _MOST_PROMPTS)
    return prompts_page(site.frame(), found, site.counter(), unseen)


def _undo(site: ReviewSite, body: Mapping[str, object]) -> tuple[Receipt, str]:
    wish = undo_request_of(body)
    if not wish.shown:
        headline = "`shown` is missing: what is undone must have been shown"
        raise Refused(bad_argument("shown", headline))
    reason = body.get("reason")
    said = reason if isinstance(reason, str) else ""
    options = Options(reason=said, actor=site.actor, tool="review undo")
    receipt = site.seen(_taken_back(site, wish, options))
    return receipt, f"/tx/{receipt.transaction}"


def changes_request_of(words: Words) -> ChangesRequest:
    """Return which transactions an address means; without a point, those not seen."""
    given = words.get("since", UNSEEN)
    since = "" if given == "all" else HEAD if given.upper() == HEAD else given
    names = ("task", "actor", "session", "path")
    rest = {name: words.get(name, "") for name in names}
    is_narrow = any(rest.values()) and "since" not in words
    return ChangesRequest("" if is_narrow else since, **rest)


def _changes(site: ReviewSite, words: Words) -> Html:
    wanted = changes_request_of(words)
    try:
        found = site.past.changes(wanted, site.reviewer)
    except Refused as refused:
        return no_changes(site.frame(), wanted, refused.refusals, site.known())
    viewed = site.past.viewed(site.reviewer, found)
    shown: dict[str, CumulativeFile] = {}
    counts: dict[str, tuple[int, int]] = {}
    nothing: set[str] = set()
    rows, start = 0, time.monotonic()
    for file in found.files:
        is_full = len(shown) >= _FIRST_FILES or rows >= _FIRST_ROWS
        if shown and time.monotonic() > start + (_COUNTING if is_full else _COMPARING):
            break
        made = site.compared(found, file)
        if made.is_nothing:
            nothing.add(file.path)
            continue
        sides = made.comparison.sides
        counts[file.path] = sides.added, sides.removed
        if file.path not in viewed and not is_full:
            shown[file.path] = made
            rows += sides.added + sides.removed
    left = tuple(each for each in found.files if each.path not in nothing)
    files = ChangedFiles(replace(found, files=left), viewed, shown, counts)
    return changed(site.frame(), wanted, files, site.known())


def _changed_file(site: ReviewSite, words: Words) -> Html:
    """Return one file of the changes, which a page fetches when it is looked at."""
    wanted, path = changes_request_of(words), required(words, "file")
    found = site.past.changes(wanted, site.reviewer)
    file = next((each for each in found.files if each.path == path), None)
    if file is None:
        raise Refused(bad_argument("file", f"{path[:200]} is not among these changes"))
    made = site.compared(found, file)
    sides = made.comparison.sides
    files = ChangedFiles(
        found,
        site.past.viewed(site.reviewer, found),
        {path: made},
        {path: (sides.added, sides.removed)},
    )
    frame = site.frame()
    return page(frame, path, changed_file(frame, words_of(wanted), files, file), at="/changes")


def _see(site: ReviewSite, body: Mapping[str, object]) -> tuple[Receipt, str]:
    """Mark transactions as seen, or unseen again: all up to one, or some by name."""
    if "upto" in body:
        return Receipt("unchanged"), _see_shown(site, body)
    names = body.get("ids")
    if not isinstance(names, list) or len(names) > _MOST_NAMED:
        raise Refused(bad_argument("ids", "`ids` is a list of transactions"))
    site.past.see(site.reviewer, [str(each) for each in names], seen=body.get("seen") is not False)
    return Receipt("unchanged"), ""


def _see_shown(site: ReviewSite, body: Mapping[str, object]) -> str:
    """Mark as seen what a page of changes showed; return its address."""
    upto, but, of = arguments.number(body, "upto", 0), body.get("but"), body.get("of")
    unfinished = [each for each in but if isinstance(each, int)] if isinstance(but, list) else []
    if not isinstance(of, dict):
        site.past.see_all(site.reviewer, upto, unfinished)
        return "/changes"
    words = {str(name): str(value) for name, value in of.items()}
    site.past.see_changes(site.reviewer, changes_request_of(words), upto, unfinished)
    return url("/changes", **words)


def _view(site: ReviewSite, body: Mapping[str, object]) -> tuple[Receipt, str]:
    site.past.view(site.reviewer, required(body, "path"), text(body, "version"))
    return Receipt("unchanged"), ""


def _proposals(site: ReviewSite, _: Words) -> Html:
    return proposals_page(site.frame(), site.past.proposals())


def _proposal(site: ReviewSite, words: Words) -> Html:
    return proposal_page(site.frame(), site.past.proposal(words["name"]), view_of(words))


def _decide(site: ReviewSite, body: Mapping[str, object]) -> tuple[Receipt, str]:
    said = body.get("decisions")
    if not isinstance(said, dict) or not all(isinstance(each, bool) for each in said.values()):
        raise Refused(bad_argument("decisions", "`decisions` says true or false for each edit"))
    name = required(body, "id")
    decision = Decision(name, said, required(body, "shown"), site.actor, text(body, "comment"))
    receipt = site.seen(site.past.decide(decision))
    return receipt, f"/tx/{receipt.transaction}" if receipt.transaction else f"/proposals/{name}"


def _file(site: ReviewSite, words: Words) -> Html:
    path = site.engine.resolve(required(words, "path"))
    if segment := words.get("segment", ""):
        return _segment(site, path, segment)
    found = site.past.page(Filter(path=path))
    try:
        known = FileFacts(site.past.blame(path))
    except Refused:  # a directory, or a file that is gone or elsewhere, still has a history
        known = FileFacts(homes=homes(found.items, path))
    return file_page(site.frame(), path, known, found, site.counter())


def _segment(site: ReviewSite, path: str, segment: str) -> Html:
    try:
        blamed = site.past.history_of(path, segment)
    except Refused:
        found = site.past.page(Filter(path=path, segment=segment))
        if not found.items:
            raise
        return gone_page(site.frame(), path, segment, found, site.counter())
    return segment_page(site.frame(), path, blamed, site.counter())


def _tasks(site: ReviewSite, _: Words) -> Html:
    return tasks(site.frame(), site.past.tasks())


def _task(site: ReviewSite, words: Words) -> Html:
    name = required(words, "name")
    found = site.past.page(Filter(task=name), size=_MOST_OF_TASK)
    return task(site.frame(), name, task_diff_of(site, name, found), found, site.counter())


def task_diff_of(site: ReviewSite, name: str, found: Page) -> Whole:
    """Return a task as one diff, exactly what its undo would remove; other checkouts apart."""
    past = [item.past for item in reversed(found.items) if item.past]
    elsewhere: dict[str, list[PastTransaction]] = {}
    for each in past:
        if each.entry.is_elsewhere:
            elsewhere.setdefault(str(each.entry.origin), []).append(each)
    here = [each for each in past if not each.entry.is_elsewhere]
    if found.next and site.past.has_more_of(name, _MOST_EXACT):
        note = "A long task: from before its first edit shown to after its last, others' included."
        whole = Whole(site.past.compared_through(here), note, undoable=True)
    else:
        whole = _whole_here(site, name, here)
    places = (Elsewhere(place, site.past.compared_through(own)) for place, own in elsewhere.items())
    return replace(whole, elsewhere=tuple(places))


def _whole_here(site: ReviewSite, name: str, own: Sequence[PastTransaction]) -> Whole:
    options = Options(dry_run=True, actor=site.actor, tool="review undo")
    ahead = site.engine.undo(UndoRequest(task=name), options)
    if ahead.ok and ahead.files:
        files = sorted(ahead.files, key=lambda file: file.path)
        kept = [contribution(file.plan) for file in files if not file.plan.moved_to]
        return Whole(tuple(kept), undoable=True)
    shown = site.past.compared_through(own)
    if not shown:
        return Whole(())
    if ahead.ok or ahead.refusals[0].code == "nothing-to-undo":
        return Whole(shown, "All of it was taken back; this is what it was.")
    note = "Others edited the same places since, so their edits may show here too."
    return Whole(shown, note, undoable=True)


def _span(words: Words) -> tuple[str, float]:
    """Return since when an address asks, as it says it and in seconds."""
    said = words.get("since", "1w")
    since = "" if said == "all" else said
    start = parse_moment(since) if since else 0.0
    if start is None:
        raise Refused(bad_argument("since", f"`since` is {since[:40]!r}; it is 24h, 1w or a date"))
    return since, start


def _insight(site: ReviewSite, words: Words) -> Html:
    since, start = _span(words)
    return insight(site.frame(), site.engine.stats(start), since)


def _refusals(site: ReviewSite, words: Words) -> Html:
    since, start = _span(words)
    code = words.get("code", "")
    return refusals(site.frame(), site.past.struggles(start, code), since or "all", code)


def _refused_call(site: ReviewSite, words: Words) -> Html:
    try:
        at = float(required(words, "at"))
    except ValueError:
        raise Refused(bad_argument("at", "`at` is no time")) from None
    return refused_call(site.frame(), site.past.struggle(at, words.get("actor", "")))


def _conflicts(site: ReviewSite, _: Words) -> Html:
    return conflicts(site.frame(), site.engine.conflicts())


PAGES: Mapping[str, Show] = {
    "/": _timeline,
    "/changes": _changes,
    "/changes/file": _changed_file,
    "/tx/{name}": _transaction,
    "/undo": _undoing,
    "/file": _file,
    "/tasks": _tasks,
    "/task": _task,
    "/insight": _insight,
    "/refusals": _refusals,
    "/refusal": _refused_call,
    "/conflicts": _conflicts,
    "/prompts": _prompts,
    "/proposals": _proposals,
    "/proposals/{name}": _proposal,
}
ACTS: Mapping[str, Act] = {
    "/api/undo": _undo,
    "/api/decide": _decide,
    "/api/seen": _see,
    "/api/view": _view,
}
