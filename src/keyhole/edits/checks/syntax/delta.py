"""Delta: which of the things that are wrong with a text an edit brought, and which it found."""

from __future__ import annotations

from keyhole.edits.checks.syntax.problem import Delta
from keyhole.edits.checks.syntax.table import problems
from keyhole.segments.outline import plain_lines
from keyhole.text.changes import ChangeSet
from keyhole.text.diff import diff


def delta(syntax: str, before: str | None, after: str, changes: ChangeSet) -> Delta:
    """Tell what is wrong after an edit; the text before is read only if something is."""
    if before is not None and syntax == "python" and _still_compiles(before, changes, after):
        return Delta()
    if syntax == "markdown":
        return _in_front_matter(before, after)
    if not problems(syntax, after):
        return Delta()
    syntax = _as_before(syntax, before)
    found = problems(syntax, after)
    if not found:
        return Delta()
    from keyhole.edits.checks.syntax.old import among_old_ones, certain_if_worse

    if before is not None and problems(syntax, before):
        return among_old_ones(syntax, before, after, changes)
    return Delta(certain_if_worse(syntax, before or "", after, found))


def _in_front_matter(before: str | None, after: str) -> Delta:
    """Tell what is wrong with the front matter, which is a text of its own."""
    from keyhole.edits.checks.syntax.front_matter import front_matter_problems, shifted
    from keyhole.segments.frontmatter import meant

    had, has = meant(plain_lines(before or "")), meant(plain_lines(after))
    if has is None:
        return Delta()
    if had is None or had.syntax != has.syntax or min(had.end, has.end) < 0:
        same = had is not None and had.end < 0 and has.end < 0
        all_of_it = front_matter_problems(after)
        return Delta((), all_of_it) if same else Delta(all_of_it)
    old, new = (before or "")[had.start : had.end], after[has.start : has.end]
    found = delta(has.syntax, old, new, diff(old, new)) if old != new else Delta()
    return Delta(shifted(found.new, has.start), shifted(found.old, has.start))


def _still_compiles(before: str, changes: ChangeSet, after: str) -> bool:
    from keyhole.edits.checks.syntax.python import still_compiles

    return still_compiles(before, changes, after)


def _as_before(syntax: str, before: str | None) -> str:
    """Return the syntax that the text was in: JSON may have had comments."""
    if syntax != "json" or before is None or not problems("json", before):
        return syntax
    return syntax if problems("jsonc", before) else "jsonc"
