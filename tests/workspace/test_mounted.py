"""Single files that are mounted, as containers have them: nothing can take their place."""

import os
from collections.abc import Callable, Iterator

import pytest

from keyhole.disk import failpoints, kernel
from keyhole.history.targets import one
from keyhole.journal.model import ROLLED_BACK, Query
from keyhole.refusals import Refused
from tests.mounts import mounted, why_not
from tests.storage.test_recover import Died, die_at
from tests.workspace.scene import Scene, delete, edit, edit_all, move, take_back

pytestmark = pytest.mark.skipif(bool(why_not()), reason=why_not())


@pytest.fixture
def covered(scene: Scene) -> Iterator[Scene]:
    """Give a scene with a file of its own, and one that is mounted from elsewhere."""
    (scene.home / "real.txt").write_text("old b", encoding="utf-8")
    scene.put("a.txt", "old a")
    with mounted(scene.home / "real.txt", scene.put("b.txt", "covered")):
        yield scene


@pytest.mark.parametrize("deed", ["edit", "delete", "move", "both"])
def test_a_file_that_is_mounted_by_itself_is_refused_by_name(covered: Scene, deed: str) -> None:
    tree = covered.open()
    deeds: dict[str, Callable[[], object]] = {
        "edit": lambda: edit(tree, "b.txt", "old", "new"),
        "delete": lambda: delete(tree, "b.txt"),
        "move": lambda: move(tree, "b.txt", "c.txt"),
        "both": lambda: edit_all(tree, {"a.txt": ("old", "new"), "b.txt": ("old", "new")}),
    }

    with pytest.raises(Refused) as caught:
        deeds[deed]()

    (refusal,) = caught.value.refusals
    assert (refusal.code, refusal.path) == ("read-only", "b.txt")
    assert "mounted by itself" in refusal.headline
    assert covered.files() == {"a.txt": b"old a", "b.txt": b"old b"}
    assert tree.journal.pending() == ()


def test_what_was_edited_before_it_was_mounted_cannot_be_undone_there(scene: Scene) -> None:
    path = scene.put("b.txt", "old b")
    tree = scene.open()
    entry = edit(tree, "b.txt", "old", "new")
    (scene.home / "real.txt").write_text("new b", encoding="utf-8")

    with mounted(scene.home / "real.txt", path), pytest.raises(Refused) as caught:
        take_back(tree, one(tree.journal, entry.id))

    assert caught.value.refusals[0].code == "read-only"
    assert scene.files() == {"b.txt": b"new b"}


def test_what_died_before_it_was_mounted_is_taken_back(scene: Scene) -> None:
    scene.put("a.txt", "old a")
    path = scene.put("b.txt", "old b")
    (scene.home / "real.txt").write_text("old b", encoding="utf-8")
    with pytest.raises(Died), failpoints.watch(die_at("published-one")):
        edit_all(scene.open(), {"a.txt": ("old", "new"), "b.txt": ("old", "new")})

    with mounted(scene.home / "real.txt", path):
        tree = scene.open()
        states = [entry.state for entry in tree.journal.entries(Query())]
        edit(tree, "a.txt", "old", "newer")

    assert states == [ROLLED_BACK]
    assert scene.files() == {"a.txt": b"newer a", "b.txt": b"old b"}


def test_a_mount_is_told_from_a_file(covered: Scene) -> None:
    fd = os.open(covered.root, os.O_RDONLY)

    found = {name: kernel.is_mount_point(fd, name) for name in ("a.txt", "b.txt", "none.txt")}
    os.close(fd)

    assert found == {"a.txt": False, "b.txt": True, "none.txt": False}
