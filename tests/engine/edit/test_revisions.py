"""What became of a file since a version: recorded where the journal knows, compared where not."""

from pathlib import Path

from keyhole.edits.model.operations import Edit
from keyhole.engine.edit.resending import revisions_since
from keyhole.engine.options import Options
from keyhole.matching.revision import legs
from keyhole.text.changes import Change, ChangeSet
from tests.scene import engine_at


def test_what_entries_did_is_recorded_and_what_lies_between_them_is_not(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_txt="f\nf\n") as engine:
        tree = engine._tree
        first = tree.read("a.txt")
        engine.edit([Edit(lines="1-2", action="delete")], Options(actor="other"), "a.txt")
        (tmp_path / "root/a.txt").write_text("f\n", "utf-8")

        found = revisions_since(tree.journal, "a.txt", first, tree.read("a.txt"))

    # Nothing of the old text is taken for the one line that an outsider wrote.
    recorded = ChangeSet(4, (Change(0, 4, ""),))
    assert [(each.before.text, each.changes) for each in found] == [
        ("f\nf\n", recorded),
        ("", None),
    ]
    assert found[-1].after.text == "f\n"


def test_a_version_that_nobody_knows_is_compared_as_a_whole(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_txt="one\ntwo\n") as engine:
        present = engine._tree.read("a.txt")
        older = present.with_text("one\nsome\n")

        (found,) = revisions_since(engine._tree.journal, "a.txt", older, present)

    assert (found.is_recorded, found.lines) == (False, ChangeSet(9, (Change(4, 9, "two\n"),)))


def test_many_edits_are_followed_too(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_txt="0\nf\nf\n") as engine:
        tree, someone = engine._tree, Options(actor="other")
        first = tree.read("a.txt")
        engine.edit([Edit(lines="2", action="delete")], someone, "a.txt")
        for number in range(210):
            engine.edit([Edit(lines="1", content=f"{number + 1}\n")], someone, "a.txt")
        found = revisions_since(tree.journal, "a.txt", first, tree.read("a.txt"))

    (whole,) = legs(found)
    # The second line went and the third stayed; two texts alone could not tell.
    assert whole.changes == ChangeSet(6, (Change(0, 4, "210\n"),))
