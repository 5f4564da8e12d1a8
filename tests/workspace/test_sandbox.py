"""The sandbox: 101 ways out, through every call of a tree that takes a path. None is granted."""

import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from keyhole.disk.kernel import Kernel
from keyhole.edits.model.plan import Plan
from keyhole.refusals import Refused
from keyhole.workspace.tree import Tree, TreeOptions
from tests.workspace.scene import CALL, Scene, create, creating, delete, edit, move, moving
from tests.workspace.ways_out import (
    ESCAPES,
    LEGIT,
    ODD,
    PROTECTED,
    begins_like_the_root,
    lay_out,
    outside,
    resolves_below_the_root,
    spelled,
)

READS = ["read", "walk", "remember", "shown", "version"]
WRITES = ["edit", "create", "delete", "move from", "move to", "hold"]


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    made = Scene(tmp_path)
    lay_out(made)
    return made


def _call(tree: Tree, tool: str, path: str) -> object:
    """Use a path in one of the calls that take one."""
    document = tree.read("ok.txt")
    calls: dict[str, Callable[[], object]] = {
        "read": lambda: tree.read(path),
        "walk": lambda: list(tree.walk(path)),
        "remember": lambda: tree.remember(path, document, "x"),
        "shown": lambda: tree.shown(path, "x"),
        "version": lambda: tree.version(path, document.hash, "x"),
        "edit": lambda: edit(tree, path, "inside", "owned"),
        "create": lambda: create(tree, path, "owned\n"),
        "delete": lambda: delete(tree, path),
        "move from": lambda: move(tree, path, "moved.txt"),
        "move to": lambda: _move_to(tree, path),
        "hold": lambda: _hold(tree, path),
    }
    return calls[tool]()


def _move_to(tree: Tree, path: str) -> None:
    with tree.hold(["ok.txt", path]) as held:
        document = held.snapshot.files["ok.txt"]
        assert document is not None
        held.commit(Plan(moving("ok.txt", tree.resolve(path), document)), CALL)


def _hold(tree: Tree, path: str) -> None:
    with tree.hold([path]):
        pass


@pytest.mark.parametrize("beneath", [True, False], ids=["openat2", "walk"])
def test_no_way_out_is_granted(scene: Scene, *, beneath: bool) -> None:
    tree = scene.open(TreeOptions(kernel=Kernel(beneath=beneath)))
    create(tree, "first.txt", "x")
    before, refused = outside(scene), 0

    for path in ESCAPES:
        for tool in READS + WRITES:
            with pytest.raises(Refused) as caught:
                _call(tree, tool, spelled(scene, path))
            refused += 1
            codes = {refusal.code for refusal in caught.value.refusals}
            assert codes <= {"path-denied", "no-file", "read-only"}, (path, tool)

    assert refused == len(ESCAPES) * len(READS + WRITES) >= 1111
    assert outside(scene) == before
    assert list(scene.root.rglob(".kh-*")) == []


def _checked(check: Callable[[str, str], bool], scene: Scene) -> Counter[str]:
    """Count what a check that others make says to the same paths."""
    found: Counter[str] = Counter()
    root = str(scene.root)
    for path in ESCAPES:
        try:
            granted = check(root, spelled(scene, path))
            real = os.path.realpath(f"{root}/{path}") if granted else root
        except ValueError:  # what such a tool would not have told its caller in its own words
            found["untyped"] += 1
            continue
        found["granted"] += granted
        found["leads out"] += f"{real}/".startswith(f"{root}/") is False
    return found


def test_comparing_text_grants_what_leads_out(scene: Scene) -> None:
    scene.open()
    found = _checked(begins_like_the_root, scene)

    assert found["granted"] >= 30
    assert found["leads out"] >= 15


def test_resolving_first_grants_some_and_fails_on_others(scene: Scene) -> None:
    scene.open()
    found = _checked(resolves_below_the_root, scene)

    assert found["granted"] >= 8
    assert found["untyped"] >= 3


