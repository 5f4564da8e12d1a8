import ast
import inspect
from collections import Counter
from pathlib import Path
from zlib import crc32

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from keyhole.edits.by_name.named import place_segment
from keyhole.edits.by_text.target import Target
from keyhole.edits.model.operations import ACTIONS, PARTS, Edit
from keyhole.edits.model.plan import LocatedEdit
from keyhole.refusals import Refused
from keyhole.segments.outline import Segment
from keyhole.text.changes import ChangeSet
from keyhole.text.document import Document
from tests.laws.modules import DEDENTS, Lines, functions, modules, spelled, split

SAMPLES = sorted((Path(__file__).parent.parent / "cases" / "outlines").glob("*.md"))
ENDS = st.sampled_from(("\n", "\r\n", "\r"))
BOMS = st.sampled_from((b"", b"\xef\xbb\xbf"))
dedents = st.sampled_from(sorted(DEDENTS))


def document(text: str, end: str = "\n", bom: bytes = b"") -> Document:
    return Document.from_bytes(bom + text.replace("\n", end).encode())


def definitions(target: Target) -> list[Segment]:
    return [one for one in target.outline.segments if one.kind in {"function", "method", "class"}]


def text_of(target: Target, segment: Segment) -> str:
    start, end = map(target.view.flat_offset, segment.span)
    return target.view.flat[start:end].removesuffix("\n")


def sent(target: Target, segment: Segment, dedent: str) -> str:
    return "\n".join(DEDENTS[dedent](split(text_of(target, segment)), segment.indent))


def replaced(target: Target, segment: Segment, content: str, **fields: object) -> LocatedEdit:
    return place_segment(
        Edit.of({"segment": segment.address, "content": content, **fields}), target
    )


def written(target: Target, placed: LocatedEdit) -> str:
    changes = ChangeSet.of(len(target.document.text), placed.changes)
    assert isinstance(changes, ChangeSet)
    return changes.apply(target.document.text)


def plain(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def constants(text: str) -> list[object]:
    """The values of all literals of a text, in order."""
    return [node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant)]


# A segment's own text changes nothing, however it came to column 0.


@given(modules(), ENDS, BOMS, dedents, st.data())
def test_a_segment_is_its_own_replacement(
    text: str, end: str, bom: bytes, dedent: str, data: st.DataObject
) -> None:
    target = Target("m.py", document(text, end, bom))
    segment = data.draw(st.sampled_from(definitions(target)))

    assert replaced(target, segment, sent(target, segment, dedent)).changes == ()


def samples() -> list[tuple[str, str]]:
    """The sources that the outlines are tested on: one or more a language."""
    found = []
    for page in SAMPLES:
        lines = split(page.read_text(encoding="utf-8"))
        for number, line in enumerate(lines):
            words = line.split()
            if line.startswith("~~~") and len(words) == 2:
                body = lines[number + 1 : lines.index("~~~", number + 1)]
                found.append((words[1], "".join(f"{each}\n" for each in body)))
    return found


@pytest.mark.parametrize(("path", "text"), samples(), ids=lambda value: value[:20])
@pytest.mark.parametrize("dedent", ["prefix", "margin", "none", "first-line"])
def test_so_it_is_in_every_language(path: str, text: str, dedent: str) -> None:
    target = Target(path, document(text))

    for segment in target.outline.segments:
        content = sent(target, segment, dedent)
        assert replaced(target, segment, content).changes == (), segment.address


def test_the_samples_are_of_all_languages() -> None:
    languages = {Target(path, document(text)).outline.language for path, text in samples()}

    assert len(languages) >= 25
    assert sum(len(Target(path, document(text)).outline.segments) for path, text in samples()) > 250


# What the text does not change keeps its value; what is outside keeps its bytes.


@given(modules(), dedents, st.data())
def test_a_literal_that_was_not_changed_keeps_its_value(
    text: str, dedent: str, data: st.DataObject
) -> None:
    target = Target("m.py", document(text))
    segment = data.draw(st.sampled_from(definitions(target)))
    content = sent(target, segment, dedent)
    assume("end = 0" in content)
    changed = content.replace("end = 0", "end = 12345", 1)

    after = written(target, replaced(target, segment, changed))

    before = constants(text)
    assert [value for value in constants(after) if value != 12345] == _without_one(before, 0, after)


def _without_one(values: list[object], value: object, after: str) -> list[object]:
    """The constants before, without the one that was changed, which may be any of its equals."""
    assert constants(after).count(12345) == 1
    index = constants(after).index(12345)
    assert values[index] == value
    return values[:index] + values[index + 1 :]


@given(modules(), ENDS, functions("new"), st.sampled_from(("    ", "  ", "\t")), st.data())
def test_nothing_outside_the_segment_changes(
    text: str, end: str, lines: Lines, unit: str, data: st.DataObject
) -> None:
    target = Target("m.py", document(text, end))
    segment = data.draw(st.sampled_from(definitions(target)))

    after = written(target, replaced(target, segment, spelled(lines, unit)))

    start, stop = segment.span
    whole = target.document.text
    stop -= len(whole[:stop]) - len(whole[:stop].rstrip("\r\n"))
    assert after.startswith(whole[:start])
    assert after.endswith(whole[stop:])


# New code means in its place what it means at column 0, whatever unit it came in.


