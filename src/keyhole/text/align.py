"""Line up two sequences: where they differ, and how alike they are. The one home of rapidfuzz."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import NamedTuple

# Cells of the alignment table: beyond this a stretch is taken as replaced whole, so that hostile or
# repetitive input costs a bounded amount of time and memory (about 8 MB).
COST_CAP = 64_000_000


class AlignedHunk(NamedTuple):
    """Items `[old_start, old_end)` of one sequence that others of the second stand for."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int


def differences(old: Sequence[Hashable], new: Sequence[Hashable]) -> list[AlignedHunk]:
    """Return the least and fewest hunks that turn `old` into `new`; beyond the cost cap, larger."""
    head = common_head(old, new)
    tail = common_tail(old, new, head)
    start, old_end, new_end = head, len(old) - tail, len(new) - tail
    if old_end - start == new_end - start == 1:
        return [AlignedHunk(start, old_end, start, new_end)]
    return _joined(old, new, _between(old, new, AlignedHunk(start, old_end, start, new_end)))


def _joined(
    old: Sequence[Hashable], new: Sequence[Hashable], hunks: list[AlignedHunk]
) -> list[AlignedHunk]:
    """Return hunks of which none could move to touch another: what belongs together is one.

    Worked example: `a . c` becomes `b . x . c`. To keep the first dot makes two hunks of it, to
    keep the second one.
    """
    joined: list[AlignedHunk] = []
    for hunk in hunks:
        joined.append(hunk)
        while len(joined) > 1 and (one := _as_one(old, new, *joined[-2:])):
            joined[-2:] = [one]
    return joined


def _as_one(
    old: Sequence[Hashable], new: Sequence[Hashable], first: AlignedHunk, second: AlignedHunk
) -> AlignedHunk | None:
    """Return two hunks as one where what stands between them can be taken as kept below them."""
    gap = second.old_start - first.old_end
    if not _rises(old, new, second, gap):
        return None
    return AlignedHunk(first.old_start, second.old_end - gap, first.new_start, second.new_end - gap)


def _rises(old: Sequence[Hashable], new: Sequence[Hashable], hunk: AlignedHunk, by: int) -> bool:
    """Tell whether a hunk that only adds or only removes says the same `by` items further up."""
    if hunk.old_start == hunk.old_end:
        return new[hunk.new_start - by : hunk.new_start] == new[hunk.new_end - by : hunk.new_end]
    if hunk.new_start == hunk.new_end:
        return old[hunk.old_start - by : hunk.old_start] == old[hunk.old_end - by : hunk.old_end]
    return False


def line_differences(
    old: Sequence[Hashable],
    new: Sequence[Hashable],
    old_lines: Sequence[str],
    new_lines: Sequence[str],
) -> list[AlignedHunk]:
    """Return the hunks between lines, each where a reader would see it.

    `old` and `new` are what is compared, `old_lines` and `new_lines` how it reads. Lines that only
    come or only go can often be seen at several places: best where the edges are outermost, then
    below blank lines, then as late as can be.
    """
    hunks = differences(old, new)
    lows = [0, *(hunk.old_end + 1 for hunk in hunks)]
    highs = [*(hunk.old_start - 1 for hunk in hunks[1:]), len(old)]
    settled: list[AlignedHunk] = []
    for hunk, low, high in zip(hunks, lows, highs, strict=False):
        by, room = 0, (hunk.old_start - low, high - hunk.old_end)
        if hunk.old_start == hunk.old_end:
            by = _settling(new, new_lines, hunk.new_start, hunk.new_end, room)
        elif hunk.new_start == hunk.new_end:
            by = _settling(old, old_lines, hunk.old_start, hunk.old_end, room)
        settled.append(AlignedHunk(*(at + by for at in hunk)))
    return settled


def _settling(
    keys: Sequence[Hashable], lines: Sequence[str], start: int, end: int, room: tuple[int, int]
) -> int:
    """Return how far a block of lines that comes or goes is best moved, up or down."""
    up = down = 0
    while up < room[0] and keys[start - up - 1] == keys[end - up - 1]:
        up += 1
    while down < room[1] and keys[start + down] == keys[end + down]:
        down += 1
    if not up and not down:
        return 0
    depths = _depths(lines, start - up, end + down)

    def edges(by: int) -> tuple[int, int, int]:
        """Tell how deep the two edges of the block lie, how few have a blank line above."""
        first, last = start + by, end + by
        blank = (first > 0 and not lines[first - 1].strip()) + (not lines[last - 1].strip())
        return depths[by + up] + depths[last - start + up], -blank, -by

    return min(range(-up, down + 1), key=edges)


def _depths(lines: Sequence[str], first: int, last: int) -> list[int]:
    """Return for each place from `first` to `last` how far in the next line with words stands."""
    at = last
    while at < len(lines) and not lines[at].strip():
        at += 1
    depths = [_indent(lines[at]) if at < len(lines) else 0]
    for index in range(last - 1, first - 1, -1):
        depths.append(_indent(lines[index]) if lines[index].strip() else depths[-1])
    return depths[::-1]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def unchanged(old: Sequence[Hashable], new: Sequence[Hashable]) -> Iterator[tuple[int, int]]:
    """Yield the items that stand in both, by their index in each."""
    i = j = 0
    for hunk in [*differences(old, new), AlignedHunk(len(old), len(old), len(new), len(new))]:
        yield from zip(range(i, hunk.old_start), range(j, hunk.new_start), strict=True)
        i, j = hunk.old_end, hunk.new_end


