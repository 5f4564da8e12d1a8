"""An undo in a file whose line ends an outsider changed since."""

import pytest

from keyhole.refusals import Refused
from keyhole.workspace.past.undo_targets import last, last_undo, one
from tests.workspace.scene import CALL, Scene, create, edit, take_back

LF, CRLF = b"one\ntwo\nthree\n", b"one\r\ntwo\r\nthree\r\n"


def respelled(text: bytes) -> bytes:
    return text.replace(b"\r\n", b"\n") if b"\r" in text else text.replace(b"\n", b"\r\n")


@pytest.mark.parametrize("text", [LF, CRLF, LF[:-1], CRLF[:-2]])
@pytest.mark.parametrize("new", ["2", "", "2\n2", "two\nmore"])
def test_an_edit_is_taken_back_in_the_present_line_ends(
    scene: Scene, text: bytes, new: str
) -> None:
    path = scene.put("a.txt", text)
    tree = scene.open()
    edit(tree, "a.txt", "two", new.replace("\n", "\r\n") if b"\r" in text else new)
    path.write_bytes(respelled(path.read_bytes()))
    saved = path.read_bytes()

    take_back(tree, last(tree.journal, CALL.actor))
    assert path.read_bytes() == respelled(text)

    take_back(tree, last_undo(tree.journal, CALL.actor))
    assert path.read_bytes() == saved


def test_what_else_the_outsider_wrote_stays(scene: Scene) -> None:
    path = scene.put("a.txt", LF)
    tree = scene.open()
    done = edit(tree, "a.txt", "three", "3")
    path.write_bytes(b"zero\r\none\r\ntwo\r\n3\r\n")

    take_back(tree, one(tree.journal, done.id))

    assert path.read_bytes() == b"zero\r\none\r\ntwo\r\nthree\r\n"


def test_an_older_edit_is_taken_back_over_a_later_one(scene: Scene) -> None:
    path = scene.put("a.txt", LF)
    tree = scene.open()
    first = edit(tree, "a.txt", "one", "1")
    edit(tree, "a.txt", "three", "3")
    path.write_bytes(respelled(path.read_bytes()))

    take_back(tree, one(tree.journal, first.id))

    assert path.read_bytes() == b"one\r\ntwo\r\n3\r\n"


def test_the_same_words_changed_are_still_a_conflict(scene: Scene) -> None:
    path = scene.put("a.txt", LF)
    tree = scene.open()
    edit(tree, "a.txt", "two", "2")
    path.write_bytes(b"one\r\n2!\r\nthree\r\n")

    with pytest.raises(Refused) as refused:
        take_back(tree, last(tree.journal, CALL.actor))

    assert refused.value.refusals[0].code == "undo-conflict"


def test_a_new_file_with_other_line_ends_is_not_taken_away(scene: Scene) -> None:
    tree = scene.open()
    create(tree, "a.txt", "one\ntwo\n")
    path = scene.root / "a.txt"
    path.write_bytes(b"one\r\ntwo\r\n")

    with pytest.raises(Refused):
        take_back(tree, last(tree.journal, CALL.actor))

    assert path.read_bytes() == b"one\r\ntwo\r\n"
