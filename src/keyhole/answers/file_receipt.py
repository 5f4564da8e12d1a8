"""FileReceipt: what a call did to one file, as data and as text that say the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from itertools import accumulate

from keyhole.answers.form import form_of, form_text
from keyhole.edits.model.plan import FilePlan, LocatedEdit
from keyhole.fastclasses import dataclass
from keyhole.phrases import NATIVE, Row, Words, render, shown
from keyhole.text.changes import Change
from keyhole.text.diff import numbered, unified, unified_deletion, window
from keyhole.text.document import Document

_AROUND = 3
_MOST_SHOWN = 20
_MANY_EDITS = 8
# What the lines around new ones may cost where a model reads them, in characters: this, or as much
# as the new lines themselves.
_LEAN_AROUND = 40
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
        diagnostics = tuple(each.as_data() for each in plan.diagnostics)
        return FileReceipt(plan, spelling.get(plan.path, plan.path), diagnostics)

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
            text = plan.before.text if plan.before else ""
            return unified_deletion(plan.path, text, is_program=plan.is_program)
        before = plan.before.text if plan.before else None
        comes = plan.is_program if before is None and plan.executable is None else plan.executable
        return unified(plan.path, before, plan.changes, executable=comes)

    @cached_property
    def form(self) -> Mapping[str, object]:
        """Return how the file is stored, where that is not the usual."""
        return form_of(self.plan.after) if self.plan.after else {}

    @cached_property
    def places_after(self) -> Mapping[int, list[Span]]:
        """Return, for each edit by its index, where the texts of its changes lie."""
        changes = self.plan.changes
        lies = dict(zip(changes.changes, changes.spans_after(), strict=True))
        return {
            edit.index: [lies.get(change) or _around(change, lies) for change in edit.changes]
            for edit in self.plan.edits
        }

    @cached_property
    def spans_after(self) -> Mapping[int, Span]:
        """Return, for each edit by its index, where its new text lies."""
        spans: dict[int, Span] = {}
        for edit in self.plan.edits:
            own = self.places_after[edit.index]
            whole = (own[0][0], own[-1][1]) if own else self.plan.changes.carried(edit.span)
            spans[edit.index] = whole
        return spans

    def as_data(self, detail: str, words: Words = NATIVE) -> dict[str, object]:
        """Return the file's part of the receipt; `detail` full adds the diff."""
        self._index_if_many()
        around = {*self._context["before"], *self._context["after"]}
        data = self.head(words)
        data["edits"] = [
            {
                **self.edit_data(edit, words),
                "text": self._rows([x for x in self.new_lines[edit.index] if x not in around]),
            }
            for edit in self.plan.edits
        ]
        data["context"] = {side: self._rows(lines) for side, lines in self._context.items()}
        if detail == "full":
            data["diff"] = self.diff
        return data

    def head(self, words: Words) -> dict[str, object]:
        """Return what became of the file as a whole."""
        data: dict[str, object] = {
            "path": self.path,
            "hash_before": self.hash_before,
            "hash_after": self.hash_after,
            "created": self.plan.before is None,
            "deleted": self.plan.after is None,
            "edits": [],
            "diagnostics": list(self.diagnostics),
            "warnings": [render(warning, words) for warning in self.plan.warnings],
            **self.form,
        }
        if source := self.plan.moved_from or self.plan.like:
            data["moved_from"] = source
        if self.plan.executable is not None:
            data["executable"] = self.plan.executable
        return data

    def _index_if_many(self) -> None:
        """With many edits one index of the lines costs less than a count for each."""
        if len(self.plan.edits) > _MANY_EDITS:
            for document in filter(None, (self.plan.before, self.plan.after)):
                len(document.starts)

    def edit_data(self, edit: LocatedEdit, words: Words) -> dict[str, object]:
        """Return where an edit was made and how its place was found."""
        before, after = self.lines(edit)
        return {
            "index": edit.index,
            "lines_before": list(before),
            "lines_after": list(after),
            "segment": edit.segment,
            **({"beside": edit.beside} if edit.beside else {}),
            "matched": edit.matched,
            "occurrences_found": edit.found,
            "occurrences_replaced": 0 if edit.already_applied else edit.replaced,
            "reason": edit.reason,
            "notes": [render(note, words) for note in edit.notes],
        }

    def lines(self, edit: LocatedEdit) -> tuple[Span, Span]:
        """Return the lines of an edit before the call and after it."""
        return self._lines[edit.index]

    @cached_property
    def _lines(self) -> Mapping[int, tuple[Span, Span]]:
        """Return the lines of each edit by its index: the text and the data name them both."""
        return {edit.index: self._lines_of(edit) for edit in self.plan.edits}

    def _lines_of(self, edit: LocatedEdit) -> tuple[Span, Span]:
        before, after = self.plan.before, self.plan.after
        was, now = (
            lines_of(before, _span_before(edit)),
            lines_of(after, self.spans_after[edit.index]),
        )
        was = before.lines_shown(was) if before else was
        return was, after.lines_shown(now) if after else now

    @cached_property
    def new_lines(self) -> Mapping[int, list[Numbered]]:
        """Return, for each edit, its new lines with three around, at most twenty, none twice."""
        return self._without_repeats(lambda after, span: window(after, span, _AROUND, _MOST_SHOWN))

    @cached_property
    def lean_lines(self) -> Mapping[int, list[Numbered]]:
        """Return, for each edit, its new lines with up to three around that cost little."""
        return self._without_repeats(_lean_window)

    def _without_repeats(
        self, shown_of: Callable[[Document, Span], list[Numbered]]
    ) -> dict[int, list[Numbered]]:
        listed: set[Numbered] = set()
        found: dict[int, list[Numbered]] = {}
        for edit in self.plan.edits:
            after, span = self.plan.after, self.spans_after[edit.index]
            if after is None or edit.replaced > 1:
                lines = self._first_lines(edit)
            else:
                lines = shown_of(after, span)
            found[edit.index] = [line for line in lines if line not in listed]
            listed.update(lines)
        return found

    def _first_lines(self, edit: LocatedEdit) -> list[Numbered]:
        """Return one line for each place that an edit changed, at most twenty."""
        after, rows = self.plan.after, dict[int, str]()
        if after is None:
            return []
        for start, end in self.places_after[edit.index]:
            text = after.text[start:end]
            at = start + len(text) - len(text.lstrip("\r\n")) if text.strip("\r\n") else start
            rows |= dict(window(after, (at, at), 0, 1))
            if len(rows) == _MOST_SHOWN:
                break
        return [*rows.items()]

    def listed_edits(self, detail: str) -> Iterator[LocatedEdit]:
        """Yield the edits to tell of; a lean answer says of a whole file that it came or went."""
        whole = detail == "lean" and (self.plan.before is None or self.plan.after is None)
        return (edit for edit in self.plan.edits if not whole or edit.reason or edit.notes)

    def text_of(self, edit: LocatedEdit, detail: str) -> str:
        """Return the new lines of an edit, numbered; a lean answer repeats no new file."""
        is_new = detail == "lean" and self.plan.before is None
        if is_new or edit.is_mode or (detail == "full" and self.diff):
            return ""
        return (self._lean_texts if detail == "lean" else self._texts)[edit.index]

    @cached_property
    def _texts(self) -> Mapping[int, str]:
        return {index: self._numbered(lines) for index, lines in self.new_lines.items()}

    @cached_property
    def _lean_texts(self) -> Mapping[int, str]:
        return {index: self._numbered(lines) for index, lines in self.lean_lines.items()}

    def _numbered(self, lines: list[Numbered]) -> str:
        return numbered([(number, shown(text)) for number, text in self._as_shown(lines)])

    def _as_shown(self, lines: list[Numbered]) -> list[Numbered]:
        return self.plan.after.rows_shown(lines) if self.plan.after else lines

    def _rows(self, lines: list[Numbered]) -> list[dict[str, object]]:
        return [{"line": number, "text": shown(text)} for number, text in self._as_shown(lines)]

    @cached_property
    def _context(self) -> Mapping[str, list[Numbered]]:
        """Return the three lines before the first edit and behind the last, as they now stand."""
        after = self.plan.after
        if after is None or not self.plan.edits:
            return {"before": [], "after": []}
        spans = self.spans_after.values()
        start, end = min(span[0] for span in spans), max(span[1] for span in spans)
        first, last = lines_of(after, (start, end))
        edit = self.plan.edits[0]
        alone = len(self.plan.edits) == 1 and edit.replaced <= 1
        shown = self.new_lines[edit.index] if alone else []
        if 0 < len(shown) < _MOST_SHOWN:  # all of it is there already
            above = below = shown
        else:
            above = window(after, (start, start))
            below = window(after, (end, end), _AROUND + 1)
        above = [row for row in above if row[0] < first]
        below = [row for row in below if row[0] > last]
        return {"before": above, "after": below[:_AROUND]}


