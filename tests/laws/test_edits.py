from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from keyhole.edits.model.operations import Edit
from keyhole.edits.model.plan import FilePlan, Snapshot
from keyhole.edits.resolve import Unresolved, resolve
from keyhole.matching.rungs import occurrences
from keyhole.matching.view import fold, plain_newlines
from keyhole.refusals import Refused
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
    # A line end that closes a quote may be a blank line, or none.
    ends_blank = any(not lines[-1].strip() for lines in (scene.quoted, scene.new) if lines)
    if "blank" in slip or ends_blank or not scene.wanted:
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
    literal = literal_results(plain_newlines(document.text), find, content)
    if edit.matched == "exact" and plain_newlines(text) in literal:
        return
    assert text.startswith(scene.before) or not scene.ends[-1]
    assert text.endswith(scene.behind)
    inner = inner_text(scene, text)
    assert is_as_meant(scene, inner, slip, edit.matched), (edit.matched, inner)


# The law above is not empty: each slip is made good in this scene, on this rung.

SCENE = Scene(
    lines=(
        "class A:",
        "    def f(self):",
        '        value = "x - y"  ',
        "",
        "",
        "        return value < 1",
        "    def g(self): pass",
    ),
    ends=("\n",) * 7,
    first=2,
    last=6,
    wanted=(
        Line('        value = "x - y"  ', 2),
        Line("", 3),
        Line("", 4),
        Line("        if value:"),
        Line("            stop()"),
        Line("        return value < 1", 5),
    ),
    bom=b"",
    encoding="utf-8",
)
RUNGS = {
    "none": "exact",
    "whole-lines": "exact",
    "trailing-blanks": "whitespace",
    "no-trailing-blanks": "whitespace",
    "dedent": "indentation",
    "indent": "indentation",
    "tabs": "indentation",
    "spaces": "exact",
    "curly": "whitespace",
    "fewer-blank-lines": "blank-lines",
    "more-blank-lines": "blank-lines",
    "numbers-and-bar": "transport",
    "numbers-and-tab": "transport",
    "numbers-and-colon": "transport",
    "fence": "transport",
    "escaped-newlines": "transport",
    "escaped": "transport",
    "entities": "transport",
    "blank-edges": "exact",
}


def inner_text(scene: Scene, text: str) -> str:
    return text[len(scene.before) : len(text) - len(scene.behind)]


@pytest.mark.parametrize("slip", SLIPS)
def test_every_slip_is_made_good_where_it_can_be(slip: str) -> None:
    done = carried_out(SCENE.document, quoted(*sent(SCENE, slip)))

    assert isinstance(done, FilePlan)
    assert done.after is not None
    assert [edit.matched for edit in done.edits] == [RUNGS[slip]]
    assert is_as_meant(SCENE, inner_text(SCENE, done.after.text), slip, RUNGS[slip])


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ('value = "x - y"  ', 'value = "x - y"'),
        ("        if value:", "    if value:"),
        ("        return value < 1\n", ""),
        ("            stop()\n", "            stop()\n            stop()\n"),
        ("return value < 1\n", "return value < 1\r\n"),
    ],
)
def test_the_law_sees_a_planted_fault(right: str, wrong: str) -> None:
    meant = "\n".join(SCENE.new) + "\n"

    assert is_as_meant(SCENE, meant, "dedent", "indentation")
    assert not is_as_meant(SCENE, meant.replace(right, wrong), "dedent", "indentation")


# Many scenes are found in spite of the slip, or are too small for an offer.
@settings(suppress_health_check=[HealthCheck.filter_too_much])
@given(scene=scenes(), data=st.data())
def test_an_accepted_offer_writes_what_was_meant(scene: Scene, data: st.DataObject) -> None:
    kept = [line for line in scene.wanted if line.number is not None and line.text.strip()]
    assume(kept)
    slipped = data.draw(st.sampled_from(kept)).text
    typo = slipped.rstrip() + "x"
    swap = {slipped: typo}
    find, content = (
        "\n".join(swap.get(line, line) for line in lines) for lines in (scene.quoted, scene.new)
    )
    refused = carried_out(scene.document, quoted(find, content))
    assume(isinstance(refused, Unresolved) and refused.offered)
    assert isinstance(refused, Unresolved)
    offer = refused.offered[0]
    snapshot = Snapshot({PATH: scene.document})
    (file,) = resolve([Edit(path=PATH, accept=offer.accept)], snapshot, {offer.accept: offer}).files

    assert file.after is not None
    text = file.after.text
    assert text.startswith(scene.before) or not scene.ends[-1]
    assert text.endswith(scene.behind)
    inner = text[len(scene.before) : len(text) - len(scene.behind)]
    assert is_as_meant(scene, inner, "blank", "accepted"), inner


