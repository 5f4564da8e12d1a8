"""Conflicts: a task may not edit, unseen, where another task edited."""

from collections.abc import Collection

import pytest

from keyhole.edits.model.plan import Plan
from keyhole.fastclasses import replace
from keyhole.history.conflicts import (
    EXPIRES_SECONDS,
    Conflict,
    Party,
    check,
    diff_of,
    refusal_of,
    without_conflicts,
)
from keyhole.journal.model import Call, Query, Retention
from keyhole.journal.sqlite import SqliteJournal
from keyhole.text.changes import Change
from keyhole.workspace.tree import Tree
from tests.workspace.scene import (
    Scene,
    changing,
    create,
    delete,
    deleting,
    edit,
    move,
    present,
    replacing,
)

ONE = Call(actor="x", task="one", reason="first things")
TWO = Call(actor="y", task="two")


def met(
    tree: Tree,
    old: str,
    call: Call = TWO,
    *,
    seen: Collection[str] = (),
    path: str = "a.txt",
    later: float = 0.0,
) -> list[tuple[str, str, bool]]:
    """Return which tasks an edit of `old` meets."""
    plan = Plan((replacing(path, tree.read(path), old, "CHANGED"),))
    now = tree.journal.entries(Query())[0].time + later
    found = check(plan, Party(call, {path: seen}), tree.journal, now)
    return [(each.region.task, each.region.entry, each.seen) for each in found]


def test_a_place_another_task_edited_unseen_is_a_conflict(scene: Scene) -> None:
    scene.put("a.txt", "alpha\nbeta\ngamma\n")
    tree = scene.open()
    entry = edit(tree, "a.txt", "beta", "BETA", ONE)

    assert met(tree, "BETA") == [("one", entry.id, False)]
    assert met(tree, "ET") == [("one", entry.id, False)]
    assert met(tree, "alpha") == []
    assert met(tree, "BETA", ONE) == []
    assert met(tree, "BETA", Call(actor="y")) == []


def test_a_place_stays_known_while_others_edit_around_it(scene: Scene) -> None:
    path = scene.put("a.txt", "alpha\nbeta\ngamma\n")
    tree = scene.open()
    entry = edit(tree, "a.txt", "beta", "BETA", ONE)
    edit(tree, "a.txt", "alpha", "a much longer beginning", Call(actor="z"))
    path.write_bytes(b"saved by hand\n" + path.read_bytes())
    edit(tree, "a.txt", "gamma", "GAMMA", Call(task="three"))
    move(tree, "a.txt", "b.txt", Call(actor="z"))

    assert met(tree, "BETA", path="b.txt") == [("one", entry.id, False)]
    assert met(tree, "beginning", path="b.txt") == []
    assert met(tree, "by hand", path="b.txt") == []


def test_having_seen_the_version_makes_it_a_warning(scene: Scene) -> None:
    scene.put("a.txt", "alpha\nbeta\ngamma\n")
    tree = scene.open()
    old = tree.read("a.txt").hash
    entry = edit(tree, "a.txt", "beta", "BETA", ONE)
    shown = tree.read("a.txt").hash
    edit(tree, "a.txt", "gamma", "GAMMA", ONE)
    current = tree.read("a.txt").hash

    assert met(tree, "BETA", seen=[old]) == [("one", entry.id, False)]
    assert met(tree, "BETA", seen=[old, shown]) == [("one", entry.id, True)]
    assert met(tree, "BETA", seen=[current]) == [("one", entry.id, True)]


def test_ended_and_expired_tasks_conflict_with_nobody(scene: Scene) -> None:
    scene.put("a.txt", "alpha\nbeta\n")
    tree = scene.open()
    entry = edit(tree, "a.txt", "beta", "BETA", ONE)

    assert met(tree, "BETA", later=EXPIRES_SECONDS - 1) == [("one", entry.id, False)]
    assert met(tree, "BETA", later=EXPIRES_SECONDS + 1) == []
    assert tree.journal.end_task("one", entry.time + 1)
    assert met(tree, "BETA", later=2) == []
    assert not tree.journal.end_task("never seen", entry.time)


