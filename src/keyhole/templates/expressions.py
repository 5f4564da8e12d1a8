"""Which variables an expression of a template needs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from jinja2 import nodes

from keyhole.fastclasses import dataclass, field
from keyhole.templates.environment import GLOBALS, TAKES_ANYTHING

Names = frozenset[str]
NONE: Names = frozenset()


@dataclass(frozen=True)
class Value:
    """A value: it is absent if one of the variables in `absent` was not given.

    `truth` is its value as a condition, None if that depends on what is given. With `never` it is
    absent whatever is given.
    """

    absent: Names = NONE
    truth: bool | None = None
    never: bool = False
    # It came through a filter of lists, so that printing it is no sign of a text.
    of_list: bool = False
    macro: Macro | None = None
    module: Mapping[str, Value] | None = None


@dataclass(frozen=True)
class Macro:
    """A macro, or the body of a call block: its node and the scope it was made in."""

    node: nodes.Macro | nodes.CallBlock
    scope: dict[str, Value] = field(repr=False)
    sees_context: bool = True


UNKNOWN = Value()
NEVER = Value(truth=False, never=True)


def either(one: Value, other: Value) -> Value:
    """Return the value of an expression that is one of two."""
    return Value(
        one.absent & other.absent,
        one.truth if one.truth is other.truth else None,
        one.never and other.never,
        one.of_list or other.of_list,
        one.macro or other.macro,
        one.module or other.module,
    )


Scope = dict[str, Value]
# What may be asked of a variable that was not given, and the answer; None where it depends.
_ASKED: Mapping[str, bool | None] = {
    **dict.fromkeys(("defined", "none", "string", "number", "mapping", "boolean"), False),
    **dict.fromkeys(("integer", "float", "true", "false", "sameas", "eq", "==", "equalto"), False),
    **dict.fromkeys(("lt", "<", "gt", ">", "le", "<=", "ge", ">=", "lessthan", "in"), False),
    **dict.fromkeys(("undefined", "ne", "!="), True),
    **dict.fromkeys(("callable", "iterable", "sequence", "escaped", "filter", "test"), None),
    "greaterthan": False,
}


_OF_LISTS = frozenset(
    {"join", "sort", "first", "last", "list", "map", "select", "reject", "selectattr", "rejectattr"}
    | {"unique", "sum", "batch", "slice", "groupby", "random", "min", "max", "length", "count"}
    | {"dictsort", "items", "tojson", "pprint", "reverse", "xmlattr", "urlencode"}
)


@dataclass
class VariablesUsed:
    """The variables that were met, how they are used, and what is asked of their parts."""

    uses: dict[str, set[str]] = field(default_factory=dict)
    parts: dict[str, set[str]] = field(default_factory=dict)

    def use(self, value: Value, how: str) -> None:
        """Remember how the variables behind a value are used."""
        for name in value.absent:
            self.uses.setdefault(name, set()).add(how)


class Calls(Protocol):
    """What carries out a call of something that has a body: a macro, a block, a caller."""

    def call(self, node: nodes.Call, scope: Scope, needs: set[str]) -> Value | None:
        """Return what the call gives, or None where it has no body to look into."""


class Expressions:
    """Expressions, read as if every variable outside `given` had not been given.

    Without `given` nothing is known of any variable; a use then counts if it is made in any case.
    """

    def __init__(self, given: Names | None, seen: VariablesUsed, calls: Calls) -> None:
        self.given = given
        self.seen = seen
        self.calls = calls
        self.sees_context = True

    def gone(self, value: Value) -> bool:
        """Tell whether a value is surely absent."""
        return value.never or (self.given is not None and bool(value.absent - self.given))

    def truth(self, value: Value) -> bool | None:
        """Return what a condition makes of a value, None where it depends."""
        return False if self.gone(value) else value.truth

    def need(self, value: Value, needs: set[str], how: str = "printed") -> None:
        """Note that a value is used in a way that needs it."""
        self.seen.use(value, "iterated" if value.of_list and how == "printed" else how)
        needs |= value.absent

    def name(self, name: str, scope: Scope) -> Value:
        """Return what a name stands for."""
        if name in scope:
            return scope[name]
        if name in GLOBALS or not self.sees_context:
            return UNKNOWN
        self.seen.uses.setdefault(name, set())
        return Value(frozenset({name}))

    def value(  # noqa: C901 - one line for each kind of expression
        self, node: nodes.Node, scope: Scope, needs: set[str]
    ) -> Value:
        """Return the value of an expression; the variables that it needs go into `needs`."""
        match node:
            case nodes.Name():
                return self.name(node.name, scope)
            case nodes.Const():
                return Value(truth=bool(node.value))
            case nodes.And() | nodes.Or():
                return self._either_side(node, scope, needs)
            case nodes.Not():
                inner = self._truth_of(node.node, scope, needs)
                return Value(truth=None if inner is None else not inner)
            case nodes.CondExpr():
                return self._conditional(node, scope, needs)
            case nodes.Compare():
                return self._compared(node, scope, needs)
            case nodes.Test():
                return self._tested(node, scope, needs)
            case nodes.Filter():
                return self._filtered(node, scope, needs)
            case nodes.Getattr() | nodes.Getitem():
                return self._part(node, scope, needs)
            case nodes.Call():
                found = self.calls.call(node, scope, needs)
                return self._called(node, scope, needs) if found is None else found
            case _:
                self._all_needed(node.iter_child_nodes(), scope, needs)
                return UNKNOWN

    def _truth_of(self, node: nodes.Node, scope: Scope, needs: set[str]) -> bool | None:
        value = self.value(node, scope, needs)
        self.seen.use(value, "tested")
        return self.truth(value)

    def _all_needed(self, items: Iterable[nodes.Node], scope: Scope, needs: set[str]) -> None:
        for each in items:
            self.need(self.value(each, scope, needs), needs)

    def _either_side(self, node: nodes.And | nodes.Or, scope: Scope, needs: set[str]) -> Value:
        left = self.value(node.left, scope, needs)
        self.seen.use(left, "tested")
        more: set[str] = set()
        right = self.value(node.right, scope, more)
        truth, goes_on = self.truth(left), isinstance(node, nodes.And)
        if truth is goes_on:
            needs |= more
            return right
        if truth is not None:
            return left
        # Which side it is depends; one that is absent on the left of `or` is never the answer.
        known = self.truth(right)
        return Value(left.absent if goes_on else NONE, known if known is not goes_on else None)

    def _conditional(self, node: nodes.CondExpr, scope: Scope, needs: set[str]) -> Value:
        truth = self._truth_of(node.test, scope, needs)
        one, other = set[str](), set[str]()
        first = self.value(node.expr1, scope, one)
        second = self.value(node.expr2, scope, other) if node.expr2 else Value(truth=False)
        if truth is None:
            needs |= one & other
            return either(first, second)
        needs |= one if truth else other
        return first if truth else second

    def _compared(self, node: nodes.Compare, scope: Scope, needs: set[str]) -> Value:
        sides = [
            self._side(each, scope, needs) for each in (node.expr, *(o.expr for o in node.ops))
        ]
        for each in sides:
            self.seen.use(each, "compared")
        if len(node.ops) == 1 and any(map(self.gone, sides)):
            return Value(truth=node.ops[0].op in {"ne", "notin"})
        return UNKNOWN

    def _side(self, node: nodes.Node, scope: Scope, needs: set[str]) -> Value:
        """Return one side of a comparison; a list of variables may hold absent ones."""
        if isinstance(node, nodes.List | nodes.Tuple):
            for item in node.items:
                self.value(item, scope, needs)
            return UNKNOWN
        return self.value(node, scope, needs)

    def _tested(self, node: nodes.Test, scope: Scope, needs: set[str]) -> Value:
        value = self.value(node.node, scope, needs)
        self.seen.use(value, "tested")
        others = [self._side(each, scope, needs) for each in node.args or ()]
        if node.name not in _ASKED:
            self.need(value, needs)
            for each in others:
                self.need(each, needs)
            return UNKNOWN
        if self.gone(value) or any(map(self.gone, others)):
            return Value(truth=_ASKED[node.name])
        return UNKNOWN

    def _filtered(self, node: nodes.Filter, scope: Scope, needs: set[str]) -> Value:
        if node.node is None:  # the filter of a block
            value = UNKNOWN
        elif node.name == "select" and not node.args and isinstance(node.node, nodes.List):
            value = self._side(node.node, scope, needs)
        else:
            value = self.value(node.node, scope, needs)
        if node.name in {"default", "d"}:
            return self._defaulted(node, value, scope, needs)
        arguments = (*node.args, *(each.value for each in node.kwargs))
        self._all_needed(arguments, scope, needs)
        of_list = value.of_list or node.name in _OF_LISTS
        return Value(value.absent, None, value.never, of_list)

    def _defaulted(self, node: nodes.Filter, value: Value, scope: Scope, needs: set[str]) -> Value:
        arguments = [*node.args, *(k.value for k in node.kwargs if k.key == "default_value")]
        instead = self.value(arguments[0], scope, needs) if arguments else Value(truth=False)
        self.seen.use(value, _use_of(arguments[0]) if arguments else "printed")
        if self.gone(value):
            return instead
        return UNKNOWN

    def _part(self, node: nodes.Getattr | nodes.Getitem, scope: Scope, needs: set[str]) -> Value:
        owner = self.value(node.node, scope, needs)
        if isinstance(node, nodes.Getattr):
            if owner.module is not None:
                return owner.module.get(node.attr, NEVER)
        elif not isinstance(node.arg, nodes.Const):
            self._all_needed([node.arg], scope, needs)
        self._remember(node, scope)
        self.need(owner, needs, "looked into")
        return UNKNOWN

    def _remember(self, node: nodes.Getattr | nodes.Getitem, scope: Scope) -> None:
        """Note which part of which variable is asked for, such as `a.b.c`."""
        names: list[str] = []
        at: nodes.Node = node
        while isinstance(at, nodes.Getattr | nodes.Getitem):
            key = at.attr if isinstance(at, nodes.Getattr) else getattr(at.arg, "value", "")
            names.insert(0, str(key))
            at = at.node
        if isinstance(at, nodes.Name) and all(names):
            for root in self.name(at.name, scope).absent:
                self.seen.parts.setdefault(root, set()).add(".".join(names))

    def _called(self, node: nodes.Call, scope: Scope, needs: set[str]) -> Value:
        """Call what has no body of ours: a method, or a function of Jinja."""
        name = getattr(node.node, "attr", getattr(node.node, "name", ""))
        self.need(self.value(node.node, scope, needs), needs)
        arguments = [*node.args, *(each.value for each in node.kwargs)]
        for each in (*arguments, node.dyn_args, node.dyn_kwargs):
            value = self._side(each, scope, needs) if each is not None else UNKNOWN
            if name not in {*TAKES_ANYTHING, "loop"}:
                self.need(value, needs)
        return UNKNOWN


def _use_of(default: nodes.Node) -> str:
    """Return the use that the type of a default suggests."""
    if isinstance(default, nodes.List | nodes.Tuple):
        return "iterated"
    if isinstance(default, nodes.Const) and isinstance(default.value, str):
        return "printed"
    return "looked at"
