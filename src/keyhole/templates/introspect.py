"""Introspection: from the chain of a template to its schema, through Jinja's own syntax tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from jinja2 import nodes

from keyhole.fastclasses import replace
from keyhole.templates.chain import Chain, UnreadableError, chain_of, constants
from keyhole.templates.expressions import (
    NEVER,
    UNKNOWN,
    Expressions,
    Macro,
    Names,
    Scope,
    Value,
    VariablesUsed,
    either,
)
from keyhole.templates.header import VariableMetadata
from keyhole.templates.library import Library, ListedTemplate
from keyhole.templates.schema import Schema, Variable
from keyhole.templates.skeleton import skeleton_of

_DEEPEST = 50
_MOST_STEPS = 50_000
_Blocks = dict[str, list[nodes.Block]]


class Walk:
    """One walk over a chain; statements here, expressions in a reader of their own."""

    def __init__(self, chain: Chain, given: Names | None, seen: VariablesUsed) -> None:
        self.chain = chain
        self.read = Expressions(given, seen, self)
        self.blocks: _Blocks = {}
        self.inside: list[tuple[str, int]] = []
        self.top: Scope = {}
        self.silent = False
        self.depth = 0
        self.steps = 0
        self.calling: list[Macro] = []

    def run(self) -> Names:
        """Return what the template needs, with nothing but `given` given."""
        needs: set[str] = set()
        self._template(self.chain.name, {}, needs)
        return frozenset(needs)

    def _template(self, name: str, scope: Scope, needs: set[str]) -> None:
        """Walk a template as it is rendered: what tiers set, then the outermost with its blocks."""
        if self.depth > _DEEPEST or name not in self.chain.trees:
            return
        kept = self.blocks, self.top, self.silent
        self.blocks, self.top = {}, scope
        self.depth += 1
        self._tier(name, scope, needs)
        self.depth -= 1
        self.blocks, self.top, self.silent = kept

    def _tier(self, name: str, scope: Scope, needs: set[str]) -> None:
        tree = self.chain.trees[name]
        for block in tree.find_all(nodes.Block):
            self.blocks.setdefault(block.name, []).append(block)
        extends = next(iter(tree.find_all(nodes.Extends)), None)
        self.silent = extends is not None
        self.walk(tree.body, scope, needs)
        self.silent = False
        if extends is None or self.depth > _DEEPEST:
            return
        value = self.read.value(extends.template, scope, needs)
        self.read.need(value, needs)
        parents = [each for each in constants(extends.template) if each in self.chain.trees]
        if isinstance(extends.template, nodes.CondExpr) and len(parents) > 1:
            truth = self.read.truth(self.read.value(extends.template.test, scope, set()))
            parents = parents if truth is None else [parents[0 if truth else 1]]
        found = []
        for parent in parents:
            blocks = {key: list(bodies) for key, bodies in self.blocks.items()}
            found.append(set[str]())
            self.depth += 1
            self._tier(parent, dict(scope) if len(parents) > 1 else scope, found[-1])
            self.depth -= 1
            self.blocks = blocks
        needs |= set.intersection(*found) if found else set()

    def walk(self, body: Sequence[nodes.Node], scope: Scope, needs: set[str]) -> None:
        """Walk statements in order; what they set is in `scope` afterwards."""
        for node in body:
            self.steps += 1
            if self.steps > _MOST_STEPS:
                raise UnreadableError(f"{self.chain.name} is too involved")
            self._statement(node, scope, needs)

    def _statement(  # noqa: C901 - one line for each kind of statement
        self, node: nodes.Node, scope: Scope, needs: set[str]
    ) -> None:
        match node:
            case nodes.Output():
                if not self.silent:
                    for each in node.nodes:
                        self.read.need(self.read.value(each, scope, needs), needs)
            case nodes.If():
                self._if(node, node.elif_, scope, needs)
            case nodes.For():
                self._for(node, scope, needs)
            case nodes.Assign():
                self._bind(node.target, self.read.value(node.node, scope, needs), scope)
            case nodes.AssignBlock():
                self.walk(node.body, dict(scope), needs)
                self._bind(node.target, UNKNOWN, scope)
            case nodes.With():
                self._with(node, scope, needs)
            case nodes.Block():
                if not self.silent:
                    self._block(node.name, 0, dict(scope if node.scoped else self.top), needs)
            case nodes.Macro():
                sees = self.read.sees_context
                scope[node.name] = Value(truth=True, macro=Macro(node, scope, sees))
            case _:
                self._other(node, scope, needs)

    def _other(self, node: nodes.Node, scope: Scope, needs: set[str]) -> None:
        match node:
            case nodes.Include():
                self._include(node, scope, needs)
            case nodes.Import():
                scope[node.target] = Value(truth=True, module=self._module(node, scope, needs))
            case nodes.FromImport():
                module = self._module(node, scope, needs)
                for each in node.names:
                    name, alias = each if isinstance(each, tuple) else (each, each)
                    scope[alias] = module.get(name, NEVER)
            case nodes.CallBlock():
                caller = Value(truth=True, macro=Macro(node, dict(scope)))
                self._called(node.call, scope, needs, caller)
            case nodes.FilterBlock():
                self.read.value(node.filter, scope, needs)
                self.walk(node.body, dict(scope), needs)
            case nodes.Scope() | nodes.ScopedEvalContextModifier():
                self.walk(node.body, dict(scope), needs)
            case nodes.ExprStmt():
                self.read.value(node.node, scope, needs)

    def _if(self, node: nodes.If, others: list[nodes.If], scope: Scope, needs: set[str]) -> None:
        value = self.read.value(node.test, scope, needs)
        self.read.seen.use(value, "tested")
        truth = self.read.truth(value)
        one, other = dict(scope), dict(scope)
        then, instead = set[str](), set[str]()
        self.walk(node.body, one, then)
        if others:
            last = nodes.If(others[0].test, others[0].body, [], node.else_)
            self._if(last, others[1:], other, instead)
        else:
            self.walk(node.else_, other, instead)
        needs |= then & instead if truth is None else then if truth else instead
        self._join(scope, one, other, truth)

    def _join(self, scope: Scope, one: Scope, other: Scope, truth: bool | None) -> None:  # noqa: FBT001 - three-valued, not a switch
        """Let what the branches set be set behind them."""
        if truth is not None:
            scope.update(one if truth else other)
            return
        for name in one.keys() | other.keys():
            first = one.get(name) or self.read.name(name, scope)
            second = other.get(name) or self.read.name(name, scope)
            scope[name] = first if first is second else either(first, second)

    def _for(self, node: nodes.For, scope: Scope, needs: set[str]) -> None:
        items = node.iter.items if isinstance(node.iter, nodes.List | nodes.Tuple) else None
        values = [self.read.value(each, scope, needs) for each in items or ()]
        if items is None:
            value = self.read.value(node.iter, scope, needs)
            self.read.seen.use(value, "iterated")
            if self.read.gone(value):
                self._round(node, UNKNOWN, scope, set())
                self.walk(node.else_, dict(scope), needs)
                return
        if values and node.test is None:
            for each in values:
                self._round(node, each, scope, needs)
            return
        body, otherwise = set[str](), set[str]()
        self._round(node, UNKNOWN, scope, body)
        self.walk(node.else_, dict(scope), otherwise)
        needs |= body & otherwise

    def _round(self, node: nodes.For, value: Value, scope: Scope, needs: set[str]) -> None:
        inner = {**scope, "loop": UNKNOWN}
        self._bind(node.target, value, inner)
        if node.test is not None:
            self.read.value(node.test, inner, needs)
        self.walk(node.body, inner, needs)

    def _with(self, node: nodes.With, scope: Scope, needs: set[str]) -> None:
        inner = dict(scope)
        for target, each in zip(node.targets, node.values, strict=True):
            self._bind(target, self.read.value(each, scope, needs), inner)
        self.walk(node.body, inner, needs)

    def _bind(self, target: nodes.Node, value: Value, scope: Scope) -> None:
        if isinstance(target, nodes.Name):
            scope[target.name] = value
        elif isinstance(target, nodes.Tuple):
            for each in target.items:
                self._bind(each, UNKNOWN, scope)

    def _block(self, name: str, depth: int, scope: Scope, needs: set[str]) -> None:
        """Walk a block as the innermost tier defines it; `depth` counts from there outward."""
        bodies = self.blocks.get(name, [])
        if depth >= len(bodies) or self.depth > _DEEPEST:
            return
        self.inside.append((name, depth))
        self.depth += 1
        self.walk(bodies[depth].body, scope, needs)
        self.depth -= 1
        self.inside.pop()

    def _include(self, node: nodes.Include, scope: Scope, needs: set[str]) -> None:
        value = self.read.value(node.template, scope, needs)
        self.read.need(value, needs)
        found = [each for each in constants(node.template) if each in self.chain.trees]
        kept, self.read.sees_context = self.read.sees_context, node.with_context
        if found and not self.silent:
            self._template(found[0], dict(scope) if node.with_context else {}, needs)
        self.read.sees_context = kept

    def _module(
        self, node: nodes.Import | nodes.FromImport, scope: Scope, needs: set[str]
    ) -> Scope:
        """Return what an imported template defines; its output is made and dropped."""
        self.read.need(self.read.value(node.template, scope, needs), needs)
        found = [each for each in constants(node.template) if each in self.chain.trees]
        inner: Scope = dict(scope) if node.with_context else {}
        known = set(inner)
        kept, self.read.sees_context = self.read.sees_context, node.with_context
        silent, self.silent = self.silent, False
        if found:
            self._template(found[0], inner, needs)
        self.read.sees_context, self.silent = kept, silent
        return {name: value for name, value in inner.items() if name not in known}

    def call(self, node: nodes.Call, scope: Scope, needs: set[str]) -> Value | None:
        """Carry out a call of a macro, a block or the caller; None where it is something else."""
        match node.node:
            case nodes.Name(name="super") if self.inside:
                name, depth = self.inside[-1]
                self._block(name, depth + 1, dict(scope), needs)
                return UNKNOWN
            case nodes.Getattr(node=nodes.Name(name="self"), attr=name) if name in self.blocks:
                self._block(name, 0, dict(self.top), needs)
                return UNKNOWN
        return self._called(node, scope, needs, None)

    def _called(
        self, node: nodes.Call, scope: Scope, needs: set[str], caller: Value | None
    ) -> Value | None:
        before: set[str] = set()
        callee = self.read.value(node.node, scope, before)
        if callee.macro is None:
            if caller is not None:
                self.read.value(
                    nodes.Call(node.node, node.args, node.kwargs, None, None), scope, needs
                )
            return None
        needs |= before
        # A macro that calls itself asks for nothing that its first round does not ask for.
        if self.depth > _DEEPEST or any(each is callee.macro for each in self.calling):
            return UNKNOWN
        inner = self._arguments(callee.macro, node, scope, needs)
        inner["caller"] = caller or NEVER
        self.depth += 1
        kept, self.read.sees_context = self.read.sees_context, callee.macro.sees_context
        silent, self.silent = self.silent, False
        self.calling.append(callee.macro)
        self.walk(callee.macro.node.body, inner, needs)
        self.calling.pop()
        self.read.sees_context, self.silent = kept, silent
        self.depth -= 1
        return UNKNOWN

    def _arguments(self, macro: Macro, node: nodes.Call, scope: Scope, needs: set[str]) -> Scope:
        """Return the scope of a macro's body: its parameters as they are given or default."""
        inner = {**macro.scope, "varargs": UNKNOWN, "kwargs": UNKNOWN}
        given = [self.read.value(each, scope, needs) for each in node.args]
        named = {each.key: self.read.value(each.value, scope, needs) for each in node.kwargs}
        parameters = [each.name for each in macro.node.args]
        first = len(parameters) - len(macro.node.defaults)
        for position, name in enumerate(parameters):
            if position < len(given):
                inner[name] = given[position]
            elif name in named:
                inner[name] = named[name]
            elif position >= first:
                default = macro.node.defaults[position - first]
                inner[name] = self.read.value(default, inner, needs)
            else:
                inner[name] = UNKNOWN if node.dyn_args or node.dyn_kwargs else NEVER
        return inner


