"""Quotes that leave out their middle: `...` between two pieces, or `find` with `until`."""

from __future__ import annotations

import random
import re

from tests.torture.place.changes import reworded
from tests.torture.place.corpus import OF_SUFFIX
from tests.torture.place.files import File, indent, is_blank, key
from tests.torture.place.trial import EITHER, REFUSE, UNIQUE, Call, Trial

Maybe = Trial | None
_MARKS = (
    "...",
    "    ...",
    "# ...",
    "// ...",
    "# ... existing code ...",
    "// ... existing code ...",
)
_CLOSERS = frozenset("}])>")
_BRACED = ("c", "c++", "css", "javascript", "perl", "tcl", "typescript")
_PYTHON_BLOCK = re.compile(r"(?:async )?(?:def|class|if|for|while|with|try|else|elif|except)\b.*:$")
_STATEMENT = re.compile(r"(?:async )?(?:if|for|while|try|do|begin|unless)\b")
_CLAUSE = re.compile(r"\}? ?(?:elif|elsif|elseif|else|except|finally|catch|rescue|ensure)\b")
_HEADED = {".md": re.compile(r"(#{1,6}) +\S"), ".toml": re.compile(r"()\[[^\[\]]+\]$")}


def elided(rng: random.Random, file: File) -> Maybe:
    """Leave out the middle of a block."""
    block = _block(rng, file)
    if not block:
        return None
    first, last = block
    end = rng.randrange(first + 3, last)
    old = file.lines[first : end + 1]
    if not _ends_are_known(file, old) or is_blank(old[-1]):
        return None
    mark = rng.choice(_MARKS)
    other = reworded(rng, old[-1], "_kh")
    right = file.with_lines(end, end + 1, (other,))
    quote = (old[0], mark, old[-1])
    call = Call({"find": "\n".join(quote), "content": "\n".join((old[0], mark, other))})
    return Trial(file, call, _certain(old, 20), (right.text,), quote="\n".join(quote))


def elided_too_far(rng: random.Random, file: File) -> Maybe:
    """Quote as the end of a block what stands only behind that block."""
    found = _past_the_block(rng, file)
    if not found:
        return None
    first, end = found
    head, tail, mark = file.lines[first], file.lines[end], rng.choice(_MARKS)
    other = reworded(rng, tail, "_kh")
    quote = f"{head}\n{mark}\n{tail}"
    call = Call({"find": quote, "content": f"{head}\n{mark}\n{other}"})
    return Trial(file, call, REFUSE, quote=quote)


def until(rng: random.Random, file: File) -> Maybe:
    """Quote both ends of a piece of a block."""
    block = _block(rng, file)
    if not block:
        return None
    first, last = block
    end = rng.randrange(first + 2, last)
    old = file.lines[first : end + 1]
    if not _ends_are_known(file, old) or is_blank(old[-1]):
        return None
    new = (old[0], reworded(rng, old[-1], "_kh"))
    right = file.with_lines(first, end + 1, new)
    call = Call({"find": old[0], "until": old[-1], "content": "\n".join(new)})
    return Trial(file, call, _certain(old, 12), (right.text,))


def until_too_far(rng: random.Random, file: File) -> Maybe:
    """Quote an end that stands only behind the block."""
    found = _past_the_block(rng, file)
    if not found:
        return None
    first, end = found
    fields: dict[str, object] = {"find": file.lines[first], "until": file.lines[end]}
    if rng.random() < 0.5:
        fields["action"] = "delete"
    else:
        fields["content"] = reworded(rng, file.lines[first], "_kh")
    return Trial(file, Call(fields), REFUSE)


def _block(rng: random.Random, file: File) -> tuple[int, int] | None:
    """Return the line that opens a block of at least five lines, and the line behind the block."""
    found = [pair for pair in _blocks(file) if pair[1] - pair[0] >= 5]
    return rng.choice(found) if found else None


def _blocks(file: File) -> list[tuple[int, int]]:
    """Return lines with deeper ones below, and where the first comes that is not deeper."""
    lines, found = file.lines, []
    for first in range(len(lines) - 1):
        if (
            is_blank(lines[first])
            or is_blank(lines[first + 1])
            or lines[first].strip()[0] in _CLOSERS
        ):
            continue
        margin = indent(lines[first])
        if not _is_deeper(lines[first + 1], margin):
            continue
        last = first + 1
        while last < len(lines) and (is_blank(lines[last]) or _is_deeper(lines[last], margin)):
            last += 1
        while is_blank(lines[last - 1]):
            last -= 1
        found.append((first, last))
    return found


