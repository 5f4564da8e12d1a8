from pathlib import Path

import pytest

from keyhole.engine.linting.check import check
from keyhole.engine.linting.lint import Linting
from keyhole.fastclasses import replace
from keyhole.refusals import Refused
from keyhole.workspace.tree import Tree, TreeOptions
from tests.linters.stage import FINDS_BAD, planted
from tests.workspace.scene import Scene

TOOL = planted(FINDS_BAD)


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    scene = Scene(tmp_path)
    scene.put("a.py", "def f(:\n")
    scene.put("b.md", "# A\n\n### B\n")
    scene.put("c.txt", "\x1b[31m\n")
    scene.put("d.py", "<<<<<<< x\n")
    scene.put("e.png", b"\x89PNG\0\0")
    scene.put("f.py", "x = 1\n")
    scene.put("g.json", "")
    return scene.open()


def test_files_below_a_directory_are_checked(tree: Tree) -> None:
    found = check(tree, ["."])

    assert found.as_text() == (
        "a.py:1:7: error: invalid syntax (syntax-broken)\n"
        "b.md:3:1: warning: heading `B` is of level 3 below level 1 (heading-jump)\n"
        "c.txt:1:1: warning: the new text holds the control character U+001B"
        " (control-characters)\n"
        "d.py:1:1: error: the new text holds the marks of a merge conflict (merge-markers)\n"
        "6 files checked, 1 skipped, 2 broken"
    )
    assert not found.ok


def test_what_is_found_in_a_notebook_names_the_cell(tmp_path: Path) -> None:
    cell = '{"cell_type": "code", "source": "%s"}'
    cells = ", ".join(cell % source for source in ("x = 1", "y = 1\\nz = ("))
    scene = Scene(tmp_path)
    scene.put("a.ipynb", f'{{"cells": [{cells}], "nbformat": 4}}')

    found = check(scene.open(), ["a.ipynb"])

    first = found.as_text().split("\n")[0]
    assert first == "a.ipynb:2:5: error: '(' was never closed (syntax-broken)  [cell#2]"
    assert found.files[0].diagnostics[0].as_data()["segment"] == "cell#2"


def test_warnings_alone_break_nothing(tree: Tree) -> None:
    found = check(tree, ["b.md", "f.py", "b.md"])

    assert found.ok
    assert found.as_data() == {
        "ok": True,
        "checked": 2,
        "skipped": 0,
        "warnings": [],
        "files": [
            {
                "path": "b.md",
                "language": "markdown",
                "diagnostics": [
                    {
                        "severity": "warning",
                        "code": "heading-jump",
                        "message": "heading `B` is of level 3 below level 1",
                        "line": 3,
                        "column": 1,
                        "new": False,
                    }
                ],
            }
        ],
    }


def test_one_file_is_one_file(tree: Tree) -> None:
    assert check(tree, ["f.py"]).as_text() == "1 file checked, none broken"


def test_a_file_that_is_named_must_be_there(tree: Tree) -> None:
    with pytest.raises(Refused) as caught:
        check(tree, ["nope.py"])

    assert caught.value.refusals[0].code == "no-file"


def test_a_file_come_across_that_cannot_be_read_is_skipped(tree: Tree) -> None:
    Path(tree.root.path, "large.py").write_bytes(b"#" * 40_000_000)

    assert check(tree, ["."]).skipped == 2


def test_linters_look_at_the_files_too(tree: Tree) -> None:
    Path(tree.root.path, "f.py").write_text("good = 1\nbad = 2\n", encoding="utf-8")

    found = check(tree, ["b.md", "f.py"], Linting((TOOL,)))

    assert found.as_text() == (
        "b.md:3:1: warning: heading `B` is of level 3 below level 1 (heading-jump)\n"
        "f.py:2:1: error: no good (bad)\n"
        "2 files checked, 1 broken"
    )
    assert found.as_data()["files"][1]["diagnostics"] == [  # type: ignore[index]
        {
            "severity": "error",
            "code": "bad",
            "message": "no good",
            "line": 2,
            "column": 1,
            "linter": "planted",
            "new": False,
        }
    ]


def test_an_error_of_a_linter_that_only_advises_breaks_nothing(tree: Tree) -> None:
    Path(tree.root.path, "f.py").write_text("bad = 2\n", encoding="utf-8")

    found = check(tree, ["f.py"], Linting((replace(TOOL, blocking=False),)))

    assert found.ok
    assert [each.code for each in found.files[0].diagnostics] == ["bad"]


def test_a_linter_that_did_not_run_is_told(tree: Tree) -> None:
    missing = replace(TOOL, command=("there-is-no-such-linter", "{path}"))

    found = check(tree, ["f.py"], Linting((missing,)))

    assert found.ok
    assert found.as_text() == (
        "warning: planted was not run: there is no program `there-is-no-such-linter`\n"
        "1 file checked, none broken"
    )


def test_what_the_workspace_names_does_not_run_untrusted(tree: Tree) -> None:
    Path(tree.root.path, "f.py").write_text("bad = 2\n", encoding="utf-8")

    found = check(tree, ["f.py"], Linting((replace(TOOL, source="0" * 64),)))

    assert found.files == ()
    assert found.as_text() == (
        "warning: planted did not run: keyhole.toml is not trusted;"
        " a person can allow it with `keyhole trust`\n"
        "1 file checked, none broken"
    )


def test_no_linter_runs_in_a_read_only_workspace(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    scene.put("f.py", "bad = 2\n")

    found = check(scene.open(TreeOptions(read_only=True)), ["f.py"], Linting((TOOL,)))

    assert found.warnings == ("linters do not run in a read-only workspace",)
