"""The surgical tools: what document 004 asks for, and bugs 63 to 72 of its samples."""

import json
import subprocess
from pathlib import Path

import pytest

from keyhole import Workspace
from keyhole.toolsets import tools_of
from tests.toolsets.desk import Data, Desk, Set

TEXT = "a = 1\nb = 2\na = 1\nc = 3\na = 1\n"
# The document's own example, whose counts are wrong and which names no file.
PATCH = (
    "@@ -45,7 +45,7 @@\n def analyze_errors(\n     self,\n"
    "-    audit_log: list[Any],\n+    audit_log: list[AuditEntry],"
)


@pytest.fixture
def tools(desk: Desk) -> Set:
    desk.write("a.py", TEXT)
    return Set(desk, "surgical")


def edited(tools: Set, old: str, new: str, **more: object) -> str:
    tools.ok("edit_file", path="a.py", old_content=old, new_content=new, **more)
    return tools.desk.read("a.py")


def unchanged(tools: Set, tool: str, **arguments: object) -> Data:
    """The refusal of a call, after which every file is as it was."""
    root = tools.desk.root
    before = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}
    data = tools.no(tool, path="a.py", **arguments)
    assert {path: path.read_bytes() for path in root.rglob("*") if path.is_file()} == before
    return data


# edit_file.


@pytest.mark.parametrize(
    ("occurrence", "after"),
    [
        (1, TEXT.replace("a = 1", "X", 1)),
        (2, "a = 1\nb = 2\nX\nc = 3\na = 1\n"),
        (3, "a = 1\nb = 2\na = 1\nc = 3\nX\n"),
        (-1, "a = 1\nb = 2\na = 1\nc = 3\nX\n"),
        (0, TEXT.replace("a = 1", "X")),
        (None, TEXT.replace("a = 1", "X", 1)),
    ],
)
def test_an_occurrence_is_counted_from_either_end(
    tools: Set, occurrence: int | None, after: str
) -> None:
    assert edited(tools, "a = 1", "X", occurrence=occurrence) == after


def test_the_whole_answer_of_an_edit(tools: Set) -> None:
    data = tools.ok(
        "edit_file", path="a.py", old_content="b = 2", new_content="b = 2\nd = 4", backup=True
    )

    assert data.pop("transaction")
    assert len(data.pop("hash")) == 16
    assert data == {
        "success": True,
        "output": "Edited a.py: 1 place at line 2, 5 -> 6 lines, backup a.py.bak",
        "path": "a.py",
        "changed": True,
        "found": 1,
        "replaced": 1,
        "lines": [[2, 3]],
        "linesBefore": 5,
        "linesAfter": 6,
        "backup": "a.py.bak",
        "warnings": [],
    }
    assert tools.desk.read("a.py.bak") == TEXT


def test_what_is_not_found_comes_with_the_nearest_place(tools: Set) -> None:
    data = unchanged(tools, "edit_file", old_content="b == 2", new_content="x")

    assert data["error"].startswith("`old_content` is not in a.py\nlooked for: 'b == 2'\n")
    assert "nearest: lines 2-2\n2| b = 2" in data["error"]


def test_more_occurrences_than_there_are(tools: Set) -> None:
    data = unchanged(tools, "edit_file", old_content="b = 2", new_content="x", occurrence=5)

    assert data["error"].startswith("Requested occurrence 5 but only 1 found")


def test_a_missing_file_is_made_by_write_file(tools: Set) -> None:
    data = tools.no("edit_file", path="nope.py", old_content="a", new_content="b")

    assert data["error"] == "there is no file nope.py\nuse write_file to create it"


def test_a_directory_is_not_a_file(tools: Set) -> None:
    (tools.desk.root / "src").mkdir()

    assert tools.no("edit_file", path="src", old_content="a", new_content="b")["success"] is False


def test_layout_that_differs_is_matched_and_told_of(tools: Set) -> None:
    tools.desk.write("a.py", "def f():\n    a = 1\n    b = 2\n")

    data = tools.ok(
        "edit_file", path="a.py", old_content="a = 1\nb = 2", new_content="a = 3\nb = 4"
    )

    assert tools.desk.read("a.py") == "def f():\n    a = 3\n    b = 4\n"
    assert data["warnings"][0] == "matched indentation"


