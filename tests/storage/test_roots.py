"""Spellings of paths, and the root they belong to."""

from pathlib import Path

import pytest

from keyhole.disk.kernel import Kernel
from keyhole.refusals import Refused
from keyhole.storage import roots
from keyhole.storage.roots import Root
from tests.workspace.scene import Scene


def test_a_root_reached_through_a_link_has_two_absolute_spellings(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real/a.txt").write_bytes(b"x")
    (tmp_path / "link").symlink_to("real")
    root = Root.open(tmp_path / "link", Kernel())

    spellings = [f"{tmp_path}/link/a.txt", f"{tmp_path}/real/a.txt", f"{tmp_path}/link", "a.txt"]

    assert [root.canonical(each) for each in spellings] == ["a.txt", "a.txt", ".", "a.txt"]
    root.close()


def test_links_are_followed_inside_and_each_name_is_one(scene: Scene) -> None:
    scene.put("real/deep/a.txt", "x")
    for name, target in {
        "one": "real",
        "real/two": "deep",
        "up": "real/deep/../deep",
        "absolute": str(scene.root / "real"),
        "to-root": str(scene.root),
        "dot": ".",
        "new-file": "real/not-yet.txt",
        "down": "missing/../real",
    }.items():
        (scene.root / name).symlink_to(target)
    root = Root.open(scene.root, Kernel())

    found = {
        spelling: root.canonical(spelling)
        for spelling in (
            "one/deep/a.txt",
            "one/two/a.txt",
            "up/a.txt",
            "absolute/two/a.txt",
            "to-root/one/new/x.txt",
            "dot/dot/one",
            "new-file",
            "to-root",
        )
    }

    assert found == {
        "one/deep/a.txt": "real/deep/a.txt",
        "one/two/a.txt": "real/deep/a.txt",
        "up/a.txt": "real/deep/a.txt",
        "absolute/two/a.txt": "real/deep/a.txt",
        "to-root/one/new/x.txt": "real/new/x.txt",
        "dot/dot/one": "real",
        "new-file": "real/not-yet.txt",
        "to-root": ".",
    }
    root.close()


def test_a_long_chain_of_links_is_refused(scene: Scene) -> None:
    scene.put("l0", "x")
    for number in range(50):
        (scene.root / f"l{number + 1}").symlink_to(f"l{number}")
    root = Root.open(scene.root, Kernel())

    assert root.canonical("l40") == "l0"
    with pytest.raises(Refused) as caught:
        root.canonical("l41")
    assert [refusal.code for refusal in caught.value.refusals] == ["path-denied"]
    root.close()


def test_a_link_that_appears_between_two_looks_is_refused(scene: Scene) -> None:
    scene.put("d/a.txt", "x")
    root = Root.open(scene.root, Kernel())
    path = root.canonical("d/a.txt")
    (scene.root / "d").rename(scene.root / "away")
    (scene.root / "d").symlink_to("away")

    with pytest.raises(Refused) as caught:
        root.parent(path)
    assert [refusal.code for refusal in caught.value.refusals] == ["path-denied"]
    root.close()


@pytest.mark.parametrize(
    ("replaced", "said"),
    [(False, "is gone"), (True, "is another directory than when it was opened")],
)
@pytest.mark.parametrize("name", ["root", "link"])
def test_a_root_that_is_not_where_it_was_is_not_written_to(
    tmp_path: Path, name: str, *, replaced: bool, said: str
) -> None:
    for directory in ("root", "other"):
        (tmp_path / directory).mkdir()
        (tmp_path / directory / "a.txt").write_bytes(b"x")
    (tmp_path / "link").symlink_to("root")
    root = Root.open(tmp_path / name, Kernel())
    (tmp_path / name).rename(tmp_path / "away")
    if replaced:
        (tmp_path / "other").rename(tmp_path / name)

    with pytest.raises(Refused) as caught:
        root.canonical("a.txt")

    [refusal] = caught.value.refusals
    assert (refusal.code, refusal.headline) == (
        "no-file",
        f"the workspace root {tmp_path / name} {said}",
    )
    root.close()


def test_a_system_without_directory_handles_is_refused(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(roots, "_HAS_HANDLES", False)

    with pytest.raises(Refused) as caught:
        Root.open(scene.root, Kernel())
    assert [refusal.code for refusal in caught.value.refusals] == ["read-only"]


def test_a_root_that_cannot_be_opened_is_refused(tmp_path: Path) -> None:
    name = tmp_path / ("n" * 300)

    with pytest.raises(Refused) as caught:
        Root.open(name, Kernel())
    assert [refusal.code for refusal in caught.value.refusals] == ["no-file"]


@pytest.mark.parametrize(
    ("spelling", "why"),
    [
        ("sub/../a.txt", "goes through `..`"),
        ("sub/../../a.txt", "goes through `..`"),
        ("../a.txt", "is not inside the workspace"),
        ("~/a.txt", "is not inside the workspace"),
    ],
)
def test_a_way_up_is_refused_for_what_it_is(scene: Scene, spelling: str, why: str) -> None:
    root = Root.open(scene.root, Kernel())

    with pytest.raises(Refused) as error:
        root.canonical(spelling)

    (refusal,) = error.value.refusals
    assert (refusal.code, refusal.headline) == ("path-denied", f"`{spelling}` {why}")
    root.close()


def test_a_path_behind_a_file_says_so(scene: Scene) -> None:
    scene.put("a.txt", "x")
    tree = scene.open()

    with pytest.raises(Refused) as error:
        tree.read("a.txt/b.txt")

    (refusal,) = error.value.refusals
    assert (refusal.code, refusal.headline) == ("path-denied", "a.txt: Not a directory")
    assert refusal.help == "check the path: it goes on behind the name of a file"
