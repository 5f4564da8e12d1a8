"""Which problems of a text an edit brought, and which were there before it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from keyhole.edits.checks.syntax.problem import Problem, ProblemDelta
from keyhole.edits.checks.syntax.table import problems
from keyhole.fastclasses import replace
from keyhole.text.changes import Change, ChangeSet
from keyhole.text.diff import diff
from keyhole.text.document import plain_lines


def delta(syntax: str, before: str | None, after: str, changes: ChangeSet) -> ProblemDelta:
    """Return what is wrong after an edit; the text before is read only if something is wrong."""
    if before is not None and syntax == "python" and _still_compiles(before, changes, after):
        return ProblemDelta()
    if syntax == "markdown":
        return _in_front_matter(before, after)
    if not problems(syntax, after):
        return ProblemDelta()
    syntax = _as_before(syntax, before)
    found = problems(syntax, after)
    if not found:
        return ProblemDelta()

    if before is not None and problems(syntax, before):
        told = new_among_old(syntax, before, after, changes)
        return _with_kept_cells(told, before, after) if syntax == "notebook" else told
    return ProblemDelta(certain_if_worse(syntax, before or "", after, found))


def _with_kept_cells(told: ProblemDelta, before: str, after: str) -> ProblemDelta:
    """Return what is wrong after an edit; a cell that is as it was brings nothing, wherever."""
    from keyhole.segments.notebook.outline import cells_of

    had = Counter((cell.language, before[cell.start : cell.end]) for cell in cells_of(before))
    cells = [(cell, (cell.language, after[cell.start : cell.end])) for cell in cells_of(after)]
    has = Counter(held for _, held in cells)
    kept = [cell for cell, held in cells if has[held] <= had[held]]
    old = [each for each in told.new if any(cell.start <= each.start < cell.end for cell in kept)]
    new = tuple(each for each in told.new if each not in old)
    return ProblemDelta(new, tuple(dict.fromkeys((*told.old, *old))))


def _in_front_matter(before: str | None, after: str) -> ProblemDelta:
    """Tell what is wrong with the front matter, which is a text of its own."""
    from keyhole.edits.checks.syntax.config import front_matter_problems, shifted
    from keyhole.segments.markdown import intended_front_matter

    had, has = (
        intended_front_matter(plain_lines(before or "")),
        intended_front_matter(plain_lines(after)),
    )
    if has is None:
        return ProblemDelta()
    if had is None or had.syntax != has.syntax or min(had.end, has.end) < 0:
        same = had is not None and had.end < 0 and has.end < 0
        all_of_it = front_matter_problems(after)
        return ProblemDelta((), all_of_it) if same else ProblemDelta(all_of_it)
    old, new = (before or "")[had.start : had.end], after[has.start : has.end]
    found = delta(has.syntax, old, new, diff(old, new)) if old != new else ProblemDelta()
    return ProblemDelta(shifted(found.new, has.start), shifted(found.old, has.start))


def _still_compiles(before: str, changes: ChangeSet, after: str) -> bool:
    from keyhole.edits.checks.syntax.python import still_compiles

    return still_compiles(before, changes, after)


def _as_before(syntax: str, before: str | None) -> str:
    """Return the syntax that the text was in: JSON may have had comments."""
    if syntax != "json" or before is None or not problems("json", before):
        return syntax
    return syntax if problems("jsonc", before) else "jsonc"


Span = tuple[int, int]

# What goes on with the piece above although it stands at its margin.
_GOES_ON = re.compile(
    r"\s*(?:[)\]}>]|</|(?:end|fi|done|esac|else|elif|elsif|elseif|except|finally|catch|rescue"
    r"|ensure|then|do|in|where|deriving)\b|\|>|$)"
)
_DEEPEST = 4
_MOST_ROUNDS = 4
# A longer text would be read too often.
_LONGEST = 200_000


def without_broken(
    syntax: str, before: str, after: str, changes: ChangeSet
) -> tuple[tuple[Problem, ...], int] | None:
    """Return the problems after an edit without the old broken pieces, and how many those are.

    None if nobody can tell.
    """
    if len(before) > _LONGEST:
        return None
    layout = _Layout(before)
    for depth in layout.depths[:_DEEPEST]:
        omitted = _broken_pieces(syntax, layout, changes.changes, depth)
        if omitted:
            moved = [(_moved(start, changes), _moved(end, changes)) for start, end in omitted]
            return tuple(_problems_without(syntax, after, moved)), len(omitted)
    return None


def _broken_pieces(
    syntax: str, layout: _Layout, changes: Sequence[Change], depth: int
) -> list[Span] | None:
    """Return the pieces whose removal makes a text sound, if no change touches them."""
    omitted: list[Span] = []
    text, heads = layout.text, layout.heads(depth)
    for _ in range(_MOST_ROUNDS):
        found = list(_problems_without(syntax, text, omitted))
        if not found:
            # A text that is broken all over has no sound rest.
            return omitted if _rest(text, omitted).strip() else None
        places = {at for each in found for at in (each.start, max(each.end - 1, each.start))}
        more = {layout.piece(first) for first in {heads[layout.line_at(at)] for at in places}}
        more = {
            piece for piece in more if not any(_touch(text, piece, change) for change in changes)
        }
        if not more - set(omitted):
            return None
        omitted = _joined([*omitted, *more])
    return None


class _Layout:
    """A text by its lines: how deep each stands, and which can begin a piece."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._lines = text.split("\n")
        self._starts = list(accumulate((len(line) + 1 for line in self._lines), initial=0))
        self._indents = [*map(_indent, self._lines)]
        # A blank line goes on, too.
        self._may_begin = [not _GOES_ON.match(line) for line in self._lines]

    @property
    def depths(self) -> list[int]:
        """Return how deep the lines are indented, each depth once."""
        pairs = zip(self._lines, self._indents, strict=True)
        return sorted({indent for line, indent in pairs if line.strip()})

    def heads(self, depth: int) -> list[int]:
        """Return for each line the one at or above it that begins a piece at this depth."""
        heads, head = [], 0
        for number, indent in enumerate(self._indents):
            if indent <= depth and self._may_begin[number]:
                head = number
            heads.append(head)
        return heads

    def line_at(self, at: int) -> int:
        """Return the number of the line that an offset is in, from 0."""
        return bisect_right(self._starts, at, hi=len(self._lines)) - 1

    def piece(self, first: int) -> Span:
        """Return the lines of the piece that begins at a line."""
        own, last = self._indents[first], first + 1
        while last < len(self._lines) and not self._ends_above(last, own):
            last += 1
        return self._starts[first], min(self._starts[last], len(self.text))

    def _ends_above(self, number: int, own: int) -> bool:
        """Tell whether a piece that begins at the depth `own` ends before a line."""
        indent = self._indents[number]
        if indent < own:
            return bool(self._lines[number].strip())
        return indent == own and self._may_begin[number]


