"""What a door decides by, and what it puts into its own words, is never the text of a message.

Each test holds a file, a path or a name that reads like one of our sentences.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from keyhole import Edit, Workspace
from tests.scene import put
from tests.surfaces.cli.shell import Shell


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    root = tmp_path / "root"
    root.mkdir()
    with Workspace(root, actor="tester") as made:
        yield made


@pytest.fixture
def keyhole(tmp_path: Path) -> Shell:
    for name in ("root", "home"):
        (tmp_path / name).mkdir()
    return Shell(tmp_path)


def test_a_quotation_from_the_file_keeps_its_words(workspace: Workspace) -> None:
    put(workspace.root, "a.py", "def f():\n    # `find` and `content` of `lines`\n    return 1\n")
    edit = {"old_str": "return 1", "new_str": "return (1"}
    given = {"command": "str_replace", "path": "a.py", **edit}

    said = workspace.call("str_replace_based_edit_tool", given, "claude")

    assert said.refused
    assert "2|     # `find` and `content` of `lines`" in said.text


def test_a_path_like_a_word_of_ours_is_told_once(keyhole: Shell) -> None:
    file = keyhole.write("places", "x\nx\n")

    done = keyhole("edit", str(file), "--find", "x", "--content", "y")

    assert f"--find stands at 2 places in {file}\n" in done.out


def test_a_missing_file_whose_name_ends_like_a_sentence_can_be_made(workspace: Workspace) -> None:
    given = {"path": "this is a directory", "old_content": "x", "new_content": "y"}

    said = workspace.call("edit_file", given, "surgical")

    assert said.text.endswith("use write_file to create it")


def test_an_article_whose_name_begins_like_a_sentence_gets_its_help(workspace: Workspace) -> None:
    put(workspace.root, "Edit me.py", "a = 1\n")
    edit = {"old_string": "1", "new_string": "(1", "reason": "r"}

    said = workspace.call("edit_article", {"path": "Edit me.py", "edits": [edit]}, "article")

    assert said.text.startswith("Edit 0: Edit me.py would be broken at line 1")
    assert said.text.endswith("correct the new text and send the call again")


def test_a_segment_called_interactive_makes_no_edit_forcible(workspace: Workspace) -> None:
    put(workspace.root, "a.py", "def interactive_mode():\n    return 1\n")
    segment = {
        "segment_type": "python_function",
        "segment_name": "interactive_mod",
        "new_content": "def interactive_mode():\n    return 2\n",
    }

    said = workspace.call("safe_edit_file", {"path": "a.py", "segment_edit": segment}, "safe-edit")

    assert said.refused
    assert "hint" not in said.data


def test_the_word_for_a_quote_is_that_of_the_tool(workspace: Workspace) -> None:
    put(workspace.root, "a.md", "a\n")
    text = {"filePath": "a.md", "oldText": "zebra crossing", "newText": "x"}
    surgical = {"path": "a.md", "old_content": "zebra crossing", "new_content": "x"}

    assert "`oldText` is not in a.md" in workspace.call("TextReplace", text, "text").text
    assert "`old_content` is not in a.md" in workspace.call("edit_file", surgical, "surgical").text


def test_the_command_line_names_flags_and_commands(keyhole: Shell) -> None:
    keyhole.write("a.py", "def other():\n    return 1\n")
    typo = ("--find", "def othr():\n    return 1", "--content", "def othr():\n    return 2")

    done = keyhole("edit", "a.py", *typo, "--json")

    accept = done.refusal["candidates"][0]["accept"]
    move = f"if that is the place, run `keyhole edit --accept {accept}`; else quote it as it stands"
    assert done.refusal["message"].startswith("--find is not in a.py")
    assert done.refusal["help"] == move


def test_the_library_says_it_in_arguments(workspace: Workspace) -> None:
    put(workspace.root, "a.py", "x\nx\n")

    [refusal] = workspace.edit(Edit(find="x", content="y"), path="a.py").refusals

    assert refusal.headline == "`find` stands at 2 places in a.py"


def test_a_file_called_like_an_outcome_is_coloured_as_a_file(keyhole: Shell) -> None:
    keyhole.write("refused: it.txt", "one\n")

    done = keyhole.ok(
        "edit", "refused: it.txt", "--find", "one", "--content", "two", "--color", "always"
    )

    assert "\nrefused: it.txt " in done.out


def test_a_file_called_like_a_diff_is_coloured_as_a_file(keyhole: Shell) -> None:
    keyhole.write("--- it.txt", "one\n")

    done = keyhole.ok(
        "edit", "./--- it.txt", "--find", "one", "--content", "two", "--color", "always"
    )

    assert "\x1b[1m--- " not in done.out
