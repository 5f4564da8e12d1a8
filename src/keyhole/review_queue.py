"""The review queue: proposals that wait for a person, each in a private file."""

from __future__ import annotations

import base64
import json
import os
import re
import zlib
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import NotRequired, TypedDict, cast

from keyhole.edits.model.plan import Diagnostic, FilePlan, LocatedEdit, Plan
from keyhole.fastclasses import dataclass, replace
from keyhole.journal.model import MODE
from keyhole.refusals import Refusal, Refused
from keyhole.text.changes import Change, ChangeSet
from keyhole.text.document import Document

_ID = re.compile(r"p-[0-9a-f]{8}")
# So many may wait; of those that were decided so many are kept.
MOST_OPEN = 1000
_MOST_DECIDED = 2000
# How the file of a proposal ends while it waits.
_OPEN = b'"verdict": null}'


@dataclass(frozen=True, slots=True)
class ReviewVerdict:
    """What a person said: which units were accepted, which not, and what became of them."""

    time: float
    by: str
    accepted: tuple[str, ...] = ()
    rejected: tuple[str, ...] = ()
    comment: str = ""
    transaction: str = ""


@dataclass(frozen=True, slots=True)
class Proposer:
    """Who asked for it, and how."""

    time: float
    actor: str = ""
    task: str = ""
    tool: str = ""
    reason: str = ""
    mode: str = "strict"


@dataclass(frozen=True, slots=True)
class Proposal:
    """A plan that waits for a person, with the texts that it was made for."""

    id: str
    asked: Proposer
    plan: Plan
    verdict: ReviewVerdict | None = None

    @property
    def outcome(self) -> str:
        """Return in one word what became of it."""
        if self.verdict is None:
            return "proposed"
        if not self.verdict.accepted:
            return "rejected"
        return "partly-accepted" if self.verdict.rejected else "accepted"


def is_proposal(name: str) -> bool:
    """Tell whether a name is that of a proposal."""
    return _ID.fullmatch(name) is not None


class Queue:
    """A directory of proposals."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def add(self, asked: Proposer, plan: Plan, request: str = "") -> Proposal:
        """Queue a plan under a new name, or refuse when too many wait.

        A request that is carried out again, since nobody knows what became of it, queues it once.
        """
        name = _named(plan, request) if request else ""
        known = self.get(name)
        if known is not None and known.verdict is None:
            return known
        if self._is_full():
            headline = f"{MOST_OPEN} proposals wait for a person already"
            help_line = "wait until somebody looked at them in `keyhole review`"
            raise Refused(Refusal("busy", headline, help=help_line))
        name = name if name and known is None else f"p-{os.urandom(4).hex()}"
        made = Proposal(name, asked, plan)
        self._write(made)
        return made

    def get(self, name: str) -> Proposal | None:
        """Return a proposal by its name, or None."""
        if not is_proposal(name):
            return None
        try:
            return _read((self._directory / name).read_bytes())
        except (FileNotFoundError, ValueError, KeyError, TypeError, zlib.error):
            return None

    def all(self) -> list[Proposal]:
        """Return every proposal, newest first."""
        found = [self.get(name) for name in self._names()]
        known = [each for each in found if each is not None]
        return sorted(known, key=lambda each: -each.asked.time)

    def decide(self, proposed: Proposal, verdict: ReviewVerdict) -> Proposal:
        """Store a person's verdict."""
        decided = replace(proposed, verdict=verdict)
        self._write(decided)
        self._forget()
        return decided

    def mark(self) -> str:
        """Return a word that is another one whenever a proposal came or was decided."""
        try:
            return str(os.stat(self._directory).st_mtime_ns)
        except FileNotFoundError:
            return ""

    def _names(self) -> list[str]:
        try:
            return [name for name in os.listdir(self._directory) if is_proposal(name)]
        except FileNotFoundError:
            return []

    def _is_full(self) -> bool:
        """Tell whether too many wait; only where there are as many are they looked at."""
        names = self._names()
        return len(names) >= MOST_OPEN and sum(map(self._waits, names)) >= MOST_OPEN

    def _waits(self, name: str) -> bool:
        """Tell by the end of its file whether a proposal waits."""
        try:
            with (self._directory / name).open("rb") as file:
                file.seek(max(0, file.seek(0, os.SEEK_END) - len(_OPEN)))
                return file.read() == _OPEN
        except FileNotFoundError:  # somebody forgot it in the meantime
            return False

    def _write(self, proposed: Proposal) -> None:
        self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = self._directory / proposed.id
        fresh = path.with_suffix(".new")
        fd = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        with os.fdopen(fd, "wb") as file:
            file.write(_spelled(proposed))
            file.flush()
            os.fsync(fd)
        os.replace(fresh, path)

    def _forget(self) -> None:
        if len(self._names()) <= _MOST_DECIDED:
            return
        decided = [each for each in self.all() if each.verdict]
        for each in decided[_MOST_DECIDED:]:
            (self._directory / each.id).unlink(missing_ok=True)


