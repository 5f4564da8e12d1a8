"""Node: which nodes of a syntax tree are segments, and the ways to their names and bodies.

A way leads from a node through the tree in steps. The rows of the table of languages make ways with
the functions below: `field("name")`, `child("identifier")`, `path(field("type"), child("name"))`.
"""

from __future__ import annotations

from keyhole.fastclasses import dataclass

# How to go on, to what, and of which kind the node there has to be. A plain tuple: every start of
# the command line makes hundreds.
Step = tuple[str, str, str]
# Alternatives, each of some steps: the first that leads to a node counts.
Ways = tuple[tuple[Step, ...], ...]


def field(name: str, *, kind: str = "") -> Ways:
    """Go to the field `name` of the grammar, if it is of a `kind` where one is given."""
    return ((("field", name, kind),),)


def deepest(name: str, *, kind: str = "") -> Ways:
    """Go to the field `name` of the field `name` and so on: to the last, or to the first of a kind.

    In C, `char *f(void)` is a declarator of a declarator of a declarator, and the last is `f`.
    """
    return ((("deepest", name, kind),),)


def child(kind: str = "") -> Ways:
    """Go to the first child of a kind, or to the first at all."""
    return ((("child", "", kind),),)


def path(*steps: Ways) -> Ways:
    """Go one step after the other."""
    return (tuple(step for ((step,),) in steps),)


def either(*ways: Ways) -> Ways:
    """Go the first of some ways that leads to a node."""
    return tuple(way for each in ways for way in each)


def word(name: str) -> Ways:
    """Call the segment by a word that is always the same. The last of alternatives."""
    return ((("word", name, ""),),)


def match(pattern: str) -> Ways:
    """Call the segment by the first match of a pattern in its header. The last of alternatives."""
    return ((("match", pattern, ""),),)


# Call the segment by its whole header, by the words of its header, or by the id or tag of an
# element. The last of alternatives.
HEADER: Ways = ((("header", "", ""),),)
HEADER_WORDS: Ways = ((("header words", "", ""),),)
TAG: Ways = ((("tag", "", ""),),)
# A body: what lies between the first and the last tag of an element.
BETWEEN_TAGS: Ways = ((("between tags", "", ""),),)

_NAME, _BODY = field("name"), field("body")


@dataclass(frozen=True)
class Node:
    """How one kind of node becomes a segment of a `kind`.

    `node` is what the grammar calls it. `name` and `body` are the ways to its name and its body, by
    default the fields of the grammar that are called so. The name of what `owner` leads to goes
    before the name, as a receiver's does in Go. A node that `needs_body` and has none is no
    segment, as `struct a;` in C, which only mentions its struct.
    """

    kind: str
    node: str
    name: Ways = _NAME
    body: Ways = _BODY
    owner: Ways = ()
    needs_body: bool = False
