"""`str_replace_based_edit_tool`: each command, and what it refuses."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from keyhole.toolsets import Caller, call, tool_named
from tests.toolsets.desk import Data, Desk

TOOL = "str_replace_based_edit_tool"
FILE = "one\ntwo\nthree\nfour\nfive\n"
TEMPLATES = ["$&", "$`", "$'", "$$", "\\1", "\\g<0>", "\\", "%s", "{0}", "&", "x", " "]


def said(desk: Desk, command: str, path: str = "a.txt", **arguments: object) -> str:
    answer = desk.call(TOOL, {"command": command, "path": path, **arguments}, "claude")
    assert not answer.refused, answer.text
    return answer.text


def refused(desk: Desk, command: str, path: str = "a.txt", **arguments: object) -> Data:
    answer = desk.call(TOOL, {"command": command, "path": path, **arguments}, "claude")
    assert answer.refused, answer.text
    return answer.data["refusals"]


@pytest.fixture(autouse=True)
def _file(desk: Desk) -> None:
    desk.write("a.txt", FILE)


def test_view_numbers_the_lines(desk: Desk) -> None:
    assert said(desk, "view").split("\n") == [
        "     1\tone",
        "     2\ttwo",
        "     3\tthree",
        "     4\tfour",
        "     5\tfive",
    ]


@pytest.mark.parametrize(
    ("view_range", "lines"),
    [([2, 3], "two three"), ([4, -1], "four five"), ([5, 5], "five"), ("L1-L2", "one two")],
)
def test_view_takes_a_range(desk: Desk, view_range: object, lines: str) -> None:
    rows = said(desk, "view", view_range=view_range).split("\n")

    assert " ".join(row.partition("\t")[2] for row in rows) == lines


@pytest.mark.parametrize("view_range", [[0, 2], [3, 2], [2], [1, 2, 3], "2-1", [1, 99], [1.5, 2]])
def test_a_range_that_is_none_is_refused(desk: Desk, view_range: object) -> None:
    assert refused(desk, "view", view_range=view_range)


def test_view_of_a_directory_lists_two_levels_without_what_is_hidden(desk: Desk) -> None:
    for path in (
        "src/b.txt",
        "src/deep/c.txt",
        "src/deep/er/d.txt",
        ".hid/q",
        "src/.env2",
        "log/x",
    ):
        desk.write(path, "x\n")
    desk.write(".gitignore", "log/\n")

    assert said(desk, "view", ".").split("\n") == [
        ".:",
        "a.txt",
        "src/",
        "src/b.txt",
        "src/deep/",
    ]
    assert said(desk, "view", "src").split("\n")[1:] == ["b.txt", "deep/", "deep/c.txt", "deep/er/"]
    assert refused(desk, "view", "src", view_range=[1, 2])[0]["code"] == "bad-request"


def test_view_of_a_large_directory_is_cut_and_says_so(desk: Desk) -> None:
    for number in range(1010):
        desk.write(f"many/{number:04}.txt", "")

    rows = said(desk, "view", "many").split("\n")

    assert (len(rows), rows[-1]) == (1002, "(10 more: view a directory below)")


def test_view_of_a_long_file_is_cut_and_says_so(desk: Desk) -> None:
    desk.write("long.txt", "x\n" * 2001)

    rows = said(desk, "view", "long.txt").split("\n")

    assert (len(rows), rows[-1]) == (2001, "(there is more: give a view_range)")


def test_create_makes_a_file_and_its_directories_and_replaces_none(desk: Desk) -> None:
    assert said(desk, "create", "new/b.txt", file_text="x\n").startswith("created new/b.txt\n")
    [refusal] = refused(desk, "create", file_text="x\n")

    assert (desk.read("new/b.txt"), desk.read("a.txt")) == ("x\n", FILE)
    assert refusal["code"] == "file-exists"
    assert refusal["help"] == "change it with str_replace or insert, or choose another path"


def test_create_makes_an_empty_file_and_needs_its_text(desk: Desk) -> None:
    said(desk, "create", "empty.txt", file_text="")

    assert desk.read("empty.txt") == ""
    assert refused(desk, "create", "b.txt")[0]["message"] == "`file_text` is missing"


def test_str_replace_replaces_text_that_stands_once(desk: Desk) -> None:
    said(desk, "str_replace", old_str="two\nthree", new_str="2\n3")
    said(desk, "str_replace", old_str="four\n")

    assert desk.read("a.txt") == "one\n2\n3\nfive\n"


@pytest.mark.parametrize(
    ("text", "old", "code"),
    [
        ("x\nx\n", "x", "ambiguous"),
        ("aaa\n", "aa", "ambiguous"),
        (FILE, "six", "not-found"),
        (FILE, "", "bad-request"),
    ],
)
def test_str_replace_refuses_what_does_not_stand_once(
    desk: Desk, text: str, old: str, code: str
) -> None:
    desk.write("a.txt", text)

    refusals = refused(desk, "str_replace", old_str=old, new_str="y")

    assert [each["code"] for each in refusals] == [code]
    assert "`old_str`" in refusals[0]["message"]
    assert not any("accept" in str(each["help"]) for each in refusals)
    assert desk.read("a.txt") == text


def test_str_replace_tells_what_it_tolerated(desk: Desk) -> None:
    desk.write("a.txt", "def f():\n    return the_first_value\n")

    text = said(desk, "str_replace", old_str="def f():  \n    return the_first_value", new_str="x")

    assert "matched whitespace" in text


@pytest.mark.parametrize(
    ("line", "name", "new", "after"),
    [
        (0, "insert_text", "zero\n", f"zero\n{FILE}"),
        (0, "new_str", "zero", f"zero\n{FILE}"),
        (2, "insert_text", "  in\n\nout\n", "one\ntwo\n  in\n\nout\nthree\nfour\nfive\n"),
        (5, "insert_text", "six", f"{FILE}six\n"),
    ],
)
def test_insert_puts_whole_lines_below_a_line(
    desk: Desk, line: int, name: str, new: str, after: str
) -> None:
    said(desk, "insert", insert_line=line, **{name: new})

    assert desk.read("a.txt") == after


@pytest.mark.parametrize("line", [6, -1, "two", None])
def test_insert_at_a_line_that_is_none_is_refused(desk: Desk, line: object) -> None:
    assert refused(desk, "insert", insert_line=line, insert_text="x")
    assert desk.read("a.txt") == FILE


def test_insert_into_an_empty_file(desk: Desk) -> None:
    desk.write("a.txt", "")

    said(desk, "insert", insert_line=0, insert_text="x\n")

    assert desk.read("a.txt") == "x\n"


def test_undo_edit_goes_back_edit_by_edit_and_then_says_that_none_is_left(desk: Desk) -> None:
    said(desk, "str_replace", old_str="one", new_str="1")
    said(desk, "insert", insert_line=0, insert_text="zero")
    said(desk, "create", "b.txt", file_text="other\n")
    states = []
    for _ in range(2):
        said(desk, "undo_edit")
        states.append(desk.read("a.txt"))

    assert states == [FILE.replace("one", "1"), FILE]
    assert refused(desk, "undo_edit")[0]["code"] == "nothing-to-undo"
    assert desk.read("b.txt") == "other\n"
    said(desk, "undo_edit", "b.txt")
    assert not (desk.root / "b.txt").exists()


def test_undo_edit_knows_a_file_by_its_full_path(desk: Desk) -> None:
    said(desk, "str_replace", old_str="one", new_str="1")

    said(desk, "undo_edit", str(desk.root / "a.txt"))

    assert desk.read("a.txt") == FILE


def test_undo_edit_leaves_the_edits_of_others_alone(desk: Desk) -> None:
    engine = desk.workspace._engine
    tool = tool_named(TOOL)
    given = {"command": "str_replace", "path": "a.txt", "old_str": "one", "new_str": "theirs"}
    call(tool, lambda _: engine, given, Caller("another"))

    assert refused(desk, "undo_edit")[0]["code"] == "nothing-to-undo"
    assert desk.read("a.txt") == FILE.replace("one", "theirs")


def test_arguments_of_other_commands_are_refused_by_name_unless_they_are_empty(desk: Desk) -> None:
    assert refused(desk, "view", old_str="x")[0]["message"] == "unknown argument `old_str`"
    assert said(desk, "view", old_str="", view_range=None)
    assert refused(desk, "vieuw")[0]["message"].startswith("`command` is 'vieuw'; it is one of")


def test_what_leaves_the_tree_is_refused(desk: Desk) -> None:
    calls: dict[str, dict[str, object]] = {
        "view": {},
        "create": {"file_text": "x"},
        "str_replace": {"old_str": "x", "new_str": "y"},
        "insert": {"insert_line": 0, "insert_text": "x"},
        "undo_edit": {},
    }
    for command, arguments in calls.items():
        assert refused(desk, command, "../out.txt", **arguments)[0]["code"] == "path-denied"


@given(new=st.lists(st.sampled_from(TEMPLATES), min_size=1, max_size=6).map("".join))
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_new_text_is_inserted_literally_whatever_it_contains(desk: Desk, new: str) -> None:
    new = f"<{new}>"
    desk.write("a.txt", FILE)
    said(desk, "str_replace", old_str="two", new_str=new)
    said(desk, "insert", insert_line=3, insert_text=new)
    (desk.root / "n.txt").unlink(missing_ok=True)
    said(desk, "create", "n.txt", file_text=new)

    assert desk.read("a.txt") == FILE.replace("two", new).replace("four", f"{new}\nfour")
    assert desk.read("n.txt") == new


def test_a_note_has_the_names_of_the_tool(desk: Desk) -> None:
    desk.write("a.txt", "`find` one\n")
    asked = {"command": "str_replace", "path": "a.txt", "old_str": "one", "new_str": "one"}

    said = desk.call("str_replace_based_edit_tool", asked, "claude")

    assert "  note: `old_str` and `new_str` are the same text\n    1| `find` one" in said.text


@pytest.mark.parametrize(
    ("command", "path", "more", "help_line"),
    [
        ("view", "nope.txt", {}, "check the path, or make it with `create`"),
        ("str_replace", "sub", {"old_str": "x"}, "name a file in it"),
        ("str_replace", "a.txt", {"old_str": ""}, "quote the text to replace; `insert` adds lines"),
        ("view", "a.bin", {}, "name a file that is text"),
    ],
)
def test_the_next_move_is_one_of_the_tool(
    desk: Desk, command: str, path: str, more: dict[str, str], help_line: str
) -> None:
    desk.write("sub/a.txt", "x\n")
    (desk.root / "a.bin").write_bytes(b"a\0b\n")

    asked = {"command": command, "path": path, **more}
    said = desk.call("str_replace_based_edit_tool", asked, "claude")

    assert said.text.rpartition("help: ")[2] == help_line


def test_undo_edit_finds_what_still_stands_behind_many_edits_that_do_not(desk: Desk) -> None:
    said(desk, "str_replace", old_str="one", new_str="1")
    for _ in range(30):
        said(desk, "str_replace", old_str="two", new_str="2")
        said(desk, "undo_edit")

    said(desk, "undo_edit")

    assert desk.read("a.txt") == FILE


def test_undo_edit_of_one_file_leaves_what_the_call_did_to_another(desk: Desk) -> None:
    patch = "*** Begin Patch\n*** Add File: b\n+b\n*** Add File: c\n+c\n*** End Patch\n"
    desk.call("apply_patch", {"input": patch}, "codex")

    for path in ("b", "c"):
        said(desk, "undo_edit", path)

    assert sorted(each.name for each in desk.root.iterdir()) == ["a.txt"]


def test_an_insertion_of_nothing_is_an_empty_line(desk: Desk) -> None:
    said(desk, "insert", insert_line=1, insert_text="")

    assert desk.read("a.txt") == FILE.replace("one\n", "one\n\n")


def test_a_line_of_a_notebook_is_refused_with_what_this_tool_takes(desk: Desk) -> None:
    cell = '{"cell_type": "raw", "metadata": {}, "source": "a\\nb"}'
    desk.write("a.ipynb", f'{{"cells": [{cell}], "metadata": {{}}, "nbformat": 4}}')

    told = refused(desk, "insert", "a.ipynb", insert_line=2, insert_text="x")
    seen = said(desk, "view", "a.ipynb")

    counts = "numbers count in each cell, so edit by str_replace"
    assert told[0]["help"] == "quote the text in the cell instead"
    assert seen.split("\n") == [
        "     0\t<<cell raw>>",
        "     1\ta",
        "     2\tb",
        f"(lines 1-3 of 3; {counts}; view_range counts all lines)",
    ]
