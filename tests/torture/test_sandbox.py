"""The sandbox again, through the tools that agents call: every way out, in every argument."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from keyhole.surfaces.mcp.calls import Desk
from keyhole.surfaces.mcp.tools import chosen
from keyhole.surfaces.mcp.workspaces import Allowed, Workspaces
from keyhole.toolsets.base import Caller, ToolAnswer
from tests.torture.start import REPORTS
from tests.workspace.scene import Scene
from tests.workspace.ways_out import ESCAPES, LEGIT, lay_out, outside, spelled

Arguments = dict[str, object]
Call = Callable[[str], tuple[str, Arguments]]
EDITOR = "str_replace_based_edit_tool"
SETS = ("native", "claude", "codex")
FEWEST = 89


def _patch(header: str) -> Call:
    """Name the path in a header of a patch, quoted as git quotes it where it must be."""

    def call(path: str) -> tuple[str, Arguments]:
        plain = path.isprintable() and path.strip() == path
        quoted = path if plain else '"' + path.encode("unicode_escape").decode() + '"'
        return "patch", {"patch": header.replace("PATH", quoted)}

    return call


CALLS: dict[str, Call] = {
    "read": lambda path: ("read", {"path": path}),
    "edit": lambda path: ("edit", {"path": path, "edits": [{"find": "inside", "content": "x"}]}),
    "edit, own path": lambda path: (
        "edit",
        {"edits": [{"path": path, "find": "inside", "content": "x"}]},
    ),
    "create": lambda path: ("write", {"path": path, "content": "owned\n"}),
    "delete": lambda path: ("write", {"path": path, "delete": True}),
    "move from": lambda path: ("write", {"path": path, "move_to": "moved.txt"}),
    "move to": lambda path: ("write", {"path": "sub/ok.txt", "move_to": path}),
    "list": lambda path: ("outline", {"path": path}),
    "list, editor": lambda path: (EDITOR, {"command": "view", "path": path}),
    "search": lambda path: ("search", {"query": "secret", "path": path}),
    "search, pattern": lambda path: ("search", {"query": "s.*t", "regex": True, "path": path}),
    "undo": lambda path: (EDITOR, {"command": "undo_edit", "path": path}),
    "undo, id": lambda path: ("undo", {"id": path}),
    "undo, to": lambda path: ("undo", {"to": path}),
    "history": lambda path: ("history", {"path": path}),
    "scaffold": lambda path: ("scaffold", {"template": "readme", "path": path}),
    "patch, both": _patch("--- PATH\n+++ PATH\n@@ -1 +1 @@\n-inside\n+x\n"),
    "patch, prefixed": _patch("--- a/PATH\n+++ b/PATH\n@@ -1 +1 @@\n-inside\n+x\n"),
    "patch, creates": _patch("--- /dev/null\n+++ PATH\n@@ -0,0 +1 @@\n+owned\n"),
    "patch, deletes": _patch("--- PATH\n+++ /dev/null\n@@ -1 +0,0 @@\n-inside\n"),
    "patch, renames": _patch(
        "diff --git a/ok.txt b/PATH\nsimilarity index 100%\nrename from ok.txt\nrename to PATH\n"
    ),
    "patch, adds": _patch("*** Begin Patch\n*** Add File: PATH\n+owned\n*** End Patch\n"),
    "patch, moves": _patch(
        "*** Begin Patch\n*** Update File: ok.txt\n*** Move to: PATH\n@@\n-inside\n+x\n"
        "*** End Patch\n"
    ),
    "patch, quotes": _patch("PATH\n<<<<<<< SEARCH\ninside\n=======\nx\n>>>>>>> REPLACE\n"),
}
# Without a path these mean the whole workspace, the last transaction, or the file where it is.
NEED_NO_PATH = {"list", "search", "search, pattern", "undo, id", "undo, to", "history", "scaffold"}
NEED_NO_PATH |= {"patch, moves"}
# Of two names in a header the first that may be and is there is the file's, as for patch(1).
ONE_SIDED = {
    "old": _patch("--- PATH\n+++ ok.txt\n@@ -1 +1 @@\n-inside\n+x\n"),
    "new": _patch("--- ok.txt\n+++ PATH\n@@ -1 +1 @@\n-inside\n+x\n"),
}
NEW = {"create", "move to", "patch, creates", "patch, renames", "patch, adds", "patch, moves"}


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scene:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    made = Scene(tmp_path)
    lay_out(made)
    return made


@pytest.fixture
def desk(scene: Scene) -> Iterator[Desk]:
    workspaces = Workspaces.open([scene.root], Allowed())
    yield Desk(workspaces, chosen(SETS))
    workspaces.close()


def attempts() -> Iterator[tuple[str, str]]:
    for call in CALLS:
        yield from ((call, path) for path in ESCAPES if path or call not in NEED_NO_PATH)


def said_to(desk: Desk, call: str, path: str) -> ToolAnswer:
    tool, given = CALLS[call](path)
    return desk.call(tool, given, Caller("tester"))


def refusal_codes(data: Mapping[str, object]) -> list[str]:
    """Return the codes of an answer, whichever set of tools gave it."""
    refusals = data.get("refusals")
    return [each["code"] for each in refusals] if isinstance(refusals, list) else []


def test_no_tool_grants_a_way_out(scene: Scene, desk: Desk) -> None:
    desk.call("write", {"path": "first.txt", "content": "x\n"}, Caller("tester"))
    before, files = outside(scene), _inside(scene)
    found: Counter[str] = Counter()

    for call, path in attempts():
        said = said_to(desk, call, spelled(scene, path))
        found[call] += 1
        assert said.refused, (call, path, said.text)
        assert refusal_codes(said.data), (call, path, said.text)
        assert "secret inside" not in said.text + json.dumps(dict(said.data)), (call, path)

    REPORTS.append(f"tools: {found.total()} attempts through {len(found)} calls, 0 granted")
    assert found.total() == len(ESCAPES) * len(CALLS) - len(NEED_NO_PATH)
    assert min(found.values()) >= FEWEST
    assert (outside(scene), _inside(scene)) == (before, files)


def _inside(scene: Scene) -> dict[str, bytes]:
    paths = ("ok.txt", "sub/ok.txt", "first.txt")
    return {path: (scene.root / path).read_bytes() for path in paths}


@pytest.mark.parametrize("side", ONE_SIDED)
def test_a_header_with_one_honest_name_reaches_that_file_only(
    scene: Scene, desk: Desk, side: str
) -> None:
    before, edited = outside(scene), 0

    for path in ESCAPES:
        scene.put("ok.txt", "inside\n")
        tool, given = ONE_SIDED[side](spelled(scene, path))
        said = desk.call(tool, given, Caller("tester"))
        edited += not said.refused
        assert refusal_codes(said.data) or _paths(said.data) == ["ok.txt"], (path, said.text)

    assert 0 < edited < len(ESCAPES)
    assert outside(scene) == before


def _paths(data: Mapping[str, object]) -> list[str]:
    files = data["files"]
    assert isinstance(files, list)
    return [file["path"] for file in files]


def test_an_undo_does_not_follow_a_directory_that_became_a_way_out(
    scene: Scene, desk: Desk
) -> None:
    scene.put("d/secret.txt", "secret inside\n")
    assert not said_to(desk, "edit", "d/secret.txt").refused
    (scene.root / "d").rename(scene.root / "e")
    (scene.root / "d").symlink_to("../outside")
    (scene.home / "outside/secret.txt").write_bytes((scene.root / "e/secret.txt").read_bytes())
    before = outside(scene)

    undos: list[Arguments] = [{}, {"task": ""}]
    answers = [desk.call("undo", given, Caller("tester")) for given in undos]
    answers.append(said_to(desk, "undo", "d/secret.txt"))

    assert [refusal_codes(said.data) for said in answers] == [["path-denied"]] * 3
    assert outside(scene) == before


@pytest.mark.parametrize("path", LEGIT[:3])
def test_the_same_calls_reach_honest_paths(scene: Scene, desk: Desk, path: str) -> None:
    for call in [name for name in CALLS if name not in {"undo, id", "undo, to", "scaffold"}]:
        scene.put("ok.txt", "inside\n")
        scene.put("sub/ok.txt", "inside\n")
        if call == "undo":
            said_to(desk, "edit", path)
        said = said_to(desk, call, f"{path}.{call[-3:]}" if call in NEW else path)
        assert not said.refused, (call, said.text)
