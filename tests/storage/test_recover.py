"""Recovery: what an interrupted transaction and an outsider left is brought to one end."""

import fcntl
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from keyhole.disk import failpoints
from keyhole.disk.kernel import Kernel
from keyhole.disk.locks import stripe_of
from keyhole.edits.model.plan import Plan
from keyhole.journal.model import APPLIED, ROLLED_BACK, Entry, Query
from keyhole.refusals import Refused
from keyhole.workspace.tree import Tree, TreeOptions
from tests.workspace.scene import (
    CALL,
    Scene,
    create,
    creating,
    deleting,
    edit,
    move,
    present,
    replacing,
)

OLD = {"a.txt": b"old a", "b.txt": b"old b", "gone.txt": b"old gone"}
NEW = {"a.txt": b"new a", "b.txt": b"new b", "d/come.txt": b"come"}


class Died(BaseException):
    """Stands for the death of the process."""


def die_at(point: str, nth: int = 1) -> Callable[[str], None]:
    left = [nth]

    def hook(name: str) -> None:
        if name == point:
            left[0] -= 1
            if left[0] == 0:
                raise Died

    return hook


def transact(tree: Tree) -> Entry:
    """Edit two files, create one, delete one."""
    with tree.hold(["a.txt", "b.txt", "gone.txt", "d/come.txt"]) as held:
        plan = Plan(
            (
                replacing("a.txt", present(held.snapshot, "a.txt"), "old", "new"),
                replacing("b.txt", present(held.snapshot, "b.txt"), "old", "new"),
                creating("d/come.txt", "come"),
                deleting("gone.txt", present(held.snapshot, "gone.txt")),
            )
        )
        return held.commit(plan, CALL)


def interrupted(scene: Scene, point: str, nth: int = 1, *, exchange: bool = True) -> None:
    """Make the files and let a transaction die."""
    for path, data in OLD.items():
        scene.put(path, data, mode=0o640)
    tree = scene.open(TreeOptions(kernel=Kernel(exchange=exchange)))
    with pytest.raises(Died), failpoints.watch(die_at(point, nth)):
        transact(tree)
    tree.close()


def state_of(tree: Tree) -> str:
    return tree.journal.entries(Query())[0].state


@pytest.mark.parametrize("exchange", [True, False], ids=["strong", "weak"])
@pytest.mark.parametrize(
    ("point", "nth"),
    [
        ("intended", 1),
        ("temp-flushed", 1),
        ("linked", 1),
        ("exchanged", 1),
        ("exchanged", 2),
        ("published-one", 1),
        ("published-one", 2),
        ("published-one", 3),
        ("published-one", 4),
        ("published", 1),
        ("durable", 1),
        ("clean", 1),
    ],
)
def test_a_recorded_transaction_goes_forward(
    scene: Scene, point: str, nth: int, *, exchange: bool
) -> None:
    if point == "linked" and exchange:
        point = "exchanged"
    interrupted(scene, point, nth, exchange=exchange)

    tree = scene.open(TreeOptions(kernel=Kernel(exchange=exchange)))

    assert scene.files() == NEW
    assert (scene.root / "a.txt").stat().st_mode & 0o777 == 0o640
    assert state_of(tree) == APPLIED
    assert tree.journal.pending() == ()


@pytest.mark.parametrize("point", ["temp-made", "temp-written", "staged"])
def test_an_unrecorded_transaction_leaves_nothing(scene: Scene, point: str) -> None:
    interrupted(scene, point)

    assert scene.files() == OLD
    assert not (scene.root / "d").exists()


@pytest.mark.parametrize("torn", [b"", b"new", b"\0\0\0\0\0", OLD["b.txt"]])
def test_a_staged_file_that_a_power_cut_tore_is_not_looked_at(scene: Scene, torn: bytes) -> None:
    interrupted(scene, "intended")
    staged = sorted(scene.root.rglob(".kh-*.new"))
    assert len(staged) == 3
    for path in staged:
        path.write_bytes(torn)

    tree = scene.open()

    assert scene.files() == NEW
    assert state_of(tree) == APPLIED
    assert list(scene.root.rglob(".kh-*")) == []


