"""Structural patterns: code with holes, `print($X)`, found wherever the syntax tree fits it.

A grammar reads some code as something else: `[[*f(x)]]` of Python as a call of `*f`. So Python's
own parser says which expressions there are, and one that the grammar has not got is matched alone.
A pattern is a piece of code as well: in C `f($X)` alone is no call, so it is read inside of one.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING

from keyhole.fastclasses import dataclass, field
from keyhole.phrases import say
from keyhole.refusals import Refusal, Refused
from keyhole.segments.languages.table import LANGUAGES, language_of
from keyhole.segments.outline import Span
from keyhole.text.document import Document, masked, plain_lines

if TYPE_CHECKING:
    from keyhole.segments.code.parser import Rule, SgNode

_VARIABLE = re.compile(r"\$\$\$(?P<many>[A-Z_][A-Z0-9_]*)?|\$(?P<one>[A-Z_][A-Z0-9_]*)")
# Names; a letter before a quote is a prefix of a string, and one behind a backslash an escape.
_NAME = re.compile(r"(?<![\w\\$])[A-Za-z_][A-Za-z0-9_]+(?![\w\"'$])")
# Words that a pattern may have and a place that it fits may lack.
_MAY_LACK = frozenset({"async", "await", "const", "let", "var", "pub", "mut", "static", "export"})
_ASSIGNMENTS: Mapping[type[ast.stmt], str] = {
    ast.Assign: "assignment",
    ast.AnnAssign: "assignment",
    ast.AugAssign: "augmented_assignment",
}
# What stands before and behind a piece of code that its grammar takes for something else by itself.
_AROUND = {
    "c": (("void f(void) { ", "; }"),),
    "cpp": (("void f() { ", "; }"), ("void f(", " a) {}")),
    "csharp": (("class A { void f() { ", "; } }"),),
    "go": (("package a\nfunc f() { ", " }"),),
    "java": (("class A { void f() { ", "; } }"),),
    "kotlin": (("val a: ", " = b"),),
    "rust": (("fn f() { ", "; }"), ("fn f(a: ", ") {}")),
    "scala": (("val a: ", " = b"),),
    "solidity": (("contract A { function f() { a = ", "; } }"),),
    "tsx": (("let a: ", ";"),),
    "typescript": (("let a: ", ";"),),
}


@dataclass(frozen=True, slots=True)
class PatternHit:
    """A place that a pattern fits, and the place of what each of its variables stands for."""

    span: Span
    variables: Mapping[str, Span] = field(hash=False)


def find_pattern(
    path: str, document: Document, pattern: str, root: SgNode | None = None
) -> tuple[PatternHit, ...]:
    """Return where `pattern` fits, in file order, outer places before those inside them.

    `root` is the syntax tree of the file, for who looks for several patterns.
    """
    check_patterns(path, document)
    language = language_of(path, document)
    from keyhole.segments.code.parser import is_broken

    root = root or syntax_tree(path, document)
    found = match_in(root, pattern) if pattern.strip() else None
    hits = {hit.span: hit for hit in reversed(found or ())}
    rules = _rules_in_context(language, pattern.strip())
    for rule in rules:
        hits = {hit.span: hit for hit in match_in(root, pattern, rule) or ()} | hits
    if language == "python" and found is not None:
        hits |= {hit.span: hit for hit in _read_by_python(document, pattern, hits.keys())}
    # A piece of code may be no file of its own and still be found; one that is not and finds
    # nothing is a mistake.
    is_code = hits or rules or not is_broken(language, _VARIABLE.sub("name", pattern))
    if found is None or not is_code:
        raise Refused(_bad_pattern(pattern, language))
    return tuple(sorted(hits.values(), key=lambda hit: (hit.span[0], -hit.span[1])))


def check_patterns(path: str, document: Document) -> None:
    """Refuse a file that has no syntax tree to match a pattern in."""
    language = language_of(path, document)
    if language not in {"python", *LANGUAGES}:
        raise Refused(_no_parser(language))


def names_in(pattern: str) -> tuple[str, ...]:
    """Return the words of a pattern that stand in every file it fits: names, of plain letters."""
    bare = _VARIABLE.sub(" ", pattern)
    return tuple(dict.fromkeys(word for word in _NAME.findall(bare) if word not in _MAY_LACK))


def syntax_tree(path: str, document: Document) -> SgNode:
    """Return the syntax tree of a file, as patterns are matched in it."""
    from keyhole.segments.code.parser import parse

    return parse(language_of(path, document), plain_lines(document.text))


def match_in(
    root: SgNode, pattern: str, rule: Rule | None = None, by: int = 0
) -> list[PatternHit] | None:
    """Return where a pattern fits, moved `by` some characters; None if it is no pattern.

    `rule` is the pattern as the parser is asked for it, if that is more than its text.
    """
    from keyhole.segments.code.parser import span_of

    try:
        nodes = root.find_all(**(rule or {"pattern": pattern}))
    except RuntimeError:
        return None
    one = [found["one"] for found in _VARIABLE.finditer(pattern) if found["one"]]
    many = [found["many"] for found in _VARIABLE.finditer(pattern) if found["many"]]
    return [
        PatternHit(_moved(span_of(node), by), _variables(node, one, many, by)) for node in nodes
    ]


def _moved(span: Span, by: int) -> Span:
    return span[0] + by, span[1] + by


def _variables(node: SgNode, one: list[str], many: list[str], by: int) -> dict[str, Span]:
    from keyhole.segments.code.parser import span_of

    spans: dict[str, Span] = {}
    for name in one:
        if found := node.get_match(name):
            spans[name] = _moved(span_of(found), by)
    for name in many:
        several = node.get_multiple_matches(name)
        at = span_of(node)[0]
        ends = (span_of(several[0])[0], span_of(several[-1])[1]) if several else (at, at)
        spans[name] = _moved(ends, by)
    return spans


@lru_cache(maxsize=16)
def _rules_in_context(language: str, pattern: str) -> tuple[Rule, ...]:
    """Return the rules of a pattern in code around it, where it is one node."""
    found = (_rule_between(language, pattern, *each) for each in _AROUND.get(language, ()))
    return tuple(rule for rule in found if rule)


def _rule_between(language: str, pattern: str, before: str, behind: str) -> Rule | None:
    from keyhole.segments.code.parser import is_broken, parse, span_of

    piece = _VARIABLE.sub("name", pattern)
    if piece in {"", "name"} or is_broken(language, f"{before}{piece}{behind}"):
        return None
    whole = parse(language, f"{before}{piece}{behind}")
    span = len(before), len(before) + len(piece)
    nodes = whole.find_all(regex=re.escape(piece))
    kinds = [node.kind() for node in nodes if span_of(node) == span]
    first = whole.find(kind=kinds[-1]) if kinds else None
    if first is None or span_of(first) != span:
        return None
    context = f"{before}{pattern}{behind}"
    return {"pattern": {"context": context, "selector": kinds[-1], "strictness": "smart"}}


def _read_by_python(
    document: Document, pattern: str, known: Collection[Span]
) -> Iterator[PatternHit]:
    """Yield where a pattern fits expressions of Python that the grammar takes for others."""
    from keyhole.segments.code.parser import parse

    text, words = plain_lines(document.text), names_in(pattern)
    shape = _parsed(_VARIABLE.sub("name", pattern.strip()), "eval")
    if not isinstance(shape, ast.Expression) or any(
        text.count(word) <= len(known) for word in words[:1]
    ):
        return
    first = leading[0] if (leading := re.match(r"\w+", pattern.strip())) else ""
    for span in _nodes_of_python(text, type(shape.body)):
        piece = text[slice(*span)]
        is_like = piece.startswith(first) and all(word in piece for word in words)
        if span in known or not is_like:
            continue
        for hit in match_in(parse("python", f"({piece})"), pattern, by=span[0] - 1) or ():
            if hit.span == span:
                yield hit


def misread_assignments(text: str, pattern: str) -> Iterator[Span]:
    """Yield the assignments of a pattern's kind that the grammar of Python takes for others."""
    from keyhole.segments.code.parser import parse, span_of

    shape = _parsed(_VARIABLE.sub("name", pattern.strip()), "exec")
    [kind, *more] = map(type, shape.body if isinstance(shape, ast.Module) else [ast.Pass()])
    if node := None if more else _ASSIGNMENTS.get(kind):
        there = {span_of(each) for each in parse("python", text).find_all(kind=node)}
        yield from (span for span in _nodes_of_python(text, kind) if span not in there)


