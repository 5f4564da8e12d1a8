r"""Language: how the outline of one language is read from its syntax tree, as data.

A node is written `node@name/body^owner!`. The three are ways through the tree: steps joined by
dots, alternatives by bars. A step is a field (`name`), a field of one kind (`left=constant`), a
field followed as long as it is there (`declarator*`) or to a kind (`declarator*=call`), the first
child of a kind (`:identifier`) or the first child of any (`:*`). Left out, name and body are the
fields called so. A name can also be a word (`=init`), the first match in the header
(`~operator\S+`), the header (`%header`), its words (`%words`), or the id or tag of an element
(`%tag`). The owner's name goes before the name, as a receiver does. `!` asks for a body:
without one the node only mentions what it names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from typing import NamedTuple

from keyhole.values import dataclass, field

_SPEC = re.compile(
    r"(?P<node>\w+)(?:@(?P<name>[^\s/^]+?))?(?:/(?P<body>[^\s^!]+))?(?:\^(?P<owner>[^\s!]+))?(?P<asks>!)?"
)


HABITS = {
    "braced": "blocks may follow each other on one line with nothing between them",
    "commas": "nothing but a member of a list stands behind a comma",
    "layout": "the indentation of a line decides what it belongs to",
    "lines": "a block stands on lines of its own",
    "types": "a declaration may hold the type that it gives a name to",
    "tail-comments": "comments below a block and inside it by their indentation are its end",
    "tail-tables": "tables below one of an array are its end, if their names go on from its name",
}


class Node(NamedTuple):
    """How one kind of node becomes a segment."""

    kind: str
    name: str
    body: str
    owner: str
    asks_body: bool


@dataclass(frozen=True)
class Language:
    """One row of the table.

    `nodes` lists nodes under our kinds. A `variable` counts outside functions and `scopes` only, a
    `constant` outside functions, an `assigned` only if `values` knows the kind of its value, which
    then decides. `wrappers` are nodes that only surround a declaration, `attributes` those that may
    stand before it (a pattern after `=` says which texts do), `tails` those that belong to the
    declaration right before them, `asides` comments that belong to no declaration, `keywords` the
    words that tell what a node under `keyword` is, `lists` nodes whose `items` are counted.
    `splits` says that names have parts, `plain_bodies` that no braces surround a body, `recovers`
    that what stands behind a syntax error can be trusted, `has_conditionals` that lines such as
    `#if` may cut declarations in two.

    `mark` begins a line that is a comment, each of them if there are more, `step` is one level of
    indentation where a file shows none, `habits` are those of HABITS that the language has.
    """

    name: str
    extensions: str
    nodes: Mapping[str, str]
    files: str = ""
    programs: str = ""
    values: Mapping[str, str] = field(default_factory=dict)
    keywords: Mapping[str, str] = field(default_factory=dict)
    wrappers: str = ""
    attributes: str = ""
    tails: str = ""
    comments: str = "comment"
    asides: str = ""
    scopes: str = ""
    lists: str = ""
    items: str = ""
    methods_in: str = ""
    merges: str = "imports"
    join: str = "."
    splits: bool = True
    plain_bodies: bool = False
    recovers: bool = True
    has_conditionals: bool = False
    mark: str = "//"
    step: str = "    "
    habits: str = ""

    def has(self, habit: str) -> bool:
        """Tell whether the language has one of the HABITS."""
        return habit in self.habits.split()

    @cached_property
    def specs(self) -> Mapping[str, Node]:
        """Return how each kind of node is read."""
        return {
            node: spec
            for kind, written in self.nodes.items()
            for node, spec in (_spec(kind, one) for one in written.split())
        }

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
            node.partition("=")[0]: (role, node.partition("=")[2])
            for role, nodes in lists.items()
            for node in nodes.split()
        }

    @cached_property
    def comment_kinds(self) -> frozenset[str]:
        """Return the kinds of nodes that are comments."""
        return frozenset((*self.comments.split(), *self.asides.split()))

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """Return the kinds of segments a file of this language can have."""
        given = [kind for kind in self.nodes if kind not in {"assigned", "keyword"}]
        return tuple(dict.fromkeys([*given, *self.keywords.values(), *self.values.values()]))


def _spec(kind: str, written: str) -> tuple[str, Node]:
    found = _SPEC.fullmatch(written)
    assert found, f"BUG: {written} is not how a node is written"
    name, body, owner = found["name"] or "name", found["body"] or "body", found["owner"] or ""
    return found["node"], Node(kind, name, body, owner, found["asks"] is not None)
