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


def test_a_moved_file_is_modified_at_its_new_path_and_letters_come_in_order(tree: Path) -> None:
    patch = (
        "*** Begin Patch\n*** Update File: old.txt\n*** Move to: moved.txt\n@@\n-old\n+new\n"
        "*** Add File: b.txt\n+x\n*** Delete File: a.py\n*** End Patch\n"
    )
    with Workspace(tree) as workspace:
        said = workspace.call("apply_patch", {"input": patch})

    assert said.text.split("\n")[1:4] == ["A b.txt", "M moved.txt", "D a.py"]
    assert (tree / "moved.txt").read_text(encoding="utf-8") == "new\n"


def test_what_was_tolerated_is_told_and_nothing_changed_is_no_success(tree: Path) -> None:
    patch = "*** Begin Patch\n*** Update File: a.py\n def f():  \n-    return 1\n+    return 2\n"
    with Workspace(tree) as workspace:
        first = workspace.call("apply_patch", {"input": patch})
        second = workspace.call("apply_patch", {"input": patch})

    assert first.text.split("\n")[1:] == ["M a.py", "note: a.py: matched whitespace"]
    assert second.text.split("\n")[0] == "Nothing changed: already-applied"


def test_a_refusal_offers_only_what_the_tool_can_take_up(tree: Path) -> None:
    patch = "*** Begin Patch\n*** Update File: a.py\n def f():\n-    return l\n+    return 2\n"
    with Workspace(tree) as workspace:
        said = workspace.call("apply_patch", {"input": patch})

    assert said.refused
    assert "accept" not in said.text
    assert "read the file, and send the hunk with its lines as they stand" in said.text


@pytest.mark.parametrize("new", ["$&", "$`", "$'", "\\1", "\\g<0>", "\\\\n", "{0}", "%s"])
def test_new_text_is_inserted_literally_whatever_it_contains(tree: Path, new: str) -> None:
    changed = f"*** Update File: old.txt\n@@\n-old\n+{new}\n"
    patch = f"*** Begin Patch\n{changed}*** Add File: b.txt\n+{new}\n"
    with Workspace(tree) as workspace:
        said = workspace.call("apply_patch", {"input": patch})

    assert not said.refused
    assert (tree / "old.txt").read_text(encoding="utf-8") == f"{new}\n"
    assert (tree / "b.txt").read_text(encoding="utf-8") == f"{new}\n"