# What keyhole fills in itself. The names are those that templates in the field use.
SYSTEM = frozenset(
    {"scaffold_header", "template_id", "template_version", "scaffold_created", "artifact_type"}
    | {"version_hash", "timestamp", "format", "output_path", "created", "updated", "path"}
)
_ROUNDS = 6


def schema_of(library: Library, listed: ListedTemplate) -> Schema:
    """Return the schema of a template, or raise `UnreadableError`; the same text is read once."""
    schema = introspect(chain_of(library, listed.name))
    return replace(schema, id=listed.id, format=listed.format)


@lru_cache(maxsize=256)
def introspect(chain: Chain) -> Schema:
    """Return the schema of a chain, by its content."""
    seen = VariablesUsed()
    metadata = chain.metadata
    try:
        needs = _needs(chain, seen)
    except RecursionError:
        raise UnreadableError(f"{chain.name} is nested too deeply") from None
    names = {name for name in seen.uses if name not in SYSTEM or name in metadata.variables}
    variables = {
        name: _variable(name, name in needs, seen, metadata.variables) for name in sorted(names)
    }
    skeleton = skeleton_of(chain)
    return Schema(
        metadata.id,
        chain.version,
        purpose=metadata.purpose,
        hints=metadata.hints,
        tiers=chain.lineage[1:],
        variables=variables,
        blocks=skeleton.names,
        sections=skeleton.sections,
        lists=skeleton.lists,
        warnings=(f"metadata: {metadata.problem}",) if metadata.problem else (),
    )