def test_a_task_that_goes_on_after_its_end_is_alive_again(scene: Scene) -> None:
    scene.put("a.txt", "alpha\nbeta\n")
    tree = scene.open()
    first = edit(tree, "a.txt", "beta", "BETA", ONE)
    tree.journal.end_task("one", first.time)
    second = edit(tree, "a.txt", "alpha", "ALPHA", ONE)

    assert met(tree, "BETA") == []
    assert met(tree, "ALPHA") == [("one", second.id, False)]


def test_a_file_one_task_created_belongs_to_it_until_seen(scene: Scene) -> None:
    tree = scene.open()
    entry = create(tree, "a.txt", "alpha\nbeta\n", ONE)

    assert met(tree, "beta") == [("one", entry.id, False)]
    assert met(tree, "beta", seen=[tree.read("a.txt").hash]) == [("one", entry.id, True)]


def test_deleting_a_file_meets_every_task_in_it(scene: Scene) -> None:
    scene.put("a.txt", "alpha\nbeta\n")
    tree = scene.open()
    entry = edit(tree, "a.txt", "beta", "BETA", ONE)

    plan = Plan((deleting("a.txt", tree.read("a.txt")),))
    found = check(plan, Party(TWO, {}), tree.journal, entry.time)

    assert [(each.edit, each.region.task) for each in found] == [(0, "one")]


def test_the_refusal_shows_the_other_edit_with_reason_and_diff(scene: Scene) -> None:
    scene.put("a.txt", "alpha\nbeta\ngamma\n")
    tree = scene.open()
    entry = edit(tree, "a.txt", "beta", "BETA", ONE)
    (conflict,) = _conflicts(tree, "BETA")

    refusal = refusal_of(conflict, tree.journal)

    assert refusal.code == "conflict"
    assert refusal.headline == "task 'one' edited a.txt here, and you have not seen it"
    assert refusal.where == (
        f"lines 2-2, transaction {entry.id} of x (first things)\n"
        "theirs:\ndiff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n"
        "@@ -1,3 +1,3 @@\n alpha\n-beta\n+BETA\n gamma\n"
        "yours:\ndiff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n"
        "@@ -1,3 +1,3 @@\n alpha\n-BETA\n+CHANGED\n gamma\n"
    )
    assert (refusal.edit, refusal.path) == (0, "a.txt")


def test_the_diff_of_a_file_that_another_task_created(scene: Scene) -> None:
    tree = scene.open()
    create(tree, "a.txt", "alpha\n", ONE)
    (conflict,) = _conflicts(tree, "alpha")

    shown = diff_of(conflict, tree.journal)

    assert shown.endswith("--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1 @@\n+alpha\n")


def test_the_rest_is_applied_when_conflicting_edits_are_skipped(scene: Scene) -> None:
    scene.put("a.txt", "alpha\nbeta\ngamma\n")
    tree = scene.open()
    edit(tree, "a.txt", "beta", "BETA", ONE)
    with tree.hold(["a.txt"]) as held:
        document = present(held.snapshot, "a.txt")
        plan = Plan((changing("a.txt", document, Change(0, 5, "A"), Change(6, 10, "B")),))
        found = check(plan, Party(TWO, {}), tree.journal, 0.0)
        rest = without_conflicts(plan, found)
        held.commit(rest, TWO)

    assert [each.edit for each in found] == [1]
    assert scene.files() == {"a.txt": b"A\nBETA\ngamma\n"}


def test_a_file_with_nothing_left_stays_as_it_is(scene: Scene) -> None:
    scene.put("a.txt", "alpha\nbeta\n")
    tree = scene.open()
    edit(tree, "a.txt", "beta", "BETA", ONE)
    plan = Plan((replacing("a.txt", tree.read("a.txt"), "BETA", "B"),))

    rest = without_conflicts(plan, check(plan, Party(TWO, {}), tree.journal, 0.0))

    [left] = rest.files
    assert (left.after, left.edits, rest.is_empty) == (left.before, (), True)


