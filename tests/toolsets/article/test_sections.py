import pytest

from keyhole import Edit, Workspace
from tests.toolsets.desk import Desk, Set

TEXT = "intro\n\n# Doc\n\ntext\n\n## A\n\naaa\n\n### A1\n\na1\n\n## B\n### C\n\nc\n"


@pytest.fixture
def tools(desk: Desk) -> Set:
    desk.write("a.md", TEXT)
    return Set(desk, "sections")


def after(tools: Set, tool: str, **given: object) -> str:
    tools.ok(tool, path="a.md", **given)
    return tools.desk.read("a.md")


@pytest.mark.parametrize(
    ("title", "old", "new"),
    [
        ("A", "aaa", "$& new"),
        ("A1", "a1\n", "new\nlines\n"),
        ("C", "\nc\n", "\nnew\n"),
        (None, "intro", "other"),
        ("Doc", "text", "new"),
    ],
)
def test_a_section_has_other_content_and_keeps_heading_and_subsections(
    tools: Set, title: str | None, old: str, new: str
) -> None:
    assert after(tools, "edit_section", section_title=title, content=new.lstrip()) == (
        TEXT.replace(old, new)
    )


def test_a_section_without_text_of_its_own_gets_some(tools: Set) -> None:
    wanted = TEXT.replace("## B\n", "## B\nnew\n\n")

    assert after(tools, "edit_section", section_title="B", content="new") == wanted


@pytest.mark.parametrize("text", ["# Doc\n", "---\na: 1\n---\n# Doc\n", ""])
def test_a_preamble_is_made_where_there_is_none(tools: Set, text: str) -> None:
    tools.desk.write("a.md", text)
    made = after(tools, "edit_section", section_title=None, content="first")

    assert made == text.replace("# Doc", "first\n\n# Doc") if text else made == "first\n"


def test_a_section_is_made_behind_another_or_at_the_end(tools: Set) -> None:
    title = {"section_title": "New", "content": "n\n"}
    behind = after(tools, "create_section", **title, insert_after="A", level=3)
    tools.desk.write("a.md", TEXT)

    assert behind == TEXT.replace("## B\n", "### New\n\nn\n\n## B\n")
    assert after(tools, "create_section", **title) == f"{TEXT}\n## New\n\nn\n"


def test_a_section_is_deleted_with_what_is_in_it(tools: Set) -> None:
    assert after(tools, "delete_section", section_title="A") == TEXT.replace(
        "## A\n\naaa\n\n### A1\n\na1\n\n", ""
    )
    assert after(tools, "delete_section", section_title=None).startswith("# Doc\n")
    assert tools.no("delete_section", path="a.md", section_title=None)["code"] == "unknown-segment"


@pytest.mark.parametrize("title", ["a", "## A", "Doc::A", "nowhere"])
def test_only_the_exact_title_is_one_and_a_refusal_lists_those_there_are(
    tools: Set, title: str
) -> None:
    no = tools.no("edit_section", path="a.md", section_title=title, content="x")

    assert (no["code"], tools.desk.read("a.md")) == ("unknown-segment", TEXT)
    assert "sections: (preamble), 'Doc', 'A', 'A1', 'B', 'C'" in no["error"]


@pytest.mark.parametrize(
    ("tool", "given", "code"),
    [
        ("edit_section", {"content": "x"}, "bad-request"),
        ("edit_section", {"section_title": "A"}, "bad-request"),
        ("create_section", {"section_title": "A", "content": ""}, "bad-request"),
        ("create_section", {"section_title": "x\ny", "content": ""}, "bad-request"),
        ("create_section", {"section_title": "x", "content": "", "level": 7}, "bad-request"),
        ("delete_section", {"section_title": "A", "expected_hash": "0" * 16}, "stale"),
    ],
)
def test_a_call_that_makes_no_sense_changes_nothing(
    tools: Set, tool: str, given: dict[str, object], code: str
) -> None:
    assert tools.no(tool, path="a.md", **given)["code"] == code
    assert tools.desk.read("a.md") == TEXT


def test_sections_of_one_title_are_ambiguous_and_other_files_have_none(tools: Set) -> None:
    tools.desk.write("b.md", "# X\n\n# X\n")
    tools.desk.write("c.py", "x = 1\n")

    assert tools.no("delete_section", path="b.md", section_title="X")["code"] == "ambiguous"
    no = tools.no("delete_section", path="c.py", section_title="X")
    assert no["code"] == "wrong-segment-kind"


@pytest.mark.parametrize("tool", ["edit_section", "create_section", "delete_section"])
def test_a_directory_has_no_sections(tools: Set, tool: str) -> None:
    tools.desk.write("docs/b.md", "b\n")
    content = {} if tool == "delete_section" else {"content": "x"}

    data = tools.no(tool, path="docs", section_title="A", **content)

    assert (data["code"], data["error"]) == ("no-file", "docs is a directory\nname a file in it")


def test_a_section_of_an_older_version_is_found_where_it_stands_now(tools: Set) -> None:
    shown = tools.desk.workspace.read("a.md").hash
    longer = Edit(path="a.md", find="text", content="text\n\nmore\n\nand more")
    tools.desk.workspace.edit([longer])

    carried = after(tools, "edit_section", section_title="A", content="new", expected_hash=shown)

    wanted = TEXT.replace("text", "text\n\nmore\n\nand more").replace("aaa", "new")
    assert carried == wanted


def test_a_title_is_one_of_the_version_that_is_expected(tools: Set) -> None:
    shown = tools.desk.workspace.read("a.md").hash
    tools.desk.workspace.edit([Edit(path="a.md", find="## B", content="## Beta")])

    told = tools.no(
        "delete_section", path="a.md", section_title="Beta", expected_hash=shown.upper()
    )

    assert told["code"] == "unknown-segment"


def test_text_that_a_subsection_repeats_is_told_of_by_nobody(tools: Set) -> None:
    tools.desk.write("a.md", "# A\n\nsame\n\n## B\n\nsame\n")

    data = tools.ok("edit_section", path="a.md", section_title="A", content="new")

    assert (tools.desk.read("a.md"), data["warnings"]) == ("# A\n\nnew\n\n## B\n\nsame\n", [])


def test_what_another_task_wrote_is_not_overwritten_unseen(tools: Set) -> None:
    theirs = Edit(path="a.md", find="a1", content="theirs")
    with Workspace(tools.desk.workspace.root, actor="another") as another:
        another.edit([theirs], task="other")
    given = {"path": "a.md", "section_title": "A1", "content": "mine"}

    said = tools.desk.workspace.call("edit_section", given, "sections", task="own")

    assert (said.refused, said.data["code"]) == (True, "conflict")


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_bytes_that_are_no_text_and_line_ends_stay_around_a_section(tools: Set, end: bytes) -> None:
    text = b"# A\n\nold \xff\n  text\n\n## B\n\n\xe9\n".replace(b"\n", end)
    tools.desk.write("a.md", text)

    tools.ok("edit_section", path="a.md", section_title="A", content="new")

    wanted = text.replace(b"old \xff" + end + b"  text", b"new")
    assert (tools.desk.root / "a.md").read_bytes() == wanted


def test_a_hash_that_is_none_is_refused(tools: Set) -> None:
    data = tools.no("edit_section", path="a.md", section_title="A", content="x", expected_hash="zz")

    assert data["error"].startswith("`expected_hash`: 'zz' is not a hash")