def test_the_next_call_on_the_file_recovers_too(scene: Scene) -> None:
    for path, data in OLD.items():
        scene.put(path, data)
    tree, other = scene.open(), scene.open()
    with pytest.raises(Died), failpoints.watch(die_at("published-one")):
        transact(tree)

    assert other.read("b.txt").text == "new b"
    assert scene.files() == NEW


def test_what_is_recorded_is_not_swept_by_a_call_on_another_file(scene: Scene) -> None:
    for path, data in OLD.items():
        scene.put(path, data)
    first = min(map(stripe_of, [*OLD, "d/come.txt"]))
    other = next(name for name in map(str, range(100_000)) if stripe_of(name) == first)
    tree, later = scene.open(), scene.open()
    with pytest.raises(Died), failpoints.watch(die_at("intended")):
        transact(tree)

    create(later, other, "by another call")

    assert len([*scene.root.rglob(".kh-*.new")]) == 3
    assert [entry.state for entry in later.recover()] == [APPLIED]
    assert scene.files() == {**NEW, other: b"by another call"}


def save(path: Path, data: bytes = b"HUMAN") -> None:
    path.with_name("x").write_bytes(data)
    path.with_name("x").rename(path)


def test_a_save_before_our_turn_takes_everything_back(scene: Scene) -> None:
    interrupted(scene, "published-one", 2)
    save(scene.root / "gone.txt")
    (scene.root / "d/come.txt").unlink(missing_ok=True)
    save(scene.root / "d/come.txt")

    tree = scene.open()

    assert scene.files() == {**OLD, "gone.txt": b"HUMAN", "d/come.txt": b"HUMAN"}
    assert state_of(tree) == ROLLED_BACK


@pytest.mark.parametrize("nth", [2, 3, 4])
def test_a_save_after_our_turn_stays_and_the_rest_goes_forward(scene: Scene, nth: int) -> None:
    interrupted(scene, "published-one", nth)
    save(scene.root / "a.txt")

    tree = scene.open()

    assert scene.files() == {**NEW, "a.txt": b"HUMAN"}
    assert state_of(tree) == APPLIED


def displaced_save(scene: Scene, path: str) -> None:
    """Let somebody save right before the exchange, and the process die right after it."""
    for name, data in OLD.items():
        scene.put(name, data)
    tree = scene.open()
    files = ["gone.txt", "a.txt", "b.txt", "d/come.txt"]
    done = files.index(path)
    left = [done]

    def hook(name: str) -> None:
        if name in {"alone", "published-one"}:
            if left[0] == 0:
                save(scene.root / path)
            left[0] -= 1
        if name == "exchanged" and left[0] < 0:
            raise Died

    with pytest.raises(Died), failpoints.watch(hook):
        transact(tree)
    tree.close()


@pytest.mark.parametrize("path", ["a.txt", "b.txt", "gone.txt"])
def test_a_displaced_save_is_given_back(scene: Scene, path: str) -> None:
    displaced_save(scene, path)

    tree = scene.open()

    assert scene.files() == {**OLD, path: b"HUMAN"}
    assert state_of(tree) == ROLLED_BACK


def test_a_displaced_save_under_another_save_is_rescued(scene: Scene) -> None:
    displaced_save(scene, "a.txt")
    save(scene.root / "a.txt", b"HUMAN AGAIN")

    tree = scene.open()

    assert scene.files() == {**OLD, "a.txt": b"HUMAN AGAIN"}
    (rescued,) = (tree.state / "rescued").iterdir()
    assert rescued.read_bytes() == b"HUMAN"
    assert rescued.stat().st_mode & 0o777 == 0o600


def test_a_link_in_the_place_of_a_file_is_somebody_elses(scene: Scene) -> None:
    interrupted(scene, "intended")
    (scene.root / "a.txt").unlink()
    (scene.root / "a.txt").symlink_to("b.txt")

    tree = scene.open()

    assert (scene.root / "a.txt").is_symlink()
    assert (scene.root / "b.txt").read_bytes() == b"old b"
    assert state_of(tree) == ROLLED_BACK


