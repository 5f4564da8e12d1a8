"""Bugs 1 to 33 and 73 to 79: what the documents' own samples of safe_edit_file got wrong."""

import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.toolsets.desk import Desk
from tests.toolsets.safe import Safe, class_, function, lines, method, section, segment

GUIDE = """\
---
# a comment of the front matter
title: x
---
Hello.

# Guide

## Problem Statement

Old.

```sh
# not a heading
```

<!--
# nor this
-->

Title
-----

Text.

##NoHeading

    # code

## Closed ##

End.
"""


@pytest.fixture
def safe(desk: Desk) -> Safe:
    return Safe(desk)


def test_bug_01_marks_in_fences_front_matter_and_comments_are_no_headings(safe: Safe) -> None:
    safe.desk.write("a.md", GUIDE)

    names = [name for name in safe.names("a.md") if not name.startswith("Guide::code")]

    assert not any("not a heading" in name or "nor this" in name for name in names)
    assert not any("comment" in name for name in names)


def test_bug_02_setext_closing_marks_and_indented_code(safe: Safe) -> None:
    safe.desk.write("a.md", GUIDE)

    sections = safe.schema("a.md")["edit_capabilities"]["segments"]["markdown_section"]

    assert sections == [
        "Guide",
        "Guide::Problem Statement",
        "Guide::Title",
        "Guide::Closed",
    ]


def test_bug_03_the_bare_name_of_a_section_hits_below_a_title(safe: Safe) -> None:
    after = safe.after(
        "a.md", GUIDE, segment_edit=section("Problem Statement", "## Problem Statement\n\nNew.\n")
    )

    assert after.count("New.") == 1
    assert "Old." not in after


def test_bug_04_sections_of_the_same_name_are_ambiguous(safe: Safe) -> None:
    text = "# A\n\n## X\n\none\n\n## X\n\ntwo\n"

    data = safe.refused("a.md", text, segment_edit=section("X", "## X\n\nnew"))

    assert data["code"] == "ambiguous"
    assert data["error"] == (
        "Multiple segments match 'X':\n  - A::X#1 (line 3)\n  - A::X#2 (line 7)\n"
        "Use hierarchical name: 'Parent::Child', or one of these"
    )


def test_bug_04_a_title_with_colons_and_a_path_are_told_apart(safe: Safe) -> None:
    text = "# A\n\n## B\n\none\n\n# A::B\n\ntwo\n"

    safe.desk.write("a.md", text)
    data = safe.no("a.md", segment_edit=section("A::B", "new"))

    assert data["code"] == "ambiguous"
    assert safe.desk.read("a.md") == text


def test_bug_05_the_last_section_ends_with_the_file_and_can_be_edited(safe: Safe) -> None:
    safe.desk.write("a.md", "# A\ntext\n")

    (row,) = [row for row in safe.rows("a.md") if row["address"] == "A"]

    assert row["lines"] == [1, 2]
    safe.ok("a.md", segment_edit=section("A", "# A\nnew"))
    assert safe.desk.read("a.md") == "# A\nnew\n"


def test_bug_06_blank_lines_between_sections_stay(safe: Safe) -> None:
    text = "# A\n\none\n\n\n# B\n\ntwo\n"

    assert safe.after("a.md", text, segment_edit=section("A", "# A\nnew")) == (
        "# A\nnew\n\n\n# B\n\ntwo\n"
    )


def test_bug_06_the_text_before_the_first_heading_has_a_name(safe: Safe) -> None:
    text = "Hello.\n\n# A\n"

    assert safe.after("a.md", text, segment_edit=section("preamble", "Bye.")) == "Bye.\n\n# A\n"


WORKER = """\
import functools


@functools.cache
async def load():
    return 1


def outer():
    def inner():
        return 1

    class Local:
        pass

    return inner


class A:
    class Meta:
        x = 1

    class B:
        def m(self):
            return 1

    def run(self):
        def helper():
            return 1

        return helper()

    @property
    def p(self):
        return 1

    @p.setter
    def p(self, value):
        pass


class C:
    class Meta:
        x = 2


if True:
    def twin():
        return 1
else:
    def twin():
        return 2
"""


