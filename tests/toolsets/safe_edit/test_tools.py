import pytest

from keyhole import SegmentEdit, Workspace
from tests.toolsets.desk import Desk
from tests.toolsets.safe import Safe, class_, function, lines, method, section

DOC = "# Design\n\n## Problem\n\nOld.\n\n## Decision\n\nKeep it.\n"
CODE = "def calculate_risk(position):\n    return position.size\n"


@pytest.fixture
def safe(desk: Desk) -> Safe:
    return Safe(desk)


def test_the_whole_answer_of_a_strict_edit(safe: Safe) -> None:
    safe.desk.write("a.txt", "one\ntwo\none\n")

    data = safe.ok("a.txt", search="one", replace="1")

    assert data.pop("transaction")
    assert data.pop("hash") == "94db4fb341246bb6"
    assert data == {
        "success": True,
        "path": "a.txt",
        "mode": "strict",
        "edit_mode": "search/replace",
        "changed": True,
        "written": True,
        "message": "Replaced 2 occurrences in a.txt; saved",
        "issues": [],
        "warnings": [],
        "replacements": 2,
        "diff": "diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n"
        "@@ -1,3 +1,3 @@\n-one\n+1\n two\n-one\n+1\n",
    }


def test_without_show_diff_there_is_no_diff(safe: Safe) -> None:
    safe.desk.write("a.txt", "one\n")

    assert "diff" not in safe.ok("a.txt", search="one", replace="1", show_diff=False)


def test_the_text_of_an_answer_holds_the_diff_once(desk: Desk) -> None:
    desk.write("a.txt", "one\n")

    arguments = {"path": "a.txt", "search": "one", "replace": "two"}
    said = desk.call("safe_edit_file", arguments, "safe-edit")

    assert said.text.count("@@ -1 +1 @@") == 1


def test_verify_only_gives_diff_and_verdict_and_writes_nothing(safe: Safe) -> None:
    safe.desk.write("a.txt", "one\n")

    data = safe.ok("a.txt", search="one", replace="two", mode="verify_only")

    assert data["message"] == "verified: the edit of a.txt passes, and nothing was written"
    assert (data["written"], data["transaction"]) == (False, "")
    assert data["diff"].endswith("-one\n+two\n")
    assert safe.desk.read("a.txt") == "one\n"


def test_a_strict_rejection_says_how_to_force(safe: Safe) -> None:
    data = safe.refused("a.py", "x = 1\n", content="x = (\n")

    assert data["hint"] == ('to write it anyway, send the call again with mode "interactive"')
    assert [issue["code"] for issue in data["issues"]] == ["syntax-broken"]


def test_a_rewrite_that_drops_most_of_a_file_is_forced_in_the_same_way(safe: Safe) -> None:
    text = "".join(f"line {n}\n" for n in range(361))

    assert safe.refused("a.txt", text, content="stub\n")["code"] == "shrinks"
    assert safe.after("a.txt", text, content="stub\n", mode="interactive") == "stub\n"


@pytest.mark.parametrize(
    ("edits", "after"),
    [
        ([lines(1, 1, "ONE")], "ONE\ntwo\nthree\n"),
        ([lines(1, 2, "x\ny\nz\n")], "x\ny\nz\nthree\n"),
        ([lines(2, 3, "")], "one\n"),
        ([lines(3, 3, "3"), lines(1, 1, "1")], "1\ntwo\n3\n"),
        ([lines(2, 2, "    indented")], "one\n    indented\nthree\n"),
    ],
    ids=str,
)
def test_line_edits_are_of_the_lines_as_they_stand(
    safe: Safe, edits: list[dict[str, object]], after: str
) -> None:
    assert safe.after("a.txt", "one\ntwo\nthree\n", line_edits=edits) == after