# patch_file.


def test_several_regions_are_patched_or_none(tools: Set) -> None:
    patch = "@@ -1,2 +1,2 @@\n-a = 1\n+a = 9\n b = 2\n@@ -4 +4 @@\n-c = 3\n+c = 9\n"

    tools.ok("patch_file", path="a.py", patch=patch)

    assert tools.desk.read("a.py") == "a = 9\nb = 2\na = 1\nc = 9\na = 1\n"
    data = unchanged(tools, "patch_file", patch=patch.replace("b = 2", "zzz"))
    assert data["success"] is False


@pytest.mark.parametrize("patch", ["", "hello", "@@ -1 +1 @@\n", "@@ -1 +1 @@\n-zzz\n+y\n"])
def test_a_patch_is_checked_before_it_is_applied(tools: Set, patch: str) -> None:
    assert unchanged(tools, "patch_file", patch=patch, backup=True)["error"]


# insert_at.


@pytest.mark.parametrize(
    ("line", "after"),
    [(0, "x\n1\n2\n"), (1, "1\nx\n2\n"), (2, "1\n2\nx\n"), (-1, "1\n2\nx\n")],
)
@pytest.mark.parametrize("end", ["", "\n"])
def test_content_is_inserted_after_a_line(tools: Set, line: int, after: str, end: str) -> None:
    tools.desk.write("a.py", "1\n2\n")

    tools.ok("insert_at", path="a.py", line=line, content=f"x{end}")

    assert tools.desk.read("a.py") == after


def test_the_inserted_range_is_returned(tools: Set) -> None:
    data = tools.ok("insert_at", path="a.py", line=2, content="x = 1\ny = 2\n")

    assert data["lines"] == [[3, 4]]
    assert data["output"] == "Inserted into a.py: 1 place at line 3, 5 -> 7 lines"


# read_file, write_file, search_files, list_files.


def test_a_file_is_read_to_the_character(tools: Set) -> None:
    data = tools.ok("read_file", path="a.py")

    assert (data["output"], data["total_lines"]) == (TEXT, 5)
    assert tools.ok("read_file", path="a.py", lines="2-3")["output"] == "b = 2\na = 1\n"


def test_a_file_is_written_only_by_who_knows_it(tools: Set) -> None:
    data = unchanged(tools, "write_file", content="stub\n")
    known = tools.ok("write_file", path="a.py", content="b = 2\n", expected_hash=data["hash"])
    new = tools.ok("write_file", path="src/new.py", content="x = 1\n")

    assert data["code"] == "file-exists"
    assert (known["output"], new["output"]) == ("Wrote a.py, 1 line", "Created src/new.py, 1 line")
    assert tools.desk.read("a.py") == "b = 2\n"


def test_a_stub_never_takes_the_place_of_a_long_file(tools: Set) -> None:
    text = "".join(f"x{n} = {n}\n" for n in range(361))
    tools.desk.write("a.py", text)
    known = tools.ok("read_file", path="a.py")["hash"]

    data = unchanged(tools, "write_file", content="x = 1\ny = 2\n", expected_hash=known)

    assert data["code"] == "shrinks"
    written = tools.ok(
        "write_file", path="a.py", content="x = 1\n", expected_hash=known, allow_shrink=True
    )
    assert written["success"]


def test_three_tasks_on_one_file_accumulate(tools: Set) -> None:
    for number, name in enumerate(("one", "two", "three"), 1):
        tools.ok("insert_at", path="a.py", line=-1, content=f"x{number} = '{name}'", task_id=name)

    assert tools.desk.read("a.py") == f"{TEXT}x1 = 'one'\nx2 = 'two'\nx3 = 'three'\n"


def test_a_task_that_meets_another_is_shown_both_edits(tools: Set) -> None:
    other = {"path": "a.py", "old_content": "b = 2", "new_content": "b = 5"}
    tools.ok("edit_file", task_id="one", **other)
    mine = {"path": "a.py", "old_content": "b = 5", "new_content": "b = 7", "task_id": "two"}

    met = tools.no("edit_file", **mine)
    skipped = tools.ok("edit_file", on_conflict="skip", **mine)
    forced = tools.ok("edit_file", on_conflict="force", **mine)

    assert met["code"] == "conflict"
    assert "-b = 2\n+b = 5" in met["error"]
    assert skipped["changed"] is False
    told = "task one edited there in"
    assert skipped["warnings"][0].startswith(f"conflict: edit 0 in a.py was left out; {told} ")
    assert forced["warnings"][0].startswith(f"conflict: edit 0 in a.py went ahead; {told} ")
    assert "b = 7" in tools.desk.read("a.py")


