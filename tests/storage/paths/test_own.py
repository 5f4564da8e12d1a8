"""Keyhole's own files: a root that holds them is served without them, through whatever door."""

import json
import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from keyhole import Edit, Workspace
from keyhole.disk.kernel import Kernel
from keyhole.refusals import Refused
from keyhole.storage.paths.own import OwnFiles
from keyhole.storage.roots import Root

CONFIGURATION = ".config/keyhole/config.toml"
TOKEN = ".local/state/keyhole/mcp-token"
EVIL = '[validators.x]\ncommand = ["touch", "/tmp/x"]\nlanguages = ["python"]\n'
OWN = [
    CONFIGURATION,
    ".config/keyhole/templates/a.md.j2",
    TOKEN,
    ".local/state/keyhole/review-token",
    ".local/state/keyhole/0123456789abcdef/journal.db",
    ".cache/keyhole/anything",
    ".CONFIG/Keyhole/config.toml",
    ".config/keyhole",
    ".config",
]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home directory with nothing set elsewhere, and a configuration that allows everything."""
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("CONFIG", "STATE", "CACHE"):
        monkeypatch.delenv(f"XDG_{name}_HOME", raising=False)
    put(tmp_path / CONFIGURATION, 'allow_protected = ["**", "*", ".config/", "config.toml"]\n')
    put(tmp_path / TOKEN, "secret\n")
    put(tmp_path / "plain.txt", "plain\n")
    return tmp_path


@pytest.fixture
def workspace(home: Path) -> Iterator[Workspace]:
    with Workspace(home) as opened:
        yield opened


def put(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def code(call: Callable[[], object]) -> str:
    """Return the code a call is refused with, however it says so; "" if it is not."""
    try:
        said = call()
    except Refused as refused:
        return refused.refusals[0].code
    refusals = getattr(said, "refusals", ())
    return refusals[0].code if refusals else ""


@pytest.mark.parametrize("path", OWN)
def test_nothing_of_ours_is_written_whatever_the_user_allows(
    workspace: Workspace, home: Path, path: str
) -> None:
    before = (home / CONFIGURATION).read_bytes()
    diff = f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1,1 @@\n+x\n"

    assert code(lambda: workspace.write(path, EVIL)) == "path-denied"
    assert code(lambda: workspace.write("plain.txt", move_to=path)) == "path-denied"
    assert code(lambda: workspace.patch(diff)) == "path-denied"
    assert code(lambda: workspace.edit(Edit(action="append", content="x"), path)) == "path-denied"
    assert (home / CONFIGURATION).read_bytes() == before
    assert (home / "plain.txt").read_text(encoding="utf-8") == "plain\n"


@pytest.mark.parametrize("path", [CONFIGURATION, TOKEN])
def test_nothing_of_ours_is_read_moved_or_deleted(
    workspace: Workspace, home: Path, path: str
) -> None:
    assert code(lambda: workspace.read(path)) == "path-denied"
    assert code(lambda: workspace.read(str(home / path))) == "path-denied"
    assert code(lambda: workspace.outline(path)) == "path-denied"
    assert code(lambda: workspace.search("secret", path=path)) == "path-denied"
    assert code(lambda: workspace.outline(path.rpartition("/")[0])) == "path-denied"
    assert code(lambda: workspace.write(path, move_to="taken.txt")) == "path-denied"
    assert code(lambda: workspace.write(path, delete=True)) == "path-denied"
    assert (home / path).exists()


def test_a_search_and_an_outline_of_all_pass_by_what_is_ours(workspace: Workspace) -> None:
    put(workspace.root / ".config/other/a.md", "# secret\n")

    hits = workspace.search("secret")

    assert [hit.path for hit in hits.hits] == [".config/other/a.md"]
    assert "keyhole" not in json.dumps(workspace.outline(".").as_data())


@pytest.mark.parametrize("door", ["link", "directory", "hard"])
def test_another_name_for_ours_is_ours(home: Path, door: str) -> None:
    root = home / "project"
    root.mkdir()
    if door == "link":
        (root / "x.toml").symlink_to(home / CONFIGURATION)
    elif door == "directory":
        (root / "d").symlink_to(home / ".config/keyhole")
    else:
        os.link(home / CONFIGURATION, root / "x.toml")
    name = "d/config.toml" if door == "directory" else "x.toml"

    with Workspace(root) as workspace:
        assert code(lambda: workspace.read(name)) == "path-denied"
        assert code(lambda: workspace.write(name, EVIL)) == "path-denied"
        assert not workspace.search("allow_protected").hits


@pytest.mark.parametrize("link", [".config", ".config/keyhole", CONFIGURATION])
def test_what_ours_links_to_is_ours(home: Path, link: str) -> None:
    root = home / "dotfiles"
    root.mkdir()
    (home / link).rename(root / "kept")
    (home / link).symlink_to(root / "kept")
    inside = "kept" + CONFIGURATION[len(link) :]

    with Workspace(root) as workspace:
        assert code(lambda: workspace.read(inside)) == "path-denied"
        assert code(lambda: workspace.write(inside, EVIL)) == "path-denied"
        assert code(lambda: workspace.write("free.txt", "x\n")) == ""


def test_a_linked_token_and_another_workspaces_journal_are_ours(home: Path) -> None:
    root = home / "project"
    put(root / "token", "secret\n")
    put(root / "journal", "secret\n")
    state = home / ".local/state/keyhole"
    (state / "fedcba9876543210").mkdir()
    (state / "review-token").symlink_to(root / "token")
    (state / "fedcba9876543210" / "journal.db").symlink_to(root / "journal")

    with Workspace(root) as workspace:
        assert code(lambda: workspace.read("token")) == "path-denied"
        assert code(lambda: workspace.read("journal")) == "path-denied"
        assert not workspace.search("secret").hits


@pytest.mark.parametrize("inside", [".config/keyhole", ".local/state/keyhole", ".cache/keyhole/a"])
def test_a_root_inside_ours_serves_nothing(home: Path, inside: str) -> None:
    put(home / inside / "a.txt", "text\n")

    with Workspace(home / inside) as workspace:
        assert code(lambda: workspace.read("a.txt")) == "path-denied"
        assert code(lambda: workspace.write("b.txt", "x\n")) == "path-denied"


def test_homes_that_variables_name_are_ours_and_the_usual_ones_too(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "etc"))
    monkeypatch.setenv("XDG_STATE_HOME", str(home / "var"))

    with Workspace(home) as workspace:
        for path in ("etc/keyhole/config.toml", "var/keyhole/mcp-token", CONFIGURATION, TOKEN):
            assert code(partial(workspace.write, path, EVIL)) == "path-denied"


def test_an_undo_does_not_bring_a_configuration_back(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(home / "etc/keyhole/config.toml", "keep_days = 9\n")
    with Workspace(home) as workspace:
        made = workspace.write("etc/keyhole/config.toml", delete=True)
    assert made.ok
    put(home / "xdg/keyhole/config.toml", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / "etc"))

    with Workspace(home) as workspace:
        assert code(workspace.undo) == "path-denied"
    assert not (home / "etc/keyhole/config.toml").exists()


def test_a_link_from_our_home_to_a_whole_project_does_not_close_it(home: Path) -> None:
    root = home / "project"
    put(root / "a.md.j2", "text\n")
    (home / ".config/keyhole/templates").symlink_to(root)

    with Workspace(root) as workspace:
        assert code(lambda: workspace.read("a.md.j2")) == ""


def test_a_directory_is_known_by_its_inode_under_any_name(home: Path) -> None:
    """As a bind mount and a file system that folds names show it: another path, the same inode."""
    put(home / "a/b/c.txt", "x")
    root = Root.open(home, Kernel())
    own = OwnFiles(root, [])
    there = (home / "a").stat()

    assert not own.holds("a/b/c.txt")
    assert own._lies_in_one("a/b/c.txt", frozenset({(there.st_dev, there.st_ino)}))
    root.close()


def test_the_inode_of_a_file_that_was_ours_may_become_anybodys(home: Path) -> None:
    gone = put(home / ".cache/keyhole/gone", "x")
    with Workspace(home) as workspace:
        workspace.read("plain.txt")
        gone.rename(home / "now-theirs.txt")

        assert workspace.read("now-theirs.txt").text == "x"