def _problems_without(syntax: str, text: str, omitted: Sequence[Span]) -> Iterator[Problem]:
    """Yield what is wrong with a text that some spans are left out of, in its own offsets."""
    left_out = [0, *accumulate(end - start for start, end in omitted)]
    starts = [start - gone for (start, _), gone in zip(omitted, left_out, strict=False)]
    for problem in problems(syntax, _rest(text, omitted)):
        start, end = (
            at + left_out[bisect_right(starts, at)] for at in (problem.start, problem.end)
        )
        yield replace(problem, start=start, end=max(start, end))


def _rest(text: str, omitted: Sequence[Span]) -> str:
    kept, at = [], 0
    for start, end in omitted:
        kept.append(text[at:start])
        at = end
    return "".join([*kept, text[at:]])


def _moved(at: int, changes: ChangeSet) -> int:
    """Return where the edge of a piece that no change touches lies afterwards."""
    return at + sum(change.growth for change in changes.changes if change.start < at)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _line(text: str, start: int) -> str:
    end = text.find("\n", start)
    return text[start : end if end >= 0 else len(text)]


def _joined(spans: Iterable[Span]) -> list[Span]:
    """Return spans in order, those that overlap as one."""
    joined: list[Span] = []
    for span in sorted(spans):
        if joined and span[0] < joined[-1][1]:
            joined[-1] = joined[-1][0], max(joined[-1][1], span[1])
        else:
            joined.append(span)
    return joined


