"""Introspection: from the chain of a template to its schema, through Jinja's own syntax tree."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from keyhole.templates.chain import Chain, UnreadableError, chain_of
from keyhole.templates.expressions import VariablesUsed
from keyhole.templates.library import Library, Listed
from keyhole.templates.metadata import Told
from keyhole.templates.needs import Walk
from keyhole.templates.schema import Schema, Variable
from keyhole.templates.skeleton import skeleton_of
from keyhole.templates.values import Names
from keyhole.values import replace

# What keyhole fills in itself. The names are those that templates in the field use.
SYSTEM = frozenset(
    {"scaffold_header", "template_id", "template_version", "scaffold_created", "artifact_type"}
    | {"version_hash", "timestamp", "format", "output_path", "created", "updated", "path"}
)
_ROUNDS = 6


def schema_of(library: Library, listed: Listed) -> Schema:
    """Return the schema of a template, or raise `UnreadableError`; the same text is read once."""
    schema = introspect(chain_of(library, listed.name))
    return replace(schema, id=listed.id, format=listed.format)


@lru_cache(maxsize=256)
def introspect(chain: Chain) -> Schema:
    """Return the schema of a chain, by its content."""
    seen = VariablesUsed()
    told = chain.metadata
    try:
        needs = _needs(chain, seen)
    except RecursionError:
        raise UnreadableError(f"{chain.name} is nested too deeply") from None
    names = {name for name in seen.uses if name not in SYSTEM or name in told.variables}
    variables = {
        name: _variable(name, name in needs, seen, told.variables) for name in sorted(names)
    }
    skeleton = skeleton_of(chain)
    return Schema(
        told.id,
        chain.version,
        purpose=told.purpose,
        hints=told.hints,
        tiers=chain.lineage[1:],
        variables=variables,
        blocks=skeleton.names,
        sections=skeleton.sections,
        lists=skeleton.lists,
        warnings=(f"metadata: {told.problem}",) if told.problem else (),
    )


def _needs(chain: Chain, seen: VariablesUsed) -> Names:
    """Return the variables without which the template cannot be rendered.

    First those that are used in any case; then, with these given and nothing else, those that the
    branches need which are then taken; and so on until the same are given and needed. Where no set
    is ever both, as with two variables of which one is enough, all of them are asked for.
    """
    given = earlier = Walk(chain, None, seen).run()
    for _ in range(_ROUNDS):
        found = Walk(chain, given, seen).run()
        if found == given:
            return given
        given, earlier = found, given
    return given | earlier


def _variable(name: str, needed: bool, seen: VariablesUsed, told: Mapping[str, Told]) -> Variable:  # noqa: FBT001 - what the walk found
    own = told.get(name, Told())
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
    """Return the type that the uses of a variable speak for."""
    if "iterated" in uses and not has_parts:
        return "list"
    if has_parts:
        return "object"
    if uses and uses <= {"tested"}:
        return "flag"
    return "text" if "printed" in uses else "any"
