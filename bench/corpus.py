"""Every definition that `ast` knows in the standard library, looked up by our outline.

python -m bench.corpus             the whole standard library of the running interpreter
python -m bench.corpus DIR         every Python file below a directory
python -m bench.corpus spec.txt    the headings of each example of the CommonMark specification
"""

from __future__ import annotations

import ast
import re
import sys
import sysconfig
import warnings
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from keyhole.refusals import Refused
from keyhole.segments.addresses import find_segment
from keyhole.segments.markdown import read_markdown
from keyhole.segments.outline import Outline
from keyhole.segments.python.outline import read_python
from keyhole.text.document import Document, plain_lines

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_EXAMPLE = re.compile(r"^`{32} example\n(.*?)^\.\n.*?^`{32}$", re.MULTILINE | re.DOTALL)


class Known(NamedTuple):
    """A definition: its kind, its path, its first line with decorators, its last line."""

    kind: str
    path: tuple[str, ...]
    first: int
    last: int


def main(arguments: list[str]) -> int:
    """Compare, print the differences and how many definitions there were."""
    if arguments and Path(arguments[0]).is_file():
        return _compare_headings(Path(arguments[0]).read_text(encoding="utf-8"))
    root = Path(arguments[0] if arguments else sysconfig.get_paths()["stdlib"])
    counted: Counter[str] = Counter()
    for path in sorted(root.rglob("*.py")):
        if "site-packages" not in path.relative_to(root).parts:
            compare_file(path, counted)
    print(
        f"{counted['definitions']} definitions in {counted['files']} files,"
        f" {counted['differences']} differences; {counted['broken']} files do not parse,"
        f" {counted['sound']} definitions found in them"
    )
    return 1 if counted["differences"] or not counted["definitions"] else 0


def compare_file(path: Path, counted: Counter[str]) -> None:
    """Compare one file and print what differs."""
    data = path.read_bytes()
    document = Document.from_bytes(data)
    outline = read_python(document.text)
    try:
        expected = known_to_ast(data)
    except (SyntaxError, ValueError):
        counted["broken"] += 1
        counted["sound"] += len(outline.segments)
        return
    counted["files"] += 1
    counted["definitions"] += len(expected)
    for difference in differences(expected, outline, document):
        counted["differences"] += 1
        print(f"{path}: {difference}")


def differences(expected: list[Known], outline: Outline, document: Document) -> Iterator[str]:
    """Yield what the outline has wrong: a missing, a made-up or an unreachable definition."""
    ours = known_to_outline(outline, document)
    for known in sorted((Counter(expected) - Counter(ours)).elements()):
        yield f"missing {known}"
    for known in sorted((Counter(ours) - Counter(expected)).elements()):
        yield f"made up {known}"
    for segment in outline.segments:
        try:
            is_found = find_segment(outline, segment.address, document) is segment
        except Refused:
            is_found = False
        if not is_found:
            yield f"not found by its own address {segment.address}"


def known_to_ast(data: bytes) -> list[Known]:
    """Return the definitions of a module as the language itself reads them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(data)
    return list(_walk(tree, (), in_class=False))


def _walk(node: ast.AST, path: tuple[str, ...], *, in_class: bool) -> Iterator[Known]:
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, _DEFINITIONS):
            yield from _walk(child, path, in_class=in_class)
            continue
        is_class = isinstance(child, ast.ClassDef)
        kind = "class" if is_class else "method" if in_class else "function"
        first = min([child.lineno, *(one.lineno for one in child.decorator_list)])
        inner = (*path, child.name)
        yield Known(kind, inner, first, child.end_lineno or child.lineno)
        yield from _walk(child, inner, in_class=is_class)


def known_to_outline(outline: Outline, document: Document) -> list[Known]:
    """Return the definitions of an outline, their lines counted as the language counts them."""
    text = plain_lines(document.text)
    starts = [0, *(found.end() for found in re.finditer("\n", text))]
    return [
        Known(
            segment.kind,
            segment.path,
            bisect_right(starts, segment.span[0]),
            bisect_right(starts, segment.span[1] - 1),
        )
        for segment in outline.segments
        if segment.kind in {"class", "function", "method"}
    ]


def _compare_headings(specification: str) -> int:
    examples = [found[1].replace("→", "\t") for found in _EXAMPLE.finditer(specification)]
    differing = [text for text in examples if headings(text) != reference_headings(text)]
    for text in differing:
        print(repr(text), headings(text), reference_headings(text))
    print(f"{len(examples)} examples, {len(differing)} differences")
    return 1 if differing or not examples else 0


def headings(text: str) -> list[tuple[int, int, int]]:
    """Return level, first line and line behind each heading, as our outline has them."""
    found = []
    for segment in read_markdown(text).segments:
        if segment.kind == "section":
            start, end = segment.parts["heading"]
            last = text.count("\n", 0, end) + (not text.endswith("\n", 0, end))
            found.append((segment.level, text.count("\n", 0, start), last))
    return found


def reference_headings(text: str) -> list[tuple[int, int, int]]:
    """Return the same for a reference implementation."""
    from markdown_it import MarkdownIt

    return [
        (int(token.tag[1]), token.map[0], token.map[1])
        for token in MarkdownIt("commonmark").enable("table").parse(text)
        if token.type == "heading_open" and token.level == 0 and token.map
    ]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