def _nodes_of_python(text: str, kind: type[ast.expr | ast.stmt]) -> Iterator[Span]:
    """Yield the nodes of a kind as Python reads them, those in f-strings left out."""
    tree = _parsed(text, "exec")
    starts = [0, *(found.end() for found in re.finditer("\n", text))]

    def offset(line: int, column: int) -> int:
        start = starts[line - 1]
        if text.isascii():
            return start + column
        return start + len(text[start : start + column].encode()[:column].decode())

    todo: list[ast.AST] = [tree] if tree else []
    while todo:
        node = todo.pop()
        if isinstance(node, ast.JoinedStr):  # not every Python says where its parts are
            continue
        todo.extend(ast.iter_child_nodes(node))
        if isinstance(node, kind):
            end = offset(node.end_lineno or node.lineno, node.end_col_offset or 0)
            yield offset(node.lineno, node.col_offset), end


def _parsed(text: str, mode: str) -> ast.AST | None:
    with suppress(SyntaxError, ValueError, RecursionError, MemoryError), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return compile(masked(text), "", mode, ast.PyCF_ONLY_AST)
    return None


def _no_parser(language: str) -> Refusal:
    return Refusal(
        "wrong-segment-kind",
        f"a {language} file has no syntax tree to match a pattern in",
        help=say("use {find}, with {regex} if need be"),
        suggestions=tuple(sorted({"python", *LANGUAGES})),
    )


def _bad_pattern(pattern: str, language: str) -> Refusal:
    return Refusal(
        "bad-request",
        f"the pattern `{' '.join(pattern.split())}` is not {language} code",
        help="write a whole expression or statement; $X stands for one node, $$$X for several",
    )
