"""Accepting a candidate of one edit finishes the call, or the refusal says that it does not."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from keyhole import Edit, Workspace

PATCH = """*** Begin Patch
*** Update File: a.py
@@
 def alpha_function_of_the_file(pat):
-    return load_the_settings(path, strict=True)
+    return load_the_settings(path, strict=False)
@@
-last = 1
+last = 2
*** Update File: b.py
@@
-b = 1
+b = 2
*** End Patch
"""


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    root = tmp_path / "root"
    root.mkdir()
    alpha = (
        "def alpha_function_of_the_file(path):\n    return load_the_settings(path, strict=True)\n"
    )
    (root / "a.py").write_text(f"{alpha}\n\nlast = 1\n", encoding="utf-8")
    (root / "b.py").write_text("b = 1\n", encoding="utf-8")
    return root


def test_accepting_one_hunk_finishes_the_call(tree: Path) -> None:
    with Workspace(tree) as workspace:
        refused = workspace.patch(PATCH)
        [candidate] = refused.refusals[0].candidates
        assert candidate.accept in refused.refusals[0].help
        receipt = workspace.edit(edits=[Edit(accept=candidate.accept)])

    assert receipt.ok
    assert "strict=False" in (tree / "a.py").read_text(encoding="utf-8")
    assert (tree / "a.py").read_text(encoding="utf-8").endswith("last = 2\n")
    assert (tree / "b.py").read_text(encoding="utf-8") == "b = 2\n"


@pytest.mark.parametrize(
    ("anchor", "line"),
    [
        pytest.param("nowhere", "}", id="not in the file, and no word"),
        pytest.param("b = 1", "last = 1", id="below them"),
    ],
)
def test_lines_that_stand_once_are_offered_where_their_anchor_does_not_place_them(
    anchor: str, line: str, tree: Path
) -> None:
    (tree / "a.txt").write_text(f"{line}\nb = 1\n", encoding="utf-8")
    hunk = f"*** Update File: a.txt\n@@ {anchor}\n-{line}\n+last = 2\n"
    other = "*** Update File: b.py\n@@\n-b = 1\n+b = 2\n"
    with Workspace(tree) as workspace:
        [refusal] = workspace.patch(f"*** Begin Patch\n{hunk}{other}*** End Patch\n").refusals
        [candidate] = refusal.candidates
        receipt = workspace.edit(edits=[Edit(accept=candidate.accept)])

    assert "the lines of the hunk stand at line 1" in f"{refusal.headline} {refusal.where}"
    assert receipt.ok
    assert (tree / "a.txt").read_text(encoding="utf-8") == "last = 2\nb = 1\n"
    assert (tree / "b.py").read_text(encoding="utf-8") == "b = 2\n"


def test_an_id_of_a_call_is_stale_if_another_file_of_it_changed(tree: Path) -> None:
    with Workspace(tree) as workspace:
        [candidate] = workspace.patch(PATCH).refusals[0].candidates
        (tree / "b.py").write_text("b = 1\nc = 1\n", encoding="utf-8")
        receipt = workspace.edit(edits=[Edit(accept=candidate.accept)])

    assert [refusal.code for refusal in receipt.refusals] == ["stale"]
    assert "strict=True" in (tree / "a.py").read_text(encoding="utf-8")


def test_the_same_edit_alone_has_another_id(tree: Path) -> None:
    alone = re.sub(r"@@\n-last.*\n\+last.*\n\*\*\* Update File: b.py\n@@\n.*\n.*\n", "", PATCH)
    with Workspace(tree) as workspace:
        [one] = workspace.patch(PATCH).refusals[0].candidates
        [other] = workspace.patch(alone).refusals[0].candidates
        receipt = workspace.edit(edits=[Edit(accept=other.accept)])

    assert one.accept != other.accept
    assert [file.path for file in receipt.files] == ["a.py"]


def test_of_two_edits_that_failed_each_says_that_its_id_is_for_it_alone(tree: Path) -> None:
    with Workspace(tree) as workspace:
        refused = workspace.patch(PATCH.replace("-b = 1", "-bee = 1")).refusals

    assert len(refused) == 2
    assert refused[0].help.endswith("carries out this edit alone, so send the others again")


def test_a_candidate_in_a_notebook_is_accepted_in_its_cell(tree: Path) -> None:
    cells: list[dict[str, Any]] = [
        {"cell_type": "code", "metadata": {}, "outputs": [], "source": text}
        for text in ("x = 1", "result = compute_the_value(alpha, beta)\nlast = 1")
    ]
    whole = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
    (tree / "a.ipynb").write_text(json.dumps(whole), encoding="utf-8")
    old = "result = compute_the_value(alpha, bet)\nlast = 1"
    one = Edit(find=old, content=old.replace("last = 1", "last = 2"))
    with Workspace(tree) as workspace:
        refused = workspace.edit(one, path="a.ipynb")
        [candidate] = refused.refusals[0].candidates
        receipt = workspace.edit(Edit(accept=candidate.accept)).check()

    assert candidate.segment == "cell#2"
    assert "in `cell#2`" in receipt.as_text()
    sources = [cell["source"] for cell in json.loads((tree / "a.ipynb").read_bytes())["cells"]]
    assert sources == ["x = 1", "result = compute_the_value(alpha, beta)\nlast = 2"]