def test_what_cannot_be_copied_is_rescued_under_a_name_of_its_own(scene: Scene) -> None:
    displaced_save(scene, "a.txt")
    (temporary,) = scene.root.glob(".kh-*-0.tmp")
    temporary.unlink()
    temporary.mkdir()
    save(scene.root / "a.txt", b"HUMAN AGAIN")

    tree = scene.open()

    assert (scene.root / "a.txt").read_bytes() == b"HUMAN AGAIN"
    assert [path.is_dir() for path in scene.root.glob("a.txt.rescued-*")] == [True]
    assert list(scene.root.glob(".kh-*")) == []
    assert state_of(tree) == ROLLED_BACK


def test_a_save_during_recovery_turns_it_back(scene: Scene) -> None:
    interrupted(scene, "intended")
    saved: list[str] = []

    def hook(name: str) -> None:
        if name == "restaged" and not saved:
            saved.append(name)
            save(scene.root / "b.txt")

    with failpoints.watch(hook):
        tree = scene.open()

    assert scene.files() == {**OLD, "b.txt": b"HUMAN"}
    assert state_of(tree) == ROLLED_BACK


@pytest.mark.parametrize("path", ["a.txt", "d/come.txt", "gone.txt"])
def test_a_second_save_while_we_go_back_wins(scene: Scene, path: str) -> None:
    for name, data in OLD.items():
        scene.put(name, data)
    tree = scene.open()
    saved: list[str] = []

    def hook(name: str) -> None:
        if name == "published":
            save(scene.root / "b.txt")
            raise Died
        if name == "recovery-decided" and not saved:
            saved.append(name)
            save(scene.root / path, b"SECOND")

    # The save of b.txt comes after our exchange, so it alone would not turn the transaction back.
    with pytest.raises(Died), failpoints.watch(hook):
        transact(tree)
    entry = tree.journal.settle(tree.journal.pending()[0], "rolling-back")
    tree.close()
    with failpoints.watch(hook):
        tree = scene.open()

    files = scene.files()
    assert files[path] == b"SECOND"
    assert files["b.txt"] == b"HUMAN"
    assert entry.id == tree.journal.entries(Query())[0].id
    assert state_of(tree) == ROLLED_BACK


@pytest.mark.parametrize("point", ["recovery-decided", "restaged", "recovered-one"])
@pytest.mark.parametrize("again", ["recovered-one", "recovery-durable", "recovery-clean"])
def test_recovery_may_die_and_start_again(scene: Scene, point: str, again: str) -> None:
    interrupted(scene, "published-one", 1)
    for death in (point, again):
        with pytest.raises(Died), failpoints.watch(die_at(death)):
            scene.open()

    scene.open()

    assert scene.files() == NEW


def test_going_back_may_die_and_start_again(scene: Scene) -> None:
    interrupted(scene, "published-one", 1)
    save(scene.root / "b.txt")
    for death in ("recovery-decided", "recovered-one", "recovery-durable", "recovery-clean"):
        with pytest.raises(Died), failpoints.watch(die_at(death)):
            scene.open()
        for path in list(scene.root.rglob(".kh-*"))[:1]:
            path.unlink()  # Temporary files prove nothing: the journal alone is enough.

    scene.open()

    assert scene.files() == {**OLD, "b.txt": b"HUMAN"}
    assert not (scene.root / "d").exists()


def test_a_lost_directory_is_made_again(scene: Scene) -> None:
    interrupted(scene, "intended")
    for path in (scene.root / "d").iterdir():
        path.unlink()
    (scene.root / "d").rmdir()

    scene.open()

    assert scene.files() == NEW


def test_an_image_that_is_lost_sets_the_journal_aside_and_touches_nothing(scene: Scene) -> None:
    interrupted(scene, "published-one", 1)
    before = scene.files()
    (database,) = scene.home.glob("state/keyhole/*/journal.db")
    _execute(database, "DELETE FROM blob")

    with pytest.raises(Refused) as caught:
        scene.open()

    assert [refusal.code for refusal in caught.value.refusals] == ["journal"]
    assert scene.files() == before
    assert len(list(database.parent.glob("journal.db.damaged-*"))) >= 1
    assert scene.open().journal.pending() == ()