def test_bug_07_every_definition_is_there_under_its_own_name(safe: Safe) -> None:
    safe.desk.write("a.py", WORKER)

    rows = {row["address"]: row for row in safe.rows("a.py")}

    wanted = "load outer outer.inner outer.Local A A.Meta A.B A.B.m A.run A.run.helper C.Meta"
    assert set(wanted.split()) <= rows.keys()
    assert {"A.p#1", "A.p#2", "twin#1", "twin#2"} <= rows.keys()
    assert rows["load"]["lines"][0] == 4


def test_bug_07_an_overload_is_never_chosen_silently(safe: Safe) -> None:
    data = safe.refused("a.py", WORKER, segment_edit=method("A.p", "def p(self):\n    return 2"))

    assert data["code"] == "ambiguous"
    assert data["available_segments"] == ["A.p#1", "A.p#2"]


def test_bug_08_five_thousand_lines_of_python_take_no_seconds(safe: Safe) -> None:
    body = "".join(f"class C{n}:\n    def m(self):\n        return {n}\n\n\n" for n in range(1000))
    safe.desk.write("a.py", body)
    started = time.process_time()

    rows = safe.rows("a.py")

    assert len(rows) == 2000
    assert time.process_time() - started < 4


def test_bug_09_a_function_request_never_gets_a_class(safe: Safe) -> None:
    data = safe.refused("a.py", WORKER, segment_edit=function("A", "def A():\n    pass"))

    assert data["code"] == "wrong-segment-kind"
    assert data["error"] == (
        "`A` is of kind class, not python function\n"
        "Valid types: python_class\nRequested: python_function"
    )


def test_bug_09_a_segment_type_must_fit_the_file_type(safe: Safe) -> None:
    data = safe.refused("a.md", "# A\n", segment_edit=function("A", "def A(): pass"))

    assert data["error"] == (
        "Segment type 'python_function' not valid for file type.\nFile: markdown (.md)\n"
        "Valid types: markdown_section, template_block\nRequested: python_function"
    )
    assert "available_segments" not in data


def test_bug_12_empty_content_and_empty_replace_are_edits(safe: Safe) -> None:
    assert safe.after("a.txt", "some text\n", content="") == ""
    assert safe.after("a.txt", "some text\n", search="some ", replace="") == "text\n"


@pytest.mark.parametrize(
    "more",
    [{"search": "a"}, {"replace": "a"}, {"line_edits": []}, {"insert_lines": []}],
    ids=str,
)
def test_bug_12_what_is_there_counts_as_a_mode_also_when_empty(
    safe: Safe, more: dict[str, object]
) -> None:
    data = safe.refused("a.txt", "a\n", content="b\n", **more)

    assert data["error"].startswith("exactly one edit mode must be specified; content and ")


def test_bug_13_a_file_in_another_encoding_keeps_its_bytes(safe: Safe) -> None:
    path = safe.desk.write("a.py", "# coding: latin-1\nx = 'é'\ny = 1\n".encode("latin-1"))

    safe.ok("a.py", search="y = 1", replace="y = 2")

    assert path.read_bytes() == "# coding: latin-1\nx = 'é'\ny = 2\n".encode("latin-1")


def test_bug_13_an_error_says_its_line(safe: Safe) -> None:
    data = safe.refused("a.py", "x = 1\n", line_edits=[lines(1, 1, "x = (")])

    assert "line 1, column 5" in data["error"]


TWO_M = "class C:\n    def m(self):\n        return 1\n\n\ndef m():\n    return 2\n"


def test_bug_14_a_function_request_means_the_function_and_not_a_method(safe: Safe) -> None:
    after = safe.after("a.py", TWO_M, segment_edit=function("m", "def m():\n    return 3"))

    assert after == TWO_M.replace("return 2", "return 3")


