"""The chain of a template: itself, the tiers it extends, and what all of them include or import."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, lru_cache

from jinja2 import TemplateSyntaxError, nodes

from keyhole.fastclasses import dataclass
from keyhole.templates import header
from keyhole.templates.environment import parse
from keyhole.templates.header import TemplateMetadata
from keyhole.templates.library import Library, version_of


class UnreadableError(Exception):
    """A template of the chain that Jinja cannot read, and why."""


@dataclass(frozen=True)
class Chain:
    """A template with everything its rendering may need, by content: equal chains render alike."""

    name: str
    sources: tuple[tuple[str, str], ...]

    @cached_property
    def trees(self) -> dict[str, nodes.Template]:
        """The syntax trees by name, or `UnreadableError`."""
        return {name: _tree(name, source) for name, source in self.sources}

    @cached_property
    def version(self) -> str:
        """The version that a header names."""
        return version_of(self.sources)

    @cached_property
    def metadata(self) -> TemplateMetadata:
        """The metadata of the template and its tiers; the template's own comes first."""
        texts = dict(self.sources)
        return header.merged([header.read_metadata(texts[name]) for name in self.lineage])

    @cached_property
    def lineage(self) -> tuple[str, ...]:
        """The template and the tiers it surely extends, outward."""
        names = [self.name]
        while (parents := parents_of(self.trees[names[-1]])) and parents[0] in self.trees:
            if parents[0] in names:
                break
            names.append(parents[0])
        return tuple(names)


def chain_of(library: Library, name: str) -> Chain:
    """Collect a template and all that it names, each once; a circle ends where it closes."""
    found: dict[str, str] = {}
    wanted = [name]
    while wanted:
        next_name = wanted.pop(0)
        source = library.source(next_name) if next_name not in found else None
        if source is None:
            continue
        found[next_name] = source
        wanted += names_in(_tree(next_name, source))
    return Chain(name, tuple(found.items()))


@lru_cache(maxsize=256)
def _tree(name: str, source: str) -> nodes.Template:
    try:
        return parse(source)
    except (TemplateSyntaxError, RecursionError) as error:
        line = getattr(error, "lineno", 0)
        raise UnreadableError(f"{name}, line {line}: {' '.join(str(error).split())}") from None


def names_in(tree: nodes.Template) -> list[str]:
    """Return the templates that a template names, in order."""
    found = _found(tree, nodes.Extends, nodes.Include, nodes.Import, nodes.FromImport)
    return [name for node in found for name in constants(getattr(node, "template"))]  # noqa: B009 - the four kinds have it, their common class has not


def parents_of(tree: nodes.Template) -> list[str]:
    """Return the templates that one extends, or may extend."""
    found = _found(tree, nodes.Extends)
    return [name for node in found for name in constants(getattr(node, "template"))]  # noqa: B009 - as above


def _found(tree: nodes.Template, *kinds: type[nodes.Node]) -> Iterator[nodes.Node]:
    """Yield the nodes of some kinds in order, however deeply a template is nested."""
    todo: list[nodes.Node] = [tree]
    while todo:
        node = todo.pop()
        if isinstance(node, kinds):
            yield node
        todo += reversed(list(node.iter_child_nodes()))


def constants(node: nodes.Node) -> Iterator[str]:
    """Yield the constant names that an expression can have."""
    match node:
        case nodes.Const(value=str(name)):
            yield name
        case nodes.Const(value=tuple(names) | list(names)):
            yield from (name for name in names if isinstance(name, str))
        case nodes.List(items=items) | nodes.Tuple(items=items):
            for item in items:
                yield from constants(item)
        case nodes.CondExpr(expr1=first, expr2=second):
            yield from constants(first)
            if second is not None:
                yield from constants(second)