def _execute(database: Path, statement: str) -> None:
    db = sqlite3.connect(database)
    db.execute(statement)
    db.commit()
    db.close()


def neighbour(scene: Scene) -> Tree:
    """Open the same root with a state home of its own, as a container does."""
    tree = Tree.open(scene.root, state_home=scene.home / "elsewhere")
    scene.opened.append(tree)
    return tree


@pytest.mark.parametrize("point", ["intended", "temp-flushed", "ready"])
def test_an_edit_of_another_workspace_stops_one_that_was_not_made_yet(
    scene: Scene, point: str
) -> None:
    interrupted(scene, point)
    edit(neighbour(scene), "b.txt", "old", "their")

    tree = scene.open()

    assert scene.files() == {**OLD, "b.txt": b"their b"}
    assert state_of(tree) == ROLLED_BACK


@pytest.mark.parametrize(("point", "nth"), [("exchanged", 2), ("published-one", 2), ("clean", 1)])
def test_an_edit_of_another_workspace_on_one_that_was_made_stays(
    scene: Scene, point: str, nth: int
) -> None:
    interrupted(scene, point, nth)
    edit(neighbour(scene), "a.txt", "new", "newer")

    tree = scene.open()

    assert scene.files() == {**NEW, "a.txt": b"newer a"}
    assert state_of(tree) == APPLIED


def test_the_same_edit_of_another_workspace_is_not_taken_back_with_ours(scene: Scene) -> None:
    interrupted(scene, "intended")
    theirs = neighbour(scene)
    edit(theirs, "a.txt", "old", "new")
    edit(theirs, "b.txt", "old", "their")
    create(theirs, "d/come.txt", "come")

    tree = scene.open()

    assert scene.files() == {**OLD, "a.txt": b"new a", "b.txt": b"their b", "d/come.txt": b"come"}
    assert state_of(tree) == ROLLED_BACK


@pytest.mark.parametrize("first", ["ours", "theirs"])
@pytest.mark.parametrize("point", ["intended", "exchanged", "published", "clean"])
def test_of_two_workspaces_that_died_at_one_file_both_find_an_end(
    scene: Scene, point: str, first: str
) -> None:
    scene.put("a.txt", "old a")
    trees = {"ours": scene.open(), "theirs": neighbour(scene)}
    for name, tree in trees.items():
        with pytest.raises(Died), failpoints.watch(die_at(point)):
            edit(tree, "a.txt", " a", f" {name} a")

    second = {"ours": "theirs", "theirs": "ours"}[first]
    ends = [entry.state for name in (first, second) for entry in trees[name].recover()]

    made = " ours theirs" if point != "intended" else f" {first}"
    assert scene.files() == {"a.txt": f"old{made} a".encode()}
    assert ends == [APPLIED, APPLIED if point != "intended" else ROLLED_BACK]


def test_recovery_waits_for_whoever_changes_the_directory(scene: Scene) -> None:
    interrupted(scene, "intended")
    fd = os.open(scene.root, os.O_RDONLY)
    fcntl.flock(fd, fcntl.LOCK_EX)

    with pytest.raises(Refused) as caught:
        scene.open(TreeOptions(lock_timeout=0.05))
    os.close(fd)
    scene.open()

    assert caught.value.refusals[0].code == "busy"
    assert scene.files() == NEW


@pytest.mark.parametrize("names", [("a.txt", "z.txt"), ("z.txt", "a.txt")])
@pytest.mark.parametrize(
    ("point", "nth"), [("alone", 1), ("exchanged", 1), ("published-one", 1), ("published-one", 2)]
)
def test_a_move_that_died_leaves_one_file_whatever_another_workspace_writes(
    scene: Scene, names: tuple[str, str], point: str, nth: int
) -> None:
    old, new = names
    scene.put(old, "text")
    with pytest.raises(Died), failpoints.watch(die_at(point, nth)):
        move(scene.open(), old, new)
    theirs, edited = neighbour(scene), b"text"
    for name in names:
        if (scene.root / name).exists():
            edit(theirs, name, "text", "text and more")
            edited = b"text and more"

    tree = scene.open()

    assert [*scene.files().values()] == [edited]
    assert tree.journal.pending() == ()
