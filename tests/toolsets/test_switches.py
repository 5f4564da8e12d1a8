"""Exact matching, backups and usage by mode: the same in every interface."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from keyhole import Edit, Workspace
from tests.toolsets.desk import Data, Desk

CALLS: Mapping[str, tuple[str, str, dict[str, object]]] = {
    "surgical": ("edit_file", "surgical", {"old_content": "a = 1\nb = 2", "new_content": "c = 3"}),
    "safe-edit": ("safe_edit_file", "safe-edit", {"search": "a = 1\nb = 2", "replace": "c = 3"}),
    "text": ("TextReplace", "text", {"oldText": "a = 1\nb = 2", "newText": "c = 3"}),
}


@pytest.mark.parametrize("name", CALLS)
def test_exact_is_a_switch(desk: Desk, name: str) -> None:
    tool, tools, given = CALLS[name]
    path = {"filePath" if name == "text" else "path": "a.txt"}
    desk.write("a.txt", "a = 1  \nb = 2\n")

    assert desk.call(tool, {**path, **given, "exact": True}, tools).refused
    assert desk.read("a.txt") == "a = 1  \nb = 2\n"
    assert not desk.call(tool, {**path, **given}, tools).refused
    assert desk.read("a.txt") == "c = 3\n"


@pytest.mark.parametrize("name", ["root/keyhole.toml", "config/keyhole/config.toml"])
def test_backups_are_a_setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    file = tmp_path / name
    for directory in (tmp_path / "root", file.parent):
        directory.mkdir(parents=True, exist_ok=True)
    file.write_text("backup = true\n", encoding="utf-8")
    (tmp_path / "root/a.txt").write_text("one\n", encoding="utf-8")
    with Workspace(tmp_path / "root") as workspace:
        receipt = workspace.edit(Edit(find="one", content="two"), "a.txt")
        assert receipt.ok
        assert (tmp_path / "root/a.txt.bak").read_text(encoding="utf-8") == "one\n"
        workspace.write("a.txt.bak", delete=True)
        assert not [*(tmp_path / "root").glob("a.txt.bak*")]


def test_usage_is_counted_by_mode(desk: Desk) -> None:
    desk.write("a.py", "def f():\n    return 1\n")
    segment = {
        "segment_type": "python_function",
        "segment_name": "f",
        "new_content": "def f():\n    return 2",
    }
    lines = [{"start_line": 1, "end_line": 1, "new_content": "def g():"}]
    for way in (
        {"segment_edit": segment},
        {"line_edits": lines},
        {"insert_lines": [{"at_line": 1, "content": "import os"}]},
        {"search": "import os", "replace": "import re"},
        {"content": "x = 1\n"},
    ):
        assert not desk.call("safe_edit_file", {"path": "a.py", **way}, "safe-edit").refused

    modes = desk.workspace._engine.stats().as_data()["modes"]  # the command `stats` asks the same
    assert modes == {"segment": 1, "lines": 2, "search": 1, "content": 1}


def test_discovery_says_what_it_could_not_read_and_offers_only_what_it_takes(desk: Desk) -> None:
    desk.write("a.py", "x = 1\n\ndef ok():\n    return x\n\ndef broken(:\n    return\n")
    found = desk.call("query_file_schema", {"path": "a.py"}, "safe-edit")
    data: Data = found.data

    assert data["structure"]["unreadable"] == [[6, 6]]
    assert "lines 6-6 could not be read" in found.text
    assert data["edit_capabilities"]["segments"] == {"python_function": ["ok"]}


def test_discovery_says_why_it_could_not_read_a_notebook(desk: Desk) -> None:
    desk.write("a.ipynb", '{"cells": [')
    found = desk.call("query_file_schema", {"path": "a.ipynb"}, "safe-edit")
    data: Data = found.data

    assert "its cells cannot be read: its JSON is broken at line 1" in found.text
    assert data["structure"]["flaw"].startswith("its JSON is broken at line 1")
    ways = {"segments": {}, "text": False, "lines": False, "patch": False}
    assert data["edit_capabilities"] == ways


@pytest.mark.parametrize(
    ("owner", "tool", "call"),
    [
        ("safe-edit", "safe_edit_file", {"search": "do x", "replace": "do y"}),
        ("surgical", "edit_file", {"old_content": "do x", "new_content": "do y"}),
    ],
)
def test_what_a_template_does_to_every_edit_is_no_warning(
    desk: Desk, owner: str, tool: str, call: Data
) -> None:
    said = {"problem_statement": "p", "decision": "do x"}
    assert desk.workspace.scaffold("design", "d.md", said).ok

    answer = desk.call(tool, {"path": "d.md", **call}, owner)

    assert "updated=" in desk.read("d.md")
    assert answer.data["warnings"] == []


def test_another_kind_names_the_type_that_fits(desk: Desk) -> None:
    desk.write("a.py", "class A:\n    pass\n\n\nX = 1\n")
    edit = {"segment_type": "python_function", "segment_name": "A", "new_content": "class A: ..."}
    said = desk.call("safe_edit_file", {"path": "a.py", "segment_edit": edit}, "safe-edit")
    edit["segment_name"] = "X"
    none = desk.call("safe_edit_file", {"path": "a.py", "segment_edit": edit}, "safe-edit")

    assert "Valid types: python_class" in said.text
    assert "No segment type is for a variable: use line_edits" in none.text


@pytest.mark.parametrize(
    ("tool", "given", "first"),
    [
        ("read", {"path": "no.txt"}, "refused"),
        ("outline", {"path": "no.txt"}, "refused"),
        ("search", {"query": "x", "path": "../out"}, "refused"),
        ("history", {"id": "99"}, "refused"),
        ("edit", {"path": "a.txt", "find": "no", "content": "x"}, "refused: nothing was changed"),
    ],
)
def test_a_refusal_speaks_of_changes_only_where_a_call_makes_some(
    desk: Desk, tool: str, given: Data, first: str
) -> None:
    desk.write("a.txt", "one\n")

    answer = desk.call(tool, given, "native")

    assert answer.refused
    assert answer.text.partition("\n")[0] == first
