"""Differences of two texts: as a ChangeSet, as a unified diff, as numbered lines."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from keyhole.fastclasses import dataclass
from keyhole.text.align import AlignedHunk, common_head, common_tail, differences
from keyhole.text.changes import Change, ChangeSet
from keyhole.text.document import Document, chop, split_lines

CONTEXT = 3
WIDEST = 400
_MODES = {False: "100644", True: "100755"}
_PLAIN = frozenset(map(chr, range(0x20, 0x7F))) - {'"', "\\"}


def diff(before: str, after: str) -> ChangeSet:
    """Return the line changes that turn `before` into `after`."""
    old, new = split_lines(before), split_lines(after)
    changes, at, line = [], 0, 0
    for hunk in differences(old, new):
        at += sum(map(len, old[line : hunk.old_start]))
        removed = sum(map(len, old[hunk.old_start : hunk.old_end]))
        text = "".join(new[hunk.new_start : hunk.new_end])
        changes.append(Change(at, at + removed, text))
        at, line = at + removed, hunk.old_end
    return ChangeSet(len(before), tuple(changes))


def line_changes(
    text: str, changes: ChangeSet, apart: Collection[Change] = frozenset()
) -> ChangeSet:
    """Return changes as changes of whole lines, each at its own place.

    A comparison cannot tell a line from its twin; known changes can. Lines with only changes of
    `apart` keep these as they are.
    """
    found: list[Change] = []
    for start, end, members in _line_blocks(text, changes):
        is_apart = all(member in apart for member in members)
        found += members if is_apart else [_line_change(text, start, end, members)]
    return ChangeSet(len(text), tuple(each for each in found if each.start < each.end or each.text))


def _line_change(text: str, start: int, end: int, members: Sequence[Change]) -> Change:
    """Return the changes of some lines as one; lines at its edges that stay are left out."""
    old, new = text[start:end], _replaced(text[start:end], start, members)
    if [(start, end)] == [(each.start, each.end) for each in members] and old != new:
        return members[0]
    had, has = split_lines(old), split_lines(new)
    first = common_head(had, has)
    last = len(had) - common_tail(had, has, first)
    head, tail = sum(map(len, had[:first])), sum(map(len, had[last:]))
    return Change(start + head, end - tail, new[head : len(new) - tail])


def _line_blocks(text: str, changes: ChangeSet) -> list[tuple[int, int, list[Change]]]:
    """Return the lines that change, as spans with the changes in them."""
    blocks: list[tuple[int, int, list[Change]]] = []
    for change in changes.changes:
        start = text.rfind("\n", 0, change.start) + 1
        is_whole = change.start == start and _ends_lines(text, change)
        end = change.end if is_whole else _line_end(text, change.end, start)
        if blocks and start < blocks[-1][1]:
            first, last, members = blocks[-1]
            blocks[-1] = (first, max(last, end), [*members, change])
        else:
            blocks.append((start, end, [change]))
    return blocks


def _ends_lines(text: str, change: Change) -> bool:
    """Tell whether both the old and the new text of a change that begins a line end one."""
    if change.end == len(text):
        return change.start < change.end or not text or text.endswith("\n")
    at_end = not change.end or text[change.end - 1] == "\n"
    return at_end and (not change.text or change.text.endswith("\n"))


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Whole lines of the text before, from line `line` (0-based), and what stands there after."""

    line: int
    old: tuple[str, ...]
    new: tuple[str, ...]


def unified(
    path: str, before: str | None, changes: ChangeSet, *, executable: bool | None = None
) -> str:
    r"""Return a unified diff that `git apply` takes; `before` None is a file that is created.

    Lines end at `\n` only, as git sees them. `executable` says that the file becomes a program, or
    ceases to be one. The empty string says that nothing changed.
    """
    hunks = "".join(_hunks(before or "", changes))
    if before is None:
        mode = f"new file mode {_MODES[bool(executable)]}\n"
        return _patch(path, hunks, mode, old="/dev/null")
    if executable is not None:
        mode = f"old mode {_MODES[not executable]}\nnew mode {_MODES[executable]}\n"
        return _patch(path, hunks, mode)
    return _patch(path, hunks) if hunks else ""


def unified_deletion(path: str, before: str, *, is_program: bool = False) -> str:
    """Return the unified diff of a file that goes away."""
    changes = ChangeSet(len(before), (Change(0, len(before), ""),))
    hunks = "".join(_hunks(before, changes))
    return _patch(path, hunks, f"deleted file mode {_MODES[is_program]}\n", new="/dev/null")


def _patch(path: str, hunks: str, mode: str = "", old: str = "", new: str = "") -> str:
    """Return hunks under the header that git writes; without any, the header says it all."""
    a, b = quoted(f"a/{path}"), quoted(f"b/{path}")
    names = f"--- {old or _tabbed(a)}\n+++ {new or _tabbed(b)}\n" if hunks else ""
    return f"diff --git {a} {b}\n{mode}{names}{hunks}"


def _tabbed(name: str) -> str:
    # git ends a name that holds a space with a tab, so that no reader takes the rest for a date.
    return f"{name}\t" if " " in name and not name.startswith('"') else name


def quoted(name: str) -> str:
    """Return a name as git spells it in a patch: between quotes where it holds more than ASCII."""
    if _PLAIN.issuperset(name):
        return name
    escaped = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
    out = []
    for byte in name.encode("utf-8", "surrogateescape"):
        character = chr(byte)
        out.append(escaped.get(character, character if character in _PLAIN else f"\\{byte:03o}"))
    return '"' + "".join(out) + '"'


