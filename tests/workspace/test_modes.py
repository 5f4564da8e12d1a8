"""A file that becomes a program: journalled, and finished after a crash like any edit."""

from collections.abc import Callable
from pathlib import Path

import pytest

from keyhole.disk import failpoints
from keyhole.disk.kernel import Kernel
from keyhole.edits.model.operations import MoveFile
from keyhole.edits.model.plan import FilePlan, Plan
from keyhole.edits.resolve import resolve
from keyhole.fastclasses import replace
from keyhole.journal.model import APPLIED, Entry, Query, Undone
from keyhole.refusals import Refused
from keyhole.text.changes import ChangeSet
from keyhole.workspace.tree import Tree, TreeOptions
from tests.workspace.scene import CALL, Scene, present, replacing, take_back

POINTS = ("intended", "linked", "exchanged", "published-one", "published", "durable", "clean")


class Died(BaseException):
    """Stands for the death of the process."""


def die_at(point: str) -> Callable[[str], None]:
    def hook(name: str) -> None:
        if name == point:
            raise Died

    return hook


def mode_of(path: Path) -> int:
    return path.stat().st_mode & 0o7777


def make_program(tree: Tree, old: str = "") -> Entry:
    """Make a file a program, and change its text too where `old` is given."""
    with tree.hold(["run"]) as held:
        document = present(held.snapshot, "run")
        plan = FilePlan("run", document, document, ChangeSet(len(document.text)))
        if old:
            plan = replacing("run", document, old, "new")
        return held.commit(Plan((replace(plan, executable=True),)), CALL)


@pytest.mark.parametrize("exchange", [True, False], ids=["strong", "weak"])
@pytest.mark.parametrize("old", ["", "old"], ids=["mode", "mode-and-text"])
@pytest.mark.parametrize("point", POINTS)
def test_a_recorded_mode_is_given_after_a_crash(
    scene: Scene, point: str, old: str, *, exchange: bool
) -> None:
    file = scene.put("run", "old\n", mode=0o640)
    options = TreeOptions(kernel=Kernel(exchange=exchange))
    tree = scene.open(options)
    # Where names are exchanged, nothing is linked.
    point = "exchanged" if point == "linked" and exchange else point
    with pytest.raises(Died), failpoints.watch(die_at(point)):
        make_program(tree, old)
    tree.close()

    tree = scene.open(options)

    assert (scene.files(), mode_of(file)) == ({"run": b"new\n" if old else b"old\n"}, 0o750)
    assert tree.journal.entries(Query())[0].state == APPLIED


@pytest.mark.parametrize("point", ["temp-made", "temp-written", "staged"])
def test_an_unrecorded_mode_leaves_nothing(scene: Scene, point: str) -> None:
    file = scene.put("run", "old\n", mode=0o640)
    with pytest.raises(Died), failpoints.watch(die_at(point)):
        make_program(scene.open())

    assert (scene.files(), mode_of(file)) == ({"run": b"old\n"}, 0o640)


def test_a_save_at_the_last_moment_wins_over_the_mode(scene: Scene) -> None:
    file = scene.put("run", "old\n", mode=0o640)

    def save(name: str) -> None:
        if name == "intended":
            file.write_bytes(b"theirs\n")

    with pytest.raises(Refused, match="run"), failpoints.watch(save):
        make_program(scene.open())

    assert (scene.files(), mode_of(file)) == ({"run": b"theirs\n"}, 0o640)


def test_the_very_mode_comes_back_and_goes_again(scene: Scene) -> None:
    file, tree = scene.put("run", "old\n", mode=0o604), scene.open()
    entry = make_program(tree)
    assert mode_of(file) == 0o705

    undone = take_back(tree, [Undone(entry.id)])
    assert mode_of(file) == 0o604
    take_back(tree, [Undone(undone.id)])

    assert mode_of(file) == 0o705


def test_a_mode_that_somebody_took_back_meanwhile_is_left_alone(scene: Scene) -> None:
    file, tree = scene.put("run", "old\n", mode=0o640), scene.open()
    entry = make_program(tree, "old")
    file.chmod(0o600)

    take_back(tree, [Undone(entry.id)])

    assert (scene.files(), mode_of(file)) == ({"run": b"old\n"}, 0o600)


def test_the_journal_tells_which_files_became_programs(scene: Scene) -> None:
    scene.put("run", "old\n", mode=0o640)
    tree = scene.open()
    entry = make_program(tree)
    stored = tree.journal.entry(entry.id)

    assert stored is not None
    assert [change.executable for change in stored.files] == [True]
    assert [change.before == change.after for change in stored.files] == [True]


@pytest.mark.parametrize("exchange", [True, False], ids=["strong", "weak"])
@pytest.mark.parametrize("point", POINTS)
def test_files_that_exchange_names_do_so_after_a_crash_with_what_they_carry(
    scene: Scene, point: str, *, exchange: bool
) -> None:
    scene.put("a", "one\n", mode=0o600)
    scene.put("b", "two\n", mode=0o755)
    options = TreeOptions(kernel=Kernel(exchange=exchange))
    tree = scene.open(options)
    point = "exchanged" if point == "linked" and exchange else point
    moves = [MoveFile("a", "b"), MoveFile("b", "a")]
    with pytest.raises(Died), failpoints.watch(die_at(point)), tree.hold(["a", "b"]) as held:
        held.commit(resolve(moves, held.snapshot), CALL)
    tree.close()

    tree = scene.open(options)

    assert scene.files() == {"a": b"two\n", "b": b"one\n"}
    assert [mode_of(scene.root / name) for name in ("a", "b")] == [0o755, 0o600]
    (entry,) = tree.journal.entries(Query())
    take_back(tree, [Undone(entry.id)])
    assert scene.files() == {"a": b"one\n", "b": b"two\n"}
    assert [mode_of(scene.root / name) for name in ("a", "b")] == [0o600, 0o755]
