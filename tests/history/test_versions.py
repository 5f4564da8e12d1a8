"""Versions that entries speak of, as long as the journal keeps them."""

import pytest

from keyhole.history.versions import changes_of, version
from keyhole.refusals import Refused
from keyhole.text.changes import Change
from tests.workspace.scene import Scene, edit


def test_a_version_that_was_forgotten_is_refused(scene: Scene) -> None:
    tree = scene.open()

    with pytest.raises(Refused) as caught:
        version(tree.journal, "0" * 16, "utf-8")
    assert [refusal.code for refusal in caught.value.refusals] == ["nothing-to-undo"]


def test_the_changes_of_an_entry_are_where_it_made_them(scene: Scene) -> None:
    scene.put("a.txt", "f\nf\n")
    tree = scene.open()
    entry = edit(tree, "a.txt", "f\nf", "f\ng")

    assert changes_of(tree.journal, entry.files[0]).changes == (Change(0, 3, "f\ng"),)