@pytest.mark.parametrize(("at", "meets"), [(5, False), (6, False), (7, True), (10, False)])
def test_an_insertion_conflicts_inside_a_place_and_not_at_its_edges(
    scene: Scene, at: int, *, meets: bool
) -> None:
    scene.put("a.txt", "alpha\nbeta\n")
    tree = scene.open()
    edit(tree, "a.txt", "beta", "BETA", ONE)
    plan = Plan((changing("a.txt", tree.read("a.txt"), Change(at, at, "+")),))

    assert bool(check(plan, Party(TWO, {}), tree.journal, 0.0)) is meets


def _conflicts(tree: Tree, old: str) -> tuple[Conflict, ...]:
    plan = Plan((replacing("a.txt", tree.read("a.txt"), old, "CHANGED"),))
    return check(plan, Party(TWO, {}), tree.journal, 0.0)


def test_a_plan_without_edits_of_its_own_meets_by_its_changes(scene: Scene) -> None:
    scene.put("a.txt", "alpha\nbeta\n")
    tree = scene.open()
    edit(tree, "a.txt", "beta", "BETA", ONE)
    file = replacing("a.txt", tree.read("a.txt"), "BETA", "B")
    other = replacing("a.txt", tree.read("a.txt"), "alpha", "A")

    met_by = [
        check(Plan((replace(each, edits=()),)), Party(TWO, {}), tree.journal, 0.0)
        for each in (file, other)
    ]

    assert [[conflict.edit for conflict in found] for found in met_by] == [[0], []]


def test_a_file_without_conflict_stays_in_the_rest_as_it_is(scene: Scene) -> None:
    scene.put("a.txt", "alpha")
    tree = scene.open()
    plan = Plan((replacing("a.txt", tree.read("a.txt"), "alpha", "A"),))

    assert without_conflicts(plan, ()) == plan


def test_claims_of_a_version_nobody_kept_are_given_up(scene: Scene) -> None:
    path = scene.put("a.txt", "alpha\nbeta\n")
    tree = scene.open()
    edit(tree, "a.txt", "beta", "BETA", ONE)
    path.write_bytes(b"saved\nBETA\n")
    journal = tree.journal
    assert isinstance(journal, SqliteJournal)
    journal.connection.db.execute("UPDATE claim SET hash = '0000000000000000'")

    assert met(tree, "BETA") == []


def test_an_entry_that_was_forgotten_counts_as_seen_and_shows_no_diff(scene: Scene) -> None:
    scene.put("a.txt", "alpha\nbeta\n")
    tree = scene.open()
    entry = edit(tree, "a.txt", "beta", "BETA", ONE)
    edit(tree, "a.txt", "alpha", "ALPHA", Call(actor="z"))
    tree.journal.tidy(Retention(seconds=0.0), entry.time + 10)
    (conflict,) = _conflicts(tree, "BETA")

    assert conflict.seen
    assert diff_of(conflict, tree.journal) == ""


def test_the_diff_of_a_file_that_came_here_later_has_the_name_it_had(scene: Scene) -> None:
    scene.put("a.txt", "alpha\nbeta\n")
    tree = scene.open()
    edit(tree, "a.txt", "beta", "BETA", ONE)
    move(tree, "a.txt", "b.txt", Call(actor="z"))
    plan = Plan((replacing("b.txt", tree.read("b.txt"), "BETA", "B"),))
    (conflict,) = check(plan, Party(TWO, {}), tree.journal, 0.0)

    assert diff_of(conflict, tree.journal) == (
        "diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n"
        "@@ -1,2 +1,2 @@\n alpha\n-beta\n+BETA\n"
    )
    assert not conflict.seen


def test_a_deleted_file_has_no_claims_left(scene: Scene) -> None:
    scene.put("a.txt", "alpha\nbeta\n")
    tree = scene.open()
    edit(tree, "a.txt", "beta", "BETA", ONE)
    delete(tree, "a.txt", ONE)
    create(tree, "a.txt", "BETA", Call(actor="z"))

    assert met(tree, "BETA") == []
