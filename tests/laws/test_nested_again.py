"""New text for a body nests its old lines anew: blocks come around them, go away, or move.

The truth is known by construction: a body is a tree of blocks and statements, written at the depth
of its place. The lines that it shares with the old one stand at other depths, and say nothing.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from keyhole.edits.by_text.target import Target
from keyhole.text.document import Document
from tests.laws.test_segment_edits import replaced, written

Tree = list["str | tuple[str, Tree]"]


@dataclass(frozen=True, slots=True)
class Spelling:
    """How a language writes a function `f`, a block, and a statement."""

    file: str
    opening: str
    closing: str
    block: str
    end: str
    statement: str
    unit: str
    address: str = "f"
    depth: int = 1


IN_C = ("C.f", 2)
SPELLINGS = (
    Spelling("a.js", "function f(a) {\n", "}\n", "if ({}) {{", "}", "{}();", "  "),
    Spelling("a.ts", "class C {\n  f() {\n", "  }\n}\n", "if ({}) {{", "}", "{}();", "  ", *IN_C),
    Spelling("a.go", "package main\n\nfunc f() {\n", "}\n", "if {} {{", "}", "{}()", "\t"),
    Spelling("a.java", "class C {\n  A f() {\n", "  }\n}\n", "if ({}) {{", "}", "{};", "  ", *IN_C),
    Spelling("a.c", "void f(void) {\n", "}\n", "if ({}) {{", "}", "{}();", "    "),
    Spelling("a.rs", "fn f() {\n", "}\n", "if {} {{", "}", "{}();", "    "),
    Spelling("a.php", "<?php\nfunction f() {\n", "}\n", "if (${}) {{", "}", "{}();", "    "),
    Spelling("a.kt", "fun f() {\n", "}\n", "if ({}) {{", "}", "{}()", "    "),
    Spelling("a.swift", "func f() {\n", "}\n", "if {} {{", "}", "{}()", "    "),
    Spelling("a.rb", "def f\n", "end\n", "if {}", "end", "{}()", "  "),
    Spelling("a.lua", "function f()\n", "end\n", "if {} then", "end", "{}()", "  "),
    Spelling("a.sh", "f() {\n", "}\n", "if {}; then", "fi", "{} now", "  "),
    Spelling("a.py", "def f():\n", "", "if {}:", "", "{}()", "    "),
)  # fmt: skip

names = st.sampled_from(("red", "green", "blue", "black", "white"))
trees = st.recursive(
    st.lists(names, min_size=1, max_size=3),
    lambda inner: st.lists(names | st.tuples(names, inner), min_size=1, max_size=3),
    max_leaves=6,
)


def rows(tree: Tree, spelling: Spelling, depth: int) -> Iterator[str]:
    for node in tree:
        if isinstance(node, str):
            yield spelling.unit * depth + spelling.statement.format(node)
            continue
        yield spelling.unit * depth + spelling.block.format(node[0])
        yield from rows(node[1], spelling, depth + 1)
        if spelling.end:
            yield spelling.unit * depth + spelling.end


def whole(tree: Tree, spelling: Spelling) -> str:
    body = "".join(f"{row}\n" for row in rows(tree, spelling, spelling.depth))
    return spelling.opening + body + spelling.closing


def function(tree: Tree, spelling: Spelling, sent_at: int) -> str:
    """Return the function alone, at column 0 or where the file has it."""
    shift = (spelling.depth - 1) * sent_at
    head, end = spelling.opening.splitlines()[-1], spelling.closing.partition("\n")[0]
    body = rows(tree, spelling, shift + 1)
    edges = [spelling.unit * shift + edge.strip() for edge in (head, end)]
    return "\n".join([edges[0], *body, *edges[1 : 1 + bool(end)]])


@settings(max_examples=50)
@pytest.mark.parametrize("spelling", SPELLINGS, ids=lambda each: each.file)
@given(old=trees, new=trees, sent_at=st.sampled_from((0, 1)))
def test_a_body_is_written_as_it_nests(
    spelling: Spelling, old: Tree, new: Tree, sent_at: int
) -> None:
    target = Target(spelling.file, Document.from_bytes(whole(old, spelling).encode()))
    (segment,) = [each for each in target.outline.segments if each.address == spelling.address]
    content = "\n".join(rows(new, spelling, spelling.depth * sent_at))

    body = replaced(target, segment, content, part="body")
    both = replaced(target, segment, function(new, spelling, sent_at))

    assert written(target, body) == written(target, both) == whole(new, spelling)


@settings(max_examples=50)
@pytest.mark.parametrize("spelling", SPELLINGS, ids=lambda each: each.file)
@given(old=trees, new=trees, sent_at=st.sampled_from((0, 1)))
def test_what_is_added_to_a_body_nests_beside_it(
    spelling: Spelling, old: Tree, new: Tree, sent_at: int
) -> None:
    target = Target(spelling.file, Document.from_bytes(whole(old, spelling).encode()))
    (segment,) = [each for each in target.outline.segments if each.address == spelling.address]
    content = "\n".join(rows(new, spelling, spelling.depth * sent_at))

    above = replaced(target, segment, content, action="prepend")
    below = replaced(target, segment, content, action="append")

    assert written(target, above) == whole([*new, *old], spelling)
    assert written(target, below) == whole([*old, *new], spelling)
