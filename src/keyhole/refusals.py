"""A refusal: what keyhole says instead of guessing, as a value an agent can act on."""

from __future__ import annotations

from collections.abc import Mapping

from keyhole.fastclasses import dataclass, field, replace
from keyhole.phrases import NATIVE, Words, files_in, in_one_line, render, respell

# Every code keyhole can answer with, and the situation it names. Codes are a promise: hosts and
# agents branch on them, so one is never renamed and each has a heading in docs/refusals.md.
CODES: Mapping[str, str] = {
    "not-found": "the quoted text is not in the file",
    "ambiguous": "the place named fits more than one place",
    "stale": "the file is not the version the caller expected",
    "conflict": "another task changed the same place",
    "overlapping-edits": "two edits of one call touch the same text",
    "unknown-segment": "no segment has that address",
    "wrong-segment-kind": "the segment or file cannot be edited in that way",
    "syntax-broken": "the edit would break the file's syntax",
    "lint-broken": "the edit would add findings that block",
    "bad-indentation": "no consistent reading of the indentation exists",
    "unparsable": "the place lies in a part of the file that cannot be parsed",
    "bad-patch": "the patch is damaged or asks for something patches may not do",
    "bad-request": "the request itself is malformed",
    "bad-regex": "the regular expression is not one keyhole runs",
    "path-denied": "the path lies outside the workspace",
    "protected-path": "the path is a control file that agents may not write",
    "no-file": "there is no such file",
    "file-exists": "there already is such a file",
    "not-text": "the file is not text",
    "encoding": "the new text cannot be written in the file's encoding",
    "too-large": "the file or request is over a limit",
    "read-only": "the workspace or file is read-only",
    "busy": "somebody else holds the file",
    "shrinks": "the write would drop most of the file",
    "elision-left": "the new text still holds an elision placeholder",
    "merge-markers": "the new text holds merge-conflict markers",
    "control-characters": "the new text holds control characters",
    "template-unknown": "there is no such template",
    "template-variables": "variables are missing or unknown",
    "nothing-to-undo": "there is nothing to undo",
    "undo-conflict": "later edits touched what the undo would take back",
    "journal": "the journal cannot be used",
    "no-language-server": "nobody here knows the names of the language",
    "untrusted": "nobody has trusted the workspace whose code would run",
    "count-differs": "there are more or fewer places than the caller expects",
}


@dataclass(frozen=True, slots=True)
class Candidate:
    """A place that may be the one meant: shown in a refusal, applied only when accepted."""

    lines: tuple[int, int]
    text: str
    differs: str = ""
    similarity: float = 0.0
    accept: str = ""
    # The address of the place, where it is a segment.
    segment: str = ""

    def as_data(self) -> dict[str, object]:
        """Return the candidate as the JSON object of the contract."""
        named = {"segment": self.segment} if self.segment else {}
        return {
            **named,
            "accept": self.accept,
            "lines": list(self.lines),
            "text": self.text,
            "differs": self.differs,
            "similarity": round(self.similarity, 3),
        }


@dataclass(frozen=True, slots=True)
class Refusal:
    """One "no": a stable code, what is so, where to look, the next move.

    The texts are messages as `keyhole.phrases` makes them. Doors decide by the other fields: `kind`
    tells apart what one code stands for: a "directory", or a "check" that mode interactive passes
    over. `mend` is the next move without what only our own interface has: modes, ids to accept.
    """

    code: str
    headline: str
    where: str = ""
    help: str = ""
    edit: int | None = None
    path: str = ""
    candidates: tuple[Candidate, ...] = ()
    suggestions: tuple[str, ...] = ()
    hash_current: str = ""
    data: Mapping[str, object] = field(default_factory=dict)
    kind: str = ""
    mend: str = ""

    def __post_init__(self) -> None:
        """Hold every refusal to a code of the list and a headline of one line."""
        assert self.code in CODES, f"BUG: unknown refusal code {self.code}"
        # What the caller or a file name brings along may hold line ends.
        object.__setattr__(self, "headline", in_one_line(self.headline))

    def at(self, *, edit: int | None = None, path: str = "", hash_current: str = "") -> Refusal:
        """Return the refusal with the place in the call filled in where it is still open."""
        return replace(
            self,
            edit=self.edit if self.edit is not None else edit,
            path=self.path or path,
            hash_current=self.hash_current or hash_current,
        )

    @property
    def files(self) -> tuple[str, ...]:
        """Return the files that the refusal names: its own, and those of its texts."""
        texts = (self.headline, self.where, self.help)
        return (self.path, *(path for text in texts for path in files_in(text)))

    def spelt(self, spelling: Mapping[str, str]) -> Refusal:
        """Return the refusal with its files named as `spelling` has them."""
        return replace(
            self,
            path=spelling.get(self.path, self.path),
            headline=respell(self.headline, spelling),
            where=respell(self.where, spelling),
            help=respell(self.help, spelling),
        )

    def in_words(self, words: Words) -> Refusal:
        """Return the refusal as a door says it."""
        return replace(
            self,
            headline=render(self.headline, words),
            where=render(self.where, words),
            help=render(self.help, words),
            mend=render(self.mend, words),
        )

    def as_data(self, words: Words = NATIVE) -> dict[str, object]:
        """Return the refusal as the JSON object of the contract."""
        said = [render(each, words) for each in (self.headline, self.where) if each]
        return {
            "code": self.code,
            "message": "\n".join(said),
            "edit": self.edit,
            "path": self.path,
            "candidates": [candidate.as_data() for candidate in self.candidates],
            "suggestions": list(self.suggestions),
            "hash_current": self.hash_current,
            "help": render(self.help, words),
            **self.data,
        }


class Refused(Exception):  # noqa: N818 - it is an answer, not an error
    """Carries refusals out of a walk; nothing has been changed when it is raised."""

    def __init__(self, *refusals: Refusal) -> None:
        super().__init__("; ".join(f"{each.code}: {render(each.headline)}" for each in refusals))
        self.refusals = refusals
