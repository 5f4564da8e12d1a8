"""Bytes outside an edit stay, through commit, undo and recovery, whatever the file looks like."""

import codecs

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from keyhole.disk import failpoints
from keyhole.edits.model.plan import Plan
from keyhole.history.targets import one
from keyhole.text.changes import Change
from keyhole.text.document import Document
from tests.storage.test_recover import Died, die_at
from tests.workspace.scene import CALL, Scene, changing, delete, move, present, take_back

SHAPES = {
    "empty": b"",
    "one byte": b"x",
    "plain": b"one\ntwo\nthree\n",
    "no final newline": b"one\ntwo",
    "crlf": b"one\r\ntwo\r\n",
    "mixed ends": b"one\r\ntwo\nthree\rfour\r\n",
    "carriage returns": b"one\rtwo\rthree",
    "only newlines": b"\n\n\r\n\n",
    "bom": codecs.BOM_UTF8 + b"one\ntwo\n",
    "bom alone": codecs.BOM_UTF8,
    "utf-16 little": codecs.BOM_UTF16_LE + "one\nzwei €\n".encode("utf-16-le"),
    "utf-16 big": codecs.BOM_UTF16_BE + "one\nzwei €\n".encode("utf-16-be"),
    "utf-32": codecs.BOM_UTF32_LE + "one\n🙂\n".encode("utf-32-le"),
    "utf-16 cut": codecs.BOM_UTF16_LE + b"o\0n\0e",
    "latin-1": "café\nnaïve\n".encode("latin-1"),
    "declared": "# -*- coding: latin-1 -*-\nx = 'é'\n".encode("latin-1"),
    "declared wrongly": b"# -*- coding: ascii -*-\nx = '\xc3\xa9'\n",
    "not utf-8": b"\xff\xfe\xfd\x80\n\xc3\n",
    "nul": b"one\0two\n\0\0",
    "line separators": "one\u2028two\u2029three\x85four\x0bfive\x0csix\n".encode(),
    "decomposed": "e\u0301 and é\n".encode(),
    "emoji": "👩‍👩‍👧‍👦 family\n".encode(),
    "long line": b"x" * 300_000 + b"\nend\n",
    "many lines": b"line\n" * 50_000,
    "blanks": b"  \t \n\t\n   trailing   \n",
}


# Ten megabytes in one line, with one word in the middle: few examples, for they take long.
_X, _E = b"x" * (5 << 20), "é".encode() * (5 << 19)
LONGEST_LINES = {
    "ascii": _X + b"MIDDLE" + _X + b"\nend\n",
    "no end, crlf before": b"one\r\n" + _X + b"MIDDLE" + _X,
    "two bytes each": _E + b"MIDDLE" + _E + b"\r\nend",
}


def edit_middle(scene: Scene) -> tuple[bytes, bytes]:
    """Replace the middle of a.txt by a plain word; return what must stand before and after it."""
    tree = scene.open()
    with tree.hold(["a.txt"]) as held:
        document = present(held.snapshot, "a.txt")
        start, end = len(document.text) // 3, 2 * len(document.text) // 3
        plan = Plan((changing("a.txt", document, Change(start, end, "WORD")),))
        head = document.bom + document.text[:start].encode(document.encoding, document.errors)
        tail = document.text[end:].encode(document.encoding, document.errors)
        entry = held.commit(plan, CALL)
    after = (scene.root / "a.txt").read_bytes()
    assert after == head + "WORD".encode(document.encoding) + tail
    take_back(tree, one(tree.journal, entry.id))
    tree.close()
    return head, tail


@pytest.mark.parametrize("shape", SHAPES)
def test_bytes_outside_the_edit_stay_and_undo_is_exact(scene: Scene, shape: str) -> None:
    path = scene.put("a.txt", SHAPES[shape])

    head, tail = edit_middle(scene)

    assert path.read_bytes() == SHAPES[shape]
    assert SHAPES[shape].startswith(head)
    assert SHAPES[shape].endswith(tail)


@pytest.mark.parametrize("shape", LONGEST_LINES)
def test_a_line_of_ten_megabytes_is_edited_to_the_byte(scene: Scene, shape: str) -> None:
    data = LONGEST_LINES[shape]
    path = scene.put("a.txt", data)

    head, tail = edit_middle(scene)

    assert max(map(len, data.split(b"\n"))) >= 10 << 20
    assert path.read_bytes() == data
    assert (data.startswith(head), data.endswith(tail)) == (True, True)
    assert min(len(head), len(tail)) >= 3 << 20


@pytest.mark.parametrize("shape", SHAPES)
def test_moves_deletions_and_their_undo_keep_every_byte(scene: Scene, shape: str) -> None:
    scene.put("a.txt", SHAPES[shape])
    tree = scene.open()

    moved = move(tree, "a.txt", "b.txt")
    gone = delete(tree, "b.txt")
    take_back(tree, one(tree.journal, gone.id))
    take_back(tree, one(tree.journal, moved.id))

    assert scene.files() == {"a.txt": SHAPES[shape]}


@pytest.mark.parametrize("shape", SHAPES)
def test_recovery_writes_the_same_bytes_as_the_commit(scene: Scene, shape: str) -> None:
    scene.put("a.txt", SHAPES[shape])
    tree = scene.open()
    plan = changing("a.txt", tree.read("a.txt"), Change(0, 0, "WORD"))
    with tree.hold(["a.txt"]) as held, failpoints.watch(die_at("intended")), pytest.raises(Died):
        held.commit(Plan((plan,)), CALL)
    tree.close()

    scene.open()

    assert plan.after is not None
    assert scene.files() == {"a.txt": plan.after.to_bytes()}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.binary(max_size=60), st.data())
def test_any_bytes_with_any_plain_edit_come_back(
    scene: Scene, data: bytes, draw: st.DataObject
) -> None:
    path = scene.put("a.txt", data)
    document = Document.from_bytes(data)
    points = st.integers(0, len(document.text))
    start, end = sorted(draw.draw(st.tuples(points, points)))
    tree = scene.open()
    with tree.hold(["a.txt"]) as held:
        plan = changing("a.txt", present(held.snapshot, "a.txt"), Change(start, end, "q"))
        if Plan((plan,)).is_empty:
            return
        entry = held.commit(Plan((plan,)), CALL)
    assert plan.after is not None
    assert path.read_bytes() == plan.after.to_bytes()
    take_back(tree, one(tree.journal, entry.id))
    tree.close()

    assert path.read_bytes() == data
