"""Whole-line changes of two sides, merged: what a three-way merge of lines gives, or nothing."""

import subprocess
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from keyhole.fastclasses import dataclass, replace
from keyhole.matching.merge import merged
from keyhole.matching.revision import Revision
from keyhole.text.changes import ChangeSet
from keyhole.text.document import Document
from keyhole.text.lines import block

# Lines `[first, last)` become others.
Hunk = tuple[int, int, tuple[str, ...]]
ENDS = ("\n", "\r\n", "\r")


@dataclass(frozen=True)
class Sides:
    """A text in lines, what two sides make of it, and how its lines end then and now."""

    lines: tuple[str, ...]
    ours: tuple[Hunk, ...]
    theirs: tuple[Hunk, ...]
    ends: tuple[str, str]
    closed: tuple[bool, bool]

    @property
    def older(self) -> Document:
        return spelled(self.lines, self.ends[0], closed=self.closed[0])

    @property
    def present(self) -> Document:
        lines = made(self.lines, self.theirs)
        return spelled(lines, self.ends[1], closed=self.closed[1])

    def changes(self, hunks: tuple[Hunk, ...]) -> ChangeSet:
        """Return the hunks as the engine writes them, whole lines in and out of the older text."""
        document, starts = self.older, [0]
        for line in self.lines:
            starts.append(starts[-1] + len(line) + len(self.ends[0]))
        length = len(document.text)
        found = ChangeSet.of(
            length,
            (
                block(document, min(starts[first], length), min(starts[last], length), lines)
                for first, last, lines in hunks
            ),
        )
        assume(isinstance(found, ChangeSet))
        assert isinstance(found, ChangeSet)
        return found


def spelled(lines: tuple[str, ...], end: str, *, closed: bool) -> Document:
    return Document(end.join(lines) + end * (closed and bool(lines)))


def made(lines: tuple[str, ...], hunks: tuple[Hunk, ...]) -> tuple[str, ...]:
    out: list[str] = []
    at = 0
    for first, last, new in hunks:
        out += [*lines[at:first], *new]
        at = last
    return (*out, *lines[at:])


def lie_apart(one: Hunk, other: Hunk) -> bool:
    """Tell whether two hunks share no line, and are not both additions at one point."""
    low, high = sorted((one, other))
    both_add = low[0] == low[1] == high[0] == high[1]
    return low[1] <= high[0] and not both_add


@st.composite
def hunks(draw: st.DrawFn, count: int, name: str) -> tuple[Hunk, ...]:
    found: list[Hunk] = []
    at = 0
    while at <= count:
        if draw(st.integers(0, 3)):
            at += 1
            continue
        last = min(count, at + draw(st.integers(0, 2)))
        new = tuple(f"{name} {at} {each}" for each in range(draw(st.integers(0, 2))))
        if last > at or new:
            found.append((at, last, new))
        at = last + 1
    return tuple(found)


@st.composite
def sides(draw: st.DrawFn, *, most: int = 6, ends: Sequence[str] = ENDS, twins: bool) -> Sides:
    count = draw(st.integers(0, most))
    lines = [f"line {each}" for each in range(count)]
    blank = draw(st.sets(st.integers(0, most), max_size=3 if twins else 1))
    lines = ["" if each in blank else line for each, line in enumerate(lines)]
    kinds = draw(st.sampled_from(ends)), draw(st.sampled_from(ends))
    closed = draw(st.booleans()), draw(st.booleans())
    ours, theirs = draw(hunks(count, "ours")), draw(hunks(count, "theirs"))
    drawn = Sides(tuple(lines), ours[:2], theirs, kinds, closed)
    assume(is_spelled(drawn.older.text, drawn.lines, kinds[0]))
    assume(is_spelled(drawn.present.text, made(drawn.lines, theirs), kinds[1]))
    return drawn


def is_spelled(text: str, lines: tuple[str, ...], end: str) -> bool:
    """Tell whether a text has these lines: a blank one without an end is none."""
    return text.removesuffix(end).split(end) == list(lines) if text else not lines


