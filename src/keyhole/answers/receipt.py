"""Receipt: what a call did or why it did nothing, as data and as text that say the same."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Protocol, cast

from keyhole.edits.model.plan import FilePlan, LocatedEdit, Plan
from keyhole.fastclasses import dataclass, field
from keyhole.phrases import NATIVE, Row, Words, render, shown
from keyhole.refusals import Refusal
from keyhole.text.changes import Change
from keyhole.text.diff import numbered, unified, unified_deletion, window
from keyhole.text.document import Document

_AROUND = 3
_MOST_SHOWN = 20
_MANY_EDITS = 8
_MODE = {True: "made a program, mode 100755", False: "no program any more, mode 100644"}

Span = tuple[int, int]
Numbered = tuple[int, str]


@dataclass(frozen=True)
class FileReceipt:
    """What became of one file; the text, diff and lines are made when asked for."""

    plan: FilePlan
    path: str
    diagnostics: tuple[Mapping[str, object], ...] = ()

    @staticmethod
    def of(plan: FilePlan, spelling: Mapping[str, str]) -> FileReceipt:
        """Return the receipt of a file's plan, in the caller's `spelling` of its path."""
        said = tuple(each.as_data() for each in plan.diagnostics)
        return FileReceipt(plan, spelling.get(plan.path, plan.path), said)

    @property
    def hash_before(self) -> str:
        """Return the hash before the call, "" where there was no file."""
        return self.plan.before.hash if self.plan.before else ""

    @property
    def hash_after(self) -> str:
        """Return the hash after the call, "" where there is no file any more."""
        return self.plan.after.hash if self.plan.after else ""

    @cached_property
    def diff(self) -> str:
        """Return the unified diff, which `git apply` takes."""
        plan = self.plan
        if plan.is_unchanged:
            return ""
        if plan.after is None:
            return unified_deletion(plan.path, plan.before.text if plan.before else "")
        before = plan.before.text if plan.before else None
        return unified(plan.path, before, plan.changes, executable=plan.executable)

    @cached_property
    def spans_after(self) -> Mapping[int, Span]:
        """Return, for each edit by its index, where its new text lies."""
        changes = self.plan.changes
        lies = dict(zip(changes.changes, changes.spans_after(), strict=True))
        spans: dict[int, Span] = {}
        for edit in self.plan.edits:
            own = [lies.get(change) or _around(change, lies) for change in edit.changes]
            spans[edit.index] = (own[0][0], own[-1][1]) if own else changes.carried(edit.span)
        return spans

    def as_data(self, detail: str, words: Words = NATIVE) -> dict[str, object]:
        """Return the file's part of the receipt; `detail` full adds the diff."""
        self._index_if_many()
        data: dict[str, object] = {
            "path": self.path,
            "hash_before": self.hash_before,
            "hash_after": self.hash_after,
            "created": self.plan.before is None,
            "deleted": self.plan.after is None,
            "edits": [self._edit_data(edit, words) for edit in self.plan.edits],
            "context": {side: _rows(lines) for side, lines in self._context.items()},
            "diagnostics": list(self.diagnostics),
            "warnings": [render(warning, words) for warning in self.plan.warnings],
        }
        if source := self.plan.moved_from or self.plan.like:
            data["moved_from"] = source
        if self.plan.executable is not None:
            data["executable"] = self.plan.executable
        if detail == "full":
            data["diff"] = self.diff
        return data

    def _index_if_many(self) -> None:
        """With many edits one index of the lines costs less than a count for each."""
        if len(self.plan.edits) > _MANY_EDITS:
            for document in (self.plan.before, self.plan.after):
                if document:
                    len(document.starts)

    def _edit_data(self, edit: LocatedEdit, words: Words) -> dict[str, object]:
        around = {*self._context["before"], *self._context["after"]}
        return {
            "index": edit.index,
            "lines_before": list(lines_of(self.plan.before, _span_before(edit))),
            "lines_after": list(lines_of(self.plan.after, self.spans_after[edit.index])),
            "segment": edit.segment,
            "matched": edit.matched,
            "occurrences_found": edit.found,
            "occurrences_replaced": 0 if edit.already_applied else edit.replaced,
            "reason": edit.reason,
            "notes": [render(note, words) for note in edit.notes],
            "text": _rows(line for line in self.new_lines[edit.index] if line not in around),
        }

    @cached_property
    def new_lines(self) -> Mapping[int, list[Numbered]]:
        """Return, for each edit, its new lines with three around, at most twenty, none twice."""
        said: set[Numbered] = set()
        found: dict[int, list[Numbered]] = {}
        for edit in self.plan.edits:
            after, span = self.plan.after, self.spans_after[edit.index]
            lines = window(after, span, _AROUND, _MOST_SHOWN) if after else []
            found[edit.index] = [line for line in lines if line not in said]
            said.update(lines)
        return found

    @cached_property
    def _context(self) -> Mapping[str, list[Numbered]]:
        """Return the three lines before the first edit and behind the last, as they now stand."""
        after = self.plan.after
        if after is None or not self.plan.edits:
            return {"before": [], "after": []}
        spans = self.spans_after.values()
        start, end = min(span[0] for span in spans), max(span[1] for span in spans)
        first, last = lines_of(after, (start, end))
        shown = self.new_lines[self.plan.edits[0].index] if len(self.plan.edits) == 1 else []
        if 0 < len(shown) < _MOST_SHOWN:  # all of it is there already
            above = below = shown
        else:
            above = window(after, (start, start))
            below = window(after, (end, end), _AROUND + 1)
        above = [row for row in above if row[0] < first]
        below = [row for row in below if row[0] > last]
        return {"before": above, "after": below[:_AROUND]}


