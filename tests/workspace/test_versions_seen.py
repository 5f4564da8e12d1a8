"""What agents were shown: remembered a while, worth losing, never wrong."""

import sqlite3

import pytest

from keyhole.text.document import Document
from keyhole.workspace import state as shown_module
from keyhole.workspace.state import VERSIONS_PER_FILE, ShownVersions
from keyhole.workspace.tree import TreeOptions
from tests.workspace.scene import Scene, edit


def test_versions_are_known_to_the_one_who_was_shown_them(scene: Scene) -> None:
    scene.put("a.txt", "first")
    tree = scene.open()
    tree.remember("a.txt", tree.read("a.txt"), "me")
    edit(tree, "a.txt", "first", "second")
    tree.remember("./a.txt", tree.read("a.txt"), "me")
    tree.close()
    tree = scene.open()

    assert [document.text for document in tree.shown("a.txt", "me")] == ["second", "first"]
    assert tree.shown("a.txt", "you") == ()
    assert tree.shown("b.txt", "me") == ()
    with tree.hold(["a.txt"], actor="me") as held:
        assert [each.text for each in held.snapshot.shown["a.txt"]] == ["second", "first"]
        assert list(held.snapshot.shown) == ["a.txt"]
        assert len(held.snapshot.shown) == 1
        with pytest.raises(KeyError):
            held.snapshot.shown["b.txt"]


def test_an_older_version_is_found_by_its_hash(scene: Scene) -> None:
    scene.put("a.txt", "first")
    scene.put("b.txt", "other")
    tree = scene.open()
    first = tree.read("a.txt")
    edit(tree, "a.txt", "first", "second")
    unseen = Document.from_bytes(b"shown, and never in the journal")
    tree.remember("a.txt", unseen, "me")

    assert tree.version("a.txt", first.hash, "anybody") == first
    assert tree.version("a.txt", unseen.hash, "me") == unseen
    assert tree.version("a.txt", unseen.hash, "you") is None
    assert tree.version("b.txt", first.hash, "anybody") is None


def test_a_read_only_workspace_remembers_nothing(scene: Scene) -> None:
    scene.put("a.txt", "first")
    tree = scene.open(TreeOptions(read_only=True))
    tree.remember("a.txt", tree.read("a.txt"), "me")

    assert tree.shown("a.txt", "me") == ()
    assert tree.version("a.txt", "0" * 16, "me") is None
    assert not (scene.home / "state").exists()


def test_only_the_latest_versions_of_a_file_are_given(scene: Scene) -> None:
    versions = ShownVersions(scene.home)
    for number in range(10):
        versions.remember("a.txt", Document.from_bytes(b"%d" % number), "me")

    found = [document.text for _, document in versions.shown_at("a.txt", "me")]

    assert found == ["9", "8", "7", "6"]
    assert len(found) == VERSIONS_PER_FILE


def test_old_and_many_versions_are_forgotten(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    versions = ShownVersions(scene.home)
    for number in range(8):
        versions.remember(f"{number}.txt", Document.from_bytes(b"%d" % number * 1000), "me")
    monkeypatch.setattr(shown_module, "KEEP_BYTES", 3500)
    versions.tidy()
    kept = [bool(versions.shown_at(f"{number}.txt", "me")) for number in range(8)]
    monkeypatch.setattr(shown_module, "KEEP_SECONDS", -1.0)
    versions.tidy()

    assert kept == [False] * 5 + [True] * 3
    assert sum(bool(versions.shown_at(f"{number}.txt", "me")) for number in range(8)) == 0


def test_tidying_happens_by_itself(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shown_module, "_TIDY_EVERY", 4)
    monkeypatch.setattr(shown_module, "KEEP_BYTES", 2500)
    versions = ShownVersions(scene.home)
    for number in range(4):
        versions.remember(f"{number}.txt", Document.from_bytes(b"%d" % number * 1000), "me")

    assert [bool(versions.shown_at(f"{n}.txt", "me")) for n in range(4)] == [
        False,
        False,
        True,
        True,
    ]


def test_the_same_version_is_stored_once(scene: Scene) -> None:
    versions = ShownVersions(scene.home)
    document = Document.from_bytes(b"x" * 5000)
    for _ in range(3):
        versions.remember("a.txt", document, "me")
    versions.remember("b.txt", document, "me")
    versions.close()

    db = sqlite3.connect(scene.home / "shown.db")
    assert db.execute("SELECT count(*) FROM version").fetchone() == (1,)
    assert db.execute("SELECT count(*) FROM shown").fetchone() == (2,)
    db.close()
    assert (scene.home / "shown.db").stat().st_mode & 0o777 == 0o600


def test_a_damaged_memory_is_begun_anew(scene: Scene) -> None:
    (scene.home / "shown.db").write_bytes(b"no database at all" * 100)
    versions = ShownVersions(scene.home)
    versions.remember("a.txt", Document.from_bytes(b"x"), "me")

    assert [document.text for _, document in versions.shown_at("a.txt", "me")] == ["x"]


def test_trouble_with_the_memory_is_nobodys_trouble(scene: Scene) -> None:
    versions = ShownVersions(scene.home)
    versions._db.execute("DROP TABLE shown")
    versions.remember("a.txt", Document.from_bytes(b"x"), "me")

    assert versions.shown_at("a.txt", "me") == ()


def test_an_encoding_is_remembered_with_the_version(scene: Scene) -> None:
    versions = ShownVersions(scene.home)
    document = Document.from_bytes("café".encode("latin-1"), "latin-1")
    versions.remember("a.txt", document, "\ud800 me")

    [(_, found)] = versions.shown_at("a.txt", "\ud800 me")
    assert found == document
