"""The home of ast-grep: the syntax tree of a text as plain values, in character offsets."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from functools import lru_cache
from sys import intern
from typing import NamedTuple

from ast_grep_py import Rule, SgNode, SgRoot

from keyhole.segments.code.layout import begins_line
from keyhole.segments.languages.language import Language
from keyhole.segments.languages.node import BETWEEN_TAGS, Node, Step, Ways
from keyhole.segments.languages.table import row_of
from keyhole.segments.names import name_parts, tag_name, words_of
from keyhole.segments.outline import Span
from keyhole.text.document import masked

# The grammar of JSON knows no plus in an exponent, as in 1e+21; what stands in texts stays.
_JSON_PLUS = re.compile(r'"(?:\\.|[^"\\\n])*"|(?<=\d[eE])\+(?=\d)')
# The scanner of YAML ends the whole program at about 250 levels; a level takes a column.
_YAML_LEVELS = re.compile(r"^[ \t?-]{200}", re.MULTILINE)
# The one of Kotlin does so at about 500 templates inside each other.
_KOTLIN_TEMPLATE = re.compile(r'"""|"|\$\{|[{}]')
_MOST_TEMPLATES = 400
# The one of Swift takes minutes over a few hundred comments inside each other.
_SWIFT_COMMENT = re.compile(r"/\*|\*/")
_MOST_COMMENTS = 50


def is_hazard(parser: str, text: str) -> bool:
    """Tell whether a text must not be given to the parser of its language."""
    match parser:
        case "yaml":
            return _YAML_LEVELS.search(text) is not None
        case "kotlin":
            return text.count("${") > _MOST_TEMPLATES and _template_depth(text) > _MOST_TEMPLATES
        case "swift":
            return text.count("/*") > _MOST_COMMENTS and _comment_depth(text) > _MOST_COMMENTS
        case _:
            return False


def _template_depth(text: str) -> int:
    """Return how deep string templates nest, as if no comment held a quote."""
    opened: list[str] = []
    deepest = 0
    for found in _KOTLIN_TEMPLATE.finditer(text):
        sign = found.group()
        inside = opened[-1] if opened else ""
        if sign[0] == '"' and inside == sign:
            opened.pop()
        elif sign == "${" or (sign != "}" and not inside.startswith('"')):
            opened.append(sign)
        elif sign == "}" and inside in {"{", "${"}:
            opened.pop()
        deepest = max(deepest, len(opened))
    return deepest


def _comment_depth(text: str) -> int:
    depth = deepest = 0
    for found in _SWIFT_COMMENT.finditer(text):
        depth = depth + 1 if found.group() == "/*" else max(depth - 1, 0)
        deepest = max(deepest, depth)
    return deepest


# The parser's own types, for the files beside this one.
__all__ = [
    "FoundNode",
    "Rule",
    "SgNode",
    "error_spans",
    "is_beyond_parsing",
    "is_broken",
    "parse",
    "read_nodes",
    "span_of",
]

# Other nodes are empty only where the parser had to make them up.
_MAY_BE_EMPTY = frozenset(
    {"raw_text", "heredoc_content", "heredoc_body", "comment_content", "word"}
)
# A text that no grammar fits can take time that grows with its square, or worse. The beginning of
# a long one is tried first: a real file takes a tenth of a microsecond for each character.
# What grammars do not look into: tokens that a macro takes, the body of one that is defined.
_MACROS = {"rust": ("token_tree",), "c": ("preproc_arg",), "cpp": ("preproc_arg",)}
_TRIALS = (1_000, 8_000)
# A tree takes forty times its text: of a text so long it is given back to the system at once.
_LARGE = 1 << 20
_SHORTEST_TRIED = 2 * _TRIALS[-1]
_SLOWEST = 3e-6


# The body of these is a value, and a comment before it is none of it.
_BARE = frozenset({"variable", "constant", "type", "prototype", "imports"})
# Comments on lines of their own at the end.
_BEHIND = re.compile(r"\n\s*((?:/\*(?s:.*?)\*/|//[^\n]*)(?:\s*(?:/\*(?s:.*?)\*/|//[^\n]*))*)\s*\Z")


class FoundNode(NamedTuple):
    """A node of the outline: a segment of some `kind`, or in another `role` beside one."""

    role: str
    kind: str
    names: tuple[str, ...]
    start: int
    end: int
    body: Span | None = None


def parse(parser: str, text: str) -> SgNode:
    """Return the root of a text's syntax tree, an empty one for a text that would kill the parser.

    `parser` is the name of a language in the table, or that of a grammar.

    The parser takes no lone surrogates either; each stands for one character.
    """
    return _root(parser, "" if is_beyond_parsing(parser, text) else text)