def _touch(text: str, piece: Span, change: Change) -> bool:
    """Tell whether a change is in a piece; lines at its end count if they are indented deeper."""
    if change.start == piece[1]:
        lines = (line for line in change.text.split("\n") if line.strip())
        return _indent(next(lines, "")) > _indent(_line(text, piece[0]))
    return piece[0] <= change.end and change.start < piece[1]


def new_problems(
    older: Sequence[Problem], found: Sequence[Problem], changes: ChangeSet
) -> list[Problem]:
    """Return the problems after an edit that are not where one was before.

    Where there are no more than before, a problem may have moved: then only those at changes count.
    """
    carried = sorted(_span_after((problem.start, problem.end), changes) for problem in older)
    starts = [start for start, _ in carried]
    reach = [-1, *accumulate((end for _, end in carried), max)]
    # Of the old ones that begin before a problem ends, that which reaches furthest meets it first.
    fresh = [each for each in found if reach[bisect_right(starts, each.end)] < each.start]
    if len(found) > len(older):
        return fresh
    return [problem for problem in fresh if not distance(problem, changes)]


def without_old_messages(
    found: Sequence[Problem], older: Sequence[Problem], changes: ChangeSet
) -> list[Problem]:
    """Return the problems after an edit that had no equal message at the same place before."""
    carried = {
        (problem.message, *_span_after((problem.start, problem.end), changes)) for problem in older
    }
    return [
        problem for problem in found if (problem.message, problem.start, problem.end) not in carried
    ]


def nearest(found: Sequence[Problem], changes: ChangeSet) -> Problem:
    """Return the problem nearest to a change."""
    return min(found, key=lambda problem: distance(problem, changes))


def distance(problem: Problem, changes: ChangeSet) -> int:
    """Return how far a problem is from the nearest change, 0 if they meet."""
    spans = changes.spans_after()
    return min(max(problem.start - end, start - problem.end, 0) for start, end in spans)


def _span_after(span: Span, changes: ChangeSet) -> Span:
    """Return where a span lies after the changes; a change that it meets becomes part of it."""
    start, end = span
    low, high, shift = start, end, 0
    for change in changes.changes:
        if change.end < start:
            shift += change.growth
            low, high = start + shift, end + shift
        elif change.start <= end:
            low = min(low, change.start + shift)
            shift += change.growth
            high = max(end, change.end) + shift
    return low, high


_BRACKETS = (("(", ")"), ("[", "]"), ("{", "}"))
# Strings on one line, single characters, and the comments of most languages.
_NOT_CODE = re.compile(
    r'"(?:[^"\\\n]++|\\.)*+"|\'(?:[^\'\\\n]|\\.)\'|//[^\n]*|/\*(?s:.*?)(?:\*/|\Z)|(?P<hash>(?m:^|(?<=\s))#[^\n]*)'
)
# Languages in which a hash does not begin a comment.
_HASH_IS_CODE = frozenset({"c", "cpp", "csharp", "css"})


class Balance(NamedTuple):
    """How many brackets of a text have no partner, and whether a double quote has none."""

    brackets: int
    quotes: int

    @property
    def is_even(self) -> bool:
        """Tell whether everything has its partner."""
        return not self.brackets and not self.quotes

    def is_worse_than(self, other: Balance) -> bool:
        """Tell whether more is without a partner."""
        return self.brackets > other.brackets or self.quotes > other.quotes

    def is_better_than(self, other: Balance) -> bool:
        """Tell whether fewer brackets are without a partner; of quotes only one can be."""
        return self.brackets < other.brackets and self.quotes <= other.quotes


