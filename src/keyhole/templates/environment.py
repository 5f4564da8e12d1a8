"""The Jinja environment of templates: sandboxed, metered, and strict about missing variables."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sized
from functools import lru_cache, wraps

from jinja2 import FunctionLoader, StrictUndefined, nodes
from jinja2.exceptions import SecurityError
from jinja2.lexer import TokenStream
from jinja2.runtime import LoopContext, Macro
from jinja2.sandbox import SandboxedEnvironment

from keyhole.templates import header, metering

# What one rendering may cost, in characters made; steps and calls cost as much as so many.
WORK = 20_000_000
MOST_OUTPUT = 2_000_000
_STEP = 10
_CALL = 100
# What puts its arguments somewhere without looking at them, so that one may be absent.
TAKES_ANYTHING = frozenset({"join", "append", "extend", "namespace", "dict", "cycler", "joiner"})
_WIDEST = 100_000


class Absent(StrictUndefined):
    """A variable that was not given: it may be asked whether it is there, and nothing else.

    It is false, empty and equal to nothing. Printing it, looking into it or computing with it fails
    and names it. Introspection says beforehand which variables are used so.
    """

    __slots__ = ()

    def __bool__(self) -> bool:  # type: ignore[override]
        return False

    def __iter__(self) -> Iterator[object]:  # type: ignore[override]
        return iter(())

    def __len__(self) -> int:  # type: ignore[override]
        return 0

    def __contains__(self, item: object) -> bool:  # type: ignore[override]
        return False

    def __eq__(self, other: object) -> bool:  # type: ignore[override]
        return False

    def __ne__(self, other: object) -> bool:  # type: ignore[override]
        return True

    def __lt__(self, other: object) -> bool:  # type: ignore[override]
        return False

    __gt__ = __le__ = __ge__ = __lt__  # type: ignore[assignment]

    def __hash__(self) -> int:  # type: ignore[override]
        return id(self)

    def __index__(self) -> int:
        return self._fail_with_undefined_error()


class OverspentError(SecurityError):
    """The template exceeds its budget of work."""


class MeteredEnvironment(SandboxedEnvironment):
    """An environment for one rendering, with a budget of work."""

    intercepted_binops = frozenset(SandboxedEnvironment.default_binop_table)

    def __init__(self, load: Callable[[str], str | None]) -> None:
        super().__init__(
            loader=FunctionLoader(load),
            undefined=Absent,
            optimized=False,  # constants are not computed before the budget counts
            keep_trailing_newline=True,
            finalize=self._written,
        )
        self.left = WORK
        self.filters = {name: _careful(self, name, each) for name, each in self.filters.items()}
        self.filters |= {"keyhole_counted": self._counted, "keyhole_written": self._written}
        tests: Mapping[str, Callable[..., object]] = dict(self.tests)  # type: ignore[arg-type]
        self.tests = {name: self._compared(each) for name, each in tests.items()}
        self.concat = self._concat  # type: ignore[method-assign] # what blocks and macros come to

    def spend(self, units: int) -> None:
        """Take from the budget, or fail."""
        self.left -= units
        if self.left < 0:
            raise OverspentError("the template does too much work")

    def call(
        __self,  # noqa: N805 - as the sandbox spells it, since keyword arguments pass through
        __context: object,  # noqa: PYI063 - as above
        __obj: object,
        *args: object,
        **kwargs: object,
    ) -> object:
        """Call what the sandbox allows, and pay for the result."""
        __self.spend(_CALL)
        if not isinstance(__obj, Macro | LoopContext):
            name = getattr(__obj, "__name__", "")
            _refuse_absent((*args, *kwargs.values()), name)
            pattern = getattr(getattr(__obj, "__wrapped__", None), "__self__", "")
            widths = _widths(str(pattern)) if name.startswith("format") else ()
            _refuse_wide((*args, *kwargs.values(), *widths))
            args = _listed(args) if name == "join" else args
            on = pattern or getattr(__obj, "__self__", None)
            __self.spend(metering.of_call(_plain_name(name), on, args, kwargs))
        made = super().call(__context, __obj, *args, **kwargs)  # type: ignore[arg-type]
        __self.spend(metering.size(made))
        return made

    def call_binop(self, context: object, operator: str, left: object, right: object) -> object:
        """Compute, unless the result would be too large."""
        _refuse_absent((left, right), "")
        if operator in {"*", "**"} or (operator == "%" and isinstance(left, str)):
            widths = (*metering.numbers(right), *_widths(str(left))) if operator == "%" else ()
            _refuse_wide(widths or (left, right))
        self.spend(metering.of_operator(operator, left, right))
        return super().call_binop(context, operator, left, right)  # type: ignore[arg-type]

    def _tokenize(
        self,
        source: str,
        name: str | None,
        filename: str | None = None,
        state: str | None = None,
    ) -> TokenStream:
        """Read each template with the layout it was written for."""
        return _reader(source)._tokenize(source, name, filename, state)  # noqa: SLF001 - our own reader

    def _generate(
        self,
        source: nodes.Template,
        name: str | None,
        filename: str | None,
        defer_init: bool = False,  # noqa: FBT001, FBT002 - as the base class has it
    ) -> str:
        """Compile so that every loop, joined text, comparison and copy is paid for."""
        for loop in list(source.find_all(nodes.For)):
            loop.iter = _metered(loop.iter, "keyhole_counted")
        for joined in list(source.find_all(nodes.Concat)):
            joined.nodes = [_metered(each) for each in joined.nodes]
        for compared in list(source.find_all(nodes.Compare)):
            compared.expr = _metered(compared.expr)
            for operand in compared.ops:
                operand.expr = _metered(operand.expr)
        for item in list(source.find_all(nodes.Getitem)):
            if isinstance(item.arg, nodes.Slice):
                item.node = _metered(item.node)
        return super()._generate(source, name, filename, defer_init)

    def _counted(self, value: object) -> object:
        """Pay for a text as it is, or for what a loop runs over."""
        if isinstance(value, str | int | float) or value is None:
            self.spend(metering.size(value) + _STEP)
            return value
        if not isinstance(value, Iterable) or isinstance(value, Absent):
            return value
        listed = value if isinstance(value, Mapping) else list(value)
        self.spend(_STEP * len(listed))
        return listed

    def _written(self, value: object) -> object:
        """Pay for a value that is written out or looked through."""
        self.spend(metering.weight(value))
        return value

    def _compared(self, test: Callable[..., object]) -> Callable[..., object]:
        """Return a test that pays for what it reads."""

        @wraps(test)
        def compared(*args: object, **kwargs: object) -> object:
            self.spend(sum(map(metering.weight, (*args, *kwargs.values()))))
            return test(*args, **kwargs)

        return compared

    def _concat(self, pieces: Iterable[str]) -> str:
        listed = list(pieces)
        self.spend(sum(map(len, listed)))
        return "".join(listed)


# A tag that takes the line end before it, alone on a line whose own end stays: only where Jinja
# keeps the ends of such lines does that make sense.
_BY_HAND = re.compile(r"^[ \t]*\{%-(?:[^%\n]|%(?!\}))*(?<!-)%\}[ \t]*$", re.MULTILINE)


@lru_cache(maxsize=512)
def _is_trimmed(source: str) -> bool:
    """Tell whether lines that hold only a tag are left out of what a template writes."""
    trim = header.read_metadata(source).trim
    return trim if trim is not None else not _BY_HAND.search(source)


def _careful(
    bench: MeteredEnvironment, name: str, work: Callable[..., object]
) -> Callable[..., object]:
    """Return a filter that pays for its result; a filter of an absent value is absent."""
    first = 1 if getattr(work, "jinja_pass_arg", None) else 0

    @wraps(work)
    def careful(*args: object, **kwargs: object) -> object:
        value, given = args[first] if len(args) > first else None, args[first + 1 :]
        if isinstance(value, Absent) and name not in {"default", "d"}:
            return value
        if name not in {"default", "d"}:
            _refuse_absent((*given, *kwargs.values()), name)
        _refuse_wide((*given, *kwargs.values()))
        if name == "format":
            _refuse_wide(tuple(_widths(str(value))))
        if name == "join":
            args = (*args[:first], *_listed((value,)), *given)
        bench.spend(
            metering.of_filter(name, args[first] if len(args) > first else None, given, kwargs)
        )
        made = work(*args, **kwargs)
        bench.spend(metering.size(made))
        return made

    return careful


def _refuse_absent(values: Iterable[object], name: str) -> None:
    """Fail where something that was not given would be used."""
    if name in TAKES_ANYTHING:
        return
    for value in values:
        if isinstance(value, Absent):
            value._fail_with_undefined_error()  # noqa: SLF001 - the base class's own way to say so


def _refuse_wide(values: Iterable[object]) -> None:
    for value in values:
        if isinstance(value, int) and abs(value) > _WIDEST:
            raise OverspentError(f"{value} is more than a template may ask for")


def _widths(pattern: str) -> Iterator[int]:
    """Yield the numbers in a pattern of formatting: one of them may be a width."""
    digits = "".join(each if each.isdigit() else " " for each in pattern).split()
    return (int(each[:9]) for each in digits)


def _metered(node: nodes.Node, meter: str = "keyhole_written") -> nodes.Filter:
    return nodes.Filter(node, meter, [], [], None, None)


def _listed(values: tuple[object, ...]) -> tuple[object, ...]:
    """Return the values with the first as a list, if its size cannot be told otherwise."""
    first, *others = values or (None,)
    if isinstance(first, Iterable) and not isinstance(first, str | Sized | Absent):
        first = list(first)
    return (first, *others) if values else ()


def _plain_name(name: str) -> str:
    """Return the name of a function, as it is without what the sandbox wraps around it."""
    return {"generate_lorem_ipsum": "lipsum"}.get(name, name)


def parse(source: str) -> nodes.Template:
    """Return the syntax tree of a template, read as it will be rendered."""
    return _reader(source).parse(source)


def _reader(source: str) -> SandboxedEnvironment:
    return _TRIMMED if _is_trimmed(source) else _PLAIN


_TRIMMED = SandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True)
_PLAIN = SandboxedEnvironment(keep_trailing_newline=True)
GLOBALS = frozenset(_PLAIN.globals)