def _rows(lines: Iterable[Numbered]) -> list[dict[str, object]]:
    return [{"line": number, "text": shown(text)} for number, text in lines]


def _around(change: Change, lies: Mapping[Change, Span]) -> Span:
    """Return where the change lies of which another is a part: edits that build on each other."""
    fitting = [span for one, span in lies.items() if one.start <= change.start <= one.end]
    return fitting[0] if fitting else (change.start, change.end)


def _span_before(edit: LocatedEdit) -> Span:
    if not edit.changes:
        return edit.span
    return edit.changes[0].start, edit.changes[-1].end


def lines_of(document: Document | None, span: Span) -> tuple[int, int]:
    """Return the lines a span touches; an empty one at a line's start is the range before it."""
    if document is None or not document.text:
        return (1, 0)
    start, end = span
    first = document.line_at(start)
    if end > start:
        return first, document.line_at(end - 1)
    if start == len(document.text):
        ended = document.text.endswith(document.terminator)
        return (first + 1, first) if ended else (first, first)
    at_start = start == 0 or document.text[start - 1] == document.terminator
    return (first, first - 1) if at_start else (first, first)


def file_text(file: FileReceipt, detail: str, words: Words = NATIVE) -> Iterator[str]:
    """Yield the file's part of a receipt in words."""
    hashes = f"{file.hash_before or 'new'} -> {file.hash_after or 'deleted'}"
    yield f"{file.path} {hashes if file.hash_before != file.hash_after else file.hash_after}"
    for warning in file.plan.warnings:
        yield Row("warning", f"  warning: {render(warning, words)}")
    if file.plan.like:
        yield f"  its text was that of {file.plan.like}"
    if file.plan.executable is not None and not any(edit.is_mode for edit in file.plan.edits):
        yield f"  {_MODE[file.plan.executable]}"
    for edit in file.plan.edits:
        yield f"  edit {edit.index}: {_edit_line(file, edit)}"
        yield from (Row("note", f"  note: {render(note, words)}") for note in edit.notes)
        if detail != "full" and not edit.is_mode:
            yield from indented(numbered(_for_people(file.new_lines[edit.index])))
    for item in file.diagnostics:
        yield Row(str(item["severity"]), f"  {_diagnostic(item)}")
    if detail == "full" and file.diff:
        yield Row("diff", shown(file.diff.rstrip("\n")))


def _for_people(lines: Sequence[Numbered]) -> list[Numbered]:
    return [(number, shown(text)) for number, text in lines]