@pytest.mark.parametrize(
    ("edits", "error"),
    [
        ([lines(0, 1, "x")], "line_edits[0] has start_line 0 and end_line 1"),
        ([lines(3, 2, "x")], "line_edits[0] has start_line 3 and end_line 2"),
        ([lines(2, 4, "x")], "Line 4 is out of bounds (file has 3 lines)"),
        (
            [lines(1, 2, "x"), lines(2, 3, "y")],
            "line_edits[0] (lines 1-2) and line_edits[1] (lines 2-3) overlap: make one of them",
        ),
        ([{"start_line": 1, "end_line": 1}], "`new_content` is missing"),
        ([{"end_line": 1, "new_content": "x"}], "`start_line` of entry 0 is missing"),
    ],
    ids=str,
)
def test_every_line_edit_is_checked_before_one_is_made(
    safe: Safe, edits: list[dict[str, object]], error: str
) -> None:
    data = safe.refused("a.txt", "one\ntwo\nthree\n", line_edits=edits)

    assert data["error"].startswith(error)


@pytest.mark.parametrize(("at", "after"), [(1, "x\n1\n2\n"), (2, "1\nx\n2\n"), (3, "1\n2\nx\n")])
def test_lines_are_inserted_before_a_line_or_at_the_end(safe: Safe, at: int, after: str) -> None:
    inserts = [{"at_line": at, "content": "x"}]

    assert safe.after("a.txt", "1\n2\n", insert_lines=inserts) == after


@pytest.mark.parametrize("at", [4, 99])
def test_an_insertion_beyond_the_end_names_the_valid_range(safe: Safe, at: int) -> None:
    data = safe.refused("a.txt", "1\n2\n", insert_lines=[{"at_line": at, "content": "x"}])

    said = f"at_line {at} is out of bounds: valid are 1 to 3, which appends"
    (issue,) = data["issues"]
    assert (data["error"], issue["message"], issue["line"]) == (said, said, at)


def test_an_insertion_before_the_first_line_is_at_line_one(safe: Safe) -> None:
    data = safe.refused("a.txt", "1\n", insert_lines=[{"at_line": 0, "content": "x"}])

    assert data["issues"][0]["message"] == (
        "insert_lines[0] has at_line 0; lines are counted from 1"
    )


@pytest.mark.parametrize(
    ("arguments", "after"),
    [
        ({"search": "a", "replace": "b"}, "b b B\nb.c\n"),
        ({"search": "a", "replace": "b", "search_count": 2}, "b b B\na.c\n"),
        ({"search": r"(\w)\.c", "replace": r"c.\1", "regex": True}, "a a B\nc.a\n"),
        ({"search": "^a", "replace": "x", "regex": True}, "x a B\na.c\n"),
        ({"search": "^a", "replace": "x", "regex": True, "search_flags": 8}, "x a B\nx.c\n"),
        ({"search": "b", "replace": "x", "regex": True, "search_flags": 2}, "a a x\na.c\n"),
        ({"search": "b.a", "replace": r"\1", "search_flags": 2 | 16}, None),
        ({"search": "B.a", "replace": "-", "regex": True, "search_flags": 16}, "a a -.c\n"),
        ({"search": "A.C", "replace": r"\1 $&", "search_flags": 2}, "a a B\n\\1 $&\n"),
        ({"search": "a.c", "replace": "x", "search_flags": None, "regex": None}, "a a B\nx\n"),
    ],
    ids=str,
)
def test_search_and_replace(safe: Safe, arguments: dict[str, object], after: str | None) -> None:
    text = "a a B\na.c\n"

    if after is None:
        assert safe.refused("a.txt", text, **arguments)["code"] == "not-found"
    else:
        assert safe.after("a.txt", text, **arguments) == after


@pytest.mark.parametrize("flags", [64, 4, 128, -1, 1024])
def test_flags_that_patterns_do_not_have_are_refused(safe: Safe, flags: int) -> None:
    data = safe.refused("a.txt", "a\n", search="a", replace="b", regex=True, search_flags=flags)

    assert data["error"].startswith(f"`search_flags` has {flags}, which is no flag")


