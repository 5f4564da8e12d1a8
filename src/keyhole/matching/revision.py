"""Revisions: the changes of a file from one version to the next, line by line."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import accumulate, groupby
from typing import NamedTuple

from keyhole.fastclasses import dataclass, replace
from keyhole.matching.view import View, plain_newlines
from keyhole.text.align import differences
from keyhole.text.changes import Change, ChangeSet
from keyhole.text.diff import diff, line_changes
from keyhole.text.document import Document, split_lines
from keyhole.text.lines import newline_near


@dataclass(frozen=True)
class Revision:
    """Two versions of a text, and the exact changes between; None if nobody recorded them."""

    before: Document
    after: Document
    changes: ChangeSet | None = None

    @property
    def is_recorded(self) -> bool:
        """Tell whether the changes are known, and not only the two texts."""
        return self.changes is not None

    @cached_property
    def was(self) -> ClosedText:
        """The text before with an end behind its last line."""
        return ClosedText.of(self.before, self.before)

    @cached_property
    def now(self) -> ClosedText:
        """The text after with an end behind its last line."""
        return ClosedText.of(self.after, self.before)

    @cached_property
    def lines(self) -> ChangeSet:
        """The changes as flat lines of the closed texts, without changes of line ends alone.

        A comparison cannot tell a line from its twin; recorded changes can.
        """
        if self.changes is not None:
            closed = self.was.opening.then(self.changes).then(self.now.closing)
            flat = self.was.flattened(closed, self.after)
            if flat.apply(self.was.flat) == self.now.flat:
                return line_changes(self.was.flat, flat)
        return diff(self.was.flat, self.now.flat)

    @cached_property
    def lines_from_below(self) -> ChangeSet:
        """The changes by a comparison from the ends of the texts: different where lines repeat."""
        old, new = split_lines(self.was.flat), split_lines(self.now.flat)
        starts = list(accumulate(map(len, old), initial=0))
        turned = reversed(differences(old[::-1], new[::-1]))
        return ChangeSet(
            starts[-1],
            tuple(
                Change(
                    starts[len(old) - hunk.old_end],
                    starts[len(old) - hunk.old_start],
                    "".join(new[len(new) - hunk.new_end : len(new) - hunk.new_start]),
                )
                for hunk in turned
            ),
        )

    @cached_property
    def kept(self) -> PairedLines:
        """The lines of both texts, and which of the first are still in the second."""
        old, new = split_lines(self.was.flat), split_lines(self.now.flat)
        starts = list(accumulate(map(len, old), initial=0))
        places: list[int | None] = []
        shift = 0
        for change in self.lines.changes:
            first, last = (bisect_left(starts, at) for at in (change.start, change.end))
            places += range(len(places) + shift, first + shift)
            places += [None] * (last - first)
            shift += len(split_lines(change.text)) - (last - first)
        places += range(len(places) + shift, len(new))
        return PairedLines(old, new, starts, places, Counter(old), Counter(new))

    @cached_property
    def anchors(self) -> list[int]:
        """The lines with words that stood once, stay, and stand once."""
        return [number for number in range(len(self.kept.old)) if self.kept.is_anchor(number)]


class PairedLines(NamedTuple):
    """The lines of two texts, where each of the first starts in its flat form, and how they pair.

    `places` says for each line of the first where it stands in the second, None if it is gone.
    """

    old: list[str]
    new: list[str]
    starts: list[int]
    places: list[int | None]
    had: Counter[str]
    has: Counter[str]

    def is_moved(self, number: int) -> bool:
        """Tell whether a line that stood once is gone, and stands elsewhere."""
        line = self.old[number]
        return self.places[number] is None and self.had[line] == 1 and bool(self.has[line])

    def is_anchor(self, number: int) -> bool:
        """Tell whether a line with words stood once, stays, and stands once."""
        line = self.old[number]
        stays = self.places[number] is not None
        return stays and bool(line.strip()) and self.had[line] == self.has[line] == 1


@dataclass(frozen=True)
class ClosedText:
    """A text with an end of line behind its last line, and its flat form."""

    document: Document
    view: View
    # What was added; "" where the last line has its end.
    added: str = ""

    @staticmethod
    def of(document: Document, other: Document) -> ClosedText:
        """Close a document; where it has no end of line, with one of another version."""
        text = document.text
        near = document if document.terminator in text else other
        added = newline_near(near, len(text), len(text)) if lacks_end(document) else ""
        return ClosedText(document, View(replace(document, text=text + added)), added)

    @property
    def text(self) -> str:
        """The text with its last end."""
        return self.view.document.text

    @property
    def flat(self) -> str:
        """The text with its last end, and all line ends plain."""
        return self.view.flat

    @property
    def closing(self) -> ChangeSet:
        """The change that adds the end."""
        length = len(self.document.text)
        return ChangeSet(length, (Change(length, length, self.added),) if self.added else ())

    @property
    def opening(self) -> ChangeSet:
        """The change that removes the end again."""
        length = len(self.text)
        cut = Change(length - len(self.added), length, "")
        return ChangeSet(length, (cut,) if self.added else ())

    def flattened(self, changes: ChangeSet, after: Document) -> ChangeSet:
        """Return changes of the closed text as changes of its flat form."""
        flat, terminator = self.view.flat_offset, after.terminator
        return ChangeSet(
            len(self.flat),
            tuple(
                Change(flat(each.start), flat(each.end), plain_newlines(each.text, terminator))
                for each in changes.changes
            ),
        )


def lacks_end(document: Document) -> bool:
    """Tell whether the last line of a document has no end."""
    return bool(document.text) and not document.text.endswith(document.terminator)


def total(revisions: Iterable[Revision]) -> ChangeSet:
    """Return the changes of all revisions together, in characters; there is at least one."""
    whole: ChangeSet | None = None
    for each in revisions:
        changes = each.changes or diff(each.before.text, each.after.text)
        whole = whole.then(changes) if whole else changes
    assert whole is not None, "BUG: a way has a beginning"
    return whole


def legs(revisions: Iterable[Revision]) -> Iterator[Revision]:
    """Yield revisions, with consecutive recorded ones composed.

    A change that a later revision undid disappears.
    """
    for is_recorded, group in groupby(revisions, lambda each: each.is_recorded):
        some = list(group)
        if not is_recorded:
            yield from some
            continue
        yield Revision(some[0].before, some[-1].after, total(some))
