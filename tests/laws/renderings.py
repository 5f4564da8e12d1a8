"""The difference between two texts, written in every format that a patch can have."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from keyhole.text.align import differences
from keyhole.text.changes import ChangeSet
from keyhole.text.diff import diff, unified
from keyhole.text.document import split_lines

NO_END = "\\ No newline at end of file"


@dataclass(frozen=True, slots=True)
class Piece:
    """Lines that change, with kept ones around them: what both texts have there."""

    start: int
    old: list[str]
    marked: list[str]


def plain(path: str, before: str, after: str) -> str:
    """Render as `diff -u` does: two names, no more."""
    patch = git(path, before, after)
    return patch[patch.index("--- ") :]


def git(path: str, before: str, after: str) -> str:
    """Render as `git diff` does."""
    return unified(path, before, diff(before, after))


def created(path: str, after: str) -> str:
    """Render a new file as `git diff` does."""
    return unified(path, None, ChangeSet(0, diff("", after).changes))


def begin_patch(path: str, before: str, after: str) -> str:
    """Render as a `*** Begin Patch`, with as much context as makes each place the only one.

    Nor do the lines that it makes stand there already: then nobody could tell it from one that is
    sent again.
    """
    lines = split_lines(before)
    rows = ["*** Begin Patch", f"*** Update File: {path}"]
    for piece in pieces(
        before, after, lambda old, new: is_told_apart(old, lines) and not is_done(old, new, before)
    ):
        rows.append("@@")
        for line in piece.marked:
            rows.append(line.removesuffix("\n"))
            rows += [] if line.endswith("\n") else [NO_END]
    return "\n".join([*rows, "*** End Patch", ""])


def search_replace(path: str, before: str, after: str) -> str:
    """Render as SEARCH/REPLACE blocks whose markers are in neither text."""
    marks = ("=" * 7, "SEARCH", "REPLACE")
    size = 9 if any(mark in before + after for mark in marks) else 7
    rows = []
    for piece in pieces(before, after, lambda old, new: is_told(old, new, before)):
        new = [line[1:] for line in piece.marked if line[0] != "-"]
        rows += [path, f"{'<' * size} SEARCH", *map(_bare, piece.old), "=" * size]
        rows += [*map(_bare, new), f"{'>' * size} REPLACE", ""]
    return "\n".join(rows)


def as_json(path: str, before: str, after: str) -> str:
    """Render as our JSON: each piece quoted to the character."""
    edits = []
    for piece in pieces(before, after, lambda old, new: is_told(old, new, before)):
        new = "".join(line[1:] for line in piece.marked if line[0] != "-")
        edits.append({"find": "".join(piece.old), "content": new, "match": "exact"})
    return json.dumps({"path": path, "edits": edits})


def _bare(line: str) -> str:
    return line.removesuffix("\n")


def is_once(needle: Sequence[str], lines: Sequence[str]) -> bool:
    """Tell whether lines follow each other at one place only, however they end."""
    bare, wanted = [line.rstrip() for line in lines], [line.rstrip() for line in needle]
    starts = range(len(bare) - len(wanted) + 1)
    return bool(wanted) and sum(bare[at : at + len(wanted)] == wanted for at in starts) == 1


def is_told_apart(needle: Sequence[str], lines: Sequence[str]) -> bool:
    """Tell whether lines are at one place only, also without the blank ones that they end with."""
    core = list(needle)
    while core and not core[-1].strip():
        core.pop()
    return is_once(needle, lines) and is_once(core, lines)


def is_told(old: Sequence[str], new: Sequence[str], text: str) -> bool:
    """Tell whether lines are a quotation that stands once, is not blank, and not done already."""
    # A last line counts as if it had an end: a quotation may leave it out.
    quote = "".join(old).rstrip("\r\n")
    return bool(quote.strip()) and occurrences(quote, text) == 1 and not is_done(old, new, text)


def is_done(old: Sequence[str], new: Sequence[str], text: str) -> bool:
    """Tell whether lines add to others, and stand in the text as they shall be."""
    quote, becomes = "".join(old).rstrip("\r\n"), "".join(new).rstrip("\r\n")
    return len(becomes) > len(quote) and becomes in text


def occurrences(needle: str, text: str) -> int:
    """Count the places of a text, those that overlap included."""
    if not needle:
        return 0
    return sum(text.startswith(needle, at) for at in range(len(text)))


def pieces(before: str, after: str, tells: Callable[[list[str], list[str]], bool]) -> list[Piece]:
    """Return the changes, each with the least context that `tells`, or all of the text as one."""
    old, new = split_lines(before), split_lines(after)
    found = []
    for hunk in differences(old, new):
        removed, added = old[hunk.old_start : hunk.old_end], new[hunk.new_start : hunk.new_end]
        for context in range(len(old)):
            first, last = max(hunk.old_start - context, 0), hunk.old_end + context
            above, below = old[first : hunk.old_start], old[hunk.old_end : last]
            if tells(old[first:last], [*above, *added, *below]):
                rows = [("+", added), ("-", removed)][::-1]
                marked = [f" {line}" for line in above]
                marked += [mark + line for mark, lines in rows for line in lines]
                marked += [f" {line}" for line in below]
                found.append(Piece(first, old[first:last], marked))
                break
        else:
            return [_whole(old, new)]
    ends = [(piece.start, piece.start + len(piece.old)) for piece in found]
    apart = all(a[1] <= b[0] for a, b in pairwise(ends))
    return found if apart else [_whole(old, new)]


def _whole(old: list[str], new: list[str]) -> Piece:
    return Piece(0, old, [f"-{line}" for line in old] + [f"+{line}" for line in new])