def test_what_goes_with_search_is_not_ignored_elsewhere(safe: Safe) -> None:
    data = safe.refused("a.txt", "a\n", content="b\n", search_count=2)

    assert data["error"] == "`search_count` goes with search and replace only"


def test_a_pattern_that_is_not_there_comes_with_the_head_of_the_file(safe: Safe) -> None:
    text = "".join(f"line {n}\n" for n in range(1, 13))

    data = safe.refused("a.txt", text, search="nowhere", replace="x")

    rows = [f"{n}: line {n}" for n in range(1, 11)]
    assert data["preview"] == "\n".join([*rows, "... (12 total lines)"])
    assert data["error"].startswith("pattern not found in a.txt\n")


def test_the_nearest_place_is_shown_first(safe: Safe) -> None:
    data = safe.refused("a.txt", "the quick brown fox\n", search="the quikc brown fox", replace="x")

    assert "nearest: lines 1-1" in data["error"]


@pytest.mark.parametrize(
    "way",
    [
        {"line_edits": [lines(1, 1, "x")]},
        {"insert_lines": [{"at_line": 1, "content": "x"}]},
        {"search": "a", "replace": "b"},
        {"segment_edit": section("A", "# A")},
    ],
    ids=lambda way: next(iter(way)),
)
def test_only_content_mode_makes_a_file(safe: Safe, way: dict[str, object]) -> None:
    name = "search/replace" if "search" in way else next(iter(way))

    assert safe.no("nope.md", **way)["error"] == (
        f"nope.md does not exist, and {name} needs a file: "
        "use content mode to create the file first"
    )


def test_a_file_that_is_not_text_is_an_answer(safe: Safe) -> None:
    safe.desk.write("a.bin", b"\x00\x01\x02")

    assert safe.no("a.bin", line_edits=[lines(1, 1, "x")])["code"] == "not-text"


def test_an_absolute_path_inside_the_workspace_is_echoed(safe: Safe) -> None:
    path = safe.desk.write("a.txt", "one\n")

    assert safe.ok(str(path), content="two\n")["path"] == str(path)


@pytest.mark.parametrize(
    ("path", "text", "edit", "after"),
    [
        ("d.md", DOC, section("Problem", "## Problem\n\nNew.\n"), DOC.replace("Old", "New")),
        ("d.md", DOC, section("## Problem", "## Problem\n\nNew."), DOC.replace("Old", "New")),
        (
            "d.md",
            DOC,
            section("# Design > ## Decision", "## Decision\n\nDrop it."),
            DOC.replace("Keep", "Drop"),
        ),
        (
            "w.py",
            CODE,
            function("calculate_risk", "def calculate_risk(position):\n    return 1"),
            "def calculate_risk(position):\n    return 1\n",
        ),
        (
            "w.py",
            "class W:\n    def m(self):\n        pass\n",
            method("W.m", "def m(self):\n    return 1"),
            "class W:\n    def m(self):\n        return 1\n",
        ),
        (
            "w.py",
            "class W:\n    pass\n",
            class_("W", "class W:\n    x = 1"),
            "class W:\n    x = 1\n",
        ),
    ],
)
def test_a_segment_is_replaced_by_name(
    safe: Safe, path: str, text: str, edit: dict[str, object], after: str
) -> None:
    assert safe.after(path, text, segment_edit=edit) == after


def test_a_segment_that_is_not_there_comes_with_those_that_are(safe: Safe) -> None:
    data = safe.refused("w.py", CODE, segment_edit=function("calculate_rsik", "def f(): pass"))

    assert data["error"] == (
        "Segment 'calculate_rsik' not found in w.py.\nnearest: calculate_risk\n"
        "Available segments: calculate_risk\nTip: check spelling and capitalization."
    )
    assert data["available_segments"] == ["calculate_risk"]


