"""Plan: what a call comes to, file by file, before anything is written."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TYPE_CHECKING

from keyhole.fastclasses import dataclass, field
from keyhole.phrases import say
from keyhole.refusals import Refusal, Refused
from keyhole.text.changes import Change, ChangeSet
from keyhole.text.document import HASH_DIGITS, Document

if TYPE_CHECKING:
    from keyhole.matching.revision import Revision
    from keyhole.segments.template_skeleton import DetectedTemplate

    Since = Callable[[str, Document, Document], tuple[Revision, ...]]

# The kinds of notes that doors tell apart: where else a quote stands, what found a segment, and
# that the date in a header was renewed.
ELSEWHERE = "elsewhere"
TEMPLATE_FOUND = "template-found"
RENEWED = "renewed"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The files of one call as they stand, and the versions of them this caller was shown.

    Keys are paths relative to the root with `/`; a value of None says that there is no such file.
    """

    files: Mapping[str, Document | None]
    shown: Mapping[str, tuple[Document, ...]] = field(default_factory=dict)
    # What new files are written in; "" leaves it to UTF-8.
    encoding: str = ""
    # The files among them that are programs.
    programs: frozenset[str] = frozenset()
    # Those that the call takes away while it gives their names to others.
    leaving: frozenset[str] = frozenset()
    # The versions that a file had before its last transactions, for who asks.
    past: Callable[[str], Iterable[Document]] | None = field(default=None, repr=False)
    # What became of a file from one version of it to another; without it, texts are compared.
    since: Since | None = field(default=None, repr=False)
    # Tells of a path whether the caller was shown other versions of it than the present one.
    is_unseen: Callable[[str], bool] = field(default=lambda _: True, repr=False)
    # How the blocks of a file that was made from a template are found.
    detect: Callable[[str, Document], DetectedTemplate | None] | None = field(
        default=None, repr=False
    )


@dataclass(frozen=True, slots=True)
class LocatedEdit:
    """One edit of the call, located: the changes it makes and how its place was found."""

    index: int
    changes: tuple[Change, ...]
    matched: str = "exact"
    segment: str = ""
    # On which side of the segment new text stands, "before" or "after"; "" is inside of it.
    beside: str = ""
    found: int = 1
    replaced: int = 1
    reason: str = ""
    notes: tuple[str, ...] = ()
    # Where the edit's place lay, in offsets of the text before the call.
    span: tuple[int, int] = (0, 0)
    already_applied: bool = False
    # It makes the file a program, or no longer one, and changes no text.
    is_mode: bool = False
    # Where else the quote stands, for answers that say so.
    others: tuple[int, ...] = ()
    warnings: tuple[str, ...] = ()
    # Why its column puts the new text outside its block, which is refused but in mode interactive.
    misplaced: str = ""
    # Where the text that the edit makes stands already, so that it may have been made before.
    stands: tuple[int, int] | None = None
    # Whether the caller says that a second copy is meant.
    again: bool = False
    # Whether its action only adds, whatever the changes rewrite on the way.
    adds: bool = False
    # Whether the edit names its place only by a line number or an end of the file.
    by_number: bool = False
    # Whether it takes away text that the caller neither quotes nor counts: it names both ends, or
    # a segment, or fits an expression.
    is_unquoted: bool = False


@dataclass(frozen=True, slots=True)
class CandidateEdit:
    """An edit that a refusal offers, carried out when its id comes back for the same version."""

    accept: str
    path: str
    hash: str
    changes: tuple[Change, ...]
    span: tuple[int, int]
    # The ids of the call's other edits, which are carried out with this one.
    rest: tuple[str, ...] = ()
    # How its places were found, and how many there are of them: one, where a refusal offers it.
    matched: str = "accepted"
    found: int = 1
    replaced: int = 1


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """What a check says of a file as it would stand: how bad, what, where.

    A `new` one was brought by the call; the others were there before. In a notebook the line counts
    in a cell, which is the `segment`.
    """

    severity: str
    code: str
    message: str
    line: int
    column: int
    new: bool = True
    segment: str = ""

    def as_data(self) -> dict[str, object]:
        """Return the diagnostic as the JSON object of the contract."""
        return {
            "severity": self.severity,
            "code": self.code,
            "message": self.message,
            "line": self.line,
            "column": self.column,
            "new": self.new,
            **({"segment": self.segment} if self.segment else {}),
        }


@dataclass(frozen=True, slots=True)
class FilePlan:
    """One file: the text before, the exact changes, the text after. None stands for "no such file".

    A move is two plans: the old path with `after` None and `moved_to`, the new path with `before`
    None and `moved_from`.
    """

    path: str
    before: Document | None
    after: Document | None
    changes: ChangeSet
    edits: tuple[LocatedEdit, ...] = ()
    moved_from: str = ""
    moved_to: str = ""
    # Whether the file becomes a program or ceases to be one; None leaves it as it is.
    executable: bool | None = None
    # Whether a file that comes or goes is a program.
    is_program: bool = False
    # The file whose text came here while others take part in the exchange of names: it brings its
    # metadata along.
    like: str = ""
    # Files that exchange names do so all or none, whatever else is left out of a plan.
    bound: bool = False
    warnings: tuple[str, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def is_unchanged(self) -> bool:
        """Tell whether the file stays as it is, its bytes and its mode."""
        if self.before is None or self.after is None:
            return self.before is self.after
        return self.executable is None and self.before.is_same_file(self.after)


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything one call does: nothing is written yet."""

    files: tuple[FilePlan, ...]

    @property
    def is_empty(self) -> bool:
        """Tell whether no file changes."""
        return all(file.is_unchanged for file in self.files)


_HASH = re.compile(r"[0-9a-f]{16}(?:[0-9a-f]{48})?")


def expected_of(
    given: str | Mapping[str, str], spelling: Mapping[str, str], paths: Collection[str]
) -> dict[str, str]:
    """Return the expected hash of each path; `spelling` is how the caller wrote it.

    One hash alone is for a call on one file; a mapping may use any spelling of a path.
    """
    if not given:
        return {}
    if isinstance(given, str):
        if len(paths) > 1:
            raise Refused(_bad("one hash cannot be for several files", "give {path: hash}"))
        return {path: _checked(given) for path in paths}
    back = {written: path for path, written in spelling.items()}
    expected = {}
    for path, value in given.items():
        name = back.get(path, path)
        if name not in paths:
            raise Refused(_bad(f"{path} is not a file of this call", "name the paths of the edits"))
        expected[name] = _checked(value)
    return expected


def _checked(value: object) -> str:
    folded = value.strip().lower() if isinstance(value, str) else ""
    if not _HASH.fullmatch(folded):
        raise Refused(
            _bad(
                f"{value!r} is not a hash", f"give {HASH_DIGITS} hex digits, as receipts show them"
            )
        )
    return folded[:HASH_DIGITS]


def _bad(what: str, help_line: str) -> Refusal:
    headline = say("{expected_hash}: {}", what)
    return Refusal("bad-request", headline, help=help_line, data={"field": "expected_hash"})