# What is certain of every edit, whatever the file holds.

SPECIAL = ("$&", "$1", "$$", "\\1", "\\g<0>", "\\\\", "%s", "{0}", "&", "\\n", "\u2028", "\x85")
contents = st.one_of(texts(), st.lists(st.sampled_from(SPECIAL), max_size=4).map("".join))


@st.composite
def quotes(draw: st.DrawFn, text: str) -> str:
    """Draw a piece of a text that can be quoted: it is not empty, and holds no half characters."""
    start = draw(st.integers(0, len(text)))
    piece = text[start : start + draw(st.integers(1, 30))]
    assume(piece and piece.isprintable() | ("\n" in piece) and not _has_halves(piece))
    return piece


def _has_halves(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text)


def spelled(document: Document, text: str) -> bytes:
    return text.encode(document.encoding, document.errors)


def bytes_by_pieces(done: FilePlan) -> bytes:
    """Return the bytes before the call with the changed spans, and nothing else, written anew."""
    before = done.before
    assert before is not None
    pieces, at = [before.bom], 0
    for change in done.changes.changes:
        pieces += [spelled(before, before.text[at : change.start]), spelled(before, change.text)]
        at = change.end
    return b"".join([*pieces, spelled(before, before.text[at:])])


@given(document=documents(), content=contents, data=st.data())
def test_every_byte_outside_the_changed_spans_stays(
    document: Document, content: str, data: st.DataObject
) -> None:
    find = data.draw(quotes(document.text))
    action = data.draw(st.sampled_from(("replace", "before", "after", "prepend", "append")))
    done = carried_out(document, quoted(find, content, action=action))

    if isinstance(done, FilePlan) and done.after is not None:
        assert done.after.to_bytes() == bytes_by_pieces(done)
        assert done.changes.invert(document.text).apply(done.after.text) == document.text


@st.composite
def quoted_exactly(draw: st.DrawFn) -> tuple[Document, str]:
    """Draw a document and a piece of it whose line ends are as it is searched for."""
    document = draw(documents())
    find = draw(quotes(plain_newlines(document.text, document.terminator)))
    assume(plain_newlines(find, document.terminator) == find)
    return document, find


@given(place=quoted_exactly(), content=contents)
@example(place=(Document.from_bytes(b"\xff\xff\xfea\0\n\0"), "\n\0"), content="a\n")
def test_match_exact_replaces_to_the_character(place: tuple[Document, str], content: str) -> None:
    document, find = place
    flat = plain_newlines(document.text, document.terminator)
    assume(not content.endswith("\r") and "\r\r" not in content)
    done = carried_out(document, quoted(find, content, match="exact"))
    places = list(occurrences(flat, find, 0, len(flat)))
    if not flat.endswith("\n") and find[:-1] and flat + "\n" == flat[: 1 - len(find)] + find:
        places.append(len(flat) - len(find) + 1)

    if isinstance(done, FilePlan) and done.after is not None:
        (at,) = places
        end = min(at + len(find), len(flat))
        new = plain_newlines(content, document.terminator)
        new = new if at + len(find) <= len(flat) else new.removesuffix("\n")
        after = plain_newlines(done.after.text, document.terminator)
        wanted = flat[:at] + new + flat[end:]
        # A carriage return before the place and a newline at its start become one line end.
        assert after.replace("\r\n", "\n") == wanted.replace("\r\n", "\n")
    else:
        assert len(places) > 1 or not _is_spelled(document, content)


def _is_spelled(document: Document, content: str) -> bool:
    try:
        spelled(document, content)
    except UnicodeEncodeError:
        return False
    return True


@given(
    content=st.lists(st.sampled_from(SPECIAL), min_size=1, max_size=5).map("".join),
    place=st.sampled_from(
        (
            {"find": "the place"},
            {"find": "the place", "match": "exact"},
            {"find": "   the place here  "},
            {"find": "the pl", "until": "ace here"},
            {"lines": "2"},
            {"find": "the place", "action": "after"},
            {"find": "1| one\n2|     the place here", "lines": "1-2"},
        )
    ),
)
def test_new_text_is_written_as_it_is(content: str, place: dict[str, object]) -> None:
    document = Document("one\n    the place here\nthree\n")
    done = carried_out(document, Edit.of({"path": PATH, "content": content, **place}))

    assert isinstance(done, FilePlan)
    assert done.after is not None
    assert content in done.after.text


