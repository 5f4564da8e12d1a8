"""Old problems and new ones, in a text that was broken before an edit."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from keyhole.edits.checks.syntax.aside import without_broken
from keyhole.edits.checks.syntax.balance import balance_of
from keyhole.edits.checks.syntax.carried import but_carried, distance, fresh_ones, nearest
from keyhole.edits.checks.syntax.problem import Delta, Problem
from keyhole.edits.checks.syntax.table import problems
from keyhole.text.changes import ChangeSet
from keyhole.values import replace

_SHOWN = re.compile(r"^(unexpected `\w+).*")
# A problem that a text has so often is how the text is written.
_USUAL = 3
# Languages with macros, which stand for anything: no grammar fits every sound text.
_APPROXIMATE = frozenset({"c", "cpp"})


def among_old_ones(syntax: str, before: str, after: str, changes: ChangeSet) -> Delta:
    """Tell new problems from old ones in a text that was broken before."""
    old = problems(syntax, after)
    if not changes.changes:
        return Delta((), old)
    older, found = _all_problems(syntax, before), _all_problems(syntax, after)
    had, has = balance_of(syntax, before), balance_of(syntax, after)
    apart = without_broken(syntax, before, after, changes)
    if apart is not None:
        new = but_carried(_in_its_version(syntax, before, apart[0]), older, changes)
    else:
        new = fresh_ones(older, found, changes)
    if has.is_better_than(had):
        # What mends a bracket is to blame for nothing but itself.
        at_change = (problem for problem in new if not distance(problem, changes))
        new = list(at_change) if apart is not None else []
    elif not new and apart is None and has.is_worse_than(had):
        new = [nearest(found or old, changes)]
    if has.is_worse_than(had):
        return Delta(_certain(new), old)
    pieces = apart[1] if apart is not None else 0
    strange = had.is_even and (syntax in _APPROXIMATE or pieces >= _USUAL)
    return Delta(_doubted(new, older, strange=strange), old)


def _in_its_version(syntax: str, before: str, found: Sequence[Problem]) -> Sequence[Problem]:
    """Return what is wrong in the version of the language that a text was written in."""
    if syntax != "python":
        return found
    from keyhole.edits.checks.syntax.python import is_of_python_2

    if not any(map(is_of_python_2, problems(syntax, before))):
        return found
    return [problem for problem in found if not is_of_python_2(problem)]


def _all_problems(syntax: str, text: str) -> tuple[Problem, ...]:
    """Return all that can be told of a broken text, where a parser stops at the first problem."""
    if syntax == "python":
        from keyhole.edits.checks.syntax.grammar import grammar_problems

        return grammar_problems("python", text)
    if syntax in {"json", "jsonc"}:
        from keyhole.edits.checks.syntax.json_text import all_json_problems

        return all_json_problems(text)
    return problems(syntax, text)


def certain_if_worse(
    syntax: str, before: str, after: str, found: Sequence[Problem]
) -> tuple[Problem, ...]:
    """Return problems, without a doubt where brackets and quotes match worse than before."""
    if balance_of(syntax, after).is_worse_than(balance_of(syntax, before)):
        return _certain(found)
    return tuple(found)


def _certain(found: Sequence[Problem]) -> tuple[Problem, ...]:
    return tuple(replace(problem, doubtful=False) for problem in found)


def _doubted(
    new: Sequence[Problem], older: Sequence[Problem], *, strange: bool
) -> tuple[Problem, ...]:
    """Doubt what a text has all over: it is in another dialect than the grammar."""
    count = Counter(map(_kind, older))
    return tuple(
        replace(problem, doubtful=problem.doubtful or strange or count[_kind(problem)] >= _USUAL)
        for problem in new
    )


def _kind(problem: Problem) -> str:
    """Return what a problem says, of the text it shows only the first word."""
    return _SHOWN.sub(r"\1", problem.message)  # house: the words of another program