@st.composite
def sides_apart(draw: st.DrawFn) -> Sides:
    """Draw hunks with a line between each two that nobody touches."""
    count = draw(st.integers(1, 8))
    ours: list[Hunk] = []
    theirs: list[Hunk] = []
    at = 0
    while at <= count:
        last = min(count, at + draw(st.integers(0, 2)))
        whose, name = draw(st.sampled_from(((ours, "ours"), (theirs, "theirs"))))
        if draw(st.booleans()):
            whose.append((at, last, (f"{name} {at}",)))
        at = last + 1
    kinds = draw(st.sampled_from(ENDS)), draw(st.sampled_from(ENDS))
    closed = draw(st.booleans()), draw(st.booleans())
    lines = tuple(f"line {each}" for each in range(count))
    return Sides(lines, tuple(ours), tuple(theirs), kinds, closed)


def model(drawn: Sides, after: str) -> str:
    """Return the three-way merge: both sides' lines, and the last end of who changed that."""
    both = tuple(sorted((*drawn.ours, *drawn.theirs)))
    lines = made(drawn.lines, both)
    present, older = drawn.present, drawn.older
    end = drawn.ends[1] if present.terminator in present.text else older.newline
    ours, before, theirs = (text.endswith(ENDS) for text in (after, older.text, present.text))
    if not present.text:
        theirs = ours
    closed = ours if older.text and after and ours != before else theirs
    return spelled(lines, end, closed=closed).text


def check_merge(drawn: Sides, revision: Revision) -> None:
    ours = drawn.changes(drawn.ours)
    after = ours.apply(drawn.older.text)
    assume(is_spelled(after, made(drawn.lines, drawn.ours), drawn.ends[0]))
    found = merged(ours, revision)

    if isinstance(found, ChangeSet):
        assert all(lie_apart(one, other) for one in drawn.ours for other in drawn.theirs)
        assert found.apply(drawn.present.text) == model(drawn, after)


@given(sides(twins=False))
@settings(max_examples=300)
def test_texts_that_are_compared_merge_as_their_lines_do_or_not_at_all(drawn: Sides) -> None:
    check_merge(drawn, Revision(drawn.older, drawn.present))


@given(sides(twins=True))
@settings(max_examples=300)
def test_recorded_changes_merge_as_their_lines_do_or_not_at_all(drawn: Sides) -> None:
    theirs = drawn.changes(drawn.theirs)
    saved = replace(drawn, ends=(drawn.ends[0],) * 2, closed=(drawn.closed[0],) * 2)
    assume(saved.present.text == theirs.apply(drawn.older.text))

    check_merge(saved, Revision(saved.older, saved.present, theirs))


@given(sides_apart())
def test_changes_with_a_line_between_them_are_merged(drawn: Sides) -> None:
    ours = drawn.changes(drawn.ours)
    found = merged(ours, Revision(drawn.older, drawn.present))

    assert isinstance(found, ChangeSet)
    assert found.apply(drawn.present.text) == model(drawn, ours.apply(drawn.older.text))


@given(sides(most=9, ends="\n", twins=False))
@settings(max_examples=60, deadline=None)
def test_git_merges_the_same_where_it_finds_no_conflict(drawn: Sides) -> None:
    drawn = replace(drawn, closed=(True, True))
    ours = drawn.changes(drawn.ours)
    found = merged(ours, Revision(drawn.older, drawn.present))
    with TemporaryDirectory() as home:
        names = [str(Path(home, name)) for name in ("ours", "older", "theirs")]
        texts = ours.apply(drawn.older.text), drawn.older.text, drawn.present.text
        for name, text in zip(names, texts, strict=True):
            Path(name).write_text(text, "utf-8", newline="")
        done = subprocess.run(
            ["git", "merge-file", "-p", *names],
            capture_output=True,
            encoding="utf-8",
            check=False,
        )

    if done.returncode == 0 and isinstance(found, ChangeSet):
        assert found.apply(drawn.present.text) == done.stdout
