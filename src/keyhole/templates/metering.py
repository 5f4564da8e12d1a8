"""The cost of a template's operations, in characters, estimated before they are done."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

# A thing in a list is as large as so many characters.
_ITEM = 8
# Escaping makes at most so many characters of one.
_ESCAPED = 6
Text = str | bytes


def weight(value: object) -> int:
    """Return how many characters a value comes to when it is written out, lists in full.

    A value in several places counts in each of them, and is measured once.
    """
    return _weight(value, {})


def _weight(value: object, known: dict[int, int]) -> int:
    if isinstance(value, Text):
        return len(value)
    if isinstance(value, int):
        return 1 + value.bit_length() // 3
    if not isinstance(value, list | tuple | dict | set | frozenset):
        return _ITEM
    found = known.get(id(value))
    if found is None:
        known[id(value)] = _ITEM  # what holds itself is written out once
        items: Iterable[object] = value
        if isinstance(value, dict):
            items = (each for pair in value.items() for each in pair)
        found = _ITEM * (1 + len(value)) + sum(_weight(each, known) for each in items)
        known[id(value)] = found
    return found


def size(value: object) -> int:
    """Return what a value takes by itself, without what it refers to."""
    if isinstance(value, Text):
        return len(value)
    if isinstance(value, list | tuple | dict | set | frozenset):
        return _ITEM * len(value)
    return value.bit_length() if isinstance(value, int) else 1


def numbers(value: object) -> Iterable[int]:
    """Yield the numbers in a value, also those in a list: one of them may be a width."""
    if isinstance(value, int):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from numbers(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from numbers(each)


def of_operator(operator: str, left: object, right: object) -> int:
    """Return what an operator will make."""
    if operator == "*":
        for one, other in ((left, right), (right, left)):
            if isinstance(one, Text | list | tuple) and isinstance(other, int):
                return size(one) * max(other, 0)
    if operator == "**" and isinstance(left, int) and isinstance(right, int):
        return left.bit_length() * max(right, 0)
    if operator == "%" and isinstance(left, Text):
        return _filled(left, right)
    return size(left) + size(right)


def of_call(name: str, on: object, args: Sequence[object], kwargs: Mapping[str, object]) -> int:
    """Return what a method of `on`, or a function, will make."""
    given = sum(map(weight, (*args, *kwargs.values())))
    if name == "lipsum":
        return 8 * _number(args, kwargs, 0, "n", 5) * _number(args, kwargs, 3, "max", 100)
    if isinstance(on, Text):
        cost = _METHODS.get(name)
        return given + len(on) + (cost(on, args, kwargs) if cost else 0)
    return given + size(on)


def of_filter(
    name: str, value: object, args: Sequence[object], kwargs: Mapping[str, object]
) -> int:
    """Return what a filter will make of a value."""
    if name in _AT_ONCE:
        return 1
    given = weight(value) + sum(map(weight, (*args, *kwargs.values())))
    cost = _FILTERS.get(name)
    return given + (cost(value, args, kwargs) if cost else 0)


def _number(
    args: Sequence[object], kwargs: Mapping[str, object], at: int, name: str, usual: int
) -> int:
    value = args[at] if len(args) > at else kwargs.get(name, usual)
    return max(value, 0) if isinstance(value, int) else usual


def _filled(pattern: object, given: object) -> int:
    """Bound the result of a pattern: each place may hold all that it is given."""
    text = pattern if isinstance(pattern, str) else str(pattern)
    places = 1 + text.count("%") + text.count("{")
    widths = max((abs(each) for each in numbers(given)), default=0)
    return len(text) + places * (weight(given) + widths)


Cost = Callable[[Text, Sequence[object], Mapping[str, object]], int]


def _replaced(on: Text, args: Sequence[object], kwargs: Mapping[str, object]) -> int:
    old, new = (*args, *kwargs.values(), "", "")[:2]
    if not (isinstance(old, type(on)) and isinstance(new, type(on))):
        return 0
    return on.count(old) * len(new)  # type: ignore[arg-type] # both are texts, or both bytes


def _padded(_: Text, args: Sequence[object], kwargs: Mapping[str, object]) -> int:
    return _number(args, kwargs, 0, "width", 80)


def _expanded(on: Text, args: Sequence[object], kwargs: Mapping[str, object]) -> int:
    tabs = on.count("\t") if isinstance(on, str) else on.count(b"\t")
    return tabs * _number(args, kwargs, 0, "tabsize", 8)


def _joined(on: Text, args: Sequence[object], _: Mapping[str, object]) -> int:
    return len(on) * len(args[0]) if args and isinstance(args[0], list | tuple | str) else 0


def _translated(on: Text, args: Sequence[object], _: Mapping[str, object]) -> int:
    table = args[0] if args else {}
    values = table.values() if isinstance(table, Mapping) else ()
    return len(on) * max((weight(each) for each in values), default=1)


def _formatted(on: Text, args: Sequence[object], kwargs: Mapping[str, object]) -> int:
    return _filled(on, [*args, *kwargs.values()])


_METHODS: Mapping[str, Cost] = {
    "replace": _replaced,
    **dict.fromkeys(("center", "ljust", "rjust", "zfill"), _padded),
    "expandtabs": _expanded,
    "join": _joined,
    "translate": _translated,
    **dict.fromkeys(("format", "format_map"), _formatted),
}


Made = Callable[[object, Sequence[object], Mapping[str, object]], int]


def _escaped(value: object, *_: object) -> int:
    return _ESCAPED * weight(value)


def _written(value: object, args: Sequence[object], kwargs: Mapping[str, object]) -> int:
    """Bound a value written out over many lines, indented as deep as it is nested."""
    return weight(value) * (_ESCAPED + _number(args, kwargs, 0, "indent", 0))


def _indented(value: object, args: Sequence[object], kwargs: Mapping[str, object]) -> int:
    by = args[0] if args else kwargs.get("width", 4)
    width = len(by) if isinstance(by, str) else _number((by,), {}, 0, "", 4)
    return (str(value).count("\n") + 1) * width


def _wrapped(value: object, args: Sequence[object], kwargs: Mapping[str, object]) -> int:
    text, width = str(value), max(_number(args, kwargs, 0, "width", 79), 1)
    by = args[2] if len(args) > 2 else kwargs.get("wrapstring")
    longest = max(map(len, text.split()), default=0)
    # A long word is cut piece by piece, and what is left of it is copied each time.
    cuts = longest * longest // width // _ITEM
    return cuts + (len(text) // width + text.count("\n") + 2) * (
        len(by) if isinstance(by, str) else 1
    )


def _stripped(value: object, *_: object) -> int:
    # Each tag that is taken out copies the text.
    text = str(value)
    return (text.count("<") * len(text)) // _ITEM


def _replaced_in(value: object, args: Sequence[object], kwargs: Mapping[str, object]) -> int:
    text = value if isinstance(value, str) else str(value)
    return _replaced(text, [str(each) for each in args[:2]], {k: str(v) for k, v in kwargs.items()})


def _joined_by(value: object, args: Sequence[object], kwargs: Mapping[str, object]) -> int:
    by = args[0] if args else kwargs.get("d", "")
    return weight(by) * (len(value) if isinstance(value, list | tuple | dict | str) else 1)


def _summed(value: object, *_: object) -> int:
    # What is no number is copied with each that is added.
    items = value if isinstance(value, list | tuple) else ()
    if all(isinstance(each, int | float) for each in items):
        return 0
    return len(items) * weight(value)


def _formatted_by(value: object, args: Sequence[object], kwargs: Mapping[str, object]) -> int:
    return _filled(value, [*args, *kwargs.values()])


def _dealt(_: object, args: Sequence[object], kwargs: Mapping[str, object]) -> int:
    number = _number(args, kwargs, 0, "linecount", 0) or _number(args, kwargs, 0, "slices", 0)
    return _ITEM * number


def _sorted(value: object, *_: object) -> int:
    return 4 * weight(value)


_AT_ONCE = frozenset({"default", "d", "length", "count", "first", "last", "random", "attr"})
_FILTERS: Mapping[str, Made] = {
    "replace": _replaced_in,
    "indent": _indented,
    "center": lambda _, args, kwargs: _number(args, kwargs, 0, "width", 80),
    "join": _joined_by,
    "format": _formatted_by,
    "wordwrap": _wrapped,
    "striptags": _stripped,
    "sum": _summed,
    **dict.fromkeys(("batch", "slice"), _dealt),
    **dict.fromkeys(("escape", "e", "forceescape", "xmlattr", "urlencode", "urlize"), _escaped),
    **dict.fromkeys(("tojson", "pprint"), _written),
    **dict.fromkeys(("sort", "dictsort", "groupby", "unique", "min", "max"), _sorted),
}