def test_bug_15_async_decorated_and_conditional_methods(safe: Safe) -> None:
    text = (
        "class C:\n    if True:\n        @deco\n        async def m(self):\n            return 1\n"
    )

    after = safe.after(
        "a.py", text, segment_edit=method("C.m", "@deco\nasync def m(self):\n    return 2")
    )

    assert after == text.replace("return 1", "return 2")
    assert "C.m" in safe.names("a.py")


@pytest.mark.parametrize("odd", ["\f", "\v", "\x85", "\u2028", "\x1c"], ids=ascii)
def test_bug_16_only_line_ends_end_lines(safe: Safe, odd: str) -> None:
    text = f"x = '''a{odd}b'''\n\n\ndef f():\n    return 1\n"

    after = safe.after("a.py", text, segment_edit=function("f", "def f():\n    return 2"))

    assert after == text.replace("return 1", "return 2")
    (row,) = [row for row in safe.rows("a.py") if row["address"] == "f"]
    assert row["lines"] == [4, 5]


def test_bug_17_sections_of_one_name_below_different_parents(safe: Safe) -> None:
    text = "# A\n\n## Setup\n\none\n\n# B\n\n## Setup\n\ntwo\n"

    after = safe.after("a.md", text, segment_edit=section("B::Setup", "## Setup\n\nnew"))

    assert after == text.replace("two", "new")


def test_bug_17_five_thousand_headings_take_no_seconds(safe: Safe) -> None:
    safe.desk.write("a.md", "".join(f"## Heading {n}\n\ntext\n\n" for n in range(5000)))
    started = time.process_time()

    assert len(safe.rows("a.md")) == 5000
    assert time.process_time() - started < 4


def test_bug_18_a_broken_part_is_said_to_be_broken_and_sound_ones_can_be_edited(
    safe: Safe,
) -> None:
    text = "def good():\n    return 1\n\n\ndef bad(:\n    return 2\n"

    data = safe.refused("a.py", text, segment_edit=function("bad", "def bad():\n    pass"))

    assert data["code"] == "unparsable"
    assert data["fallback_suggestion"] == {"mode": "line_edits"}
    assert data["available_segments"] == ["good"]
    assert data["parse_error"].startswith("`bad` is named in line 5")
    after = safe.after("a.py", text, segment_edit=function("good", "def good():\n    return 3"))
    assert after == text.replace("return 1", "return 3")


def test_bug_19_markdown_is_never_indented(safe: Safe) -> None:
    text = "# A\n\n    code\n\n# B\n"

    assert safe.after("a.md", text, segment_edit=section("A", "# A\n\ntext")) == (
        "# A\n\ntext\n\n# B\n"
    )


TABBED = "class A:\n\tdef m(self):\n\t\tif self:\n\t\t\treturn 1\n"


def test_bug_20_bodies_with_tabs_keep_their_nesting(safe: Safe) -> None:
    content = "def m(self):\n\tif self:\n\t\treturn 2\n\treturn 3"

    assert safe.after("a.py", TABBED, segment_edit=method("A.m", content)) == (
        "class A:\n\tdef m(self):\n\t\tif self:\n\t\t\treturn 2\n\t\treturn 3\n"
    )


def test_bug_20_lines_shallower_than_the_first_are_not_flattened(safe: Safe) -> None:
    content = "    def m(self):\n        if self:\n            return 2\n        return 3"

    assert safe.after("a.py", TABBED, segment_edit=method("A.m", content)) == (
        "class A:\n\tdef m(self):\n\t\tif self:\n\t\t\treturn 2\n\t\treturn 3\n"
    )


def test_bug_21_the_inside_of_a_string_is_a_value_and_stays(safe: Safe) -> None:
    text = "class A:\n    def m(self):\n        return 1\n"
    content = 'def m(self):\n    return """\none\n   \n  two\n"""'

    after = safe.after("a.py", text, segment_edit=method("A.m", content))

    assert after.endswith('        return """\none\n   \n  two\n"""\n')


def test_bug_22_tabs_become_what_the_file_uses(safe: Safe) -> None:
    text = "class A:\n    def m(self):\n        return 1\n"

    after = safe.after("a.py", text, segment_edit=method("A.m", "def m(self):\n\treturn 2"))

    assert after == text.replace("return 1", "return 2")


