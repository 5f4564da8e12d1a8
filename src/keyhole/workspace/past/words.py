"""Changes by whole words: two that change one word meet there, whichever letters they change."""

from __future__ import annotations

from keyhole.text.changes import Change, ChangeSet

# Letters from here on are of scripts that write no blanks between words.
_UNSPACED = "\u2e80"
_LONGEST = 200


def by_words(changes: ChangeSet, text: str) -> ChangeSet:
    """Return the same set with every change grown to the words of `text` that it changes.

    Worked example: `60` was made `600`, which is a 0 behind them. The undo of what made it `60`
    would change the 6 alone, and leave a number that nobody wrote.
    """
    grown: list[tuple[int, int, list[Change]]] = []
    for change in changes.changes:
        start, end = _start(change, text), _end(change, text)
        if grown and start < grown[-1][1]:
            first, last, members = grown[-1]
            grown[-1] = (first, max(last, end), [*members, change])
        else:
            grown.append((start, end, [change]))
    return ChangeSet(changes.length, tuple(_whole(*each, text) for each in grown))


def _whole(start: int, end: int, members: list[Change], text: str) -> Change:
    own = (Change(each.start - start, each.end - start, each.text) for each in members)
    return Change(start, end, ChangeSet(end - start, tuple(own)).apply(text[start:end]))


def _start(change: Change, text: str) -> int:
    start, least = change.start, max(change.start - _LONGEST, 0)
    if _is_letter(change.text[:1]) or _is_letter(text[start : change.end][:1]):
        while start > least and _is_letter(text[start - 1]):
            start -= 1
    return start


def _end(change: Change, text: str) -> int:
    end, most = change.end, min(change.end + _LONGEST, len(text))
    if _is_letter(change.text[-1:]) or _is_letter(text[change.start : end][-1:]):
        while end < most and _is_letter(text[end]):
            end += 1
    return end


def _is_letter(letter: str) -> bool:
    return letter == "_" or (letter.isalnum() and letter < _UNSPACED)
