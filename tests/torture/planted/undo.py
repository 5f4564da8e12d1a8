"""Faults of undo, planted again."""

from collections.abc import Callable, Collection, Sequence

from keyhole.history import steps_since, undo, undo_refusals
from keyhole.history.steps_since import FileHistory
from keyhole.history.versions import FileVersion
from keyhole.journal.model import FileChange, Journal
from keyhole.text.changes import Change, ChangeSet, Clash

_MOST_STEPS = 200


def compare_after_200_steps() -> None:
    """Follow a file for 200 steps, and compare two texts where there were more."""
    followed, since_version = steps_since.follow_file, steps_since._since_version

    def follow_file(journal: Journal, change: FileChange, order: int) -> FileHistory:
        way = followed(journal, change, order)
        if sum(len(step.run) or 1 for step in way.steps) <= _MOST_STEPS:
            return way
        return FileHistory(
            way.path, FileVersion.after(change).text(journal), exchanged=way.exchanged
        )

    def numbers_since(journal: Journal, path: str, hash_: str) -> tuple[Sequence[int], int]:
        numbers, first = since_version(journal, path, hash_)
        return numbers, first if len(numbers) - first < _MOST_STEPS else len(numbers)

    vars(undo)["follow_file"] = follow_file
    vars(steps_since)["_since_version"] = numbers_since


def let_touching_lines_pass() -> None:
    """Carry an undo over later changes by words, also where they touch."""

    def carried(
        ours: ChangeSet, theirs: ChangeSet, text: str, _: Collection[Change] = ()
    ) -> ChangeSet | Clash:
        return _by_words(ours, text).rebase(_by_words(theirs, text))

    for module in (steps_since, undo_refusals):
        vars(module)["carry_by_lines"] = carried


def _by_words(changes: ChangeSet, text: str) -> ChangeSet:
    """Return the same changes, each grown to the words that it changes."""
    grown: list[tuple[int, int, list[Change]]] = []
    for change in changes.changes:
        start, end = change.start, change.end
        old = text[start:end]
        if _is_letter(change.text[:1]) or _is_letter(old[:1]):
            while start and _is_letter(text[start - 1]):
                start -= 1
        if _is_letter(change.text[-1:]) or _is_letter(old[-1:]):
            while end < len(text) and _is_letter(text[end]):
                end += 1
        if grown and start < grown[-1][1]:
            start, last, members = grown.pop()
            grown.append((start, max(last, end), [*members, change]))
        else:
            grown.append((start, end, [change]))
    whole = []
    for start, end, members in grown:
        own = tuple(Change(each.start - start, each.end - start, each.text) for each in members)
        whole.append(Change(start, end, ChangeSet(end - start, own).apply(text[start:end])))
    return ChangeSet(changes.length, tuple(whole))


def _is_letter(letter: str) -> bool:
    return letter == "_" or letter.isalnum()


PLANTED: dict[str, Callable[[], None]] = {
    "undo compares texts after 200 steps": compare_after_200_steps,
    "undo lets touching lines pass": let_touching_lines_pass,
}