@pytest.mark.parametrize("tool", ["read", "edit", "create", "delete", "move from"])
def test_what_is_no_regular_file_is_never_opened(scene: Scene, tool: str) -> None:
    tree = scene.open()
    for path in ODD:
        with pytest.raises(Refused) as caught:
            _call(tree, tool, spelled(scene, path))

        assert caught.value.refusals[0].code in {"not-text", "no-file", "path-denied"}, path


def test_control_files_are_refused_whether_they_exist_or_not(scene: Scene) -> None:
    tree = scene.open()
    before, refused = outside(scene), 0

    for path in PROTECTED:
        for tool in WRITES:
            with pytest.raises(Refused) as caught:
                _call(tree, tool, path)
            refused += 1
            assert [each.code for each in caught.value.refusals] == ["protected-path"], (path, tool)

    assert refused == len(PROTECTED) * len(WRITES) >= 250
    assert outside(scene) == before


def test_what_the_user_allows_is_granted_and_nothing_else(scene: Scene) -> None:
    tree = scene.open(TreeOptions(allow_protected=(".vscode/settings.json", ".github/**")))

    create(tree, ".vscode/settings.json", "{}\n")

    with pytest.raises(Refused):
        create(tree, ".vscode/tasks.json", "{}\n")
    assert (scene.root / ".vscode/settings.json").read_bytes() == b"{}\n"


@pytest.mark.parametrize(
    "path", [".github/workflows/ci.yml", ".gitignore", ".gitattributes", "git"]
)
def test_names_that_only_resemble_control_files_are_plain_files(scene: Scene, path: str) -> None:
    create(scene.open(), path, "text\n")

    assert (scene.root / path).read_bytes() == b"text\n"


def test_a_bare_repository_cannot_be_put_together_in_one_call(scene: Scene) -> None:
    tree = scene.open()
    paths = ["new/HEAD", "new/objects/x", "new/refs/x"]
    with pytest.raises(Refused) as caught, tree.hold(paths) as held:
        held.commit(Plan(tuple(creating(path, "x") for path in paths)), CALL)

    assert {refusal.code for refusal in caught.value.refusals} == {"protected-path"}


@pytest.mark.parametrize("beneath", [True, False], ids=["openat2", "walk"])
def test_honest_spellings_reach_their_file(scene: Scene, *, beneath: bool) -> None:
    tree = scene.open(TreeOptions(kernel=Kernel(beneath=beneath)))

    resolved = [tree.resolve(spelled(scene, path)) for path in LEGIT]

    assert resolved == ["ok.txt", "ok.txt", "sub/ok.txt", "ok.txt", "sub/ok.txt", "sub/ok.txt"]
    assert all(tree.read(spelled(scene, path)).text == "inside\n" for path in LEGIT)


def test_an_edit_through_a_link_inside_changes_the_file_and_keeps_the_link(scene: Scene) -> None:
    tree = scene.open()
    path = tree.resolve("link-file")

    edit(tree, path, "inside", "edited")

    assert (scene.root / "link-file").is_symlink()
    assert (scene.root / "sub/ok.txt").read_bytes() == b"edited\n"


def test_a_longest_name_is_an_ordinary_name(scene: Scene) -> None:
    name = "n" * 255
    tree = scene.open()

    create(tree, name, "text")
    edit(tree, name, "text", "more")

    assert (scene.root / name).read_bytes() == b"more"


def test_only_the_extensions_of_the_vault_are_written(scene: Scene) -> None:
    tree = scene.open(TreeOptions(allow_extensions=("md", ".TXT")))

    create(tree, "notes/a.MD", "text\n")
    edit(tree, "ok.txt", "inside", "edited")

    with pytest.raises(Refused) as caught:
        create(tree, "run.sh", "text\n")
    assert [refusal.code for refusal in caught.value.refusals] == ["path-denied"]
    assert tree.read("sub/ok.txt").text == "inside\n"
