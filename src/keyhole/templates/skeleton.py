"""The skeleton of a template: its own lines in the order of the file, and where its blocks are."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from jinja2 import nodes

from keyhole.segments.markdown import ITEM
from keyhole.segments.template_skeleton import HOLE, Group, Skeleton, SkeletonPiece
from keyhole.templates.chain import Chain, UnreadableError, constants


def ends_line(body: Sequence[nodes.Node]) -> bool:
    """Tell whether what statements write, if anything, ends with the end of a line."""
    for node in reversed(body):
        match node:
            case nodes.Output(nodes=[*_, last]):
                return isinstance(last, nodes.TemplateData) and last.data.endswith("\n")
            case nodes.Block() | nodes.For() | nodes.With() | nodes.FilterBlock():
                return ends_line(node.body)
            case nodes.If():
                branches = [node.body, *(each.body for each in node.elif_), node.else_]
                return all(ends_line(each) for each in branches if each)
            case nodes.Include() | nodes.CallBlock():
                return isinstance(node, nodes.Include)
    return True


def has_line_end(body: Sequence[nodes.Node]) -> bool:
    """Tell whether what statements write may have more than one line."""
    for node in body:
        for text in node.find_all(nodes.TemplateData):
            if "\n" in text.data:
                return True
        if next(iter(node.find_all((nodes.Include, nodes.CallBlock))), None):
            return True
    return False


def indent(body: Sequence[nodes.Node]) -> int:
    """Return how far the first line that a loop writes is indented."""
    for node in body:
        if isinstance(node, nodes.Output) and isinstance(node.nodes[0], nodes.TemplateData):
            text = node.nodes[0].data.lstrip("\n")
            return len(text) - len(text.lstrip(" "))
    return 0


def is_list(body: Sequence[nodes.Node]) -> bool:
    """Tell whether the rounds of a loop write the items of a list."""
    for node in body:
        if isinstance(node, nodes.Output):
            first = node.nodes[0]
            return isinstance(first, nodes.TemplateData) and bool(ITEM.match(first.data.lstrip()))
    return False


_DEEPEST = 50
_MOST_STEPS = 50_000
_HEADER = "scaffold_header"
_Part = str | tuple[str, str]
_HOLE: _Part = ("hole", "")


@lru_cache(maxsize=256)
def skeleton_of(chain: Chain) -> Skeleton:
    """Return the skeleton of a chain, by its content."""
    flat = _Flat(chain)
    flat.template(chain.name)
    return Skeleton(tuple(flat.finished()))


class _Flat:
    """Writes a template down as lines, with holes for what is only known when it is rendered."""

    def __init__(self, chain: Chain) -> None:
        self.chain = chain
        self.blocks: dict[str, list[nodes.Block]] = {}
        self.inside: list[tuple[str, int]] = []
        self.pieces: list[SkeletonPiece] = []
        self.parts: list[_Part] = []
        self.maybe = 0
        self.depth = 0
        self.steps = 0

    def finished(self) -> list[SkeletonPiece]:
        if self.parts:
            self._end_line()
        return self.pieces

    def template(self, name: str) -> None:
        """Write the outermost tier of a template, with the blocks of the inner ones."""
        if self.depth > _DEEPEST:
            return
        kept, self.blocks = self.blocks, {}
        self.depth += 1
        lineage = Chain(name, self.chain.sources).lineage
        for each in lineage:
            for block in self.chain.trees[each].find_all(nodes.Block):
                self.blocks.setdefault(block.name, []).append(block)
        self.body(self.chain.trees[lineage[-1]].body)
        self.depth -= 1
        self.blocks = kept

    def body(self, body: Sequence[nodes.Node]) -> None:  # noqa: C901 - a line for each kind
        """Write statements in order."""
        for node in body:
            self.steps += 1
            if self.steps > _MOST_STEPS:
                raise UnreadableError(f"{self.chain.name} is too involved")
            match node:
                case nodes.Output():
                    for each in node.nodes:
                        self._output(each)
                case nodes.Block():
                    self._block(node.name)
                case nodes.If():
                    self._if(node)
                case nodes.For():
                    self._add_gap([node.body], "list" if is_list(node.body) else "")
                case nodes.Include():
                    self._include(node)
                case nodes.With() | nodes.Scope() | nodes.ScopedEvalContextModifier():
                    self.body(node.body)
                case nodes.FilterBlock() | nodes.CallBlock():
                    self._add_gap([node.body], "")

    def _output(self, node: nodes.Node) -> None:
        match node:
            case nodes.TemplateData(data=text):
                self._text(text)
            case nodes.Const(value=str(text)):
                self._text(text)
            case nodes.Call(node=nodes.Name(name="super")) if self.inside:
                name, depth = self.inside[-1]
                self._inner(name, depth + 1)
            case nodes.Name(name=name) if name == _HEADER:
                self.parts.append(("header", ""))
            case nodes.Call(args=[nodes.Name(name=name), *_]) if self._is_declared_list(name):
                self.parts.append(("hole", "list"))
            case _:
                self.parts.append(_HOLE)

    def _is_declared_list(self, name: str) -> bool:
        variable = self.chain.metadata.variables.get(name)
        return variable is not None and variable.type == "list"

    def _text(self, text: str) -> None:
        first, *rest = text.split("\n")
        if first:
            self.parts.append(first)
        for line in rest:
            self._end_line()
            if line:
                self.parts.append(line)

    def _block(self, name: str) -> None:
        if self.parts:
            self.parts.append(("begin", name))
        else:
            self._add("begin", name)
        self._inner(name, 0)
        if not self.parts:
            self._add("end", name)
        elif self.pieces and self.pieces[-1] == SkeletonPiece("begin", name, self.maybe > 0):
            self.pieces.pop()
            self.parts = [("begin", name), *self.parts, ("end", name)]
        else:
            self.parts.append(("end", name))

    def _inner(self, name: str, depth: int) -> None:
        bodies = self.blocks.get(name, [])
        if depth >= len(bodies) or self.depth > _DEEPEST:
            return
        self.inside.append((name, depth))
        self.depth += 1
        self.body(bodies[depth].body)
        self.depth -= 1
        self.inside.pop()

    def _if(self, node: nodes.If) -> None:
        branches = [node.body, *(each.body for each in node.elif_), node.else_]
        if self.parts or not all(ends_line(each) for each in branches if each):
            self._spill(branches, "")
            return
        for each in branches:
            self.maybe += 1
            self.body(each)
            self.maybe -= 1
            # What one branch says may be followed by what comes behind all of them.
            self._add("seam", "")

    def _add_gap(self, bodies: Sequence[Sequence[nodes.Node]], what: str) -> None:
        if self.parts or not all(ends_line(each) for each in bodies):
            self._spill(bodies, what)
        else:
            self._add("gap", what, indent=indent(bodies[0]))

    def _spill(self, bodies: Sequence[Sequence[nodes.Node]], what: str) -> None:
        """Write a hole for output that may be a part of a line, or may span lines."""
        spills = any(has_line_end(each) for each in bodies)
        self.parts.append(("spill", f"{indent(bodies[0])} {what}") if spills else _HOLE)

    def _include(self, node: nodes.Include) -> None:
        names = [each for each in constants(node.template) if each in self.chain.trees]
        if isinstance(node.template, nodes.Const) and names:
            self.template(names[0])
        else:
            self.parts.append(_HOLE)

    def _add(self, kind: str, text: str, groups: tuple[Group, ...] = (), indent: int = 0) -> None:
        self.pieces.append(SkeletonPiece(kind, text, self.maybe > 0, groups, indent))

    def _end_line(self) -> None:
        parts, self.parts = self.parts, []
        spills = [n for n, part in enumerate(parts) if part[0] == "spill"]
        if spills:
            self._spilled(parts, spills)
            return
        whole = _whole_block(parts)
        for name in whole:
            self._add("begin", name)
            parts = parts[1:-1]
        parts, marks = _without_marks_behind(parts)
        self._line(parts)
        for name in reversed(whole):
            self._add("end", name)
        for kind, name in marks:
            self._add(kind, name)

    def _spilled(self, parts: list[_Part], spills: list[int]) -> None:
        """Write a line that a hole of several lines may split."""
        head, marks = _without_marks_behind(parts[: spills[0]])
        inner = [each for each in parts[spills[0] + 1 : spills[-1]] if not isinstance(each, str)]
        tail = parts[spills[-1] + 1 :]
        while tail and not isinstance(mark := tail[0], str) and mark[0] in {"begin", "end"}:
            inner.append(mark)
            tail = tail[1:]
        if _literal(head).strip():
            self._line([*head, _HOLE])
        for kind, name in marks:
            self._add(kind, name)
        depth, _, what = parts[spills[0]][1].partition(" ")
        self._add("gap", what, indent=int(depth))
        for kind, name in inner:
            if kind in {"begin", "end"}:
                self._add(kind, name)
        if _literal(tail).strip():
            self._line([_HOLE, *tail])

    def _line(self, parts: list[_Part]) -> None:
        literal = _literal(parts)
        kinds = {each[0] for each in parts if not isinstance(each, str)}
        depth = len(literal) - len(literal.lstrip(" "))
        if "header" in kinds:
            self._add("header", "")
        elif not kinds:
            self._add("line", literal.rstrip())
        elif not literal.strip() and "begin" not in kinds:
            what = next((each[1] for each in parts if not isinstance(each, str)), "")
            self._add("gap", what, indent=depth)
        else:
            pattern, groups = _pattern(parts)
            self._add("pattern", pattern, groups, depth)


def _literal(parts: list[_Part]) -> str:
    return "".join(each for each in parts if isinstance(each, str))


def _without_marks_behind(parts: list[_Part]) -> tuple[list[_Part], list[tuple[str, str]]]:
    """Return a line without the edges of other lines' blocks behind it, and these edges."""
    kept, marks = list(parts), list[tuple[str, str]]()
    while kept and not isinstance(kept[-1], str) and kept[-1][0] in {"begin", "end"}:
        kind, name = kept[-1]
        if ("end" if kind == "begin" else "begin", name) in kept:
            break
        marks.insert(0, (kind, name))
        kept.pop()
    return kept, marks


def _whole_block(parts: list[_Part]) -> list[str]:
    """Return the blocks, outer first, that are all that a line holds."""
    names: list[str] = []
    while len(parts) > 1 and not isinstance(parts[0], str) and parts[0][0] == "begin":
        if parts[-1] != ("end", parts[0][1]):
            break
        names.append(parts[0][1])
        parts = parts[1:-1]
    return names


def _pattern(parts: list[_Part]) -> tuple[str, tuple[Group, ...]]:
    """Return a line with its holes, and the blocks that lie inside it."""
    text, begun, groups = "", dict[str, int](), list[Group]()
    for part in parts:
        if isinstance(part, str):
            text += part.replace(HOLE, "")
        elif part[0] == "begin":
            begun[part[1]] = len(text)
        elif part[0] == "end":
            if part[1] in begun:
                groups.append((part[1], begun[part[1]], len(text)))
        elif not text.endswith(HOLE):
            text += HOLE
    # The lines of files are compared without the blanks at their ends.
    short = text.rstrip(" \t")
    return short, tuple((name, min(a, len(short)), min(b, len(short))) for name, a, b in groups)
