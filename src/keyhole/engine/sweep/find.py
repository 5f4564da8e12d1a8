"""Look for the places of a sweep in the whole tree; nothing is locked or written."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from keyhole import progress
from keyhole.engine.prefilter import Prefilter
from keyhole.engine.sweep.files import FileKinds, prefilter_of
from keyhole.engine.sweep.places import SweepPlace, places_in
from keyhole.engine.sweep.request import Sweep
from keyhole.fastclasses import dataclass, field
from keyhole.phrases import say
from keyhole.refusals import Refusal, Refused
from keyhole.segments.languages.table import language_of
from keyhole.segments.lookalikes import reads_alike
from keyhole.storage.paths.globs import globs_of
from keyhole.text.document import Document
from keyhole.workspace.tree import Tree

# As many files as one call changes, and as many places as it holds in memory.
MOST_FILES = 20_000
MOST_PLACES = 400_000
# As many entries of ignored directories as are counted.
_MOST_IGNORED = 20_000
# What a file can lack that one edit asks for and another file has.
_OF_ONE_FILE = frozenset({"wrong-segment-kind", "bad-request"})


@dataclass(frozen=True, slots=True)
class SweptPlaces:
    """The places of one file, in the version that has this hash."""

    path: str
    hash: str
    places: tuple[SweepPlace, ...]


@dataclass(slots=True)
class Findings:
    """What a look through the tree found, and what it left out."""

    files: list[SweptPlaces] = field(default_factory=list)
    # How many files were not taken, by why.
    left_out: Counter[str] = field(default_factory=Counter)
    # How many files the globs name.
    looked: int = 0
    # The first refusal of each file that an edit does not fit.
    misfits: list[Refusal] = field(default_factory=list)
    # The globs of files to leave out that name none of those looked at.
    idle: set[str] = field(default_factory=set)
    # Where the code reads like a pattern and is something else to the grammar, by file and line.
    alike: list[str] = field(default_factory=list)

    @property
    def count(self) -> int:
        """Return how many places there are."""
        return sum(len(file.places) for file in self.files)


def find_places(tree: Tree, sweep: Sweep) -> Findings:
    """Return every place of a sweep; refuse a glob of no files, and a sweep without a place."""
    found, kinds = Findings(idle={*sweep.left_out}), FileKinds.of(sweep)
    places = 0
    for path, document in _documents(tree, sweep, kinds, found):
        own = _try_places(sweep, path, document, found)
        found.alike.extend(_alike(sweep, path, document, own))
        if not own:
            continue
        places += len(own)
        found.files.append(SweptPlaces(path, document.hash, tuple(own)))
        if len(found.files) > MOST_FILES or places > MOST_PLACES:
            raise Refused(_too_many(len(found.files), places))
    _leave_out_protected(tree, found)
    if not found.looked and not found.left_out:
        raise Refused(_no_files(sweep))
    if not found.files and found.misfits:
        raise Refused(found.misfits[0])
    return found


def _documents(
    tree: Tree, sweep: Sweep, kinds: FileKinds, found: Findings
) -> Iterator[tuple[str, Document]]:
    """Yield the files to look into, each as it stands; count what is left out."""
    ignored = _Ignored(tree, sweep, kinds, found)
    filtered = _Filtered(prefilter_of(sweep), kinds, found)
    for path in tree.walk_texts(sweep.path, filtered.passes, glob=sweep.glob, met=ignored.meet):
        filtered.meet(path)
        if kinds.is_excepted(path):
            found.left_out["excepted"] += 1
            continue
        try:
            document = tree.read(path)
        except Refused:
            found.left_out["unreadable"] += 1
            continue
        progress.step()
        if document.is_binary:
            found.left_out["binary"] += 1
        elif document.flaw:
            found.left_out["unreadable"] += 1
        elif kind := kinds.kind_of(path, document.text):
            found.left_out[kind] += 1
        else:
            yield path, document


@dataclass(slots=True)
class _Filtered:
    """A prefilter that counts the files it meets; some come without its being asked."""

    inner: Prefilter | None
    kinds: FileKinds
    found: Findings
    last: str = ""

    def passes(self, path: str, data: bytes) -> bool:
        """Tell whether a file can have a place."""
        self.meet(path)
        return self.inner is None or self.inner(path, data)

    def meet(self, path: str) -> None:
        """Count a file, once."""
        if path == self.last:
            return
        self.last = path
        self.found.looked += 1
        self.found.idle -= {each for each in self.found.idle if self.kinds.excepts(each, path)}


def _try_places(
    sweep: Sweep, path: str, document: Document, found: Findings
) -> Sequence[SweepPlace]:
    """Return the places of a file; one that the edits do not fit is left out and counted."""
    try:
        return places_in(sweep, path, document)
    except Refused as refused:
        refusal = refused.refusals[0]
        if refusal.code not in _OF_ONE_FILE:
            raise Refused(refusal.at(path=path)) from None
        found.misfits.append(refusal)
        found.left_out["without such code"] += 1
        return ()


def _alike(
    sweep: Sweep, path: str, document: Document, places: Sequence[SweepPlace]
) -> Iterator[str]:
    """Yield where a file reads like a pattern of the sweep, though none fits."""
    known = [(place.start, place.end) for place in places]
    for pattern in (edit.pattern for edit in sweep.edits if edit.pattern and not document.stored):
        language = language_of(path, document)
        for at in reads_alike(language, document.text, pattern, known):
            yield f"{path}:{document.line_at(at)}"


def _leave_out_protected(tree: Tree, found: Findings) -> None:
    """Leave out the files that agents may not write."""
    if tree.options.read_only:
        return
    while found.files:
        try:
            tree.check_writing([file.path for file in found.files])
        except Refused as refused:
            denied = {refusal.path for refusal in refused.refusals}
            kept = [file for file in found.files if file.path not in denied]
            assert len(kept) < len(found.files), "BUG: a refusal names no file of the sweep"
            found.left_out["protected"] += len(found.files) - len(kept)
            found.files = kept
        else:
            return


@dataclass(slots=True)
class _Ignored:
    """Counts the files of a sweep that .gitignore names, as far as a budget goes."""

    tree: Tree
    sweep: Sweep
    kinds: FileKinds
    found: Findings
    left: int = _MOST_IGNORED

    def meet(self, path: str, is_directory: bool) -> None:  # noqa: FBT001 - a walk's callback
        """Count a file, or the files below a directory."""
        globs = globs_of(self.sweep.glob)
        for each in self._below(path) if is_directory else (path,):
            if any(glob.covers(each) for glob in globs) and not self.kinds.is_excepted(each):
                self.found.left_out["ignored by .gitignore"] += 1

    def _below(self, path: str) -> Iterator[str]:
        todo = [path]
        while todo and self.left > 0:
            here = todo.pop()
            try:
                fd = self.tree.root.directory(here)
            except Refused:
                continue
            try:
                with os.scandir(fd) as entries:
                    for entry in entries:
                        self.left -= 1
                        if entry.is_dir(follow_symlinks=False):
                            todo.append(f"{here}/{entry.name}")
                        elif entry.is_file(follow_symlinks=False):
                            yield f"{here}/{entry.name}"
            finally:
                os.close(fd)


def left_out_of(found: Findings) -> Mapping[str, int]:
    """Return how many files were left out, by why, the most first."""
    return dict(found.left_out.most_common())


def _no_files(sweep: Sweep) -> Refusal:
    below = "" if sweep.path == "." else f" below {sweep.path}"
    return Refusal(
        "no-file",
        say("{glob} `{}` names no file{}", sweep.glob, below),
        help=say(
            "{outline:tool} lists the files; `*.py` is at any depth, `src/*.py` is not; "
            "`*.{}` is two globs",
            "{ts,tsx}",
        ),
        data={"field": "glob"},
    )


def _too_many(files: int, places: int) -> Refusal:
    headline = f"there are more than {min(places, MOST_PLACES)} places in {files} files"
    if files > MOST_FILES:
        headline = f"there are places in more than {MOST_FILES} files"
    return Refusal(
        "too-large", headline, help=say("name fewer files by {glob:bare} or {except:bare}")
    )