def meaning(node: ast.AST) -> str:
    """A definition as the language reads it, the indentation of docstrings aside."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Expr) and isinstance(inner.value, ast.Constant):
            value = inner.value.value
            inner.value = ast.Constant(inspect.cleandoc(value) if isinstance(value, str) else value)
    return ast.dump(node)


def named(tree: ast.AST, name: str) -> ast.AST:
    return next(node for node in ast.walk(tree) if getattr(node, "name", "") == name)


@st.composite
def sendings(draw: st.DrawFn, lines: Lines, unit: str, indent: str) -> str:
    """Draw new code as it may come: at column 0, indented, or with its first line at column 0."""
    form = draw(st.sampled_from(("flush", "moved", "first-line")))
    own = unit if form == "first-line" else draw(st.sampled_from(("    ", "  ", "\t")))
    moved = indent if form == "first-line" else own * draw(st.integers(0, 3))
    text = spelled([line if line.startswith("|") else f"\0{line}" for line in lines], own)
    text = "\n".join(_led(line, moved, own) for line in split(text))
    return text.removeprefix(moved) if form == "first-line" else f"\n\n{text}\n\n"


def _led(line: str, indent: str, unit: str) -> str:
    if not line.startswith("\0"):
        return line
    words = line[1:].lstrip(">")
    return (indent + unit * (len(line) - 1 - len(words)) + words) if words else ""


@given(modules(), functions("fresh"), st.data())
def test_new_code_means_what_it_says(text: str, lines: Lines, data: st.DataObject) -> None:
    target = Target("m.py", document(text))
    methods = [one for one in definitions(target) if one.kind == "method"]
    segment = data.draw(st.sampled_from(methods))
    unit = target.style.character * target.style.unit
    content = data.draw(sendings(lines, unit, segment.indent))

    after = written(target, replaced(target, segment, content))

    expected = ast.parse(spelled(lines, "    ")).body[0]
    found = named(ast.parse(after), "fresh")
    assert isinstance(expected, ast.FunctionDef)
    assert isinstance(found, ast.FunctionDef)
    if not expected.decorator_list:
        found.decorator_list = []
    assert meaning(found) == meaning(expected)


# Siblings come and go; all others stay as they are.


def texts(path: str, text: str) -> list[str]:
    """The text of each outermost segment and method of a module."""
    target = Target(path, document(text))
    return [text_of(target, one) for one in definitions(target)]


@given(modules(), ENDS, st.sampled_from(("before", "after")), st.data())
def test_a_sibling_leaves_all_others_alone(
    text: str, end: str, action: str, data: st.DataObject
) -> None:
    target = Target("m.py", document(text, end))
    segment = data.draw(st.sampled_from(definitions(target)))

    after = plain(
        written(target, replaced(target, segment, "def fresh(self):\n    pass", action=action))
    )

    ast.parse(after)
    new = Target("m.py", document(after))
    fresh = next(one for one in new.outline.segments if one.name == "fresh")
    assert (fresh.indent, fresh.path[:-1]) == (segment.indent, segment.path[:-1])
    around = {one.path for one in definitions(target) if one.span[0] <= segment.span[0]}
    kept = [text_of(target, one) for one in definitions(target) if not _holds(one, segment)]
    assert around
    assert [each for each in kept if each not in texts("m.py", after)] == []


def _holds(outer: Segment, inner: Segment) -> bool:
    inside = outer.span[0] <= inner.span[0] and inner.span[1] <= outer.span[1]
    return inside and outer is not inner


@given(modules(), ENDS, st.data())
def test_what_is_deleted_is_gone_and_all_else_stays(
    text: str, end: str, data: st.DataObject
) -> None:
    target = Target("m.py", document(text, end))
    segment = data.draw(st.sampled_from(definitions(target)))
    edit = Edit(segment=segment.address, action="delete")

    after = plain(written(target, place_segment(edit, target)))

    ast.parse(after)
    left = [
        text_of(target, one)
        for one in definitions(target)
        if one is not segment and not _holds(segment, one) and not _holds(one, segment)
    ]
    assert [each for each in left if each not in texts("m.py", after)] == []
    gone = len([one for one in definitions(target) if one is segment or _holds(segment, one)])
    assert len(texts("m.py", after)) == len(definitions(target)) - gone


# Every action on every part is carried out or refused, and lines end as the file's do.

CONTENTS = ("x = 1", "def f(self):\n    return 1\n", "- k: 1\n  j: 2", "  # H\n\n\ttext", " \n")


def two_of(*edit: str) -> tuple[str, str]:
    """Return the contents that an edit is tried with: over all samples each part gets each."""
    first = crc32("/".join(edit).encode()) % len(CONTENTS)
    return CONTENTS[first], CONTENTS[first - 2]


def test_each_part_gets_each_content_by_each_action() -> None:
    tried = Counter(
        (part, action, content)
        for path, text in samples()
        for segment in Target(path, document(text)).outline.segments
        for part in PARTS
        for action in ACTIONS
        for content in two_of(segment.address, part, action)
    )

    assert len(tried) == len(PARTS) * len(ACTIONS) * len(CONTENTS)
    assert min(tried.values()) > 100


@pytest.mark.parametrize(("path", "text"), samples(), ids=lambda value: value[:20])
def test_every_edit_is_made_or_refused(path: str, text: str) -> None:
    target = Target(path, document(text, "\r\n"))
    edits = [
        Edit(segment=segment.address, part=part, action=action, content=content)
        for segment in target.outline.segments
        for part in PARTS
        for action in ACTIONS
        if action != "move"  # which is for cells of notebooks
        for content in (two_of(segment.address, part, action) if action != "delete" else (None,))
    ]

    after = [made for edit in edits if (made := attempt(target, edit)) is not None]

    assert len(after) >= len(edits) / 8
    assert [made for made in after if "\n" in made.replace("\r\n", "")] == []


def attempt(target: Target, edit: Edit) -> str | None:
    """The text after an edit, or None where it is refused; anything else is a crash."""
    try:
        return written(target, place_segment(edit, target))
    except Refused:
        return None