def _edit_line(file: FileReceipt, edit: LocatedEdit) -> str:
    before = _said(lines_of(file.plan.before, _span_before(edit)))
    after = _said(lines_of(file.plan.after, file.spans_after[edit.index]))
    place = f" in `{edit.segment}`" if edit.segment else ""
    count = f", {edit.replaced} of {edit.found} places" if edit.found > 1 else ""
    reason = f": {edit.reason}" if edit.reason else ""
    if file.plan.before is None or file.plan.after is None:
        return f"{_whole(file.plan)}{reason}"
    if edit.already_applied:
        return f"already applied at {after}{place}{reason}"
    if edit.is_mode:
        return f"{_MODE[bool(file.plan.executable)]}{reason}"
    if not edit.changes:
        return f"nothing to change at {before}{place}{reason}"
    moved = before if before == after else f"{before} -> {after}"
    return f"{moved}{place}, matched {edit.matched}{count}{reason}"


def _whole(plan: FilePlan) -> str:
    """Say what became of a file that comes or goes."""
    verb, document = ("created", plan.after) if plan.before is None else ("deleted", plan.before)
    count = document.line_count if document else 0
    moved = f", moved to {plan.moved_to}" if plan.moved_to else ""
    return f"{verb}, {count} line{'s' if count != 1 else ''}{moved}"


def _said(lines: tuple[int, int]) -> str:
    first, last = lines
    if last < first:
        return f"before line {first}" if first == 1 else f"after line {last}"
    return f"line {first}" if first == last else f"lines {first}-{last}"


def _diagnostic(item: Mapping[str, object]) -> str:
    still = "" if item.get("new", True) else "as before: "
    return f"{item['severity']}: {still}{item['message']} (line {item['line']}, {item['code']})"


def indented(text: str) -> Iterator[str]:
    """Yield the lines of a quotation, set in."""
    return (f"    {line}" for line in text.split("\n")) if text else iter(())


class Answer(Protocol):
    """What the engine gives to a door: the same facts as data and as text."""

    def as_data(self) -> dict[str, object]:
        """Return the facts for a program."""

    def as_text(self) -> str:
        """Return the facts for a reader."""