def test_files_are_searched_and_listed(tools: Set) -> None:
    tools.desk.write("docs/b.md", "a = 1\n")

    found = tools.ok("search_files", pattern="A = \\d", regex=True)
    plain = tools.ok("search_files", pattern="a = 1", glob="*.md")
    listed = tools.ok("list_files", pattern="*.py")

    assert found["total"] == 0
    assert [hit["path"] for hit in plain["hits"]] == ["docs/b.md"]
    assert listed["files"] == ["a.py"]
    assert tools.ok("list_files", path="docs")["files"] == ["docs/b.md"]
    assert tools.no("list_files", path="nowhere")["code"] == "no-file"


# Task modes.

CALLS: dict[str, dict[str, object]] = {
    "edit_file": {"path": "a.py", "old_content": "b = 2", "new_content": "b = 3"},
    "patch_file": {"path": "a.py", "patch": "@@ -4 +4 @@\n-c = 3\n+c = 4\n"},
    "insert_at": {"path": "a.py", "line": -1, "content": "d = 4"},
    "write_file": {"path": "new.py", "content": "x = 1\n"},
    "read_file": {"path": "a.py"},
    "search_files": {"pattern": "a"},
    "list_files": {},
}
READING = ["read_file", "search_files", "list_files"]


@pytest.mark.parametrize(
    ("mode", "allowed"),
    [
        ("research", READING),
        ("analyze", READING),
        ("generate", ["write_file", *READING]),
        ("modify", ["edit_file", "patch_file", "insert_at", *READING]),
        ("execute", list(CALLS)),
    ],
)
def test_a_task_mode_says_what_its_tools_may_do(desk: Desk, mode: str, allowed: list[str]) -> None:
    desk.write("a.py", TEXT)
    with Workspace(desk.root, task_mode=mode) as workspace:
        said = {name: workspace.call(name, given, "surgical") for name, given in CALLS.items()}

    assert [name for name, one in said.items() if not one.refused] == allowed
    refused = {one.data["code"] for one in said.values() if one.refused}
    assert refused <= {"read-only"}


def test_every_writing_tool_is_tried_in_every_mode() -> None:
    assert CALLS.keys() == {tool.name for tool in tools_of("surgical")}


# Bugs.


def test_bug_63_the_document_s_own_patch_applies_and_its_counts_are_noted(tools: Set) -> None:
    text = "def analyze_errors(\n    self,\n    audit_log: list[Any],\n):\n    pass\n"
    tools.desk.write("a.py", text)

    data = tools.ok("patch_file", path="a.py", patch=PATCH)

    assert tools.desk.read("a.py") == text.replace("Any", "AuditEntry")
    assert data["warnings"] == [
        "the counts of the hunk at line 1 of the patch are wrong",
        "the hunk is for line 45, and stands at line 1",
    ]


def test_bug_64_the_default_takes_the_first_and_tells_of_the_others(tools: Set) -> None:
    data = tools.ok("edit_file", path="a.py", old_content="a = 1", new_content="X")

    assert (data["found"], data["replaced"]) == (3, 1)
    assert data["warnings"] == ["`old_content` also stands at lines 3, 5"]


def test_bug_65_a_second_edit_keeps_the_first_backup(tools: Set) -> None:
    edited(tools, "b = 2", "b = 5", backup=True)
    edited(tools, "c = 3", "c = 5", backup=True)

    assert tools.desk.read("a.py.bak") == TEXT
    assert tools.desk.read("a.py.bak.1") == TEXT.replace("b = 2", "b = 5")


def test_bug_66_insertions_are_writing_too(desk: Desk) -> None:
    desk.write("a.py", TEXT)

    with Workspace(desk.root, task_mode="analyze") as workspace:
        said = workspace.call("insert_at", CALLS["insert_at"], "surgical")

    assert said.refused
    assert desk.read("a.py") == TEXT