@lru_cache(maxsize=2)
def is_beyond_parsing(parser: str, text: str) -> bool:
    """Tell whether a text would kill the parser of its language, or keep it busy for minutes."""
    if is_hazard(parser, text):
        return True
    pieces = (text[:length] for length in _TRIALS if len(text) > _SHORTEST_TRIED)
    return any(_is_slow(parser, piece) for piece in pieces)


def _is_slow(parser: str, piece: str) -> bool:
    """Tell whether parsing a piece takes too long, twice: the first time may load the grammar."""
    return all(_seconds(parser, piece) > _SLOWEST * len(piece) for _ in range(2))


def _seconds(parser: str, piece: str) -> float:
    start = time.thread_time()
    _root(parser, piece)
    return time.thread_time() - start


def _root(parser: str, text: str) -> SgNode:
    flat = masked(text)
    if parser == "json" and ("e+" in flat or "E+" in flat):
        flat = _JSON_PLUS.sub(lambda found: "0" if found[0] == "+" else found[0], flat)
    return SgRoot(flat, row_of(parser).grammar or parser).root()


def error_spans(parser: str, text: str) -> tuple[Span, ...]:
    """Return the spans of a text that its grammar does not fit."""
    return tuple(map(span_of, parse(parser, text).find_all(kind="ERROR")))


def unseen_spans(parser: str, text: str) -> tuple[Span, ...]:
    """Return the spans of a text that have no syntax tree: errors, and bodies of macros."""
    rules = [Rule(kind=each) for each in ("ERROR", *_MACROS.get(parser, ()))]
    return tuple(map(span_of, parse(parser, text).find_all(any=rules)))


def read_nodes(language: Language, text: str) -> list[FoundNode]:
    """Return the nodes of `text` that matter to its outline, outer before inner."""
    if not text.strip():
        return []
    kinds = [*language.node_of, *language.roles, "ERROR"]
    # What the parser had to make up is empty.
    rules: list[Rule] = [*(Rule(kind=kind) for kind in kinds), Rule(regex="^$")]
    nodes = parse(language.name, text).find_all(any=rules)
    nodes.reverse()
    node: SgNode | None
    found: list[FoundNode] = []
    items: list[FoundNode] = []
    while nodes:  # each goes as soon as it is read: a node takes as much as what is kept of it
        node = nodes.pop()
        if one := _read(language, node, text):
            found.extend(_bared(one, text))
        if node.kind() in language.lists:
            items.extend(_items(language, node))
    node = None
    if len(text) >= _LARGE:
        _give_memory_back()
    found += items
    if items:
        found.sort(key=lambda found: (found.start, -found.end))
    return found


def _give_memory_back() -> None:
    """Let the allocator return what a tree took; where it has no such call, it keeps it."""
    import ctypes

    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:  # pragma: no branch: other C libraries have none
        trim(0)


def _bared(found: FoundNode, text: str) -> Iterator[FoundNode]:
    """Yield a node, imports without a comment below them, which Kotlin's parser takes as blanks."""
    hidden = found.kind == "imports" and _BEHIND.search(text, found.start, found.end)
    if not hidden:
        yield found
        return
    yield found._replace(end=hidden.start())
    yield FoundNode("comment", "comment", (), hidden.start(1), hidden.end(1))


def _items(language: Language, node: SgNode) -> Iterator[FoundNode]:
    """Yield the numbered items of a list; those without structure inside need no name."""
    children = (child for child in node.children() if child.is_named())
    for number, child in enumerate(child for child in children if child.kind() != "comment"):
        if child.kind() in language.items:
            inner = [part for part in child.children() if part.is_named()] or [child]
            body = span_of(child if child.text()[0] in "{[" else inner[-1])
            yield FoundNode("segment", "item", (str(number),), *span_of(child), body)


def span_of(node: SgNode) -> Span:
    """Return the offsets of a node.

    ast-grep's range would count columns too, which takes the length of the line each time.
    """
    edit = node.replace("")
    return edit.start_pos, edit.end_pos


def _read(language: Language, node: SgNode, text: str) -> FoundNode | None:
    """Return one node as the outline needs it, or None if it does not matter."""
    kind = node.kind()
    start, end = span_of(node)
    if kind == "ERROR" or (start == end and node.is_leaf() and kind not in _MAY_BE_EMPTY):
        return None if _is_comma(node) else FoundNode("error", intern(kind), (), start, end)
    if kind in language.node_of:
        return _segment(language, language.node_of[kind], node, text)
    role, texts = language.roles.get(kind, ("", ""))
    if not role or (texts and not re.match(texts, text[start:end])):
        return None
    return FoundNode(role, intern(kind), (), start, end)


