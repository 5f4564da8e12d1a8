from pathlib import Path

import pytest

from keyhole import Workspace

PATCH = """*** Begin Patch
*** Add File: new.txt
+hello
*** Update File: a.py
@@ def f():
-    return 1
+    return 2
*** Delete File: old.txt
*** End Patch
"""


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.py").write_text("def f():\n    return 1\n", encoding="utf-8")
    (root / "old.txt").write_text("old\n", encoding="utf-8")
    return root


def test_a_patch_is_carried_out_and_names_each_file(tree: Path) -> None:
    with Workspace(tree) as workspace:
        said = workspace.call("apply_patch", {"input": PATCH}, "codex", task="move")
        [past] = workspace.history().transactions

    assert said.text == "Success. Updated the following files:\nA new.txt\nM a.py\nD old.txt"
    assert said.data["outcome"] == "applied"
    assert (past.entry.call.task, past.entry.call.tool) == ("move", "library apply_patch")
    assert (tree / "a.py").read_text(encoding="utf-8") == "def f():\n    return 2\n"
    assert sorted(path.name for path in tree.iterdir()) == ["a.py", "new.txt"]


def test_a_patch_that_does_not_fit_changes_nothing_and_says_why(tree: Path) -> None:
    with Workspace(tree) as workspace:
        said = workspace.call("apply_patch", {"input": PATCH.replace("return 1", "return 7")})

    assert said.refused
    assert said.text.startswith("refused: nothing was changed\nnot-found")
    assert sorted(path.name for path in tree.iterdir()) == ["a.py", "old.txt"]


def test_an_unknown_argument_is_refused_by_name(tree: Path) -> None:
    with Workspace(tree) as workspace:
        said = workspace.call("apply_patch", {"input": PATCH, "force": True})

    assert said.text.split("\n")[1] == "bad-request: unknown argument `force`"