@dataclass(frozen=True)
class Receipt:
    """The answer to one call: what was done, or every reason why nothing was."""

    outcome: str
    files: tuple[FileReceipt, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    transaction: str = ""
    dry_run: bool = False
    conflicts: tuple[Mapping[str, object], ...] = ()
    warnings: tuple[str, ...] = ()
    extra: Mapping[str, object] = field(default_factory=dict)
    # What was read in another way than it was sent.
    healed: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Tell whether the call was carried out."""
        return not self.refusals

    @property
    def seal(self) -> str:
        """Return a hash of everything that the diffs show: what was shown can be held to it."""
        digest = hashlib.sha256()
        for file in self.files:
            for word in (file.path, file.hash_before, file.hash_after, file.diff):
                digest.update(word.encode("utf-8", "surrogatepass") + b"\0")
        return digest.hexdigest()

    @staticmethod
    def refused(refusals: Sequence[Refusal]) -> Receipt:
        """Answer a call that changed nothing."""
        return Receipt("not_applied", refusals=tuple(refusals))

    @staticmethod
    def done(
        plan: Plan,
        outcome: str,
        *,
        transaction: str = "",
        dry_run: bool = False,
        spelling: Mapping[str, str],
    ) -> Receipt:
        """Answer a call that was carried out, or would be, in the caller's `spelling` of paths."""
        files = tuple(FileReceipt.of(file, spelling) for file in plan.files)
        return Receipt(outcome, files, transaction=transaction, dry_run=dry_run)

    def as_data(self, detail: str = "brief", words: Words = NATIVE) -> dict[str, object]:
        """Return the receipt as the JSON object of the contract."""
        if self.refusals:
            refusals = [refusal.as_data(words) for refusal in self.refusals]
            return {"ok": False, "outcome": self.outcome, "refusals": refusals}
        return {
            "ok": True,
            "transaction": self.transaction,
            "dry_run": self.dry_run,
            "files": [file.as_data(detail, words) for file in self.files],
            "conflicts": [dict(conflict) for conflict in self.conflicts],
            "warnings": [render(warning, words) for warning in self.warnings],
            "outcome": self.outcome,
            **self.extra,
            **({"healed": list(self.healed)} if self.healed else {}),
        }

    def as_text(self, detail: str = "brief", words: Words = NATIVE) -> str:
        """Return the receipt for reading: the same facts in as few words."""
        return "\n".join(self.as_rows(detail, words))

    def as_rows(self, detail: str = "brief", words: Words = NATIVE) -> Iterator[str]:
        """Yield the text row by row, those that a door may colour with their role."""
        if self.refusals:
            return _refused_text(self.refusals, words)
        return self._done_text(detail, words)

    def _done_text(self, detail: str, words: Words) -> Iterator[str]:
        name = f" {self.transaction}" if self.transaction else ""
        tail = " (dry run: nothing was written)" if self.dry_run else ""
        yield Row(self.outcome, f"{self.outcome}{name}{tail}")
        for warning in self.warnings:
            yield Row("warning", f"warning: {render(warning, words)}")
        for conflict in self.conflicts:
            yield from conflict_text(conflict)
        for file in self.files:
            yield from file_text(file, detail, words)
        if self.healed:
            yield f"healed: {'; '.join(self.healed)}"


def conflict_text(conflict: Mapping[str, object]) -> Iterator[str]:
    """Yield what to say of an edit of another task, or of another workspace, that a call met."""
    yield from _met_text(conflict) if "machine" in conflict else [_conflict_line(conflict)]


def _conflict_line(conflict: Mapping[str, object]) -> str:
    what = "was left out" if conflict["skipped"] else "went ahead"
    reason = f" ({conflict['reason']})" if conflict["reason"] else ""
    return (
        f"conflict: edit {conflict['edit']} in {conflict['path']} {what}; task {conflict['task']} "
        f"edited there in {conflict['transaction']}{reason}"
    )


def _met_text(conflict: Mapping[str, object]) -> Iterator[str]:
    """Say that another workspace changed the same place, with what both of them did."""
    reason = f" ({conflict['reason']})" if conflict["reason"] else ""
    task = f"task {conflict['task']}" if conflict["task"] else str(conflict["actor"])
    first, last = cast("list[int]", conflict["lines"])
    branch = f" ({conflict['branch']})" if conflict["branch"] else ""
    yield (
        f"conflict ({conflict['kind']}): {conflict['path']} lines {first}-{last}; {task} on "
        f"{conflict['machine']}:{conflict['worktree']}{branch} changed there in "
        f"{conflict['transaction']}{reason}, and it is not merged yet"
    )
    for title, name in (("theirs", "diff"), ("yours", "own_diff")):
        yield f"  {title}:"
        yield from indented(shown(str(conflict[name]).rstrip("\n")))


def _on_one_line(path: str) -> str:
    """Return a path as it may stand in a line; bytes that are no text stay as they were given."""
    return "".join(
        each if each.isprintable() or "\udc80" <= each <= "\udcff" else ascii(each)[1:-1]
        for each in path
    )


def _differs(what: str) -> str:
    return f"; {shown(what)}" if what else ""


def _labelled(label: str, quoted: str) -> Iterator[str]:
    """Yield the lines of a text behind a label, those below it set in as far."""
    for number, line in enumerate(quoted.split("\n") if quoted else ()):
        yield f"{' ' * len(label) if number else label}{line}"


def _refused_text(refusals: Sequence[Refusal], words: Words) -> Iterator[str]:
    yield Row("refused", "refused: nothing was changed")
    for refusal in refusals:
        edit = f"edit {refusal.edit}" if refusal.edit is not None else ""
        place = ", ".join(filter(None, (edit, _on_one_line(refusal.path))))
        headline = shown(render(refusal.headline, words))
        yield f"{refusal.code}{f' ({place})' if place else ''}: {headline}"
        yield from _labelled("  at: ", shown(render(refusal.where, words)))
        if refusal.hash_current:
            yield f"  hash: {refusal.hash_current}"
        for candidate in refusal.candidates:
            name = f" {candidate.accept}" if candidate.accept else ""
            first, last = candidate.lines
            alike = f", {candidate.similarity:.0%} alike" if candidate.similarity else ""
            said = f"lines {first}-{last}{alike}{_differs(candidate.differs)}"
            yield Row("candidate", f"  candidate{name}: {said}")
            yield from indented(shown(candidate.text))
        if refusal.suggestions:
            yield f"  near: {', '.join(refusal.suggestions)}"
        if refusal.help:
            yield Row("help", f"  help: {render(refusal.help, words)}")
        if "diff" in refusal.data:
            yield Row("diff", shown(str(refusal.data["diff"]).rstrip("\n")))
