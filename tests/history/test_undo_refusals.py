from collections.abc import Sequence

import pytest

from keyhole.history.steps_since import HistoryStep, TextHistory
from keyhole.history.undo_refusals import clash
from keyhole.text.changes import Change, ChangeSet
from keyhole.text.document import Document
from tests.workspace.scene import Scene, edit

TEXT = "one\ntwo\nthree\n"


def changed(text: str) -> HistoryStep:
    return HistoryStep(ChangeSet(len(TEXT), (Change(4, 7, text),)))


SAME = HistoryStep(ChangeSet(len(TEXT)))


@pytest.mark.parametrize(
    ("steps", "who"),
    [
        ([changed("zwo"), SAME], "somebody outside keyhole"),
        ([SAME, changed("zwo")], "what this call takes back before it"),
    ],
)
def test_a_clash_names_whoever_changed_the_place(
    scene: Scene, steps: Sequence[HistoryStep], who: str
) -> None:
    scene.put("a.txt", TEXT)
    tree = scene.open()
    entry = edit(tree, "a.txt", "two", "2")
    past = TextHistory.of(tree.journal, TEXT, steps)
    now = Document.from_bytes(past.total.apply(TEXT).encode())

    no = clash(entry, "a.txt", ChangeSet(len(TEXT), (Change(4, 7, "old"),)), past, now)

    assert str(no.headline) == f"{who} changed a.txt where the undo of {entry.id} would"
    assert (no.data["later"], no.help) == ("", "edit the place by hand")