def test_bug_23_a_leading_newline_adds_no_blank_line(safe: Safe) -> None:
    text = "class A:\r\n    def m(self):\r\n        return 1"

    after = safe.after("a.py", text, segment_edit=method("A.m", "\ndef m(self):\n    return 2\n"))

    assert after == text.replace("return 1", "return 2")


def test_bug_24_a_first_line_that_lost_its_indent_is_read_right(safe: Safe) -> None:
    text = "class A:\n    def m(self):\n        if self:\n            return 1\n        return 0\n"
    content = "def m(self):\n        if self:\n            return 2\n        return 0"

    after = safe.after("a.py", text, segment_edit=method("A.m", content))

    assert after == text.replace("return 1", "return 2")


def test_bug_25_a_method_is_checked_as_part_of_its_file(safe: Safe) -> None:
    text = "class A:\n    def m(self):\n        return 1\n"

    data = safe.refused("a.py", text, segment_edit=method("A.m", "return 1"))

    assert data["code"] == "syntax-broken"
    broken = safe.refused("a.py", text, segment_edit=class_("A", "class A(:\n    pass"))
    assert broken["code"] == "syntax-broken"


def test_bug_26_tabs_are_fine_where_they_belong(safe: Safe) -> None:
    safe.after("a.py", TABBED, segment_edit=method("A.m", "def m(self):\n\treturn '\t'"))
    markdown = safe.after("a.md", "# A\n", segment_edit=section("A", "# A\n\n\tcode with a\ttab"))

    assert safe.desk.read("a.py") == "class A:\n\tdef m(self):\n\t\treturn '\t'\n"
    assert markdown == "# A\n\n\tcode with a\ttab\n"


NESTED = "class A:\n    def m(self):\n        return 1\n"


def test_bug_27_preserve_agent_keeps_what_was_sent(safe: Safe) -> None:
    content = "    def m(self):\n            return 2"

    after = safe.after(
        "a.py",
        NESTED,
        segment_edit=method("A.m", content, indentation_strategy="preserve_agent"),
    )

    assert after == "class A:\n    def m(self):\n            return 2\n"


@pytest.mark.parametrize(
    "strategy",
    [
        {"indentation_strategy": "preserve_agent"},
        {"indentation_strategy": "explicit", "explicit_indent": 0},
    ],
)
def test_a_method_does_not_leave_its_class_by_its_column(
    safe: Safe, strategy: dict[str, object]
) -> None:
    edit = method("A.m", "def m(self):\n    return 2", **strategy)

    refused = safe.refused("a.py", NESTED, segment_edit=edit)
    written = safe.after("a.py", NESTED, segment_edit=edit, mode="interactive")

    assert refused["code"] == "bad-indentation"
    assert "expected 4 spaces, got 0" in refused["error"]
    assert written == "class A:\ndef m(self):\n    return 2\n"


def test_bug_27_an_explicit_indent_is_used(safe: Safe) -> None:
    edit = method(
        "A.m", "def m(self):\n    return 2", indentation_strategy="explicit", explicit_indent=4
    )

    assert safe.after("a.py", NESTED, segment_edit=edit) == NESTED.replace("1", "2")


@pytest.mark.parametrize(
    ("more", "error"),
    [
        (
            {"indentation_strategy": "EXPLICIT"},
            "explicit_indent required when indentation_strategy=EXPLICIT",
        ),
        (
            {"indentation_strategy": "explicit", "explicit_indent": -4},
            "`explicit_indent` is -4; it is a number of spaces from 0",
        ),
        (
            {"explicit_indent": 4},
            "`explicit_indent` is given, and indentation_strategy is not explicit",
        ),
        ({"segment_name": " "}, "`segment_name` is empty"),
        ({"new_content": ""}, "`new_content` is empty"),
        (
            {"indentation_strategy": "magic"},
            "`indentation_strategy` is 'magic'; it is one of auto, preserve_agent, explicit",
        ),
    ],
    ids=str,
)
def test_bug_27_a_segment_edit_that_says_nothing_or_two_things_is_refused(
    safe: Safe, more: dict[str, object], error: str
) -> None:
    edit = {**method("A.m", "def m(self): pass"), **more}

    assert safe.refused("a.py", NESTED, segment_edit=edit)["issues"][0]["message"] == error


