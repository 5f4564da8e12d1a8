"""Repairs of quotes that transport damaged: line numbers, fences, escapes, blank edges.

A repair is total (every line shows the damage) and repairs old and new alike. The ladder tries
repairs only if the quote as it came stands nowhere.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from keyhole.fastclasses import dataclass
from keyhole.matching.query import Quote
from keyhole.matching.view import fold
from keyhole.phrases import say
from keyhole.text.indent import is_blank

_NUMBER = re.compile(r"^[ ]*(\d{1,9})( ?[|:]|\t|\u2192)")
_FENCE = re.compile(
    r"(?s)\A(?P<head>(?P<mark>`{3,}|~{3,})[^\n`]*)\n(?P<body>.*?)\n?(?P=mark)[ \t]*\n?\Z"
)
_ESCAPE = re.compile(r"\\(.)")
_TAB = re.compile(r"(?<!\\)\\t")
_INDENT = re.compile(r"^(?:\\t)+")
_TAB_IN_STRING = re.compile(rf"([\"'`])(?:(?!\1).)*{_TAB.pattern}")
_ESCAPED = re.compile(r"""(?>(?:[^"\\]++|\\[ntr"'\\])*)""")
# Text in which no quotation mark stands without its backslash; and without line ends as `\n`.
_ONLY_MARKS = re.compile(r"""(?>(?:[^"\\]++|\\.)*)""", re.DOTALL)
_ESCAPED_LINES = re.compile(r"""(?>(?:[^"\\]++|\\[t"'\\])*)""")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "'": "'", "\\": "\\"}
_ENTITY = re.compile(r"&(lt|gt|amp|quot|#39|apos);")
_ENTITIES = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "#39": "'", "apos": "'"}
_STORED_LINE = re.compile(r'[ \t]*"((?:[^"\\]|\\.)*)"[ \t]*,?[ \t]*')
_MOST_BLANK_EDGES = 2
_NO_ESCAPES = say("doubled escapes were undone", kind="escapes")
NO_JSON = say("the JSON of the notebook was read as its text", kind="json")
_NO_ENTITIES = say("HTML entities were undone", kind="entities")
# How each kind of damage looks in a text that was not repaired.
_ESCAPED_TEXT = re.compile(rf"\\[nt]|\A(?=[^\"]*\\\"){_ONLY_MARKS.pattern}\\?\Z", re.DOTALL)
DAMAGE = {_NO_ESCAPES: _ESCAPED_TEXT, _NO_ENTITIES: _ENTITY}


@dataclass(frozen=True, slots=True)
class Repair:
    """A repaired quote: what was repaired, how strictly it must match, the line it names.

    `inline` says that the quote may be a part of a line. With `moves` the text may be at another
    line than `line` by now. `bare` says whether the line above and the line below must not be
    blank: the edit would remove blank lines there. `fence` is what neither of them may begin with.
    """

    note: str
    quote: Quote
    inline: bool = False
    may_shift: bool = True
    line: int = 0
    moves: bool = False
    bare: tuple[bool, bool] = (False, False)
    fence: str = ""


def repairs(quote: Quote, *, in_json: bool = False) -> Iterator[Repair]:
    """Yield the quote with each possible damage undone; a notebook's text is stored `in_json`."""
    for repair in _REPAIRS:
        yield from repair(quote)
    if in_json:
        yield from stored_lines(quote)


def line_numbers(quote: Quote) -> Iterator[Repair]:
    """Take consecutive line numbers off every line: `  12| text`, `12: text`, `12<tab>text`."""
    numbers = _numbers(quote.old)
    if not numbers or any(b - a != 1 for a, b in pairwise(numbers)):
        return
    new, shifts = quote.new, False
    if new is not None and any(map(_NUMBER.match, new.split("\n"))):
        if not _numbers(new):
            return
        shifts = True
    note = "line numbers were taken off the quoted text"
    # `80: http` may be a key and its value: such a number has to be the line's own.
    moves = ":" not in _marks(quote.old)
    for width in _space_after(quote.old):
        wanted = _without_numbers(new, width) if shifts and new is not None else new
        old = _without_numbers(quote.old, width)
        yield Repair(note, Quote(old, wanted), may_shift=shifts, line=numbers[0], moves=moves)


def _numbers(text: str) -> list[int]:
    """Return the number of each line, or nothing where a line has none."""
    found = [_NUMBER.match(line) for line in text.removesuffix("\n").split("\n")]
    return [int(match[1]) for match in found if match] if all(found) else []


def _marks(text: str) -> set[str]:
    """Return what stands between the numbers and the text of the lines."""
    found = map(_NUMBER.match, text.split("\n"))
    return {match[2][-1] for match in found if match}


def _space_after(text: str) -> tuple[int, ...]:
    """Return how many blanks may belong to the number: `12| x` has one, `12<tab>x` none."""
    found = [_NUMBER.match(line) for line in text.split("\n")]
    rest = [match.string[match.end() :] for match in found if match]
    spaced = all(line.startswith(" ") or not line for line in rest)
    return (1, 0) if spaced and _marks(text) <= {"|", ":"} else (0,)


def _without_numbers(text: str, space: int) -> str:
    return "\n".join(_NUMBER.sub("", line, count=1)[space:] for line in text.split("\n"))


def fences(quote: Quote) -> Iterator[Repair]:
    """Take a code fence off old, and off new where the same one is around it.

    Any other fence in either text is the file's own, and may be what the edit changes. If only old
    is fenced, the place must not be: the edit might remove the file's fence.
    """
    old = _FENCE.match(quote.old.strip("\n"))
    if not old or _has_fence(old["body"], old["mark"]):
        return
    new = _FENCE.match((quote.new or "").strip("\n"))
    bodies = Quote(old["body"], new["body"] if new else quote.new)
    if _has_fence(bodies.new or "", old["mark"]) or (new and new["head"] != old["head"]):
        return
    note = "a code fence was taken off the quoted text"
    yield Repair(note, bodies, fence="" if new else old["mark"])


def _has_fence(text: str, mark: str) -> bool:
    return any(line.lstrip().startswith(mark) for line in text.split("\n"))


def escapes(quote: Quote) -> Iterator[Repair]:
    r"""Undo doubled escapes in a quote that came as one line: `\n` for a line end."""
    if "\\" not in quote.old:
        return
    if "\n" in quote.old:
        yield from _escaped_lines(quote)
        return
    for undo in _readings(quote):
        old = undo(quote.old)
        new = None if quote.new is None else _new_undone(quote.new, quote.old, undo)
        if "\n" in old or "\t" in old:
            yield Repair(_NO_ESCAPES, Quote(old, new), inline=True)


def _new_undone(new: str, old: str, undo: Callable[[str], str]) -> str:
    """Return new text without its escapes; of several lines, the quoted one and all indentation."""
    if "\n" not in new:
        return undo(new)
    lines = (undo(line) if line == old else line for line in new.split("\n"))
    return "\n".join(_INDENT.sub(lambda found: "\t" * (len(found[0]) // 2), line) for line in lines)


def _escaped_lines(quote: Quote) -> Iterator[Repair]:
    r"""Undo each `\t` of a quote whose line ends came as such, or all of its escapes.

    A new line that has one in a string may mean it: such a text is not read in this way, nor one
    with `\"` and no plain quotation mark that was not escaped as a whole.
    """
    both, undo = quote.old + (quote.new or ""), _only_tabs
    if '\\"' in both and _ONLY_MARKS.fullmatch(both):
        if not _ESCAPED_LINES.fullmatch(both):
            return
        undo = _all_escapes
    old, known = undo(quote.old), {*quote.old.split("\n")}
    new = (quote.new or "").split("\n")
    if old == quote.old or any(_TAB_IN_STRING.search(line) for line in new if line not in known):
        return
    yield Repair(_NO_ESCAPES, Quote(old, None if quote.new is None else undo(quote.new)))


def _only_tabs(text: str) -> str:
    return _TAB.sub("\t", text)


def _readings(quote: Quote) -> tuple[Callable[[str], str], ...]:
    """Return the ways a quote may have been escaped; where old tells no difference, new may.

    Text in which no quotation mark stands without its backslash was escaped as a whole.
    """
    both = quote.old + (quote.new or "")
    same = _only_newlines(quote.old) == _all_escapes(quote.old)
    if same and '"' in both and _ESCAPED.fullmatch(both):
        return (_all_escapes,)
    return _only_newlines, _all_escapes


def _only_newlines(text: str) -> str:
    return text.replace("\\n", "\n")


def _all_escapes(text: str) -> str:
    return _ESCAPE.sub(lambda match: _ESCAPES.get(match[1], match[0]), text)


def entities(quote: Quote) -> Iterator[Repair]:
    """Undo HTML entities that stand for plain characters."""
    if not _ENTITY.search(quote.old):
        return
    new = _plain(quote.new) if quote.new is not None else None
    yield Repair(_NO_ENTITIES, Quote(_plain(quote.old), new), inline=True)


def _plain(text: str) -> str:
    return _ENTITY.sub(lambda match: _ENTITIES[match[1]], text)


def blank_edges(quote: Quote) -> Iterator[Repair]:
    """Take blank lines off the edges of old, and as many off new."""
    lines = quote.old.split("\n")
    top = _edge(lines)
    bottom = _edge(lines[top:][::-1])
    if not top and not bottom:
        return
    old = "\n".join(lines[top : len(lines) - bottom])
    new, bare = quote.new, (False, False)
    if new is not None:
        wanted = new.split("\n")
        head = min(top, _edge(wanted))
        foot = min(bottom, _edge(wanted[head:][::-1]))
        new, bare = "\n".join(wanted[head : len(wanted) - foot]), (head < top, foot < bottom)
    note = "blank lines at the edges of the quoted text were left aside"
    yield Repair(note, Quote(old, new), bare=bare)


def stored_lines(quote: Quote) -> Iterator[Repair]:
    r"""Read lines as the JSON of a notebook has them: `"x = \"a\"\n",`, or without their quotes."""
    for opening, inline in (('"', False), ("", True)):
        old = _from_json(quote.old, opening)
        new = None if quote.new is None else _from_json(quote.new, opening)
        if old is None or (quote.new is not None and new is None):
            continue
        if inline and '\\"' not in quote.old:
            continue
        if new and old.endswith("\n"):
            old, new = old.removesuffix("\n"), new.removesuffix("\n")
        yield Repair(NO_JSON, Quote(old, new), inline=inline)


def source_lines(lines: Sequence[str]) -> list[str] | None:
    """Return the lines of a source that lines of a notebook's JSON spell, None if they are none."""
    read = [_from_json(line, '"') for line in lines if line.strip()]
    if len(read) < len(lines) or any(line is None or "\n" in line[:-1] for line in read):
        return None
    return [line.removesuffix("\n") for line in read if line is not None]


def _from_json(text: str, opening: str) -> str | None:
    """Return what lines of JSON strings mean, None if one of them is none."""
    lines = [line for line in text.split("\n") if line.strip() or not opening]
    if opening:
        found = [_STORED_LINE.fullmatch(line) for line in lines]
        if not all(found):
            return None
        lines = [each[1] for each in found if each]
    try:
        return ("" if opening else "\n").join(json.loads(f'"{line}"') for line in lines)
    except ValueError:
        return None


def _edge(lines: list[str]) -> int:
    """Return how many blank lines, within reason, a list of lines begins with."""
    count = 0
    while count < len(lines) - 1 and count < _MOST_BLANK_EDGES and is_blank(fold(lines[count])):
        count += 1
    return count


_REPAIRS: tuple[Callable[[Quote], Iterator[Repair]], ...] = (
    line_numbers,
    fences,
    escapes,
    entities,
    blank_edges,
)