def _is_comma(node: SgNode) -> bool:
    """Tell whether an error is certainly a trailing comma, as configuration often has."""
    if node.text():
        return node.text() == ","
    before = (other.text() for other in node.prev_all() if other.kind() != "comment")
    return node.kind() == "number" and next(filter(None, before), "") == ","


def _segment(language: Language, spec: Node, node: SgNode, text: str) -> FoundNode | None:
    """Return the segment that a node is, or None if it is not what its row asks for."""
    start, end = span_of(node)
    named = _follow(node, spec.name)
    body = _follow(node, spec.body)
    place = (
        _place(node, body) if body else _between_tags(node) if spec.body == BETWEEN_TAGS else None
    )
    kind = spec.kind
    if kind == "keyword":
        before = text[start : span_of(named)[0]] if named else ""
        words = (language.keywords.get(word) for word in re.findall(r"\w+", before))
        kind = next((word for word in words if word), "")
    elif body and body.kind() in language.values:
        kind = language.values[body.kind()]
        place = span_of(body.field("body") or body)
    if place and kind not in _BARE and "\n" in text[start : place[0]] + text[place[1] : end]:
        place = _with_comments(language, node, place, text)
    names = _names(language, spec, node, named, text[start : place[0] if place else end])
    if not names or kind in {"", "assigned"} or (spec.needs_body and not place):
        return None
    if place and named and place[0] <= span_of(named)[0] < place[1]:
        place = None
    return FoundNode("segment", kind, names, start, end, place)


def _place(node: SgNode, body: SgNode) -> Span:
    """Return where a body lies; what a node has several of ends with the last."""
    bodies = node.field_children("body")
    last = bodies[-1] if bodies and span_of(bodies[0]) == span_of(body) else body
    return span_of(body)[0], span_of(last)[1]


def _with_comments(language: Language, node: SgNode, place: Span, text: str) -> Span:
    """Return a body with the comments around it, which some parsers leave between it and the head.

    Only those on lines of their own: one behind the head is about the head.
    """
    comments = [
        span_of(child)
        for child in node.children()
        if child.kind() in language.comment_kinds and begins_line(text, span_of(child)[0])
    ]
    start, end = place
    for first, last in reversed(comments):
        if last <= start and not text[last:start].strip():
            start = first
    for first, last in comments:
        if end <= first and not text[end:first].strip():
            end = last
    return start, end


def _between_tags(node: SgNode) -> Span | None:
    """Return what lies between the first and the last tag of an element."""
    tags = node.children()
    if len(tags) < 2 or tags[-1].kind() != "end_tag":
        return None
    return span_of(tags[0])[1], span_of(tags[-1])[0]


def _names(
    language: Language, spec: Node, node: SgNode, named: SgNode | None, header: str
) -> tuple[str, ...]:
    """Return what a node is called, with the name of its owner first."""
    how, what, _ = spec.name[-1][0]
    if named:
        names = name_parts(named.text(), splits=language.splits)
    elif how == "word":
        names = (what,)
    elif how == "match":
        match = re.search(what, header)
        names = (match.group(),) if match else ()
    elif how == "header words":
        names = words_of(header)
    elif how == "tag":
        names = tag_name(header)
    else:
        names = (" ".join(header.split()),) if how == "header" else ()
    owner = _follow(node, spec.owner) if spec.owner else None
    owners = re.findall(r"[^\W\d]\w*", owner.text())[:1] if owner else []
    return (*owners, *names) if names else ()


def _follow(node: SgNode, ways: Ways) -> SgNode | None:
    """Follow the first of some ways through the tree that leads anywhere."""
    for way in ways:
        at: SgNode | None = node
        for step in way:
            at = _step(at, step) if at else None
        if at:
            return at
    return None


def _step(node: SgNode, step: Step) -> SgNode | None:
    how, what, kind = step
    if how == "child":
        children = (child for child in node.children() if child.is_named())
        return next((child for child in children if kind in {"", child.kind()}), None)
    if how == "deepest":
        return _deepest(node, what, kind)
    child = node.field(what) if how == "field" else None
    return child if child and kind in {"", child.kind()} else None


def _deepest(node: SgNode, field: str, kind: str) -> SgNode | None:
    """Follow a field as long as it is there, or to the first node of a kind if one is asked."""
    last = None
    # What a reference refers to has no field; a conversion is called by what it converts to.
    while node.kind() != "operator_cast" and (
        inner := node.children()[-1] if node.kind() == "reference_declarator" else node.field(field)
    ):
        last = node = inner
        if kind and node.kind() == kind:
            return node
    return None if kind else last


def is_broken(parser: str, text: str) -> bool:
    """Tell whether a text is not one of its language."""
    rules = [Rule(kind="ERROR"), Rule(regex="^$")]
    return parse(parser, text).find(any=rules) is not None
