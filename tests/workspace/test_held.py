"""Locks on files and directories: workspaces that share them wait for each other, or say why."""

import errno
import fcntl
import os
import posix  # its `_exit` writes no coverage: a child has that of the whole worker
import resource
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from keyhole.disk import failpoints
from keyhole.edits.model.operations import Edit
from keyhole.edits.model.plan import Plan
from keyhole.engine.facade import Engine
from keyhole.engine.options import Options
from keyhole.history.targets import one
from keyhole.journal.model import APPLIED, Query
from keyhole.refusals import Refusal, Refused
from keyhole.workspace.tree import Tree, TreeOptions
from tests.workspace.scene import (
    CALL,
    Scene,
    create,
    creating,
    delete,
    edit,
    edit_all,
    move,
    present,
    replacing,
    take_back,
)

IMPATIENT = TreeOptions(lock_timeout=0.1)
ME = Path("/proc/self/comm").read_text(encoding="utf-8").strip()


def inner(scene: Scene, options: TreeOptions | None = None) -> Tree:
    """Open the directory `sub` of the scene as a workspace of its own."""
    (scene.root / "sub").mkdir(exist_ok=True)
    tree = Tree.open(scene.root / "sub", state_home=scene.home / "state", options=options)
    scene.opened.append(tree)
    return tree


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Lock a file or directory as a program does that has nothing to do with keyhole."""
    pid, hold = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        fcntl.flock(os.open(path, os.O_RDONLY), fcntl.LOCK_EX)
        os.write(pid[1], b"x")
        os.close(hold[1])
        os.read(hold[0], 1)
        posix._exit(0)
    os.read(pid[0], 1)
    try:
        yield
    finally:
        os.close(hold[1])
        os.waitpid(child, 0)
        for fd in (*pid, hold[0]):
            os.close(fd)


def done_in(tree: Tree) -> tuple[int, int]:
    """Return how many transactions are applied, and how many are not finished."""
    applied = [entry for entry in tree.journal.entries(Query()) if entry.state == APPLIED]
    return len(applied), len(tree.journal.pending())


def refused(work: Callable[[], object]) -> Refusal:
    with pytest.raises(Refused) as caught:
        work()
    return caught.value.refusals[0]


def test_an_edit_waits_for_one_in_a_workspace_around_it(scene: Scene) -> None:
    scene.put("sub/a.txt", "one two")
    outer, order = scene.open(), []

    def second() -> None:
        edit(inner(scene), "a.txt", "two", "2")
        order.append("second")

    with outer.hold(["sub/a.txt"]) as held:
        waiter = threading.Thread(target=second)
        waiter.start()
        waiter.join(0.2)
        plan = replacing("sub/a.txt", present(held.snapshot, "sub/a.txt"), "one", "1")
        held.commit(Plan((plan,)), CALL)
        order.append("first")
    waiter.join()

    assert order == ["first", "second"]
    assert scene.files() == {"sub/a.txt": b"1 2"}


def test_other_files_of_a_directory_are_free(scene: Scene) -> None:
    scene.put("sub/a.txt", "a")
    scene.put("sub/b.txt", "b")

    with scene.open().hold(["sub/a.txt"]):
        edit(inner(scene, IMPATIENT), "b.txt", "b", "edited")

    assert scene.files()["sub/b.txt"] == b"edited"


@pytest.mark.parametrize("where", ["sub/a.txt", "sub"])
def test_the_lock_of_another_program_is_refused_by_its_name(scene: Scene, where: str) -> None:
    scene.put("sub/a.txt", "a")
    tree = scene.open(IMPATIENT)

    with locked(scene.root / where):
        said = refused(lambda: edit(tree, "sub/a.txt", "a", "b"))

    assert said.code == "busy"
    assert "sub/a.txt" in said.headline or "the directory sub" in said.headline
    assert f"{ME} (process " in said.headline
    assert scene.files() == {"sub/a.txt": b"a"}
    assert done_in(tree) == (0, 0)
    edit(tree, "sub/a.txt", "a", "b")


@pytest.mark.parametrize("deed", ["create", "delete", "move", "undo"])
def test_whatever_writes_respects_the_lock_of_a_directory(scene: Scene, deed: str) -> None:
    scene.put("sub/a.txt", "a")
    tree = scene.open(IMPATIENT)
    entry = edit(tree, "sub/a.txt", "a", "b")
    deeds: dict[str, Callable[[], object]] = {
        "create": lambda: create(tree, "sub/new.txt", "new"),
        "delete": lambda: delete(tree, "sub/a.txt"),
        "move": lambda: move(tree, "sub/a.txt", "b.txt"),
        "undo": lambda: take_back(tree, one(tree.journal, entry.id)),
    }

    with locked(scene.root / "sub"):
        said = refused(deeds[deed])

    assert said.code == "busy"
    assert scene.files() == {"sub/a.txt": b"b"}


def test_a_file_that_another_workspace_makes_meanwhile_is_not_replaced(scene: Scene) -> None:
    ours, theirs = scene.open(), inner(scene)

    with ours.hold(["sub/a.txt"]) as held:
        create(theirs, "a.txt", "same")
        said = refused(lambda: held.commit(Plan((creating("sub/a.txt", "same"),)), CALL))

    assert (said.code, said.path) == ("stale", "sub/a.txt")
    assert scene.files() == {"sub/a.txt": b"same"}
    assert done_in(ours) == (0, 0)


def test_many_files_are_compared_again_where_they_are_not_locked(scene: Scene) -> None:
    names = [f"sub/{number}.txt" for number in range(100)]
    for name in names:
        scene.put(name, "a")
    ours, theirs = scene.open(), inner(scene)

    with ours.hold(names) as held:
        edit(theirs, "7.txt", "a", "theirs")
        plans = [replacing(name, present(held.snapshot, name), "a", "ours") for name in names]
        said = refused(lambda: held.commit(Plan(tuple(plans)), CALL))

    assert (said.code, said.path) == ("stale", "sub/7.txt")
    assert {*scene.files().values()} == {b"a", b"theirs"}


def test_two_names_of_one_file_are_one_lock(scene: Scene) -> None:
    scene.put("a.txt", "a")
    os.link(scene.root / "a.txt", scene.root / "b.txt")

    edit_all(scene.open(IMPATIENT), {"a.txt": ("a", "1"), "b.txt": ("a", "2")})

    assert scene.files() == {"a.txt": b"1", "b.txt": b"2"}


def test_whoever_waited_for_a_file_that_was_replaced_edits_the_new_one(scene: Scene) -> None:
    path = scene.put("a.txt", "old")
    tree = scene.open()

    def save_and_let_go() -> None:
        scene.put("b.txt", "new")
        (scene.root / "b.txt").rename(path)
        fcntl.flock(fd, fcntl.LOCK_UN)

    fd = os.open(path, os.O_RDONLY)
    fcntl.flock(fd, fcntl.LOCK_EX)
    timer = threading.Timer(0.1, save_and_let_go)
    timer.start()
    edit(tree, "a.txt", "new", "newest")
    timer.join()
    os.close(fd)

    assert scene.files() == {"a.txt": b"newest"}


def test_a_file_system_without_locks_is_told_of(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    flock = fcntl.flock

    def unknown(fd: int, operation: int) -> None:
        if Path(f"/proc/self/fd/{fd}").readlink().is_relative_to(scene.root):
            raise OSError(errno.ENOLCK, "no locks available")
        flock(fd, operation)

    monkeypatch.setattr(fcntl, "flock", unknown)
    scene.put("a.txt", "a")
    tree = scene.open()

    entry = edit(tree, "a.txt", "a", "b")
    receipt = Engine(tree).edit([Edit(find="b", content="c")], Options(), "a.txt")

    assert entry.guard == "weak"
    assert receipt.warnings == entry.warnings
    assert "cannot lock directories" in receipt.warnings[0]
    assert scene.files() == {"a.txt": b"c"}


def test_a_child_that_was_forked_meanwhile_keeps_no_lock(scene: Scene) -> None:
    scene.put("sub/a.txt", "a")
    children: list[int] = []
    stop = os.pipe()

    def fork(name: str) -> None:
        if name == "exchanged" and not children:
            children.append(os.fork())
            if children[0] == 0:
                os.close(stop[1])
                os.read(stop[0], 1)
                posix._exit(0)

    with failpoints.watch(fork):
        edit(scene.open(), "sub/a.txt", "a", "b")
    edit(inner(scene, IMPATIENT), "a.txt", "b", "c")
    edit(scene.open(IMPATIENT), "sub/a.txt", "c", "d")
    os.close(stop[1])
    os.waitpid(children[0], 0)
    os.close(stop[0])

    assert scene.files() == {"sub/a.txt": b"d"}


def test_a_thousand_files_need_no_more_open_files_than_before(scene: Scene) -> None:
    names = [f"d{number % 400}/{number}.txt" for number in range(1000)]
    for name in names:
        scene.put(name, "a")
    tree = scene.open()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    others = len([*Path("/proc/self/fd").iterdir()])
    resource.setrlimit(resource.RLIMIT_NOFILE, (others + 1000, hard))
    try:
        edit_all(tree, dict.fromkeys(names, ("a", "b")))
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))

    assert {*scene.files().values()} == {b"b"}
