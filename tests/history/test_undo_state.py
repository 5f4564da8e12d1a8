"""Files as they would stand: what was done to each adds up, and becomes a plan."""

from keyhole.edits.model.plan import Snapshot
from keyhole.history.steps_since import Moves
from keyhole.history.undo_state import UndoState, plans_of
from keyhole.text.changes import Change, ChangeSet
from keyhole.text.document import Document
from tests.workspace.scene import Scene


def test_steps_add_up_and_what_never_was_is_not_planned(scene: Scene) -> None:
    a, b = (Document.from_bytes(each) for each in (b"abc", b"b"))
    journal = scene.open().journal
    snapshot = Snapshot({"a": a, "b": b, "c": None, "d": None})
    world = UndoState(journal, snapshot, dict(snapshot.files), Moves(journal, 0))

    world.put("a", a.with_text("Xbc"), ChangeSet(3, (Change(0, 1, "X"),)))
    world.put("a", a.with_text("XbY"), ChangeSet(3, (Change(2, 3, "Y"),)))
    world.put("b", None, None)
    world.put("c", b, None)
    world.put("d", None, None)
    plans = {plan.path: plan for plan in plans_of(world)}

    assert list(plans) == ["a", "b", "c"]
    assert plans["a"].changes.changes == (Change(0, 1, "X"), Change(2, 3, "Y"))
    assert (plans["b"].after, plans["c"].changes.changes) == (None, (Change(0, 0, "b"),))