class _ProposedFile(TypedDict):
    path: str
    before: str | None
    after: str | None
    encoding: str
    changes: list[tuple[int, int, str]]
    edits: list[tuple[int, list[tuple[int, int, str]], str, str, str, list[str]]]
    moved: tuple[str, str]
    exchanged: NotRequired[tuple[str, bool]]
    executable: bool | None
    diagnostics: list[dict[str, object]]


def _named(plan: Plan, request: str) -> str:
    """Return the name of what a request proposes."""
    spelled = json.dumps([request, [_file(file) for file in plan.files]])
    return f"p-{sha256(spelled.encode('ascii')).hexdigest()[:8]}"


def _spelled(proposed: Proposal) -> bytes:
    verdict = proposed.verdict
    data = {
        "id": proposed.id,
        "asked": _fields(proposed.asked, Proposer),
        "files": [_file(file) for file in proposed.plan.files],
        "verdict": _fields(verdict, ReviewVerdict) if verdict else None,
    }
    return json.dumps(data).encode("ascii")


def _fields(value: Proposer | ReviewVerdict, kind: type) -> list[object]:
    return [getattr(value, name) for name in kind.__match_args__]  # type: ignore[attr-defined]


def _file(file: FilePlan) -> _ProposedFile:
    document = file.before or file.after
    return _ProposedFile(
        path=file.path,
        before=_packed(file.before),
        after=_packed(file.after),
        encoding=document.encoding if document else "utf-8",
        changes=[(each.start, each.end, each.text) for each in file.changes.changes],
        edits=[
            (
                each.index,
                [(change.start, change.end, change.text) for change in each.changes],
                each.reason,
                each.segment,
                MODE if each.is_mode else each.matched,
                list(each.notes),
            )
            for each in file.edits
        ],
        moved=(file.moved_from, file.moved_to),
        exchanged=(file.like, file.bound),
        executable=file.executable,
        diagnostics=[each.as_data() for each in file.diagnostics],
    )


def _packed(document: Document | None) -> str | None:
    if document is None:
        return None
    return base64.b64encode(zlib.compress(document.to_bytes())).decode("ascii")


def _unpacked(data: str | None, encoding: str) -> Document | None:
    if data is None:
        return None
    return Document.from_bytes(zlib.decompress(base64.b64decode(data)), encoding)


def _read(body: bytes) -> Proposal:
    data = json.loads(body)
    said = data["verdict"]
    verdict = None
    if said:
        at, by, accepted, rejected, comment, entry = said
        verdict = ReviewVerdict(at, by, tuple(accepted), tuple(rejected), comment, entry)
    plan = Plan(tuple(_plans(cast("list[_ProposedFile]", data["files"]))))
    return Proposal(data["id"], Proposer(*data["asked"]), plan, verdict)


def _plans(files: list[_ProposedFile]) -> Iterator[FilePlan]:
    for file in files:
        like, bound = file.get("exchanged", ("", False))
        before = _unpacked(file["before"], file["encoding"])
        changes = tuple(Change(*each) for each in file["changes"])
        yield FilePlan(
            file["path"],
            before,
            _unpacked(file["after"], file["encoding"]),
            ChangeSet(len(before.text) if before else 0, changes),
            tuple(
                LocatedEdit(
                    index,
                    tuple(Change(*each) for each in own),
                    "exact" if matched == MODE else matched,
                    segment,
                    reason=reason,
                    notes=tuple(notes),
                    is_mode=matched == MODE,
                    span=(own[0][0], own[-1][1]) if own else (0, 0),
                )
                for index, own, reason, segment, matched, notes in file["edits"]
            ),
            *file["moved"],
            executable=file["executable"],
            like=like,
            bound=bound,
            diagnostics=tuple(
                Diagnostic(**each)  # type: ignore[arg-type]
                for each in file["diagnostics"]
            ),
        )