def _is_deeper(line: str, margin: str) -> bool:
    own = indent(line)
    return own.startswith(margin) and len(own) > len(margin)


def _ends_are_known(file: File, old: tuple[str, ...]) -> bool:
    """Tell whether the first line stands once and the last one once in all that follows."""
    head, tail = old[0], old[-1]
    enough = len(head.strip()) >= 12 and len(tail.strip()) >= 12
    return enough and _once(file, head) and _once(file, tail)


def _once(file: File, line: str) -> bool:
    return file.digest.count(key(line)) == 1


def _certain(old: tuple[str, ...], least: int) -> str:
    """Return UNIQUE where both ends say enough: a piece beside `...` needs twenty characters."""
    return UNIQUE if min(len(old[0].strip()), len(old[-1].strip())) >= least else EITHER


def _past_the_block(rng: random.Random, file: File) -> tuple[int, int] | None:
    """Return the head of a block, and a line deeper than it in a block behind, which stands once.

    Between them lies a line that is not deeper than the head and opens another block.
    """
    if file.suffix in _HEADED:
        return _past_the_heading(rng, file)
    if len({indent(line)[0] for line in file.lines if indent(line)}) > 1:
        return None  # how deep a tab is nobody knows
    blocks = [pair for pair in _blocks(file) if pair[1] - pair[0] >= 3]
    pairs = [
        (one, other)
        for one in blocks
        for other in blocks
        if other[0] >= one[1]
        and other[0] - one[1] < 30
        and len(indent(file.lines[other[0]])) <= len(indent(file.lines[one[0]]))
    ]
    if not pairs:
        return None
    one, other = rng.choice(pairs)
    end = rng.randrange(other[0] + 1, other[1])
    old = file.lines[one[0]], file.lines[end]
    if is_blank(old[1]) or not _ends_are_known(file, old):
        return None
    # A tail to the left of the head shows that its block is left; it may do so in its function.
    left = len(indent(old[1])) < len(indent(old[0])) or _is_one_statement(file, one[0], end)
    return None if left or not _opens_code(file, one[0], end) else (one[0], end)


def _is_one_statement(file: File, first: int, end: int) -> bool:
    """Tell whether a head begins a statement, and nothing but its clauses come before the end."""
    lines, margin = file.lines, len(indent(file.lines[first]))
    between = [n for n in range(first + 1, end) if not is_blank(lines[n])]
    beside = [lines[n].strip() for n in between if len(indent(lines[n])) <= margin]
    clauses = [
        each for each in beside if not each.startswith(("{", "#", "//", ")")) and each != "}"
    ]
    return bool(_STATEMENT.match(lines[first].strip())) and all(map(_CLAUSE.match, clauses))


def _opens_code(file: File, first: int, end: int) -> bool:
    """Tell whether a line is code and no directive; a text may hold it, if that ends in between."""
    line = file.lines[first].strip()
    if file.suffix in {".py", ".pyi"}:
        quoted = "\n".join(file.lines[:first]).count('"""') % 2 == 1
        ended = "\n".join(file.lines[first:end]).count('"""') % 2 == 1
        return ended if quoted else bool(_PYTHON_BLOCK.match(line))
    if OF_SUFFIX[file.suffix] in _BRACED:
        margin = len(indent(file.lines[first]))
        between = [each for each in file.lines[first + 1 : end] if len(indent(each)) <= margin]
        return line.endswith("{") and any(each.lstrip().startswith("}") for each in between)
    return not line.startswith(("#", "*", "/*", "//", "<!--"))


def _past_the_heading(rng: random.Random, file: File) -> tuple[int, int] | None:
    """Return a heading and a line that stands once in a section which is not below it."""
    found, fenced = [], False
    for at, line in enumerate(file.lines):
        fenced ^= line.lstrip().startswith(("```", "~~~"))
        if not fenced and (match := _HEADED[file.suffix].match(line)):
            found.append((at, len(match[1])))
    later = [
        (one[0], other[0], following[0])
        for one, other, following in zip(found, found[1:], found[2:], strict=False)
        if other[1] <= one[1]
    ]
    if not later:
        return None
    first, other, last = rng.choice(later)
    if last - other < 2:
        return None
    end = rng.randrange(other + 1, last)
    if is_blank(file.lines[end]) or not _ends_are_known(file, (file.lines[first], file.lines[end])):
        return None
    return first, end
