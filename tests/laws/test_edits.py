from collections.abc import Callable

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from keyhole.edits.operations import Edit
from keyhole.edits.plan import FilePlan, Snapshot
from keyhole.edits.resolve import Unresolved, resolve
from keyhole.matching.rungs import occurrences
from keyhole.matching.view import fold, plain_newlines
from keyhole.text.document import Document
from tests.laws.scenes import SLIPS, Line, Scene, scenes, split
from tests.laws.strategies import documents, texts

PATH = "file.py"


def carried_out(document: Document, *edits: Edit) -> FilePlan | Unresolved:
    try:
        (file,) = resolve(edits, Snapshot({PATH: document})).files
    except Unresolved as refused:
        return refused
    return file


def sent(scene: Scene, slip: str) -> tuple[str, str]:
    return SLIPS[slip](scene.quoted, scene.new, scene.first)


def quoted(find: str, content: str, **fields: object) -> Edit:
    return Edit.of({"path": PATH, "find": find, "content": content, **fields})


# A new line comes out as it was meant, but for what the slip cannot give back.


def _same(a: str, b: str) -> bool:
    return a == b


def _but_for_blanks_behind(a: str, b: str) -> bool:
    return a.rstrip(" \t") == b.rstrip(" \t")


def _but_for_typography(a: str, b: str) -> bool:
    return fold(a) == fold(b)


def _but_for_indent(a: str, b: str) -> bool:
    return a.lstrip(" \t") == b.lstrip(" \t")


def relation(slip: str, rung: str) -> Callable[[str, str], bool]:
    if slip in {"tabs", "spaces"} and rung != "indentation":
        return _but_for_indent  # no quoted line shows how the file is indented
    return {"trailing-blanks": _but_for_blanks_behind, "curly": _but_for_typography}.get(
        slip, _same
    )


def literal_results(text: str, find: str, content: str) -> set[str]:
    """Return what replacing to the character may give: lines never merge, and a line that is
    written anew to its end takes the blanks behind it along."""
    at = text.find(find)
    if at < 0:
        at, find, content = len(text) - len(find) + 1, find[:-1], content.removesuffix("\n")
    head, tail = text[:at], text[at + len(find) :]
    line, rest = tail.partition("\n")[::2]
    rest = "\n" + rest if "\n" in tail else ""
    news = {content, f"{content}\n" if find.endswith("\n") else content}
    news |= {f"\n{new}" for new in news if find.startswith("\n")}
    return {head + new + end for new in news for end in {tail, line.lstrip(" \t") + rest}}


def is_as_meant(scene: Scene, inner: str, slip: str, rung: str) -> bool:
    rows, wanted = split(inner), list(scene.wanted)
    if "blank" in slip or not scene.wanted:
        rows = [row for row in rows if row[0].strip()]
        wanted = [line for line in wanted if line.text.strip()]
    if not scene.ends[-1] and len(rows) < len(wanted) and not wanted[-1].text:
        wanted.pop()  # an empty last line without an end is no line
    same = relation(slip, rung)
    return len(rows) == len(wanted) and all(
        _is_line(scene, line, row, same) for line, row in zip(wanted, rows, strict=True)
    )


def _is_line(
    scene: Scene, line: Line, row: tuple[str, str], same: Callable[[str, str], bool]
) -> bool:
    text, end = row
    if not line.text.strip():
        return not text.strip()  # which one of several blank lines it is, nobody can say
    if line.number is None:
        return same(text, line.text) and end in {*scene.ends, "\n"}
    # A last line without an end stays without one, whichever line that is; and a line that takes
    # the end of the blank one behind it away gets that one's.
    ends = {scene.ends[line.number], *(scene.ends[line.number + 1 : line.number + 2])}
    return text == line.text and (end in ends or not scene.ends[-1])


@pytest.mark.parametrize("slip", SLIPS)
@settings(max_examples=50)
@given(scene=scenes())
def test_an_edit_is_made_as_meant_or_refused(scene: Scene, slip: str) -> None:
    find, content = sent(scene, slip)
    assume(find.strip())
    document = scene.document
    done = carried_out(document, quoted(find, content))
    if isinstance(done, Unresolved):
        return
    assert done.after is not None
    text, (edit,) = done.after.text, done.edits
    assume(not edit.already_applied)

    assert done.after.bom == document.bom
    assert done.changes.apply(document.text) == text
    if edit.matched == "exact":
        flat = plain_newlines(document.text)
        assert plain_newlines(text) in literal_results(flat, find, content)
        return
    assert text.startswith(scene.before) or not scene.ends[-1]
    assert text.endswith(scene.behind)
    inner = text[len(scene.before) : len(text) - len(scene.behind)]
    assert is_as_meant(scene, inner, slip, edit.matched), (edit.matched, inner)