def test_only_segments_that_the_type_accepts_are_listed(safe: Safe) -> None:
    text = "class W:\n    def run(self): ...\n\n\ndef load(): ...\n"
    wanted = {"python_function": ["load"], "python_method": ["W.run"], "python_class": ["W"]}
    for type_, names in wanted.items():
        edit = {"segment_type": type_, "segment_name": "lood", "new_content": "x"}
        assert safe.refused("w.py", text, segment_edit=edit)["available_segments"] == names
    edit = {"segment_type": "markdown_section", "segment_name": "Hed", "new_content": "# Hed"}
    marked = "---\ntitle: a\n---\n\nintro\n\n# Head\n\n```sh\nls\n```\n\n- item\n"
    data = safe.refused("a.md", marked, segment_edit=edit)
    assert data["available_segments"] == ["Head", "preamble"]
    assert safe.schema("a.md")["edit_capabilities"]["segments"] == {"markdown_section": ["Head"]}


def test_a_file_without_a_segment_of_the_type_lists_none(safe: Safe) -> None:
    edit = {"segment_type": "python_method", "segment_name": "W.run", "new_content": "x"}
    data = safe.refused("w.py", "def load(): ...\n", segment_edit=edit)
    assert "Available segments: none" in str(data["error"])
    assert "available_segments" not in data


@pytest.mark.parametrize(
    ("content", "after"),
    [
        ("def m(self):\n    x = 1\n\n\n    return x\n\n", "        x = 1\n\n\n        return x\n"),
        ("        def m(self):\n            return 2", "        return 2\n"),
        (
            'def m(self):\n    """One.\n\n      Deeper.\n    """',
            '        """One.\n\n          Deeper.\n        """\n',
        ),
    ],
)
def test_a_method_written_anywhere_is_put_where_it_belongs(
    safe: Safe, content: str, after: str
) -> None:
    text = "class A:\n    def m(self):\n        return 1\n"

    done = safe.after("a.py", text, segment_edit=method("A.m", content))

    assert done == f"class A:\n    def m(self):\n{after}"


def test_a_nested_function_is_as_deep_as_it_was(safe: Safe) -> None:
    text = "def o():\n    if True:\n        def i():\n            return 1\n    return i\n"

    done = safe.after("a.py", text, segment_edit=function("o.i", "def i():\n    return 2"))

    assert done == text.replace("return 1", "return 2")


@pytest.mark.parametrize("body", ["  \treturn 2", "    if 1:\n\treturn 2\n    return 3"])
def test_tabs_and_spaces_mixed_in_new_lines_are_refused(safe: Safe, body: str) -> None:
    text = "class A:\n    def m(self):\n        return 1\n"

    data = safe.refused("a.py", text, segment_edit=method("A.m", f"def m(self):\n{body}"))

    assert data["code"] == "bad-indentation"
    assert "hint" not in data


def test_the_answer_names_what_placed_the_edit(safe: Safe) -> None:
    safe.desk.write("a.md", DOC)
    given = {"segment_type": "template_block", "segment_name": "Problem"}

    data = safe.ok("a.md", segment_edit={**given, "new_content": "## Problem\n\nNew."})

    assert (data["segment"], data["detector"]) == ("Design::Problem", "markdown")