def test_bug_28_a_segment_edit_ends_as_the_same_lines_would(safe: Safe) -> None:
    named = safe.after("a.py", NESTED, segment_edit=method("A.m", "def m(self):\n    return 2"))
    numbered = safe.after(
        "b.py", NESTED, line_edits=[lines(2, 3, "    def m(self):\n        return 2")]
    )

    assert named == numbered


def test_bug_29_nothing_to_search_for_is_no_search(safe: Safe) -> None:
    assert safe.refused("a.txt", "a\n", search="", replace="x")["error"] == (
        "`search` is empty (give the text to find; content mode writes a whole file)"
    )
    alone = safe.refused("a.txt", "a\n", search="a")
    assert alone["error"] == "`replace` is missing: search and replace go together"
    assert safe.refused("a.txt", "a\n", line_edits=[])["error"] == (
        "`line_edits` is empty (give at least one)"
    )


def test_bug_30_an_unknown_mode_is_refused(safe: Safe) -> None:
    data = safe.refused("a.txt", "a\n", content="b\n", mode="lenient")

    assert data["error"] == "`mode` is 'lenient'; it is one of strict, interactive, verify_only"


def test_bug_30_interactive_writes_and_warns(safe: Safe) -> None:
    safe.desk.write("a.py", "x = 1\n")

    data = safe.ok("a.py", content="x = (\n", mode="interactive")

    assert safe.desk.read("a.py") == "x = (\n"
    assert [issue["message"] for issue in data["issues"]] == ["'(' was never closed"]


def test_bug_31_the_diff_is_one_that_git_applies(safe: Safe, desk: Desk) -> None:
    desk.write("a.txt", "one\ntwo\n")
    diff = safe.ok("a.txt", search="two", replace="2", mode="verify_only")["diff"]

    done = subprocess.run(
        ["git", "apply"], input=diff.encode(), cwd=desk.root, check=False, capture_output=True
    )

    assert done.returncode == 0, done.stderr
    assert desk.read("a.txt") == "one\n2\n"


def test_bug_31_content_mode_makes_a_file_and_its_directories(safe: Safe) -> None:
    data = safe.ok("deep/er/new.txt", content="hello\n")

    assert safe.desk.read("deep/er/new.txt") == "hello\n"
    assert data["message"] == "deep/er/new.txt created"


def test_bug_31_nothing_is_printed(safe: Safe, capsys: pytest.CaptureFixture[str]) -> None:
    safe.after("a.txt", "one\n", search="one", replace="two")

    assert capsys.readouterr() == ("", "")


def test_bug_33_a_class_is_a_segment_type(safe: Safe) -> None:
    after = safe.after("a.py", TWO_M, segment_edit=class_("C", "class C:\n    x = 1"))

    assert after == "class C:\n    x = 1\n\n\ndef m():\n    return 2\n"


def test_bug_73_empty_content_beside_another_mode_never_empties_the_file(safe: Safe) -> None:
    data = safe.refused("a.txt", "a\nb\n", content="", line_edits=[lines(1, 1, "x")])

    assert data["error"].startswith("exactly one edit mode must be specified")


@pytest.mark.parametrize("count", [0, -1])
@pytest.mark.parametrize("regex", [True, False])
def test_bug_74_a_count_is_a_number_from_one(safe: Safe, count: int, regex: bool) -> None:  # noqa: FBT001
    data = safe.refused("a.txt", "a a\n", search="a", replace="b", search_count=count, regex=regex)

    assert data["error"] == (
        f"`search_count` is {count}; it is a number from 1, and without it all count"
    )


def test_bug_74_a_file_can_be_emptied(safe: Safe) -> None:
    assert safe.after("a.txt", "a\n", content="") == ""


