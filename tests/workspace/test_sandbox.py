"""The sandbox: 100 ways out, through every call that takes a path. None is granted."""

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from keyhole.edits.plan import Plan
from keyhole.refusals import Refused
from keyhole.workspace.disk.kernel import Kernel
from keyhole.workspace.tree import Tree, TreeOptions
from tests.workspace.scene import CALL, Scene, create, creating, delete, edit, move, moving

ESCAPES = [
    "",
    "..",
    "../",
    "../outside/secret.txt",
    "./../outside/secret.txt",
    "sub/../../outside/secret.txt",
    "sub/../ok.txt",
    "sub/..",
    "sub/./../../outside/secret.txt",
    "../root-evil/secret.txt",
    "../root/ok.txt",
    "....//outside/secret.txt/..",
    "/etc/passwd",
    "//etc/passwd",
    "/",
    "/proc/self/root/etc/passwd",
    "/proc/self/cwd/ok.txt",
    "/dev/stdin",
    "HOME/outside/secret.txt",
    "HOME/root-evil/secret.txt",
    "HOME/root/../outside/secret.txt",
    "HOME/root/sub/../../outside/secret.txt",
    "HOME/rootok.txt",
    "~",
    "~/.ssh/authorized_keys",
    "out-file",
    "out-dir/secret.txt",
    "out-dir/new.txt",
    "out-absolute/secret.txt",
    "out-chain/secret.txt",
    "out-parent/outside/secret.txt",
    "out-parent/root-evil/secret.txt",
    "sub/out-deep/secret.txt",
    "slash/etc/passwd",
    "proc-root/etc/passwd",
    "proc-fd",
    "dangling-out",
    "dangling-out-dir/new.txt",
    "loop",
    "loop/x.txt",
    "loop-a",
    "sub\\..\\..\\outside\\secret.txt",
    "..\\outside\\secret.txt",
    "C:\\Windows\\win.ini",
    "\\\\host\\share\\x",
    "ok.txt\x00.png",
    "../outside/secret.txt\x00.txt",
    "ok.txt\n",
    "new\nline.txt",
    "tab\there.txt",
    "bell\x07.txt",
    "escape\x1b[31m.txt",
    "delete\x7f.txt",
    "lone\ud800surrogate.txt",
    "\udfff",
    "n" * 256,
    "sub/" + "n" * 256,
    "é" * 128,
    "d/" * 101 + "deep.txt",
    "long/" * 820 + "x",
    "STATE/journal.db",
    "STATE/locks/00",
    ".kh-0123456789ab-0.tmp",
    "sub/.kh-0123456789ab-17.tmp",
]
# Existing things that are no regular files: found, and refused by what they are.
ODD = [
    "fifo",
    "socket",
    "sub",
    ".",
    "./",
    "sub/",
    "HOME/root",
    "deep-fifo/fifo",
    "ok.txt/x",
    "fifo/x",
]
PROTECTED = [
    ".git/config",
    ".git/hooks/pre-commit",
    ".git",
    ".GIT/config",
    ".Git/hooks/post-checkout",
    "git~1/config",
    "GIT~1/hooks/x",
    ".g\u200cit/config",
    ".gi\u200dt/config",
    "\ufeff.git/config",
    "．git/config",
    ".ｇｉｔ/config",
    ".git./config",
    ".git /config",
    ".git::$INDEX_ALLOCATION/config",
    ".git:stream",
    "sub/.git/config",
    "sub/deep/.git/objects/aa/bb",
    ".hg/hgrc",
    ".svn/entries",
    ".jj/repo/config.toml",
    ".vscode/settings.json",
    ".vscode/tasks.json",
    ".VSCode/Launch.JSON",
    "sub/.vscode/settings.json",
    ".idea/workspace.xml",
    ".cursor/mcp.json",
    ".cursor/rules/x.mdc",
    ".CURSOR/mcp.json",
    ".mcp.json",
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".gemini/settings.json",
    ".codex/config.toml",
    ".devcontainer/devcontainer.json",
    ".devcontainer.json",
    ".envrc",
    "sub/.envrc",
    ".husky/pre-commit",
    "keyhole.toml",
    "Keyhole.TOML",
    "bare/hooks/post-receive",
    "bare/config",
    "bare/HEAD",
    "link-to-git/config",
    "link-to-hooks/pre-commit",
    "file-link-to-config",
]
LEGIT = ["ok.txt", "./ok.txt", "sub//ok.txt", "HOME/root/ok.txt", "link-inside/ok.txt", "link-file"]
READS = ["read", "walk", "remember", "shown", "version"]
WRITES = ["edit", "create", "delete", "move from", "move to", "hold"]


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    """Build the layout that every attempt starts from."""
    made = Scene(tmp_path)
    for path in ("ok.txt", "sub/ok.txt", ".git/config", ".git/hooks/pre-commit.sample"):
        made.put(path, "inside\n")
    for name in ("HEAD", "objects/x", "refs/x", "config"):
        made.put(f"bare/{name}", "inside\n")
    for name in ("outside", "root-evil"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "secret.txt").write_text("secret inside\n", encoding="utf-8")
    links = {
        "out-file": "../outside/secret.txt",
        "out-dir": "../outside",
        "out-absolute": str(tmp_path / "outside"),
        "out-chain": "sub/hop",
        "sub/hop": "../out-dir",
        "out-parent": "..",
        "sub/out-deep": "../../outside",
        "slash": "/",
        "proc-root": "/proc/self/root",
        "proc-fd": "/proc/self/fd/0",
        "dangling-out": "../outside/not-there.txt",
        "dangling-out-dir": "../not-there",
        "loop": "loop",
        "loop-a": "loop-b",
        "loop-b": "loop-a",
        "link-inside": "sub",
        "link-file": "sub/ok.txt",
        "link-to-git": ".git",
        "link-to-hooks": ".git/hooks",
        "file-link-to-config": ".git/config",
    }
    for name, target in links.items():
        (made.root / name).symlink_to(target)
    os.mkfifo(made.root / "fifo")
    (made.root / "deep-fifo").mkdir()
    os.mkfifo(made.root / "deep-fifo/fifo")
    with socket.socket(socket.AF_UNIX) as listener:
        here = Path.cwd()
        os.chdir(made.root)
        listener.bind("socket")
        os.chdir(here)
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


