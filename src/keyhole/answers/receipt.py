"""Receipt: what a call did or why it did nothing, as data and as text that say the same."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, cast

from keyhole.answers.file_receipt import FileReceipt, file_text, indented
from keyhole.edits.model.plan import Plan
from keyhole.fastclasses import dataclass, field
from keyhole.phrases import NATIVE, Row, Words, render, shown
from keyhole.refusals import Refusal, Refused

if TYPE_CHECKING:
    from keyhole.answers.sweep import SweepSummary

# How many transactions an undo names.
MOST_TAKEN_BACK = 20


class Answer(Protocol):
    """What the engine gives to a door: the same facts as data and as text."""

    def as_data(self) -> dict[str, object]:
        """Return the facts for a program."""

    def as_text(self) -> str:
        """Return the facts for a reader."""


@dataclass(frozen=True, slots=True)
class TakenBack:
    """What an undo took back: a transaction, one edit of it, or what it did to one file."""

    transaction: str
    tool: str
    paths: tuple[str, ...]
    reason: str = ""
    edit: int | None = None
    # Files that an answer leaves out.
    more_files: int = 0

    def as_data(self) -> dict[str, object]:
        """Return it for a program."""
        data: dict[str, object] = {"transaction": self.transaction, "tool": self.tool}
        data |= {"files": list(self.paths), "reason": self.reason}
        data |= {"files_more": self.more_files} if self.more_files else {}
        return data if self.edit is None else {**data, "edit": self.edit}

    def as_text(self) -> str:
        """Return it in a line."""
        edit = "" if self.edit is None else f"edit {self.edit} of "
        reason = f": {' '.join(self.reason.split())}" if self.reason else ""
        paths = ", ".join(map(_on_one_line, self.paths))
        more = f" and {self.more_files} more" if self.more_files else ""
        return f"took back {edit}{self.transaction}, {self.tool} of {paths}{more}{reason}"


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
    # What an undo took back, newest first.
    took_back: tuple[TakenBack, ...] = ()
    extra: Mapping[str, object] = field(default_factory=dict)
    # Whether the call only looks: then it goes without saying that nothing was changed.
    looks: bool = False
    # What was read in another way than it was sent.
    healed: tuple[str, ...] = ()
    # What a call found that changes all places of many files.
    sweep: SweepSummary | None = None
    # Files that an answer leaves out.
    more_files: int = 0

    @property
    def ok(self) -> bool:
        """Tell whether the call was carried out."""
        return not self.refusals

    def __bool__(self) -> bool:
        """Tell whether the call was carried out, as `ok` does."""
        return self.ok

    def check(self) -> Receipt:
        """Return the receipt of a call that was carried out; raise `Refused` for any other."""
        if self.refusals:
            raise Refused(*self.refusals)
        return self

    def __str__(self) -> str:
        """Return the short text, as the command line prints it."""
        return self.as_text()

    def _repr_html_(self) -> str:
        """Return the receipt for a notebook: the text with the diff in colours."""
        from keyhole.answers.notebook import receipt_html

        return receipt_html(self.as_rows("full"))

    @property
    def seal(self) -> str:
        """Return a hash of everything that the diffs show: what was shown can be held to it."""
        digest = hashlib.sha256()
        for file in self.files:
            for word in (file.path, file.hash_before, file.hash_after, file.diff):
                digest.update(word.encode("utf-8", "surrogatepass") + b"\0")
        return digest.hexdigest()

    @staticmethod
    def refused(refusals: Sequence[Refusal], *, looks: bool = False) -> Receipt:
        """Answer a call that changed nothing."""
        return Receipt("not_applied", refusals=tuple(refusals), looks=looks)

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
        if self.sweep is not None and detail != "full":
            files = self.sweep.files_data(self.files, words)
        else:
            files = [file.as_data(detail, words) for file in self.files]
        return {**self.head(words), "files": files}

    def head(self, words: Words) -> dict[str, object]:
        """Return what is to be said of a call that was carried out, beside its files."""
        return {
            "ok": True,
            "transaction": self.transaction,
            "dry_run": self.dry_run,
            "files": [],
            "conflicts": [dict(conflict) for conflict in self.conflicts],
            "warnings": [render(warning, words) for warning in self.warnings],
            "outcome": self.outcome,
            **(
                {"took_back": [each.as_data() for each in self.took_back]} if self.took_back else {}
            ),
            **self.extra,
            **(self.sweep.as_data(words) if self.sweep else {}),
            **({"files_more": self.more_files} if self.more_files else {}),
            **({"healed": list(self.healed)} if self.healed else {}),
        }

    def as_text(self, detail: str = "brief", words: Words = NATIVE) -> str:
        """Return the receipt for reading: the same facts in as few words."""
        return "\n".join(self.as_rows(detail, words))

    def as_rows(self, detail: str = "brief", words: Words = NATIVE) -> Iterator[str]:
        """Yield the text row by row, those that a door may colour with their role."""
        if self.refusals:
            return _refused_text(self.refusals, words, looks=self.looks)
        return self._done_text(detail, words)

    def _done_text(self, detail: str, words: Words) -> Iterator[str]:
        name = f" {self.transaction}" if self.transaction else ""
        tail = " (dry run: nothing was written)" if self.dry_run else ""
        yield Row(self.outcome, f"{self.outcome}{name}{tail}")
        for warning in self.warnings:
            yield Row("warning", f"warning: {render(warning, words)}")
        for conflict in self.conflicts:
            yield from conflict_text(conflict)
        yield from (each.as_text() for each in self.took_back[:MOST_TAKEN_BACK])
        if more := len(self.took_back[MOST_TAKEN_BACK:]):
            yield f"took back {more} more"
        if self.sweep is not None:
            yield from self.sweep.as_rows(self.files, detail, words)
        if self.sweep is None or detail == "full":
            for file in self.files:
                yield from file_text(file, detail, words)
        if self.more_files:
            yield f"... and {self.more_files} more files"
        if self.healed:
            yield f"healed: {'; '.join(self.healed)}"


def conflict_text(conflict: Mapping[str, object]) -> Iterator[str]:
    """Yield what to say of an edit of another task, or of another workspace, that a call met."""
    yield _met_line(conflict) if "machine" in conflict else _conflict_line(conflict)
    for title, name in (("theirs", "diff"), ("yours", "own_diff")):
        yield f"  {title}:"
        yield from indented(shown(str(conflict[name]).rstrip("\n")))


def _conflict_line(conflict: Mapping[str, object]) -> str:
    what = "was left out" if conflict["skipped"] else "went ahead"
    reason = f" ({conflict['reason']})" if conflict["reason"] else ""
    seen = ", and you have seen it" if conflict["seen"] else ""
    first, last = cast("list[int]", conflict["lines"])
    return (
        f"conflict: edit {conflict['edit']} in {conflict['path']} {what}; task {conflict['task']} "
        f"edited there in {conflict['transaction']}{reason}, lines {first}-{last}, "
        f"as {conflict['actor']}{seen}"
    )


def _met_line(conflict: Mapping[str, object]) -> str:
    """Say that another workspace changed the same place."""
    reason = f" ({conflict['reason']})" if conflict["reason"] else ""
    task = f"task {conflict['task']}" if conflict["task"] else str(conflict["actor"])
    first, last = cast("list[int]", conflict["lines"])
    branch = f" ({conflict['branch']})" if conflict["branch"] else ""
    return (
        f"conflict ({conflict['kind']}): {conflict['path']} lines {first}-{last}; {task} on "
        f"{conflict['machine']}:{conflict['worktree']}{branch} changed there in "
        f"{conflict['transaction']}{reason}, and it is not merged yet"
    )


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


def _refused_text(refusals: Sequence[Refusal], words: Words, *, looks: bool) -> Iterator[str]:
    yield Row("refused", "refused" if looks else "refused: nothing was changed")
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
            place = f"lines {first}-{last}{alike}{_differs(candidate.differs)}"
            yield Row("candidate", f"  candidate{name}: {place}")
            yield from indented(shown(candidate.text))
        if refusal.suggestions:
            yield f"  near: {', '.join(refusal.suggestions)}"
        if refusal.help:
            yield Row("help", f"  help: {render(refusal.help, words)}")
        if "diff" in refusal.data:
            yield Row("diff", shown(str(refusal.data["diff"]).rstrip("\n")))
