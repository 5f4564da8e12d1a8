"""The diff of many transactions as an answer: what is asked for, and what is said."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from keyhole.answers.history import moment
from keyhole.arguments import bad_argument, parse_moment
from keyhole.engine.history.cumulative import (
    Cumulative,
    CumulativeFile,
    HunkReason,
    Scope,
    TouchedFile,
    compared,
    cumulative,
)
from keyhole.engine.history.recall import found as transaction
from keyhole.fastclasses import dataclass, replace
from keyhole.journal.model import Entries
from keyhole.phrases import Row, say, shown
from keyhole.refusals import Refusal, Refused
from keyhole.review_marks import SeenMarks
from keyhole.text.diff import diff, quoted, unified, unified_deletion
from keyhole.text.document import Document, hash_of, spelled
from keyhole.workspace.tree import Tree

_ID = re.compile(r"\d{1,17}(-[0-9a-f]{4})?")
HEAD, UNSEEN = "HEAD", "unseen"
# So many reasons stand above the diff of a file; as data it has all of them.
_MOST_TOLD = 20


@dataclass(frozen=True, slots=True)
class ChangesRequest:
    """Which transactions one diff is made of; an empty field lets everything through."""

    # A transaction, how long ago or a date, HEAD for the last commit, or what is unseen.
    since: str = ""
    task: str = ""
    actor: str = ""
    session: str = ""
    path: str = ""


def changes(tree: Tree, wanted: ChangesRequest, marks: SeenMarks) -> Cumulative:
    """Return the files that some transactions changed."""
    path = tree.resolve(wanted.path) if wanted.path else ""
    scope = Scope(
        task=spelled(wanted.task),
        actor=spelled(wanted.actor),
        session=spelled(wanted.session),
        path="" if path == "." else path,
    )
    said = wanted.since
    journal = tree.journal
    if said == UNSEEN:
        return cumulative(journal, _unseen(scope, marks))
    if said == HEAD:
        return _since_commit(tree, scope)
    if _ID.fullmatch(said):
        return cumulative(journal, replace(scope, after=transaction(journal, said).entry.order))
    start = parse_moment(said) if said else 0.0
    if start is None:
        what = repr(said[:40])
        headline = say("{since} is {}; it is a transaction, 2h, 3d, a date or HEAD", what)
        raise Refused(bad_argument("since", headline))
    return cumulative(journal, replace(scope, since=start))


def _unseen(scope: Scope, marks: SeenMarks) -> Scope:
    if not marks.back:
        return replace(scope, after=marks.looked, seen=marks.ahead)
    first = min(marks.back) - 1
    between = {each for each in range(first, marks.looked + 1) if each not in marks.back}
    return replace(scope, after=first, seen=marks.ahead | between)


def _since_commit(tree: Tree, scope: Scope) -> Cumulative:
    """Return what is not in the last commit of git, of the files that keyhole changed."""
    from keyhole.git.last_commit import commit_time, committed
    from keyhole.git.repository import repository_of

    repository = repository_of(tree.root.path)
    found = cumulative(tree.journal, scope)
    prefix = _below(tree.root.path, repository.top) if repository else ""
    names = {name for each in found.files for name in _names(each)}
    paths = [f"{prefix}{name}" for name in sorted(names)]
    held = committed(repository, paths) if repository else None
    if repository is None or held is None:
        headline = "there is no commit to compare with"
        help_line = say("name a transaction or a time with {since}")
        raise Refused(Refusal("bad-request", headline, help=help_line, data={"field": "since"}))
    made = commit_time(repository)
    known = {path.removeprefix(prefix): body for path, body in held.items()}
    left = [_behind(each, known, made) for each in found.files]
    files = tuple(each for each in left if not each.is_same)
    orders = {entry.order for each in files for entry, _, _ in each.steps}
    entries = tuple(each for each in found.entries if each.order in orders)
    return replace(found, files=files, entries=entries)


def _below(root: str, top: str) -> str:
    inside = root.removeprefix(top).strip("/")
    return f"{inside}/" if inside else ""


def _names(file: TouchedFile) -> set[str]:
    """Return every name that a file had."""
    return {file.first, *(target.path for _, _, target in file.steps)}


def _behind(file: TouchedFile, known: Mapping[str, bytes], made: float) -> TouchedFile:
    """Return a file with the steps behind the version that git has."""
    bodies = {name: known[name] for name in _names(file) if name in known}
    hashes = {name: hash_of(body) for name, body in bodies.items()}
    steps = file.steps
    states = [(file.first, file.before), *((target.path, target.after) for _, _, target in steps)]
    at = next((n for n in range(len(steps), -1, -1) if hashes.get(states[n][0]) == states[n][1]), 0)
    if bodies and hashes.get(states[at][0]) != states[at][1]:
        at = next((n for n, (entry, _, _) in enumerate(steps) if entry.time > made), len(steps))
    if at == len(steps):  # all of it is committed, with what others did
        return replace(file, first=file.path, before=file.after, steps=())
    name = states[at][0]
    if name not in bodies and states[-1][0] in bodies:
        name = states[-1][0]
    body = bodies.get(name)
    given = None if body is None else Document.from_bytes(body, file.encoding)
    before = given.hash if given else None
    return replace(file, first=name, before=before, steps=steps[at:], given=given)


@dataclass(frozen=True, slots=True)
class Changes:
    """A diff of many transactions: each file with its reasons, as data and as text."""

    found: Cumulative
    files: tuple[CumulativeFile, ...]

    @property
    def added(self) -> int:
        """Return how many lines came."""
        return sum(each.comparison.sides.added for each in self.files)

    @property
    def removed(self) -> int:
        """Return how many lines went."""
        return sum(each.comparison.sides.removed for each in self.files)

    def as_data(self) -> dict[str, object]:
        """Return the diff as a JSON object."""
        entries = self.found.entries
        note = {"note": self.found.note} if self.found.note else {}
        return {
            "transactions": [each.id for each in entries],
            "since": moment(entries[0].time) if entries else "",
            "added": self.added,
            "removed": self.removed,
            "files": [_file_data(each) for each in self.files],
            **note,
        }

    def as_text(self) -> str:
        """Return the diff, with the reasons of each file above it; `git apply` takes it."""
        return "\n".join(self.as_rows())

    def as_rows(self, *, only_counts: bool = False) -> Iterator[str]:
        """Yield the text row by row, diffs with their role."""
        yield from [f"note: {self.found.note}"] if self.found.note else []
        if not self.files:
            yield "no changes"
            return
        yield self._counts()
        for each in self.files:
            yield from _head(each, only_counts=only_counts)
            if not only_counts:
                yield Row("diff", shown(unified_of(each).rstrip("\n")))

    def _counts(self) -> str:
        files, entries = len(self.files), len(self.found.entries)
        return f"{_several(files, 'file')}, +{self.added} -{self.removed}, in " + _several(
            entries, "transaction"
        )


def _several(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def changes_answer(journal: Entries, found: Cumulative) -> Changes:
    """Return the whole diff, every file of it compared."""
    made = (compared(journal, found, each) for each in found.files)
    return Changes(found, tuple(each for each in made if not each.is_nothing))


def unified_of(file: CumulativeFile) -> str:
    """Return the diff of one file as `git apply` takes it."""
    before, after, path = file.before, file.after, file.path
    if file.comparison.note:
        return f"{path}: {file.comparison.note}"
    if after is None:
        return unified_deletion(file.comparison.path, before.text) if before else ""
    made = diff(before.text if before else "", after.text)
    patch = unified(path, before.text if before else None, made)
    return _renamed(file.comparison.path, path, patch) if file.comparison.moved_to else patch


def _renamed(old: str, new: str, patch: str) -> str:
    """Return a patch of one name as git writes it for a file that moved."""
    names = [quoted(each) for each in (f"a/{old}", f"b/{new}", old, new)]
    head = "diff --git {} {}\nrename from {}\nrename to {}\n".format(*names)
    _, found, hunks = patch.partition("@@ ")
    tabs = ["\t" if " " in name and not name.startswith('"') else "" for name in names]
    between = f"--- {names[0]}{tabs[0]}\n+++ {names[1]}{tabs[1]}\n" if found else ""
    return f"{head}{between}{found}{hunks}"


def _head(file: CumulativeFile, *, only_counts: bool) -> Iterator[str]:
    sides = file.comparison.sides
    moved = f" (was {file.comparison.path})" if file.comparison.moved_to else ""
    yield f"{file.path}{moved}  +{sides.added} -{sides.removed}"
    yield from [f"  note: {file.note}"] if file.note else []
    if only_counts:
        return
    told: dict[tuple[str, int], list[HunkReason]] = {}
    for each in file.reasons:
        told.setdefault((each.transaction, each.edit), []).append(each)
    for own in [*told.values()][:_MOST_TOLD]:
        yield Row("reason", _reason(own, file))
    if (more := len(told) - _MOST_TOLD) > 0:
        yield Row("reason", f"  and {more} more in the history of the file")


def _reason(own: Sequence[HunkReason], file: CumulativeFile) -> str:
    """Return one reason with the lines of its hunks, as they are now."""
    first = own[0]
    lines = ", ".join(dict.fromkeys(_lines(each, file) for each in own))
    why = f": {' '.join(first.reason.split())}" if first.reason else ""
    place = f" `{first.segment}`" if first.segment else ""
    task = f" task {first.task}" if first.task else ""
    return f"  {first.transaction} {first.actor}{task}{place}, {lines}{why}"


def _lines(reason: HunkReason, file: CumulativeFile) -> str:
    start, end = file.comparison.sides.blocks[reason.block].new
    after = file.after
    cell = after.cell_at(end) if after else 0
    inside = f" of `cell#{cell}`" if cell else ""
    first, last = after.lines_shown((start + 1, end)) if after else (start + 1, end)
    if start == end:
        return f"behind line {last}{inside}"
    return f"line {last}{inside}" if first == last else f"lines {first}-{last}{inside}"


def _file_data(file: CumulativeFile) -> dict[str, object]:
    moved = {"moved_from": file.comparison.path} if file.comparison.moved_to else {}
    return {
        "path": file.path,
        **moved,
        "hash_before": file.before.hash if file.before else "",
        "hash_after": file.after.hash if file.after else "",
        "added": file.comparison.sides.added,
        "removed": file.comparison.sides.removed,
        "reasons": [_reason_data(each, file) for each in file.reasons],
        "diff": unified_of(file),
        **({"note": file.note} if file.note else {}),
    }


def _reason_data(reason: HunkReason, file: CumulativeFile) -> dict[str, object]:
    start, end = file.comparison.sides.blocks[reason.block].new
    return {
        "transaction": reason.transaction,
        "edit": reason.edit if reason.edit >= 0 else None,
        "lines": list(file.after.lines_shown((start + 1, end)) if file.after else (start + 1, end)),
        "actor": reason.actor,
        "task": reason.task,
        "segment": reason.segment,
        "reason": reason.reason,
    }