def test_the_factories_make_what_the_tool_takes(desk: Desk) -> None:
    desk.write("a.md", DOC)
    desk.write("a.py", "def f():\n    pass\n\n\nclass C:\n    def m(self):\n        pass\n")
    workspace = desk.workspace

    receipts = [
        workspace.edit(SegmentEdit.edit_section("Problem", "## Problem\n\nNew.").as_edit("a.md")),
        workspace.edit(SegmentEdit.edit_function("f", "def f():\n    return 1").as_edit("a.py")),
        workspace.edit(
            SegmentEdit.edit_method("C.m", "def m(self):\n    return 2").as_edit("a.py")
        ),
        workspace.edit(SegmentEdit.edit_class("C", "class C:\n    x = 3").as_edit("a.py")),
        workspace.edit(
            SegmentEdit.edit_template_block("Decision", "## Decision\n\nNo.").as_edit("a.md")
        ),
    ]

    assert all(receipt.ok for receipt in receipts)
    assert desk.read("a.py") == "def f():\n    return 1\n\n\nclass C:\n    x = 3\n"
    assert desk.read("a.md") == "# Design\n\n## Problem\n\nNew.\n\n## Decision\n\nNo.\n"


def test_a_factory_s_edit_goes_through_the_tool_too(desk: Desk) -> None:
    desk.write("a.md", DOC)
    edit = SegmentEdit.edit_section("Problem", "## Problem\n\nNew.")

    said = desk.call("safe_edit_file", {"path": "a.md", "segment_edit": edit}, "safe-edit")

    assert said.data["segment"] == "Design::Problem"


def test_query_file_schema_of_a_file_without_a_template(safe: Safe) -> None:
    safe.desk.write("a.md", DOC)

    data = safe.schema("a.md")

    names = ["Design", "Design::Problem", "Design::Decision"]
    wanted: dict[str, object] = {
        "path": "a.md",
        "file_type": "non-scaffolded",
        "template_id": None,
        "template_version": None,
        "template_schema": {"required": [], "optional": []},
        "edit_capabilities": {
            "segments": {"markdown_section": names},
            "text": True,
            "lines": True,
            "patch": True,
        },
        "edit_modes": ["content", "line_edits", "insert_lines", "search/replace", "segment_edit"],
    }
    assert [row["address"] for row in data["structure"]["segments"]] == names
    assert {field: data.get(field) for field in wanted} == wanted


def test_query_file_schema_of_a_file_from_a_template(safe: Safe) -> None:
    variables = {"title": "Search", "problem_statement": "Slow.", "decision": "Cache."}
    made = safe.desk.workspace.scaffold("design", "docs/search.md", variables)
    assert made.ok, made.as_text()

    data = safe.schema("docs/search.md")

    assert (data["file_type"], data["template_id"]) == ("scaffolded", "design")
    assert len(data["template_version"]) == 8
    assert data["edit_capabilities"]["segments"]["template_block"]
    assert {"required", "optional"} == data["template_schema"].keys()


def test_a_template_block_is_edited_by_its_name(safe: Safe) -> None:
    variables = {"title": "Search", "problem_statement": "Slow.", "decision": "Cache."}
    safe.desk.workspace.scaffold("design", "docs/search.md", variables)
    blocks = safe.schema("docs/search.md")["structure"]["blocks"]
    (block,) = [each for each in blocks if each["name"] == "decision"]

    data = safe.ok(
        "docs/search.md",
        segment_edit={
            "segment_type": "template_block",
            "segment_name": "decision",
            "new_content": f"## {block['title']}\n\nIndex.\n",
        },
    )

    text = safe.desk.read("docs/search.md")
    assert "Index." in text
    assert "Cache." not in text
    assert data["success"]


def test_query_file_schema_writes_nothing_and_works_read_only(desk: Desk) -> None:
    desk.write("a.md", DOC)

    with Workspace(desk.root, read_only=True) as workspace:
        said = workspace.call("query_file_schema", {"path": "a.md"}, "safe-edit")

    assert said.data["file_type"] == "non-scaffolded"


def test_a_directory_has_no_schema(safe: Safe) -> None:
    assert safe.tools.no("query_file_schema", path=".")["code"] == "no-file"


def test_a_note_has_the_names_of_the_tool(safe: Safe) -> None:
    safe.desk.write("a.txt", "one\n")

    data = safe.ok("a.txt", search="one", replace="one")

    assert data["warnings"] == ["`search` and `replace` are the same text"]
