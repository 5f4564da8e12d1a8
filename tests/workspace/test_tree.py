"""The tree: what the engine asks of it, alone and beside others."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from keyhole.disk import failpoints
from keyhole.disk.locks import stripe_of
from keyhole.edits.model.plan import Plan
from keyhole.journal.model import Query
from keyhole.journal.place import workspace_id
from keyhole.refusals import Refused
from keyhole.text.document import Document
from keyhole.workspace.tree import TreeOptions
from tests.storage.test_recover import Died, die_at
from tests.workspace.scene import CALL, Scene, create, creating, edit, edit_all, present, replacing


def test_state_is_private_and_outside_the_tree(scene: Scene) -> None:
    scene.put("a.txt", "old")
    tree = scene.open()
    edit(tree, "a.txt", "old", "new")

    assert tree.state == scene.home / "state/keyhole" / workspace_id(str(scene.root))
    assert tree.state.stat().st_mode & 0o777 == 0o700
    modes = {path.name: path.stat().st_mode & 0o777 for path in tree.state.iterdir()}
    assert {name: mode for name, mode in modes.items() if mode not in {0o600, 0o700}} == {}
    assert [path.name for path in scene.root.iterdir()] == ["a.txt"]


def test_a_file_is_read_in_the_encoding_the_user_names(scene: Scene) -> None:
    scene.put("a.txt", "café".encode("latin-1"))

    assert scene.open(TreeOptions(encoding="latin-1")).read("a.txt").text == "café"
    assert scene.open().read("a.txt").text == "caf\udce9"


def test_a_missing_file_is_none_in_a_snapshot_and_refused_by_read(scene: Scene) -> None:
    tree = scene.open()
    reader = scene.open(TreeOptions(read_only=True))
    for each in (tree, reader):
        with each.hold(["a.txt", "no/where.txt"]) as held:
            assert dict(held.snapshot.files) == {"a.txt": None, "no/where.txt": None}

    with pytest.raises(Refused) as caught:
        tree.read("a.txt")
    assert [refusal.code for refusal in caught.value.refusals] == ["no-file"]


def test_a_directory_is_refused_by_a_read_only_hold_too(scene: Scene) -> None:
    (scene.root / "fifo").mkdir()
    os.mkfifo(scene.root / "pipe")
    reader = scene.open(TreeOptions(read_only=True))

    with pytest.raises(Refused) as caught, reader.hold(["pipe"]):
        pass
    assert [refusal.code for refusal in caught.value.refusals] == ["not-text"]


@pytest.mark.parametrize("call", ["recover", "sweep"])
def test_a_read_only_workspace_repairs_nothing(scene: Scene, call: str) -> None:
    reader = scene.open(TreeOptions(read_only=True))

    with pytest.raises(Refused) as caught:
        getattr(reader, call)()
    assert [refusal.code for refusal in caught.value.refusals] == ["read-only"]


def test_a_call_takes_the_locks_of_an_unfinished_transaction_it_meets(scene: Scene) -> None:
    names = ["a.txt", "b.txt"]
    assert stripe_of(names[0]) != stripe_of(names[1])
    for name in names:
        scene.put(name, "old")
    tree, other = scene.open(), scene.open()
    with pytest.raises(Died), failpoints.watch(die_at("published-one")):
        edit_all(tree, dict.fromkeys(names, ("old", "new")))

    edit(other, "b.txt", "new", "newer")

    assert scene.files() == {"a.txt": b"new", "b.txt": b"newer"}


def test_a_reader_waits_for_a_commit_that_is_under_way(scene: Scene) -> None:
    scene.put("a.txt", "old")
    tree, other = scene.open(), scene.open()
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(other.read("a.txt").text))

    def hook(name: str) -> None:
        if name == "intended":
            reader.start()
            reader.join(0.2)
            assert read == []

    with failpoints.watch(hook):
        edit(tree, "a.txt", "old", "new")
    reader.join()

    assert read == ["new"]


def test_two_threads_edit_through_one_tree(scene: Scene) -> None:
    scene.put("a.txt", "".join(f"<{number}>" for number in range(40)))
    tree = scene.open()

    def work(start: int) -> None:
        for number in range(start, 40, 2):
            edit(tree, "a.txt", f"<{number}>", f"[{number}]")

    threads = [threading.Thread(target=work, args=(start,)) for start in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert scene.files() == {"a.txt": "".join(f"[{number}]" for number in range(40)).encode()}


EDITOR = """
import sys
from pathlib import Path
from tests.workspace.scene import Scene, edit
tree = Scene(Path(sys.argv[1])).open()
edit(tree, "a.txt", "two", "three")
tree.close()
"""


def test_a_second_tree_in_the_process_does_not_drop_the_locks_of_the_first(scene: Scene) -> None:
    scene.put("a.txt", "zero")
    first = scene.open()
    edit(first, "a.txt", "zero", "one")
    second = scene.open()
    edit(second, "a.txt", "one", "two")
    second.close()
    log = first.state / "journal.db-wal"
    before = log.stat().st_ino
    subprocess.run([sys.executable, "-c", EDITOR, str(scene.home)], check=True)

    # A process that takes itself for the last one to close a database deletes the log.
    assert log.stat().st_ino == before
    edit(first, "a.txt", "three", "four")
    first.close()

    tree = scene.open()
    assert scene.files() == {"a.txt": b"four"}
    assert len(tree.journal.entries(Query())) == 4
    assert tree.journal.examine().damage == ()


def test_temporary_files_without_an_entry_are_swept(scene: Scene) -> None:
    scene.put("d/a.txt", "old")
    tree = scene.open()
    edit(tree, "d/a.txt", "old", "new")
    orphan = scene.put("d/.kh-0123456789ab-0.tmp", "orphan")
    with tree._state.locks.hold(["d/a.txt"]) as locked:
        locked.note("0123456789ab", ["d", "not/there"])
    edit(tree, "d/a.txt", "new", "newer")

    assert not orphan.exists()


def test_a_search_of_the_whole_tree_finds_what_no_note_names(scene: Scene) -> None:
    scene.put("deep/er/a.txt", "old")
    (scene.root / "deep/.kh-0123456789ab-1.tmp").mkdir()
    for name in (".kh-0123456789ab-0.tmp", "deep/er/.kh-ba9876543210-12.old"):
        scene.put(name, "orphan")
    scene.put(".kh-short-0.tmp", "not ours")
    tree = scene.open()

    assert tree.sweep() == 2
    assert sorted(scene.files()) == [".kh-short-0.tmp", "deep/er/a.txt"]


def test_what_a_living_transaction_staged_is_not_swept(scene: Scene) -> None:
    scene.put("a.txt", "old")
    tree = scene.open(TreeOptions(lock_timeout=0.05))
    seen: list[str] = []

    def hook(name: str) -> None:
        if name == "staged":
            scene.open().close()
            with pytest.raises(Refused):
                scene.open(TreeOptions(lock_timeout=0.05)).sweep()
            seen.extend(path.name for path in scene.root.glob(".kh-*"))

    edit(tree, "a.txt", "old", "older")
    with failpoints.watch(hook):
        edit(tree, "a.txt", "older", "new")

    assert len(seen) == 1
    assert scene.files() == {"a.txt": b"new"}


def test_pending_temporary_files_are_left_to_recovery(scene: Scene) -> None:
    scene.put("a.txt", "old")
    tree = scene.open()
    with pytest.raises(Died), failpoints.watch(die_at("intended")):
        edit(tree, "a.txt", "old", "new")

    assert tree.sweep() == 0
    assert len(list(scene.root.glob(".kh-*"))) == 1


def test_trouble_with_our_own_files_is_a_refusal(scene: Scene) -> None:
    scene.put("a.txt", "old")
    tree = scene.open()
    edit(tree, "a.txt", "old", "new")
    lock = tree.state / "locks" / f"{stripe_of('a.txt'):02x}"
    lock.unlink()
    lock.mkdir()

    with pytest.raises(Refused) as caught:
        edit(tree, "a.txt", "new", "newer")
    assert [refusal.code for refusal in caught.value.refusals] == ["journal"]
    tree.close()
    with pytest.raises(Refused) as caught:
        scene.open()
    assert [refusal.code for refusal in caught.value.refusals] == ["journal"]
    assert scene.files() == {"a.txt": b"new"}


def test_a_transaction_over_many_files_is_one_entry(scene: Scene) -> None:
    names = [f"d{number % 7}/f{number}.txt" for number in range(300)]
    for name in names:
        scene.put(name, f"old {name}")
    tree = scene.open()

    entry = edit_all(tree, dict.fromkeys(names, ("old", "new")))

    assert len(entry.files) == 300
    assert scene.files() == {name: f"new {name}".encode() for name in names}


def test_a_new_file_and_an_edit_share_one_missing_directory(scene: Scene) -> None:
    scene.put("a.txt", "old")
    tree = scene.open()
    with tree.hold(["a.txt", "n/b.txt", "n/m/c.txt"]) as held:
        plan = Plan(
            (
                replacing("a.txt", present(held.snapshot, "a.txt"), "old", "new"),
                creating("n/b.txt", "b"),
                creating("n/m/c.txt", "c"),
            )
        )
        entry = held.commit(plan, CALL)

    assert entry.draft.made == ("n", "n/m")
    assert scene.files() == {"a.txt": b"new", "n/b.txt": b"b", "n/m/c.txt": b"c"}


def test_a_failure_on_the_way_leaves_no_directory_behind(scene: Scene) -> None:
    scene.put("n", "a file where a directory should be")
    tree = scene.open()

    with pytest.raises(Refused):
        create(tree, "x/y/" + "z" * 255 + "/" + "w" * 255 + "/" + "n" * 256, "text")
    with pytest.raises(Refused), failpoints.watch(die_with_full_disk):
        create(tree, "x/y/new.txt", "text")

    assert [path.name for path in scene.root.iterdir()] == ["n"]


def die_with_full_disk(name: str) -> None:
    if name == "temp-written":
        raise OSError(28, "No space left on device")


def test_a_document_of_another_state_is_a_bug(scene: Scene) -> None:
    scene.put("a.txt", "old")
    tree = scene.open()

    with tree.hold(["a.txt"]) as held, pytest.raises(AssertionError):
        held.commit(Plan((creating("a.txt", "new"),)), CALL)
    with tree.hold(["a.txt"]) as held, pytest.raises(AssertionError):
        held.commit(Plan(()), CALL)
    assert scene.files() == {"a.txt": b"old"}
    assert isinstance(tree.read("a.txt"), Document)
    assert Path(tree.root.path) == scene.root


def test_what_is_there_is_told_apart(scene: Scene) -> None:
    scene.put("d/a.txt", "x")
    tree = scene.open()

    assert [tree.exists(path) for path in ("d/a.txt", "d", ".", "d/b.txt", "x/y")] == [
        True,
        True,
        True,
        False,
        False,
    ]
    assert [tree.is_directory(path) for path in ("d/a.txt", "d", ".", "x")] == [
        False,
        True,
        True,
        False,
    ]


def test_a_lock_is_released_when_recovery_fails(scene: Scene) -> None:
    scene.put("a.txt", "old")
    tree, other = scene.open(), scene.open(TreeOptions(lock_timeout=0.5))
    with pytest.raises(Died), failpoints.watch(die_at("intended")):
        edit(tree, "a.txt", "old", "new")
    with pytest.raises(Died), failpoints.watch(die_at("recovery-decided")):
        other.read("a.txt")

    assert other.read("a.txt").text == "new"


def test_closing_twice_does_no_harm(scene: Scene) -> None:
    tree = scene.open()
    create(tree, "a.txt", "x")
    tree.close()
    tree.close()

    assert scene.open().read("a.txt").text == "x"