def _lean_window(after: Document, span: Span) -> list[Numbered]:
    """Return the lines of a span, and of three around as many as fit, the nearest first."""
    first, last = lines_of(after, span)
    lines = window(after, span, _AROUND, _MOST_SHOWN)
    beside = [line for line in lines if not first <= line[0] <= last]
    beside.sort(key=lambda line: max(first - line[0], line[0] - last))
    own = [line for line in lines if first <= line[0] <= last]
    most = max(_LEAN_AROUND, sum(len(text.strip()) for _, text in own))
    costs = accumulate(len(text.strip()) for _, text in beside)
    kept = {line for line, cost in zip(beside, costs, strict=True) if cost <= most}
    return [line for line in lines if line in kept or first <= line[0] <= last]


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
    yield f"{file.path} {_hashes(file, detail)}{form_text(file.form)}"
    for warning in file.plan.warnings:
        yield Row("warning", f"  warning: {render(warning, words)}")
    if file.plan.like:
        yield f"  its text was that of {file.plan.like}"
    if file.plan.executable is not None and not any(edit.is_mode for edit in file.plan.edits):
        yield f"  {_MODE[file.plan.executable]}"
    for edit in file.listed_edits(detail):
        yield f"  edit {edit.index}: {_edit_line(file, edit, detail)}"
        yield from (Row("note", f"  note: {render(note, words)}") for note in edit.notes)
        yield from indented(file.text_of(edit, detail))
    for item in file.diagnostics:
        yield Row(str(item["severity"]), f"  {_diagnostic(item, detail)}")
    if detail == "full" and file.diff:
        yield Row("diff", shown(file.diff.rstrip("\n")))