def _hunks(text: str, changes: ChangeSet) -> Iterator[str]:
    """Yield hunk texts; stretches nearer than twice the context share one."""
    lines = _LineWindow(text)
    group: list[AlignedHunk] = []
    texts: list[tuple[str, ...]] = []
    shift = group_shift = 0
    for stretch in _stretches(text, changes):
        for hunk in differences(stretch.old, stretch.new):
            first, last = stretch.line + hunk.old_start, stretch.line + hunk.old_end
            if group and first - group[-1].old_end > 2 * CONTEXT:
                yield _hunk(lines, group, texts, group_shift)
                group, texts, group_shift = [], [], shift
            group.append(AlignedHunk(first, last, hunk.new_start, hunk.new_end))
            texts.append(stretch.new[hunk.new_start : hunk.new_end])
            shift += (hunk.new_end - hunk.new_start) - (last - first)
    if group:
        yield _hunk(lines, group, texts, group_shift)


def _stretches(text: str, changes: ChangeSet) -> Iterator[_Stretch]:
    """Yield the whole lines each change touches; changes on a common line come as one stretch."""
    line = counted = 0
    pending: list[Change] = []
    start = end = 0
    for change in [*changes.changes, None]:
        if change is not None and pending and _is_within(text, change.start, end):
            pending.append(change)
            end = _line_end(text, change.end, end)
            continue
        if pending:
            line += text.count("\n", counted, start)
            counted = start
            old = text[start:end]
            new = _replaced(old, start, pending)
            yield _Stretch(line, tuple(split_lines(old)), tuple(split_lines(new)))
        if change is not None:
            pending = [change]
            start = text.rfind("\n", 0, change.start) + 1
            end = _line_end(text, change.end, start)


def _is_within(text: str, offset: int, end: int) -> bool:
    """Tell whether an offset is on the lines that end at `end`; a last line may have no end."""
    return offset < end or (offset == end == len(text) and not text.endswith("\n"))


def _line_end(text: str, offset: int, least: int) -> int:
    """Return where the line holding `offset` ends; an offset at its start touches it too."""
    at = text.find("\n", max(offset, least))
    return at + 1 if at >= 0 else len(text)


def _replaced(old: str, start: int, changes: Sequence[Change]) -> str:
    moved = tuple(Change(c.start - start, c.end - start, c.text) for c in changes)
    return ChangeSet(len(old), moved).apply(old)


class _LineWindow:
    """Lines of a text by number, found by walking forward: no index of the whole text is built."""

    def __init__(self, text: str) -> None:
        self._text, self._line, self._at = text, 0, 0

    def lines(self, first: int, last: int) -> list[str]:
        """Return lines `first` to `last`, 0-based, the end exclusive; a later call goes on."""
        while self._line < first:
            self._at = self._text.find("\n", self._at) + 1
            self._line += 1
        at = self._at
        out: list[str] = []
        while len(out) < last - first and at < len(self._text):
            end = _line_end(self._text, at, at)
            out.append(self._text[at:end])
            at = end
        return out


def _hunk(
    lines: _LineWindow, group: list[AlignedHunk], texts: list[tuple[str, ...]], shift: int
) -> str:
    first = max(group[0].old_start - CONTEXT, 0)
    old = lines.lines(first, group[-1].old_end + CONTEXT)
    body, at = [], first
    for hunk, new in zip(group, texts, strict=True):
        body += [" " + line for line in old[at - first : hunk.old_start - first]]
        body += ["-" + line for line in old[hunk.old_start - first : hunk.old_end - first]]
        body += ["+" + line for line in new]
        at = hunk.old_end
    body += [" " + line for line in old[at - first :]]
    added = sum(len(new) for new in texts) - sum(h.old_end - h.old_start for h in group)
    here = f"-{_range(first, len(old))} +{_range(first + shift, len(old) + added)}"
    return f"@@ {here} @@\n" + "".join(map(_terminated, body))


def _range(first: int, count: int) -> str:
    # An empty range names the line before it, as in every unified diff.
    start = first + 1 if count else first
    return f"{start}" if count == 1 else f"{start},{count}"


def _terminated(line: str) -> str:
    return line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def window(
    document: Document, span: tuple[int, int], around: int = CONTEXT, most: int = 0
) -> list[tuple[int, str]]:
    """Return the numbered lines `span` touches and `around` more on both sides, at most `most`.

    Walks from the span outward, so the cost does not grow with the file. Very long lines are cut.
    """
    text, end_of_line = document.text, document.terminator
    start = text.rfind(end_of_line, 0, span[0]) + 1
    # Behind a final newline stands no line, but the next one's number is the one to count from.
    number = document.line_at(span[0]) + (0 < start == len(text))
    for _ in range(around):
        if not start:
            break
        start = text.rfind(end_of_line, 0, start - 1) + 1
        number -= 1
    lines: list[tuple[int, str]] = []
    left = around
    while start < len(text) and left >= 0 and not (most and len(lines) == most):
        end = text.find(end_of_line, start) + 1 or len(text)
        line = _narrowed(chop(text[start:end]), span[0] - start)
        lines.append((number + len(lines), line))
        left -= end >= span[1]
        start = end
    return lines


def _narrowed(line: str, at: int) -> str:
    """Return a line no wider than a reader can use, from a little before the offset `at` on."""
    if len(line) <= WIDEST:
        return line
    first = min(max(at - WIDEST // 2, 0), len(line) - WIDEST)
    last = first + WIDEST
    head, tail = "\u2026" if first else "", "\u2026" if last < len(line) else ""
    return f"{head}{line[first:last]}{tail} ({len(line)} characters)"


def numbered(lines: Sequence[tuple[int, str]]) -> str:
    """Return numbered lines as text, the numbers flush right."""
    width = len(str(max(number for number, _ in lines))) if lines else 0
    return "\n".join(f"{number:>{width}}| {text}" for number, text in lines)