def _spelled(scene: Scene, path: str) -> str:
    states = [str(state) for state in (scene.home / "state").glob("keyhole/*")]
    return path.replace("HOME", str(scene.home)).replace("STATE", "".join(states))


def _outside(scene: Scene) -> dict[str, bytes]:
    """Return everything that no attempt may touch."""
    watched = [scene.home / "outside", scene.home / "root-evil", scene.root / ".git"]
    watched += [scene.root / "bare"]
    return {
        str(path): path.read_bytes()
        for top in watched
        for path in sorted(top.rglob("*"))
        if path.is_file()
    }


@pytest.mark.parametrize("beneath", [True, False], ids=["openat2", "walk"])
def test_no_way_out_is_granted(scene: Scene, *, beneath: bool) -> None:
    tree = scene.open(TreeOptions(kernel=Kernel(beneath=beneath)))
    create(tree, "first.txt", "x")
    before, refused = _outside(scene), 0

    for path in ESCAPES:
        for tool in READS + WRITES:
            with pytest.raises(Refused) as caught:
                _call(tree, tool, _spelled(scene, path))
            refused += 1
            codes = {refusal.code for refusal in caught.value.refusals}
            assert codes <= {"path-denied", "no-file", "read-only"}, (path, tool)

    assert refused == len(ESCAPES) * len(READS + WRITES) >= 700
    assert _outside(scene) == before
    assert list(scene.root.rglob(".kh-*")) == []


@pytest.mark.parametrize("tool", ["read", "edit", "create", "delete", "move from"])
def test_what_is_no_regular_file_is_never_opened(scene: Scene, tool: str) -> None:
    tree = scene.open()
    for path in ODD:
        with pytest.raises(Refused) as caught:
            _call(tree, tool, _spelled(scene, path))

        assert caught.value.refusals[0].code in {"not-text", "no-file", "path-denied"}, path


def test_control_files_are_refused_whether_they_exist_or_not(scene: Scene) -> None:
    tree = scene.open()
    before, refused = _outside(scene), 0

    for path in PROTECTED:
        for tool in WRITES:
            with pytest.raises(Refused) as caught:
                _call(tree, tool, path)
            refused += 1
            assert [each.code for each in caught.value.refusals] == ["protected-path"], (path, tool)

    assert refused == len(PROTECTED) * len(WRITES) >= 250
    assert _outside(scene) == before


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

    resolved = [tree.resolve(_spelled(scene, path)) for path in LEGIT]

    assert resolved == ["ok.txt", "ok.txt", "sub/ok.txt", "ok.txt", "sub/ok.txt", "sub/ok.txt"]
    assert all(tree.read(_spelled(scene, path)).text == "inside\n" for path in LEGIT)


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