@given(st.lists(st.sampled_from(("a", "b", "ab", "\n", " ")), min_size=2, max_size=12).map("".join))
def test_a_quote_that_stands_twice_is_never_applied(piece: str) -> None:
    text = f"{piece}|{piece}"
    assume(piece.strip())
    refused = carried_out(Document(text), quoted(piece, "new"))
    count = len(list(occurrences(text, piece, 0, len(text))))

    assert isinstance(refused, Unresolved)
    (refusal,) = refused.refusals
    assert refusal.code == "ambiguous"
    lines = refusal.as_data()["lines"]
    assert isinstance(lines, list)
    assert len(lines) == count


@given(scene=scenes(), slip=st.sampled_from(("none", "whole-lines")))
def test_a_quote_that_stands_once_is_always_applied(scene: Scene, slip: str) -> None:
    find, content = sent(scene, slip)
    assume(find.strip())
    done = carried_out(scene.document, quoted(find, content))

    assert isinstance(done, FilePlan)


@given(scenes(), st.lists(st.integers(0, 20), max_size=4, unique=True))
def test_every_failed_edit_is_named_and_none_is_made(scene: Scene, missing: list[int]) -> None:
    find, content = sent(scene, "none")
    assume(find.strip())
    good = quoted(find, content)
    bad = [quoted(f"nowhere to be found {number}", "x") for number in missing]
    done = carried_out(scene.document, *bad, good)

    assert isinstance(done, Unresolved) == bool(bad)
    if isinstance(done, Unresolved):
        assert [refusal.edit for refusal in done.refusals] == [*range(len(bad))]
        assert {refusal.code for refusal in done.refusals} == {"not-found"}


@given(document=documents(), data=st.data())
def test_only_the_lines_named_are_replaced(document: Document, data: st.DataObject) -> None:
    count = document.line_count
    assume(count and not document.is_binary)
    first = data.draw(st.integers(1, count))
    last = data.draw(st.integers(first, count))
    content = data.draw(st.sampled_from(("new", "new\nlines\n", "  new", "")))
    edit = Edit.of({"path": PATH, "lines": [first, last], "content": content, "indent": "keep"})
    done = carried_out(document, edit)
    start, end = document.span_of_lines(first, last)

    assert isinstance(done, FilePlan)
    assert done.after is not None
    text = done.after.text
    assert text.endswith(document.text[end:])
    head = document.text[:start]
    # Without its last lines a file without final newline has another last line.
    assert text.startswith(head) or (not content and head.startswith(text))
    inner = text[len(head) : len(text) - len(document.text[end:])]
    inner = plain_newlines(inner, document.terminator)
    assert inner.removesuffix("\n") == content.removesuffix("\n")


# Nothing an agent sends brings the engine down.

wild = st.fixed_dictionaries(
    {},
    optional={
        "find": contents.filter(bool),
        "until": st.sampled_from(("a", "b\n", "\n", "if x:")),
        "lines": st.sampled_from(("0", "-1", "1", "2-", "1-3", "9", [1, 2], 7)),
        "regex": st.booleans(),
        "occurrence": st.sampled_from(("unique", "first", "last", "all", 1, 2, -1)),
        "action": st.sampled_from(("replace", "before", "after", "prepend", "append", "delete")),
        "content": contents,
        "match": st.sampled_from(("tolerant", "exact")),
        "indent": st.sampled_from(("auto", "keep", 0, 3, 8)),
    },
)


@settings(max_examples=150)
@given(document=documents(), shown=documents(), fields=st.lists(wild, min_size=1, max_size=3))
def test_whatever_is_sent_is_done_or_refused(
    document: Document, shown: Document, fields: list[dict[str, object]]
) -> None:
    snapshot = Snapshot({PATH: document}, {PATH: (shown,)})
    try:
        files = resolve([Edit.of({"path": PATH, **each}) for each in fields], snapshot).files
    except Refused:
        files = ()

    assert [file.after.to_bytes() for file in files if file.after] == [*map(bytes_by_pieces, files)]