def test_bug_75_two_inserts_at_one_line_keep_their_order(safe: Safe) -> None:
    inserts = [{"at_line": 2, "content": "x"}, {"at_line": 2, "content": "y"}]

    assert safe.after("a.txt", "1\r\n2\r\n", insert_lines=inserts) == "1\r\nx\r\ny\r\n2\r\n"


def test_bug_75_what_is_appended_to_an_open_last_line_is_a_line(safe: Safe) -> None:
    inserts = [{"at_line": 3, "content": "3"}]

    assert safe.after("a.txt", "1\n2", insert_lines=inserts) == "1\n2\n3"


def test_bug_75_a_line_edit_adds_no_final_newline(safe: Safe) -> None:
    assert safe.after("a.txt", "1\r\n2", line_edits=[lines(2, 2, "two\n")]) == "1\r\ntwo"


def test_bug_76_the_lines_of_a_diff_are_lines(safe: Safe) -> None:
    safe.desk.write("a.txt", "one\n")

    diff = safe.ok("a.txt", search="one", replace="two")["diff"]

    assert diff.split("\n")[1:4] == ["--- a/a.txt", "+++ b/a.txt", "@@ -1 +1 @@"]


def test_bug_77_a_refusal_is_an_error_in_every_mode(safe: Safe) -> None:
    safe.desk.write("a.py", "x = 1\n")

    for mode in ("strict", "verify_only"):
        assert safe.no("a.py", content="x = (\n", mode=mode)["success"] is False


def test_bug_77_a_search_that_finds_nothing_saves_nothing(safe: Safe) -> None:
    path = safe.desk.write("a.txt", "one\n")
    before = path.stat()

    data = safe.ok("a.txt", search="two", replace="x", mode="interactive")

    assert data["written"] is False
    assert data["message"] == "pattern not found in a.txt: nothing was changed"
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_bug_77_an_edit_that_changes_nothing_writes_nothing(safe: Safe) -> None:
    path = safe.desk.write("a.txt", "one\n")
    before = path.stat()

    data = safe.ok("a.txt", content="one\n")

    assert (data["changed"], data["written"], data["diff"]) == (False, False, "")
    assert path.stat().st_ino == before.st_ino


def test_bug_78_edits_at_the_same_time_all_succeed(safe: Safe) -> None:
    safe.desk.write("a.txt", "".join(f"line {n}\n" for n in range(8)))

    with ThreadPoolExecutor(8) as pool:
        waiting = [
            pool.submit(safe.ok, "a.txt", search=f"line {n}", replace=f"LINE {n}") for n in range(8)
        ]
        for each in waiting:
            each.result()

    assert safe.desk.read("a.txt") == "".join(f"LINE {n}\n" for n in range(8))


def test_bug_79_a_group_that_is_not_there_is_no_fault_of_the_pattern(safe: Safe) -> None:
    data = safe.refused("a.txt", "a\n", search="(a)", replace=r"\2", regex=True)

    assert data["code"] == "bad-regex"
    assert data["issues"][0]["message"] == (
        "`replace` names group 2, which the pattern does not have"
    )


def test_bug_79_a_pattern_cannot_take_forever(safe: Safe) -> None:
    safe.desk.write("a.txt", "a" * 5000 + "\n")
    started = time.process_time()

    safe.no("a.txt", search="(a*)*b", replace="x", regex=True)

    assert time.process_time() - started < 4


@pytest.mark.parametrize("path", ["../outside.txt", "/etc/passwd"])
def test_bug_79_a_path_outside_is_denied(safe: Safe, path: str) -> None:
    assert safe.no(path, content="x")["code"] == "path-denied"


def test_a_template_block_without_a_template_is_placed_by_name(safe: Safe) -> None:
    text = "# A\n\n## Acceptance Criteria\n\n- old\n"
    edit = segment("template_block", "Acceptance Criteria", "## Acceptance Criteria\n\n- [ ] new")

    assert safe.after("a.md", text, segment_edit=edit) == text.replace("- old", "- [ ] new")
