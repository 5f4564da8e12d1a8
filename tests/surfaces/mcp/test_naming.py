"""With several roots an answer names files in full, unless they are below the first."""

from pathlib import Path

import pytest

from keyhole.surfaces.mcp import resources
from keyhole.surfaces.mcp.calls import Desk
from keyhole.surfaces.mcp.tools import chosen
from keyhole.surfaces.mcp.workspaces import Workspaces
from keyhole.toolsets.base import Caller, ToolAnswer
from tests.surfaces.mcp.host import Data, written

CODE = "def other():\n    return 1\n"


@pytest.fixture
def desk(workspaces: Workspaces, roots: list[Path]) -> Desk:
    for root in roots[:2]:
        (root / "a.py").write_text(CODE, encoding="utf-8")
    return Desk(workspaces, chosen(()))


def ask(desk: Desk, tool: str, **given: object) -> ToolAnswer:
    return desk.call(tool, given, Caller("me"))


def paths(said: ToolAnswer) -> list[Data]:
    holder: Data = said.data
    found = holder.get("files") or holder.get("hits") or holder.get("refusals")
    listed = [*holder.get("transactions", []), *holder.get("proposals", [])]
    return [each["path"] for each in found or [file for one in listed for file in one["files"]]]


def edit(path: str, **fields: object) -> dict[str, object]:
    return {"path": path, "edits": [{"find": "return 1", "content": "return 2", **fields}]}


def test_every_answer_about_another_root_names_its_files_in_full(
    desk: Desk, roots: list[Path]
) -> None:
    name = f"{roots[1]}/a.py"
    typo = {"find": "def othr():\n    return 2", "content": "def othr():\n    return 3"}
    offered = ask(desk, "edit", path=name, edits=[typo | {"find": typo["find"].replace("2", "1")}])
    refusals: Data = offered.data["refusals"]
    accept = refusals[0]["candidates"][0]["accept"]
    answers = [
        offered,
        ask(desk, "edit", **edit(name, content="return (")),
        ask(desk, "read", path=name, segment="absent"),
        ask(desk, "edit", edits=[{"accept": accept}]),
        ask(desk, "undo"),
        ask(desk, "undo", id="2"),
        ask(desk, "edit", **edit(name, find="return 3"), propose=True),
        ask(desk, "history"),
        ask(desk, "history", path=str(roots[1])),
        ask(desk, "search", query="return", path=str(roots[1])),
        ask(desk, "outline", path=str(roots[1])),
    ]

    assert [set(paths(said)) for said in answers] == [{name}] * len(answers)
    assert [name in said.text for said in answers] == [True] * len(answers)
    assert (roots[0] / "a.py").read_text(encoding="utf-8") == CODE


def test_one_transaction_of_another_root_is_shown_with_its_diff(
    desk: Desk, workspaces: Workspaces, roots: list[Path]
) -> None:
    name = f"{roots[1]}/a.py"
    made = ask(desk, "edit", **edit(name)).data["transaction"]

    shown: Data = ask(desk, "history", id=made).data
    resource = resources.read(workspaces, f"keyhole://transaction/{made}")

    [file] = shown["transactions"][0]["files"]
    assert file["path"] == name
    assert file["diff"].endswith("-    return 1\n+    return 2\n")
    assert resource
    assert f"edit 0 in {name}" in str(resource.contents[0])


def test_a_move_in_another_root_names_both_ends_in_full(desk: Desk, roots: list[Path]) -> None:
    old, new = f"{roots[1]}/a.py", f"{roots[1]}/b.py"

    moved = ask(desk, "write", path=old, move_to=new)
    back = ask(desk, "undo")

    assert (paths(moved), paths(back)) == ([old, new], [new, old])
    assert f"moved to {new}" in moved.text
    files: Data = back.data["files"]
    assert files[1]["moved_from"] == new


def test_files_of_the_first_root_keep_their_short_names(desk: Desk, roots: list[Path]) -> None:
    answers = [ask(desk, "edit", **edit("a.py")), ask(desk, "history"), ask(desk, "undo")]

    assert [paths(said) for said in answers] == [["a.py"]] * 3
    assert paths(ask(desk, "read", path=f"{roots[0]}/a.py", segment="x")) == [f"{roots[0]}/a.py"]


def test_the_history_lists_files_of_all_roots_by_names_that_mean_one_file(
    workspaces: Workspaces, roots: list[Path]
) -> None:
    written(workspaces, 0, "a.txt")
    written(workspaces, 1, "a.txt")

    listed = resources.read(workspaces, resources.HISTORY)

    assert listed
    assert f"{roots[1]}/a.txt" in str(listed.contents[0])
    assert "  a.txt" in str(listed.contents[0])


def test_tools_of_other_interfaces_name_what_they_find_in_another_root_in_full(
    workspaces: Workspaces, roots: list[Path]
) -> None:
    there = str(roots[1])
    (roots[1] / "a.md").write_text("one\n", encoding="utf-8")
    desk = Desk(workspaces, chosen(("surgical", "TextSearch", "claude")))
    editor: dict[str, object] = {"path": f"{there}/a.md"}
    cut = {**editor, "command": "str_replace", "old_str": "one", "new_str": "two"}
    assert not ask(desk, "str_replace_based_edit_tool", **cut).refused
    answers = [
        ask(desk, "list_files", path=there),
        ask(desk, "search_files", pattern="two", path=there),
        ask(desk, "TextSearch", query="two", path=there),
        ask(desk, "str_replace_based_edit_tool", command="undo_edit", **editor),
    ]

    assert [f"{there}/a.md" in said.text for said in answers] == [True] * 4


def test_an_undo_that_cannot_be_names_the_file_in_full_in_its_headline_too(
    desk: Desk, roots: list[Path]
) -> None:
    name = f"{roots[1]}/a.py"
    first: Data = ask(desk, "edit", **edit(name)).data["transaction"]
    later: Data = ask(desk, "edit", **edit(name, find="return 2", content="return 3")).data
    refused: Data = ask(desk, "undo", id=first).data["refusals"]

    assert refused[0]["message"].split("\n")[0] == (
        f"transaction {later['transaction']} changed {name} where the undo of {first} would"
    )


def test_what_an_undo_took_back_is_named_in_full(desk: Desk, roots: list[Path]) -> None:
    name = f"{roots[1]}/a.py"
    first: Data = ask(desk, "edit", **edit(name)).data["transaction"]
    back: Data = ask(desk, "undo", id=first).data["took_back"]

    assert back == [{"transaction": first, "tool": "mcp edit", "files": [name]}]


def test_another_file_that_has_a_quote_is_named_in_full(desk: Desk, roots: list[Path]) -> None:
    (roots[1] / "b.py").write_text("only_here = 1\n", encoding="utf-8")
    refused: Data = ask(desk, "edit", **edit(f"{roots[1]}/a.py", find="only_here = 1")).data

    assert refused["refusals"][0]["suggestions"] == [f"{roots[1]}/b.py:1"]
