"""A model of files as lines that know who they are: what an undo must leave, by construction.

A file keeps every line that it ever had, in one order, and says which of them are visible. An edit
hides some lines and shows others; an undo of it shows the hidden ones and hides the others. The
model never compares texts, so it cannot mistake a line for its twin.

    a, b, c      the file
    a, x, c      an edit hides b and shows x
    a, x, c, d   a person adds d
    a, b, c, d   the undo of the edit: x hidden, b shown, and d is nobody's business
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field


@dataclass(eq=False, slots=True)
class Line:
    """A line with an identity; `moments` has a bit for each state in which it was visible."""

    text: str
    moments: int = 0
    visible: bool = True


@dataclass(eq=False, slots=True)
class File:
    """Every line a file ever had, in order, and where the file is: "" is nowhere."""

    path: str
    lines: list[Line] = field(default_factory=list)
    # Somebody saved it beside keyhole, so nobody can tell blank lines apart.
    is_saved_outside: bool = False

    @property
    def visible(self) -> list[Line]:
        """Return the lines that a reader sees."""
        return [line for line in self.lines if line.visible]

    def replace(self, first: int, last: int, texts: Iterable[str]) -> Rewrite:
        """Hide the visible lines `first` up to `last` and show new ones at that place."""
        seen = self.visible
        hidden, shown = seen[first:last], [Line(text) for text in texts]
        at = self.lines.index(seen[first - 1]) + 1 if first else 0
        if hidden:
            at = self.lines.index(hidden[-1]) + 1
        self.lines[at:at] = shown
        rewrite = Rewrite(self, hidden, shown, self.path)
        for line in hidden:
            line.visible = False
        return rewrite


@dataclass(eq=False, slots=True)
class Rewrite:
    """Lines of one file that went and lines that came; `is_on` while it counts."""

    file: File
    hidden: list[Line]
    shown: list[Line]
    # What the file was called then: an undo of one file names it so.
    path: str
    edit: int = 0
    is_on: bool = True

    @property
    def paths(self) -> set[str]:
        """Return what the file was called."""
        return {self.path}

    def flip(self) -> bool:
        """Take it back, or make it again; tell whether all of its lines were as it left them."""
        out, back = (self.shown, self.hidden) if self.is_on else (self.hidden, self.shown)
        fits = all(line.visible for line in out) and not any(line.visible for line in back)
        for line in out:
            line.visible = False
        for line in back:
            line.visible = True
        self.is_on = not self.is_on
        return fits


@dataclass(eq=False, slots=True)
class Rename:
    """A file that came from one path and went to another; "" is nowhere."""

    file: File
    before: str
    after: str
    # What the file held when it came or went: only such a file may be taken away again.
    held: tuple[str, ...] = ()
    edit: int = 0
    is_on: bool = True

    @property
    def paths(self) -> set[str]:
        """Return both ends."""
        return {self.before, self.after} - {""}

    def flip(self) -> bool:
        """Take it back, or make it again; tell whether the file is where it left it."""
        here, there = (self.after, self.before) if self.is_on else (self.before, self.after)
        fits = self.file.path == here
        if here and not there:
            fits = fits and texts_of(self.file) == self.held
        self.file.path = there
        self.is_on = not self.is_on
        return fits


Effect = Rewrite | Rename


@dataclass(frozen=True, slots=True)
class Entry:
    """A transaction: its effects; of an undo, the effects that it flipped."""

    id: str
    task: str
    effects: tuple[Effect, ...]
    is_undo: bool = False


def texts_of(file: File) -> tuple[str, ...]:
    """Return the texts of the lines that a reader sees."""
    return tuple(line.text for line in file.visible)


@dataclass(slots=True)
class World:
    """All files and entries, and every text that a line ever had."""

    files: list[File] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    written: set[str] = field(default_factory=set)
    moments: int = 0

    def at(self, path: str) -> File | None:
        """Return the file at a path."""
        return next((file for file in self.files if file.path == path), None)

    @property
    def present(self) -> list[File]:
        """Return the files that are somewhere."""
        return [file for file in self.files if file.path]

    def look(self) -> None:
        """Take note of what can be seen now, as something that somebody wrote."""
        for file in self.present:
            for line in file.visible:
                line.moments |= 1 << self.moments
                self.written.add(line.text)
        self.moments += 1

    def flip(self, effects: Sequence[Effect]) -> bool:
        """Flip effects, newest first; tell whether the model knows what that gives.

        What is flipped and flipped back is left alone.
        """
        odd = [each for each in dict.fromkeys(effects) if effects.count(each) % 2]
        # What cancels may lie before or behind what is flipped once: one of both orders fits.
        last = [each for each in dict.fromkeys(reversed(effects)) if each in odd]
        bring_back = self.remember()
        if self._flip(odd):
            return True
        bring_back()
        return self._flip(last[::-1])

    def _flip(self, effects: Sequence[Effect]) -> bool:
        fits = [effect.flip() for effect in effects]
        paths = [file.path for file in self.present]
        return all(fits) and len(paths) == len(set(paths))

    def remember(self) -> Callable[[], None]:
        """Return what brings the model back to how it is now."""
        seen = [(line, line.visible) for file in self.files for line in file.lines]
        paths = [(file, file.path) for file in self.files]
        flags = [(effect, effect.is_on) for entry in self.entries for effect in entry.effects]

        def bring_back() -> None:
            for line, visible in seen:
                line.visible = visible
            for file, path in paths:
                file.path = path
            for effect, is_on in flags:
                effect.is_on = is_on

        return bring_back

    def since(self, entry: Entry) -> Iterator[Effect]:
        """Yield what came after an entry, newest first, as it has to be flipped."""
        for later in reversed(self.entries[self.entries.index(entry) + 1 :]):
            yield from reversed(later.effects)


def arrange(file: File, found: Sequence[str]) -> None:
    """Let lines stand in the order that they have on disk, now that they are seen together."""
    waiting: dict[str, list[Line]] = {}
    for line in file.visible:
        waiting.setdefault(line.text, []).append(line)
    slots = [at for at, line in enumerate(file.lines) if line.visible]
    if len(slots) != len(found):
        return  # Blank lines that nobody can tell apart.
    for at, text in zip(slots, found, strict=True):
        file.lines[at] = waiting[text].pop(0)


def differences(file: File, found: Sequence[str]) -> str:
    """Say how the lines on disk differ from the visible ones, "" if they do not.

    Two lines that were never visible together have no order: both are right.
    """
    wanted, lines = file.visible, list(found)
    if file.is_saved_outside:
        wanted, lines = [line for line in wanted if line.text], [text for text in lines if text]
    if sorted(line.text for line in wanted) != sorted(lines):
        return f"{file.path}: wanted {[line.text for line in wanted]}, found {lines}"
    waiting: dict[str, list[int]] = {}
    for place, line in enumerate(wanted):
        waiting.setdefault(line.text, []).append(place)
    order = [waiting[text].pop(0) for text in lines]
    for at, place in enumerate(order):
        for later in order[at + 1 :]:
            if later < place and wanted[later].moments & wanted[place].moments:
                names = wanted[later].text, wanted[place].text
                return f"{file.path}: {names} stand in another order: {lines}"
    return ""