@pytest.mark.parametrize("line", [6, 99, -2])
def test_bug_67_a_line_that_is_not_there_is_refused(tools: Set, line: int) -> None:
    assert unchanged(tools, "insert_at", line=line, content="x")["error"]


def test_bug_67_an_open_last_line_is_ended_first(tools: Set) -> None:
    tools.desk.write("a.py", "1\n2")

    tools.ok("insert_at", path="a.py", line=-1, content="3")

    assert tools.desk.read("a.py") == "1\n2\n3"


@pytest.mark.parametrize("occurrence", [-2, -99])
def test_bug_68_other_negative_occurrences_are_refused(tools: Set, occurrence: int) -> None:
    data = unchanged(
        tools, "edit_file", old_content="a = 1", new_content="X", occurrence=occurrence
    )

    assert data["error"] == (
        f"`occurrence` is {occurrence}; it is 1, 2, ..., -1 for the last or 0 for all"
    )


@pytest.mark.parametrize(
    ("occurrence", "after"), [(1, "Xaa\n"), (2, "aaX\n"), (-1, "aaX\n"), (0, "XX\n")]
)
def test_bug_68_occurrences_that_overlap_are_counted_once(
    tools: Set, occurrence: int, after: str
) -> None:
    tools.desk.write("a.py", "aaaa\n")

    data = tools.ok(
        "edit_file", path="a.py", old_content="aa", new_content="X", occurrence=occurrence
    )

    assert tools.desk.read("a.py") == after
    assert data["found"] == 2


def test_bug_68_empty_old_content_is_refused(tools: Set) -> None:
    data = unchanged(tools, "edit_file", old_content="", new_content="X")

    assert data["error"].startswith("`old_content` is empty")


def test_bug_68_line_ends_stay(tools: Set) -> None:
    tools.desk.write("a.py", "a = 1\r\nb = 2\r\n")

    assert edited(tools, "a = 1", "a = 1\nc = 3") == "a = 1\r\nc = 3\r\nb = 2\r\n"


def test_bug_68_a_refused_edit_touches_no_backup(tools: Set) -> None:
    tools.desk.write("a.py.bak", "the only copy\n")

    unchanged(tools, "edit_file", old_content="b = 2", new_content="x", occurrence=9, backup=True)


def test_bug_68_an_identical_edit_changes_nothing_and_says_so(tools: Set) -> None:
    data = tools.ok("edit_file", path="a.py", old_content="b = 2", new_content="b = 2", backup=True)

    assert (data["changed"], data["output"]) == (False, "Nothing to change in a.py")
    assert not (tools.desk.root / "a.py.bak").exists()


def test_bug_69_fences_in_new_content_are_content(tools: Set) -> None:
    tools.desk.write("a.md", "# A\n\nTODO\n")
    new = "```python\nx = 1\n```"

    tools.ok("edit_file", path="a.md", old_content="TODO", new_content=new)

    assert tools.desk.read("a.md") == f"# A\n\n{new}\n"


def test_bug_69_new_content_may_be_empty(tools: Set) -> None:
    assert edited(tools, "b = 2\n", "") == TEXT.replace("b = 2\n", "")