def balance_of(syntax: str, text: str) -> Balance:
    """Count what has no partner."""
    keeps = syntax in _HASH_IS_CODE
    code = _NOT_CODE.sub(lambda match: match["hash"] or "" if keeps else "", text)
    # A case of a shell ends with a bracket that nothing opens.
    pairs = _BRACKETS[1:] if syntax in {"bash", "other-shell"} else _BRACKETS
    alone = sum(abs(code.count(one) - code.count(other)) for one, other in pairs)
    return Balance(alone, code.count('"') % 2)


_SHOWN = re.compile(r"^(unexpected `\w+).*")
# A problem that a text has so often is how the text is written.
_USUAL = 3
# Languages with macros, which stand for anything: no grammar fits every sound text.
_APPROXIMATE = frozenset({"c", "cpp"})


def new_among_old(syntax: str, before: str, after: str, changes: ChangeSet) -> ProblemDelta:
    """Tell new problems from old ones in a text that was broken before."""
    old = problems(syntax, after)
    if not changes.changes:
        return ProblemDelta((), old)
    older, found = _all_problems(syntax, before), _all_problems(syntax, after)
    had, has = balance_of(syntax, before), balance_of(syntax, after)
    apart = without_broken(syntax, before, after, changes)
    if apart is not None:
        new = without_old_messages(_in_its_version(syntax, before, apart[0]), older, changes)
    else:
        new = new_problems(older, found, changes)
    if has.is_better_than(had):
        # What mends a bracket is to blame for nothing but itself.
        at_change = (problem for problem in new if not distance(problem, changes))
        new = list(at_change) if apart is not None else []
    elif not new and apart is None and has.is_worse_than(had):
        new = [nearest(found or old, changes)]
    if has.is_worse_than(had):
        return ProblemDelta(_certain(new), old)
    pieces = apart[1] if apart is not None else 0
    strange = had.is_even and (syntax in _APPROXIMATE or pieces >= _USUAL)
    return ProblemDelta(_as_doubtful(new, older, strange=strange), old)


def _in_its_version(syntax: str, before: str, found: Sequence[Problem]) -> Sequence[Problem]:
    """Return what is wrong in the version of the language that a text was written in."""
    if syntax != "python":
        return found
    from keyhole.edits.checks.syntax.python import is_of_python_2

    if not any(map(is_of_python_2, problems(syntax, before))):
        return found
    return [problem for problem in found if not is_of_python_2(problem)]


def _all_problems(syntax: str, text: str) -> tuple[Problem, ...]:
    """Return all problems of a broken text, where a parser stops at the first one."""
    if syntax == "python":
        from keyhole.edits.checks.syntax.grammar import grammar_problems

        return grammar_problems("python", text)
    if syntax in {"json", "jsonc"}:
        from keyhole.edits.checks.syntax.config import all_json_problems

        return all_json_problems(text)
    return problems(syntax, text)


def certain_if_worse(
    syntax: str, before: str, after: str, found: Sequence[Problem]
) -> tuple[Problem, ...]:
    """Return problems, as certain ones if brackets and quotes match worse than before."""
    if balance_of(syntax, after).is_worse_than(balance_of(syntax, before)):
        return _certain(found)
    return tuple(found)


def _certain(found: Sequence[Problem]) -> tuple[Problem, ...]:
    return tuple(replace(problem, doubtful=False) for problem in found)


def _as_doubtful(
    new: Sequence[Problem], older: Sequence[Problem], *, strange: bool
) -> tuple[Problem, ...]:
    """Return problems as doubtful if the text has them all over: it is in another dialect."""
    count = Counter(map(_kind, older))
    return tuple(
        replace(problem, doubtful=problem.doubtful or strange or count[_kind(problem)] >= _USUAL)
        for problem in new
    )


def _kind(problem: Problem) -> str:
    """Return the message of a problem; of the text that it shows, only the first word."""
    return _SHOWN.sub(r"\1", problem.message)  # house: the words of another program
