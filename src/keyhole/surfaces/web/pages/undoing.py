"""The preview of an undo: what it would do now, bound to the button that does it."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping

from keyhole.answers.receipt import Receipt
from keyhole.engine.history.compare import compare_plan
from keyhole.engine.history.recall import UndoRequest
from keyhole.engine.rewind.targets import EVERYBODY
from keyhole.refusals import Refusal
from keyhole.surfaces.pages.diffs import Shown, diff
from keyhole.surfaces.pages.file_parts import diagnostics, file_head
from keyhole.surfaces.pages.frame import PageFrame
from keyhole.surfaces.pages.html import Html, link, tag
from keyhole.surfaces.web.page_frame import needs_script, page


def undoing(frame: PageFrame, wish: UndoRequest, ahead: Receipt, view: str) -> Html:
    """Return the page that shows what an undo would do, or why it cannot be."""
    what = said(wish)
    verb = "Redo" if wish.redo else "Rewind" if wish.prompt else "Undo"
    back = frame.to_task(wish.task) if wish.task else frame.to_transaction(wish.id)
    back = frame.to("/prompts") if wish.prompt else back
    if not ahead.ok:
        body = [tag("h1", f"{verb} {what}: not as things are")]
        body += [refusal(frame, each) for each in ahead.refusals]
        rest = None
        if wish.prompt and not wish.partly and wish.session != EVERYBODY:
            to = frame.to("/undo", prompt=wish.prompt, partly="1")
            rest = link(to, "Rewind the rest, leave these", class_="button", id="partly")
        body += [tag("p", link(back, "Back", class_="button"), rest, class_="actions")]
        return page(frame, f"{verb} {what}", *body)
    told_files = sorted(ahead.files, key=lambda file: file.path)
    files = [compare_plan(file.plan) for file in told_files]
    head = tag(
        "section",
        tag("h1", f"{verb} {what}?"),
        tag("p", "This is what it would do now. Nothing is changed yet.", class_="lead"),
        *(tag("p", warning, class_="hint") for warning in ahead.warnings),
        _form(verb, wish, ahead.seal) if frame.acts else None,
        tag("p", link(back, "Back", class_="button", id="back"), class_="actions"),
        class_="head",
    )
    parts = [
        tag(
            "section",
            file_head(frame, file),
            diagnostics(list(told.diagnostics)),
            diff(file, Shown(view)),
            class_="file",
        )
        for file, told in zip(files, told_files, strict=True)
    ]
    return page(frame, f"{verb} {what}", head, *parts)


def said(wish: UndoRequest) -> str:
    """Return in words what an undo takes back."""
    if wish.task:
        return f"the whole task {wish.task}"
    if wish.prompt:
        whose = "everything" if wish.session == EVERYBODY else "what its session did"
        return f"{whose} since prompt {wish.prompt}"
    part = f"edit {wish.edit + 1} of " if wish.edit is not None else ""
    part = f"what happened to {wish.path} in " if wish.path else part
    return f"{part}transaction {wish.id}"


def _form(verb: str, wish: UndoRequest, seal: str) -> Html:
    """Return the button; what it sends names the diff that is shown."""
    asked: Mapping[str, object] = {
        "id": wish.id,
        "edit": wish.edit,
        "path": wish.path,
        "task": wish.task,
        "redo": wish.redo,
        "prompt": wish.prompt,
        "exact": wish.session == EVERYBODY,
        "partly": wish.partly,
        "shown": seal,
    }
    return tag(
        "form",
        tag(
            "input",
            name="reason",
            placeholder="Why (for the history)",
            aria_label="Why",
            autocomplete="off",
        ),
        tag("button", f"{verb} now", class_="primary", id="confirm", disabled=True),
        needs_script(_command(verb, wish)),
        tag("p", id="problem", class_="problem", role="alert", hidden=True),
        class_="confirm",
        data_post="/api/undo",
        data_body=json.dumps(asked),
    )


def _command(verb: str, wish: UndoRequest) -> str:
    """Return what to type for the same."""
    if wish.prompt:
        how = ["--exact"] if wish.session == EVERYBODY else ["--partly"] * wish.partly
        return shlex.join(["keyhole", "rewind", wish.prompt, *how, "--yes"])
    flags = {"--task": wish.task, "--path": wish.path, "--edit": wish.edit}
    given = [
        word
        for name, value in flags.items()
        if value not in {"", None}
        for word in (name, f"{value}")
    ]
    return shlex.join(["keyhole", verb.lower(), *filter(None, [wish.id]), *given])


def refusal(frame: PageFrame, no: Refusal) -> Html:
    """Return a refusal; of a clash, both versions side by side."""
    ours, theirs = no.data.get("ours"), no.data.get("theirs")
    later = str(no.data.get("later") or "")
    both = None
    if isinstance(ours, str) and isinstance(theirs, str):
        both = tag(
            "div",
            tag("figure", tag("figcaption", "stands there now"), tag("pre", theirs)),
            tag("figure", tag("figcaption", "the undo would put back"), tag("pre", ours)),
            class_="versions",
        )
    return tag(
        "section",
        tag("p", tag("em", no.code, class_="word refused"), no.headline),
        both or (tag("pre", no.where) if no.where else None),
        tag("p", "Changed since by ", link(frame.to_transaction(later), later)) if later else None,
        tag("p", no.help, class_="dim") if no.help else None,
        class_="panel warn refusal",
    )
