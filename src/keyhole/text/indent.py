"""Indentation as a value: the style of a text, and rules that map one indentation to another."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from keyhole.fastclasses import dataclass

BLANK = " \t\f"
DEFAULT_UNIT = 4
# Tab widths tried when one side indents with tabs and the other with spaces, likeliest first.
_WIDTHS = (4, 2, 8, 3)

# How one indent string becomes another; None where the rule cannot express it.
IndentRule = Callable[[str], str | None]


def indent_of(line: str) -> str:
    """Return the blanks a line begins with."""
    return line[: len(line) - len(line.lstrip(" \t"))]


def is_blank(line: str) -> bool:
    """Tell whether a line holds nothing but blanks."""
    return not line.strip(BLANK)


@dataclass(frozen=True, slots=True)
class IndentStyle:
    """How a text indents: `unit` times a `character` ("" where nothing is indented) a level."""

    character: str = ""
    unit: int = DEFAULT_UNIT


def style_of(lines: Iterable[str]) -> IndentStyle:
    """Return the style most lines use; the unit is the commonest step to a deeper level."""
    steps: dict[int, int] = {}
    tabs = spaces = 0
    above = ""
    for line in lines:
        indent = indent_of(line)
        if is_blank(line):
            continue
        tabs += indent.startswith("\t")
        spaces += indent.startswith(" ")
        step = len(indent) - len(above)
        # From a tab to spaces is no step that can be counted.
        if step > 0 and "\t" not in above + indent:
            steps[step] = steps.get(step, 0) + 1
        above = indent
    if tabs > spaces:
        return IndentStyle("\t", 1)
    if not spaces:
        return IndentStyle()
    # A step of one column is nearly always alignment, never a level.
    units = {step: count for step, count in steps.items() if step > 1}
    return IndentStyle(" ", max(units, key=lambda step: (units[step], -step), default=DEFAULT_UNIT))


def margin(lines: Sequence[str]) -> str:
    """Return the indent that all non-blank lines share."""
    indents = [indent_of(line) for line in lines if not is_blank(line)]
    if not indents:
        return ""
    low, high = min(indents), max(indents)
    size = next((i for i, (a, b) in enumerate(zip(low, high, strict=False)) if a != b), len(low))
    return low[:size]


def columns(indent: str, width: int) -> int:
    """Return how many columns an indent spans when a tab counts `width`."""
    return len(indent) + (width - 1) * indent.count("\t")


def rule_between(pairs: Sequence[tuple[str, str]], file_style: IndentStyle) -> IndentRule | None:
    """Return the one rule that maps every first indent of `pairs` to its second, or None.

    A rule adds a prefix, removes a prefix, or exchanges tabs and spaces at one width, with a
    constant shift.
    """
    known = dict(pairs)
    if any(known[a] != b for a, b in pairs):
        return None
    mixed = {character for pair in known.items() for indent in pair for character in indent}
    if len(mixed) <= 1:
        return _prefix_rule(known)
    return _prefix_rule(known) or _width_rule(known, file_style)


def _prefix_rule(known: dict[str, str]) -> IndentRule | None:
    old, new = next(iter(known.items()))
    if new.endswith(old):
        added = new[: len(new) - len(old)]
        if all(b == added + a for a, b in known.items()):
            return lambda indent: added + indent
    if old.endswith(new):
        removed = old[: len(old) - len(new)]
        if all(a == removed + b for a, b in known.items()):
            return lambda indent: (
                indent.removeprefix(removed) if indent.startswith(removed) else None
            )
    return None


def _width_rule(known: dict[str, str], file_style: IndentStyle) -> IndentRule | None:
    """Return the rule that exchanges tabs and spaces; of several, what they agree on."""
    to_tabs = any("\t" in indent for indent in known.values())
    widths = [file_style.unit, *_WIDTHS] if file_style.character == " " else list(_WIDTHS)
    fitting: list[tuple[int, int]] = []
    for width in dict.fromkeys(widths):
        shifts = {columns(b, width) - columns(a, width) for a, b in known.items()}
        if len(shifts) == 1:
            fitting.append((width, shifts.pop()))
    plain = [(width, shift) for width, shift in fitting if not shift]
    rules = [_by_width(width, shift, to_tabs=to_tabs) for width, shift in plain or fitting]
    return _agreed(rules) if rules else None


def _agreed(rules: Sequence[IndentRule]) -> IndentRule:
    def convert(indent: str) -> str | None:
        first, *others = (rule(indent) for rule in rules)
        return first if all(other == first for other in others) else None

    return convert


def _by_width(width: int, shift: int, *, to_tabs: bool) -> IndentRule:
    def convert(indent: str) -> str | None:
        size = columns(indent, width) + shift
        if size < 0:
            return None
        return "\t" * (size // width) + " " * (size % width) if to_tabs else " " * size

    return convert


def exchange(pairs: Sequence[tuple[str, str]]) -> IndentRule | None:
    """Return the rule from tabs to spaces or back that maps every first indent to its second.

    None where no pair needs one, or where more than tabs and spaces was changed.
    """
    known = dict(pairs)
    if any(known[a] != b for a, b in pairs) or all(a == b for a, b in pairs):
        return None
    to_tabs = any("\t" in indent for indent in known.values())
    rules = [
        _by_width(width, 0, to_tabs=to_tabs)
        for width in _WIDTHS
        if all(columns(a, width) == columns(b, width) for a, b in known.items())
    ]
    return _agreed(rules) if rules else None


def reindented(lines: Sequence[str], rule: IndentRule) -> list[str] | None:
    """Return `lines` with every indent mapped; None where one cannot be.

    In blank lines only tabs and spaces are exchanged: they have no level.
    """
    out = []
    for line in lines:
        if is_blank(line):
            exchanged = (line and rule(line)) or line
            out.append(exchanged if set(exchanged).isdisjoint(line) else line)
            continue
        indent = indent_of(line)
        mapped = rule(indent)
        if mapped is None:
            return None
        out.append(mapped + line[len(indent) :])
    return out