@pytest.mark.parametrize(
    ("before", "patch", "after"),
    [
        ("a\n", "@@ -1 +1 @@\n-a\n+b\n", "b\n"),
        ("-- a\n", "@@ -1 +1 @@\n--- a\n+++ b\n", "++ b\n"),
        ("1\n2\n", "@@ -0,0 +1 @@\n+x\n", "x\n1\n2\n"),
        ("0\n0\n1\n2\n", "@@ -1,2 +1,2 @@\n 1\n-2\n+x\n", "0\n0\n1\nx\n"),
        ("1\n2\n3\n", "@@ -3 +3 @@\n-3\n+c\n@@ -1 +1 @@\n-1\n+a\n", "a\n2\nc\n"),
        ("a", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n", "b\n"),
    ],
    ids=repr,
)
def test_bug_70_a_patch_lands_as_patch_would_put_it(
    tools: Set, before: str, patch: str, after: str
) -> None:
    tools.desk.write("a.txt", before)

    tools.ok("patch_file", path="a.txt", patch=patch)

    assert tools.desk.read("a.txt") == after


def test_bug_70_a_bare_insertion_never_lands_a_line_too_early(tools: Set) -> None:
    tools.desk.write("a.txt", "1\n2\n3\n")
    given = {"path": "a.txt", "patch": "@@ -2,0 +3 @@\n+x\n"}

    said = tools.desk.call("patch_file", given, "surgical")

    assert tools.desk.read("a.txt") == ("1\n2\n3\n" if said.refused else "1\n2\nx\n3\n")


def test_bug_70_a_failure_is_an_error_and_leaves_no_backup(tools: Set) -> None:
    unchanged(tools, "patch_file", patch="@@ -1 +1 @@\n-zzz\n+y\n", backup=True)

    assert [path.name for path in tools.desk.root.iterdir()] == ["a.py"]


def test_bug_71_every_edit_can_be_undone_and_redone(tools: Set) -> None:
    workspace = tools.desk.workspace
    edited(tools, "b = 2", "b = 5")
    tools.ok("patch_file", path="a.py", patch="@@ -4 +4 @@\n-c = 3\n+c = 5\n")
    done = tools.desk.read("a.py")

    workspace.undo()
    workspace.undo()
    first = tools.desk.read("a.py")
    undone = [past.entry.id for past in workspace.history().transactions][:2]
    for name in undone:
        workspace.undo(name)

    assert first == TEXT
    assert tools.desk.read("a.py") == done


@pytest.mark.parametrize(
    "path", ["docs/secrets-guide.md", ".github/ISSUE_TEMPLATE.md", "keys.md", "environment.md"]
)
def test_bug_72_a_name_that_only_looks_protected_is_not(tools: Set, path: str) -> None:
    tools.ok("write_file", path=path, content="text\n")

    assert tools.desk.read(path) == "text\n"


@pytest.mark.parametrize("path", [".git/config", ".git/hooks/pre-commit", "../a.py"])
def test_bug_72_what_is_protected_is(tools: Set, path: str) -> None:
    subprocess.run(["git", "init", "-q"], cwd=tools.desk.root, check=True)

    data = tools.no("write_file", path=path, content="text\n")

    assert data["code"] in {"protected-path", "path-denied"}


def test_a_server_of_mode_analyze_lists_no_writing_tools(desk: Desk, tmp_path: Path) -> None:
    from tests.surfaces.mcp.host import Host

    (tmp_path / "home").mkdir()
    desk.write("a.py", TEXT)
    host = Host(tmp_path)

    async def names(client: Data) -> list[str]:
        return [tool.name for tool in (await client.list_tools()).tools]

    listed = host.run(names, "--tools", "surgical", "--task-mode", "analyze")

    assert listed == READING


def test_a_note_has_the_names_of_the_tool(tools: Set) -> None:
    data = tools.ok("edit_file", path="a.py", old_content="c = 3", new_content="c = 3")

    assert data["warnings"] == ["`old_content` and `new_content` are the same text"]


def test_a_backup_is_named_as_its_file_was(tools: Set) -> None:
    path = str(tools.desk.root / "a.py")
    data = tools.ok("edit_file", path=path, old_content="b = 2", new_content="b = 3", backup=True)

    assert data["backup"] == f"{path}.bak"
    assert data["output"].endswith(f", backup {path}.bak")


def test_a_line_of_a_notebook_is_told_with_its_cell(desk: Desk) -> None:
    texts: tuple[str, ...] = ("a", "b\nc\na")
    cells = [{"cell_type": "raw", "metadata": dict[str, str](), "source": text} for text in texts]
    desk.write("a.ipynb", json.dumps({"cells": cells, "metadata": {}, "nbformat": 4}))

    one = {"path": "a.ipynb", "old_content": "c", "new_content": "d"}
    told = desk.call("edit_file", one, "surgical")
    both = desk.call("edit_file", {**one, "old_content": "a", "occurrence": 0}, "surgical")

    assert told.text == "Edited a.ipynb: 1 place at line 2 of `cell#2`, 6 -> 6 lines"
    assert both.text == "Edited a.ipynb: 2 places in several cells, 6 -> 6 lines"
