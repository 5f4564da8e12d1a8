"""Language: how the outline of one language is read from its syntax tree, as data."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from keyhole.fastclasses import dataclass, field
from keyhole.segments.languages.node import Node

HABITS = {
    "braced": "blocks may follow each other on one line with nothing between them",
    "commas": "nothing but a member of a list stands behind a comma",
    "layout": "the indentation of a line decides what it belongs to",
    "lines": "a block stands on lines of its own",
    "types": "a declaration may hold the type that it gives a name to",
    "tail-comments": "comments below a block and inside it by their indentation are its end",
    "tail-tables": "tables below one of an array are its end, if their names go on from its name",
}


@dataclass(frozen=True)
class Language:
    """One row of the table. Names of nodes and fields are those of the grammar.

    `name` is what answers call the language, and what the parser calls the `grammar` unless that is
    given.

    Which files: `extensions` of their names, whole names as `files`, and the `programs` that a
    first line `#!` names, all in small letters.

    Which segments: `nodes`. Their kinds are ours, with four rules. A `variable` counts outside
    functions and `scopes` only, a `constant` outside functions. An `assigned` counts only if
    `values` knows the node that its body is, and `values` then says the kind. A `keyword` gets its
    kind from `keywords`, by the first of them that stands before its name. In `lists` the `items`
    are counted and get numbers as names.

    What else there is to a segment: `wrappers` are nodes that only surround a declaration,
    `attributes` those that may stand before it (those in `attribute_texts` only if the pattern fits
    their text), `tails` those that belong to the declaration right before them, `comments` those
    that document what is below them, `asides` comments that belong to no declaration. Neighbours of
    one name and of a kind in `merges` are one segment.

    `literals` are nodes whose lines are text, so that their indentation is part of a value. Where
    one begins with the pattern `movable_literals`, it moves with the code around it.

    `join` stands between the names of an address. `splits` says that names have parts,
    `plain_bodies` that no braces surround a body, `recovers` that what stands behind a syntax error
    can be trusted, `has_conditionals` that lines such as `#if` may cut declarations in two.

    Each of `marks` begins a line that is a comment, `step` is one level of indentation where a file
    shows none, `habits` are those of HABITS that the language has.
    """

    name: str
    extensions: tuple[str, ...]
    grammar: str = ""
    nodes: tuple[Node, ...] = ()
    files: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    values: Mapping[str, str] = field(default_factory=dict)
    keywords: Mapping[str, str] = field(default_factory=dict)
    wrappers: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()
    attribute_texts: Mapping[str, str] = field(default_factory=dict)
    tails: tuple[str, ...] = ()
    comments: tuple[str, ...] = ("comment",)
    asides: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ()
    lists: tuple[str, ...] = ()
    items: tuple[str, ...] = ()
    merges: tuple[str, ...] = ("imports",)
    literals: tuple[str, ...] = ()
    movable_literals: str = ""
    join: str = "."
    splits: bool = True
    plain_bodies: bool = False
    recovers: bool = True
    has_conditionals: bool = False
    marks: tuple[str, ...] = ("//",)
    step: str = "    "
    habits: tuple[str, ...] = ()

    def has(self, habit: str) -> bool:
        """Tell whether the language has one of the HABITS."""
        return habit in self.habits

    @cached_property
    def node_of(self) -> Mapping[str, Node]:
        """Return how each kind of node that is a segment is read."""
        return {node.node: node for node in self.nodes}

    @cached_property
    def roles(self) -> Mapping[str, tuple[str, str]]:
        """Return what other kinds of nodes are to a declaration, and the texts they must match."""
        lists = {
            "wrapper": self.wrappers,
            "attribute": self.attributes,
            "tail": self.tails,
            "comment": self.comments,
            "aside": self.asides,
            "scope": self.scopes,
            "list": self.lists,
        }
        return {
            node: (role, self.attribute_texts.get(node, ""))
            for role, nodes in lists.items()
            for node in nodes
        }

    @cached_property
    def comment_kinds(self) -> frozenset[str]:
        """Return the kinds of nodes that are comments."""
        return frozenset((*self.comments, *self.asides))

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """Return the kinds of segments a file of this language can have."""
        given = [node.kind for node in self.nodes if node.kind not in {"assigned", "keyword"}]
        return tuple(dict.fromkeys([*given, *self.keywords.values(), *self.values.values()]))
