"""What a sweep is asked: which change, in which files, at which of the places found."""

from __future__ import annotations

from collections.abc import Mapping

from keyhole import arguments
from keyhole.edits.model.operations import Edit, bad
from keyhole.engine.sweep.spellings import BOUNDARIES, is_name
from keyhole.fastclasses import dataclass
from keyhole.phrases import ArgumentName, say

# Fields of an edit that name another place than a sweep does.
_OTHER_PLACES = ("path", "segment", "lines", "until", "accept")
_ACTIONS = ("replace", "delete")


@dataclass(frozen=True, slots=True)
class Sweep:
    """Edits for every place in the files of a glob; a malformed sweep is refused when it is made.

    Without `expected_count`, `only` or `without` a sweep writes nothing.
    """

    edits: tuple[Edit, ...]
    glob: str
    # The directory, or the one file, below which the glob's files lie.
    path: str = "."
    # Globs of files that stay as they are: the argument `except`.
    left_out: tuple[str, ...] = ()
    # How many places there are, as the caller was shown.
    expected_count: int | None = None
    # The places to change, or not to change, by their ids.
    only: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    # Where a quote may begin and end: anywhere, at a `word`'s ends, at an `identifier`'s.
    boundary: str = ""
    # Whether a name is changed in its other spellings too: old_name, OldName, OLD_NAME.
    cases: bool = False
    # How many places a preview leaves out, for the rest of a long one.
    offset: int = 0
    # Whether a preview lists every place.
    is_full: bool = False

    def __post_init__(self) -> None:
        """Refuse what means nothing beside a glob."""
        if not self.glob:
            bad("glob", "is empty", "name files, such as `*.py` or `src/**/*.ts`")
        for name, globs in (("glob", [self.glob]), ("except", self.left_out)):
            if any(each.startswith("!") for each in globs):
                bad(
                    name,
                    "begins with `!`",
                    say("name files to take; {except:bare} leaves some out"),
                )
        if not self.edits:
            bad("edits", "is empty", "give at least one edit")
        if self.only and self.without:
            bad("without", say("and {} both choose places; give one of them", ArgumentName("only")))
        if self.boundary not in BOUNDARIES:
            bad("boundary", f"is {self.boundary[:80]!r}; it is one of {', '.join(BOUNDARIES[1:])}")
        for edit in self.edits:
            _check_edit(edit)
            self._check_spelling(edit)

    @staticmethod
    def of(data: Mapping[str, object], edits: tuple[Edit, ...] = ()) -> Sweep | None:
        """Return the sweep that the arguments of a call ask for; None for edits of named files.

        `edits` are those of a call that brings them in another way.
        """
        if data.get("glob") is None:
            _refuse_without_glob(data)
            return None
        return Sweep(
            edits or arguments.edits(data),
            arguments.text(data, "glob"),
            arguments.text(data, "path") or ".",
            _listed(data, "except"),
            None
            if data.get("expected_count") is None
            else arguments.number(data, "expected_count", 0),
            _listed(data, "only", ","),
            _listed(data, "without", ","),
            arguments.text(data, "boundary"),
            arguments.flag(data, "cases"),
            _offset(data),
            arguments.detail(data) == "full",
        )

    @property
    def writes(self) -> bool:
        """Tell whether the caller has said which places are meant."""
        return self.expected_count is not None or bool(self.only or self.without)

    def _check_spelling(self, edit: Edit) -> None:
        is_plain = bool(edit.find) and not edit.regex
        if self.boundary and not is_plain:
            bad("boundary", say("is for {find}; an expression says \\b, a pattern needs none"))
        if self.cases and not (is_plain and is_name(edit.find or "") and _names(edit)):
            help_line = say("give two names, such as old_name and new_name")
            bad("cases", say("needs a name in {find}, and one in {content}"), help_line)


_BESIDE_GLOB = ("except", "expected_count", "only", "without", "boundary", "cases", "offset")
SWEEP_ARGUMENTS = frozenset({"glob", *_BESIDE_GLOB})


def _refuse_without_glob(data: Mapping[str, object]) -> None:
    """Refuse what says something of a sweep where there is none."""
    for name in _BESIDE_GLOB:
        if data.get(name) not in (None, "", [], False):
            bad(name, say("needs {glob} beside it"), "give the files to look in as a glob")


def _listed(data: Mapping[str, object], name: str, between: str = "") -> tuple[str, ...]:
    """Return texts that come as a list, or as one text with something between them."""
    given = data.get(name)
    if not isinstance(given, str):
        return arguments.texts(data, name)
    words = given.split(between) if between else [given]
    return tuple(word.strip() for word in words if word.strip())


def _offset(data: Mapping[str, object]) -> int:
    """Return how many places a preview leaves out, as the one before it said."""
    said = data.get("offset")
    if isinstance(said, str) and said.isascii() and said.isdecimal():
        return int(said[:12])
    return arguments.number(data, "offset", 0)


def _names(edit: Edit) -> bool:
    return edit.action == "replace" and is_name(edit.content or "")


def _check_edit(edit: Edit) -> None:
    """Refuse an edit that names its place in another way than a sweep finds places."""
    for name in _OTHER_PLACES:
        if getattr(edit, name):
            bad(name, say("and {glob} do not go together"), _places_of_sweeps())
    if not (edit.find or edit.pattern):
        bad("find", say("is missing: {glob} needs a place to look for"), _places_of_sweeps())
    if edit.occurrence not in {"unique", "all"}:
        bad("occurrence", say("and {glob} do not go together: it means all places"), "leave it out")
    if edit.action not in _ACTIONS:
        bad("action", f"is {edit.action}; with a glob it is one of {', '.join(_ACTIONS)}")
    if edit.part != "whole":
        bad("part", say("and {glob} do not go together"), _places_of_sweeps())


def _places_of_sweeps() -> str:
    return say(
        "a sweep finds its places by {find:bare}, with {regex:bare} or not, or {pattern:bare}"
    )
