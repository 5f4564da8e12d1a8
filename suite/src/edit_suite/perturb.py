"""Cases that are drawn: a frozen case whose file or quote is changed in a way whose truth is known.

Each perturbation is about what must not matter (lines above, line ends, a missing last newline), or
about what must stop an edit (a second place, a quote that is nowhere).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace

from edit_suite.case import Call, Case

_WORDS = ("alpha", "bravo", "carbon", "delta", "ember", "fjord", "gamma", "harbor")


def perturbed(cases: Sequence[Case], seed: int, count: int) -> list[Case]:
    """Return so many cases, the same for the same number."""
    chance = random.Random(seed)  # noqa: S311 - repeatable, not secret
    sources = [case for case in cases if _is_plain(case)]
    drawn = []
    for number in range(count):
        change = chance.choice(_CHANGES)
        case = change(chance.choice(sources), chance)
        name = f"seed-{seed}-{number:04}-{case.id}"
        drawn.append(replace(case, id=name, provenance=f"drawn from {seed}"))
    return drawn


def _is_plain(case: Case) -> bool:
    """Tell whether a case is one edit of one file in UTF-8 with LF, by a quote that stands once."""
    if case.kind not in {"exact", "duplicate"} or case.refuses or len(case.calls) != 1:
        return False
    return len(case.before) == 1


def _parts(case: Case) -> tuple[str, str, str]:
    [(path, before)] = case.before.items()
    return path, before.decode(), case.afters[0][path].decode()


def _as(case: Case, before: str, after: str | None, call: Call | None = None) -> Case:
    [path] = case.before
    afters = () if after is None else ({path: after.encode()},)
    calls = (call,) if call else case.calls
    return replace(case, before={path: before.encode()}, afters=afters, calls=calls)


def _lines(chance: random.Random) -> str:
    words = [chance.choice(_WORDS) for _ in range(chance.randint(1, 12))]
    return "".join(f"{word} {chance.randint(1000, 9999)}\n" for word in words)


def _above(case: Case, chance: random.Random) -> Case:
    """Put lines above: the place moves."""
    _, before, after = _parts(case)
    above = _lines(chance)
    return _as(case, above + before, above + after)


def _below(case: Case, chance: random.Random) -> Case:
    _, before, after = _parts(case)
    below = _lines(chance)
    return _as(case, before + below, after + below)


def _crlf(case: Case, _chance: random.Random) -> Case:
    _, before, after = _parts(case)
    changed = _as(case, before.replace("\n", "\r\n"), after.replace("\n", "\r\n"))
    return replace(changed, kind="line-ends")


def _bare_end(case: Case, _chance: random.Random) -> Case:
    _, before, after = _parts(case)
    return replace(_as(case, before.rstrip("\n"), after.rstrip("\n")), kind="last-line")


def _twice(case: Case, _chance: random.Random) -> Case:
    """Put the file behind itself: every quote stands twice."""
    _, before, _ = _parts(case)
    return replace(_as(case, f"{before}\n{before}", None), kind="ambiguous")


def _nowhere(case: Case, chance: random.Random) -> Case:
    """Add a line to the quote that is in no file."""
    _, before, _ = _parts(case)
    call = case.calls[0]
    strange = f"{chance.choice(_WORDS)}_{chance.randint(10000, 99999)} = nowhere"
    old = f"{call['old']}\n{strange}"
    other = Call(call.verb, call.path, {**call.arguments, "old": old})
    return replace(_as(case, before, None, other), kind="near")


_CHANGES: tuple[Callable[[Case, random.Random], Case], ...] = (
    _above,
    _below,
    _crlf,
    _bare_end,
    _twice,
    _nowhere,
)
