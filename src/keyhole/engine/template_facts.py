"""What the templates of a workspace say of its files."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from keyhole.edits.model.plan import RENEWED, FilePlan, Plan
from keyhole.fastclasses import replace
from keyhole.phrases import say
from keyhole.templates import may_have_header
from keyhole.text.changes import Change, ChangeSet
from keyhole.text.document import Document
from keyhole.workspace.tree import Tree

if TYPE_CHECKING:
    from keyhole.segments.template_skeleton import DetectedTemplate
    from keyhole.templates.files import ExaminedFile
    from keyhole.templates.library import Library


def library_of(tree: Tree) -> Library:
    """Return the templates of a workspace: its configured directories, then the built-in set."""
    from keyhole.templates.library import Library
    from keyhole.workspace.template_dirs import TemplateDirectory

    return Library(tuple(TemplateDirectory(place) for place in tree.options.templates))


def examined(tree: Tree, path: str, document: Document) -> ExaminedFile | None:
    """Return the template that the header of a file names; without a header it costs nothing."""
    if not may_have_header(document.text):
        return None
    from keyhole.templates.files import examine

    return examine(library_of(tree), path, document)


def detector(tree: Tree) -> Callable[[str, Document], DetectedTemplate | None]:
    """Return the function that finds template blocks in files of the workspace."""

    def detect(path: str, document: Document) -> DetectedTemplate | None:
        found = examined(tree, path, document)
        return found.detected if found else None

    return detect


def now() -> str:
    """Return the moment as headers write it."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def refreshed(tree: Tree, plan: Plan) -> Plan:
    """Return the plan with the `updated=` of scaffolded files that it changes set to now."""
    if not tree.options.refresh_updated:
        return plan
    return Plan(tuple(_refreshed(tree, file) for file in plan.files))


def _refreshed(tree: Tree, file: FilePlan) -> FilePlan:
    if file.before is None or file.after is None or file.is_unchanged:
        return file
    span = _date_of(tree, file.after) if _date_of(tree, file.before) else None
    if span is None or _is_touched(file.changes, span):
        return file
    text = file.after.text
    field = Change(*span, now())
    changes = file.changes.then(ChangeSet(len(text), (field,)))
    after_text = text[: span[0]] + field.text + text[span[1] :]
    note = say("updated= in the header is now {}", field.text, kind=RENEWED)
    edits = tuple(
        replace(edit, notes=(*edit.notes, note)) if number == 0 else edit
        for number, edit in enumerate(file.edits)
    )
    return replace(file, changes=changes, after=file.after.with_text(after_text), edits=edits)


def _date_of(tree: Tree, document: Document) -> tuple[int, int] | None:
    """Return where a scaffolded file says when it was updated."""
    if not may_have_header(document.text):
        return None
    from keyhole.templates.files import known_header

    header = known_header(library_of(tree), document)
    return header.updated_span if header else None


def _is_touched(changes: ChangeSet, span: tuple[int, int]) -> bool:
    """Tell whether the call itself writes what stands at a place of the new text."""
    return any(start <= span[1] and span[0] <= end for start, end in changes.spans_after())