def _needs(chain: Chain, seen: VariablesUsed) -> Names:
    """Return the variables without which the template cannot be rendered.

    First the variables that are used in any case; then, with only these given, those of the
    branches that are taken; and so on until nothing is added. If no set is stable, as with two
    variables of which one is enough, all of them are required.
    """
    given = earlier = Walk(chain, None, seen).run()
    for _ in range(_ROUNDS):
        found = Walk(chain, given, seen).run()
        if found == given:
            return given
        given, earlier = found, given
    return given | earlier


def _variable(
    name: str,
    needed: bool,  # noqa: FBT001 - what the walk found
    seen: VariablesUsed,
    metadata: Mapping[str, VariableMetadata],
) -> Variable:
    own = metadata.get(name, VariableMetadata())
    return Variable(
        name,
        own.required or (needed and not own.has_default),
        own.type or _type(seen.uses[name], name in seen.parts),
        own.description,
        own.default,
        own.has_default,
        tuple(sorted(seen.parts.get(name, ()))),
        bool(own.type),
    )


def _type(uses: set[str], has_parts: bool) -> str:  # noqa: FBT001 - what the walk found
    """Return the type that the uses of a variable suggest."""
    if "iterated" in uses and not has_parts:
        return "list"
    if has_parts:
        return "object"
    if uses and uses <= {"tested"}:
        return "flag"
    return "text" if "printed" in uses else "any"