def _hashes(file: FileReceipt, detail: str) -> str:
    """Return the versions of a file; a lean answer has the one that stands."""
    before, after = file.hash_before, file.hash_after
    if before == after or (detail == "lean" and before and after):
        return after
    if detail == "lean" and not after:
        return f"deleted, moved to {file.plan.moved_to}" if file.plan.moved_to else "deleted"
    return f"{before or 'new'} -> {after or 'deleted'}"


def _edit_line(file: FileReceipt, edit: LocatedEdit, detail: str) -> str:
    before, after = map(line_numbers, file.lines(edit))
    place = f" {edit.beside or 'in'} `{edit.segment}`" if edit.segment else ""
    count = f", {edit.replaced} of {edit.found} places" if edit.found > 1 else ""
    reason = f": {edit.reason}" if edit.reason else ""
    if file.plan.before is None or file.plan.after is None:
        return f"{_whole(file.plan)}{reason}"
    usual = edit.matched == "exact" and (detail == "lean" or not edit.changes)
    matched = "" if usual else f", matched {edit.matched}"
    if edit.already_applied:
        return f"already applied at {after}{place}{matched}{reason}"
    if edit.is_mode:
        return f"{_MODE[bool(file.plan.executable)]}{reason}"
    if not edit.changes:
        return f"nothing to change at {before}{place}{matched}{reason}"
    moved = before if before == after else f"{before} -> {after}"
    return f"{moved}{place}{matched}{count}{reason}"


def _whole(plan: FilePlan) -> str:
    """Say what became of a file that comes or goes."""
    verb, document = ("created", plan.after) if plan.before is None else ("deleted", plan.before)
    count = document.line_count if document else 0
    moved = f", moved to {plan.moved_to}" if plan.moved_to else ""
    return f"{verb}, {count} line{'s' if count != 1 else ''}{moved}"


def line_numbers(lines: tuple[int, int]) -> str:
    """Return lines as a reader calls them; an empty stretch by the line that it is after."""
    first, last = lines
    if last < first:
        return f"before line {first}" if first == 1 else f"after line {last}"
    return f"line {first}" if first == last else f"lines {first}-{last}"


def _diagnostic(item: Mapping[str, object], detail: str) -> str:
    still = "" if item.get("new", True) else "as before: "
    place = f"line {item['line']}" + (f":{item['column']}" if detail == "lean" else "")
    place += f" of `{item['segment']}`" if item.get("segment") else ""
    return f"{item['severity']}: {still}{item['message']} ({place}, {item['code']})"


def indented(text: str) -> Iterator[str]:
    """Yield the lines of a quotation, set in."""
    return (f"    {line}" for line in text.split("\n")) if text else iter(())