def _between(
    old: Sequence[Hashable], new: Sequence[Hashable], gap: AlignedHunk
) -> list[AlignedHunk]:
    size = (gap.old_end - gap.old_start) * (gap.new_end - gap.new_start)
    if not size:
        return [gap] if gap.old_end > gap.old_start or gap.new_end > gap.new_start else []
    if size <= COST_CAP:
        return _aligned(old, new, gap)
    return _anchored(old, new, gap)


def _aligned(
    old: Sequence[Hashable], new: Sequence[Hashable], gap: AlignedHunk
) -> list[AlignedHunk]:
    a, b = old[gap.old_start : gap.old_end], new[gap.new_start : gap.new_end]
    if set(a).isdisjoint(b):  # as after most edits, which then need not load the package
        return [gap]
    from rapidfuzz.distance import Indel

    hunks: list[AlignedHunk] = []
    for code in Indel.opcodes(*_numbered(a, b)):
        if code.tag == "equal":
            continue
        hunk = AlignedHunk(
            gap.old_start + code.src_start,
            gap.old_start + code.src_end,
            gap.new_start + code.dest_start,
            gap.new_start + code.dest_end,
        )
        joins = (
            hunks and hunks[-1].old_end == hunk.old_start and hunks[-1].new_end == hunk.new_start
        )
        if joins:
            last = hunks.pop()
            hunk = AlignedHunk(last.old_start, hunk.old_end, last.new_start, hunk.new_end)
        hunks.append(hunk)
    return hunks


def _numbered(
    a: Sequence[Hashable], b: Sequence[Hashable]
) -> tuple[Sequence[Hashable], Sequence[Hashable]]:
    r"""Return two sequences with numbers for items, since rapidfuzz compares hashes of items.

    The hashes of `""` and `"\0"` are the same, those of two small numbers are not. The characters
    of a text are compared as such.
    """
    if isinstance(a, str) and isinstance(b, str):
        return a, b
    numbers: dict[Hashable, int] = {}
    for item in (*a, *b):
        numbers.setdefault(item, len(numbers))
    return [numbers[item] for item in a], [numbers[item] for item in b]


def _anchored(
    old: Sequence[Hashable], new: Sequence[Hashable], gap: AlignedHunk
) -> list[AlignedHunk]:
    """Split too large a gap at items both sides have once; a part still too large is one hunk."""
    anchors = _increasing(_shared_singles(old, new, gap))
    if not anchors:
        return [gap]
    hunks: list[AlignedHunk] = []
    i, j = gap.old_start, gap.new_start
    for a, b in [*anchors, (gap.old_end, gap.new_end)]:
        inner = AlignedHunk(i, a, j, b)
        small = (a - i) * (b - j) <= COST_CAP
        hunks += _between(old, new, inner) if small else [inner]
        i, j = a + 1, b + 1
    return hunks


def _shared_singles(
    old: Sequence[Hashable], new: Sequence[Hashable], gap: AlignedHunk
) -> list[tuple[int, int]]:
    where = _singles(new, gap.new_start, gap.new_end)
    singles = _singles(old, gap.old_start, gap.old_end)
    return [(index, where[item]) for item, index in singles.items() if item in where]


def _singles(items: Sequence[Hashable], start: int, end: int) -> dict[Hashable, int]:
    seen: dict[Hashable, int] = {}
    for index in range(start, end):
        seen[items[index]] = -1 if items[index] in seen else index
    return {item: index for item, index in seen.items() if index >= 0}


def _increasing(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return a longest run of pairs that rises on both sides (patience sorting)."""
    tails: list[int] = []
    ends: list[int] = []
    back: list[int] = []
    for index, (_, b) in enumerate(pairs):
        at = bisect_left(tails, b)
        back.append(ends[at - 1] if at else -1)
        tails[at : at + 1] = [b]
        ends[at : at + 1] = [index]
    run: list[tuple[int, int]] = []
    index = ends[-1] if ends else -1
    while index >= 0:
        run.append(pairs[index])
        index = back[index]
    return run[::-1]


def common_head(a: Sequence[Hashable], b: Sequence[Hashable]) -> int:
    """Return how many items both sequences begin with."""
    limit = min(len(a), len(b))
    if a[:limit] == b[:limit]:
        return limit
    return _bisect(limit, lambda low, high: a[low:high] == b[low:high])


def common_tail(a: Sequence[Hashable], b: Sequence[Hashable], head: int = 0) -> int:
    """Return how many items both sequences end with, not counting the first `head`."""
    limit = min(len(a), len(b)) - head
    m, n = len(a), len(b)
    if a[m - limit :] == b[n - limit :]:
        return limit
    return _bisect(limit, lambda low, high: a[m - high : m - low] == b[n - high : n - low])


def _bisect(limit: int, same: Callable[[int, int], bool]) -> int:
    """Return the length of the common run: compares slices, which is native speed, in halves."""
    low, high = 0, limit
    while high - low > 1:
        middle = (low + high) // 2
        if same(low, middle):
            low = middle
        else:
            high = middle
    return low


def similarity(a: str, b: str, cutoff: float = 0.0) -> float:
    """Return how alike two texts are, from 0 to 1; below `cutoff` it is 0."""
    from rapidfuzz.distance import Indel

    return float(Indel.normalized_similarity(a, b, score_cutoff=cutoff))


def most_alike(
    wanted: str, choices: Sequence[str], cutoff: float, limit: int
) -> list[tuple[int, float]]:
    """Return the indexes of up to `limit` choices most like `wanted`, and how like, best first."""
    from rapidfuzz import process
    from rapidfuzz.distance import Indel

    found = process.extract(
        wanted, choices, scorer=Indel.normalized_similarity, score_cutoff=cutoff, limit=limit
    )
    return [(index, float(score)) for _, score, index in found]
