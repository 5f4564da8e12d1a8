"""The text tools: each test that document 002 names, and what else it promises."""

import hashlib

import pytest

from keyhole import Workspace
from tests.toolsets.desk import Desk
from tests.toolsets.vault import Vault, numbers

DOC = "# Intro\nIntro text\n## Setup\nSetup text\n## Config\nConfig text\n"
TEN = "".join(f"line {number}\n" for number in range(1, 11))


@pytest.fixture
def vault(desk: Desk) -> Vault:
    found = Vault(desk)
    found.write(DOC)
    return found


# What every tool does first.


def test_002_compute_file_hash_same_content_returns_same_hash(vault: Vault) -> None:
    vault.write(DOC, "b.md")

    assert vault.inspect()["fileHash"] == vault.inspect(filePath="b.md")["fileHash"]


def test_002_compute_file_hash_different_content_returns_different_hash(vault: Vault) -> None:
    vault.write(f"{DOC}more\n", "b.md")

    assert vault.inspect()["fileHash"] != vault.inspect(filePath="b.md")["fileHash"]


def test_002_validate_expected_hash_matching_does_not_throw(vault: Vault) -> None:
    digest = vault.inspect()["fileHash"].upper()

    assert vault.replace("Setup text", "x", expectedHash=digest)["status"] == "success"


def test_002_validate_expected_hash_mismatching_throws_with_current_hash(vault: Vault) -> None:
    current = vault.inspect()["fileHash"]

    data = vault.not_replaced("Setup text", "x", expectedHash="0123456789abcdef")

    assert data["message"].startswith(
        f"a.md may have been modified: expectedHash is 0123456789abcdef, "
        f"and the file's hash is {current}"
    )
    assert data["fileHash"] == current


def test_other_refusals_as_stale_are_not_told_as_another_hash(vault: Vault) -> None:
    vault.write("a\n")
    vault.replace("a", "a\nb")
    digest = vault.inspect()["fileHash"].upper()
    vault.write("a\nb\n", "b.md")

    for expected in ("", digest):
        data = vault.not_replaced("a", "a\nb", filePath="b.md", expectedHash=expected)

        assert data["code"] == "stale"
        assert data["message"].startswith("the new text already stands at line 1 of b.md")
        assert "nothing is left to do" in data["message"]


# TextReplace.


def test_002_run_single_occurrence_replaces_text(vault: Vault) -> None:
    data = vault.replace("Setup text", "New text")

    assert vault.read() == DOC.replace("Setup text", "New text")
    assert data == {
        "status": "success",
        "filePath": "a.md",
        "occurrencesFound": 1,
        "occurrencesReplaced": 1,
        "affectedLines": {"start": 4, "end": 4},
        "preview": {"before": "Setup text", "after": "New text"},
        "context": {
            "beforeLines": [
                {"number": 1, "text": "# Intro"},
                {"number": 2, "text": "Intro text"},
                {"number": 3, "text": "## Setup"},
            ],
            "afterLines": [
                {"number": 5, "text": "## Config"},
                {"number": 6, "text": "Config text"},
            ],
        },
        "fileHash": hashlib.sha256(vault.read().encode()).hexdigest()[:16],
    }


def test_002_run_multiple_occurrences_replaces_first_by_default(vault: Vault) -> None:
    data = vault.replace("text", "TEXT")

    assert vault.read() == DOC.replace("text", "TEXT", 1)
    assert (data["occurrencesFound"], data["occurrencesReplaced"]) == (3, 1)


def test_002_run_multiple_occurrences_replaces_last(vault: Vault) -> None:
    vault.replace("text", "TEXT", occurrence="last")

    assert vault.read() == DOC.replace("Config text", "Config TEXT")


def test_002_run_multiple_occurrences_replaces_all(vault: Vault) -> None:
    data = vault.replace("text", "TEXT", occurrence="all")

    assert vault.read() == DOC.replace("text", "TEXT")
    assert data["occurrencesReplaced"] == 3
    assert "note" not in data


@pytest.mark.parametrize("second", ["2", 2])
def test_002_run_multiple_occurrences_replaces_nth(vault: Vault, second: object) -> None:
    vault.replace("text", "TEXT", occurrence=second)

    assert vault.read() == DOC.replace("Setup text", "Setup TEXT")


def test_002_run_nth_occurrence_exceeds_total_throws(vault: Vault) -> None:
    data = vault.not_replaced("Setup text", "x", occurrence="5")

    assert data["message"].startswith("Occurrence 5 requested but only 1 found")


def test_002_run_text_not_found_throws_with_message(vault: Vault) -> None:
    data = vault.not_replaced("nowhere in here", "x")

    assert data["code"] == "not-found"
    assert data["message"].startswith("`oldText` is not in a.md")


def test_002_run_text_not_found_case_insensitive_match_throws_with_suggestion(
    vault: Vault,
) -> None:
    data = vault.not_replaced("SETUP TEXT", "x")

    assert data["message"] == (
        "`oldText` is not in a.md. Did you mean 'Setup text' at line 4?\n"
        "send the text in the case that it has in the file"
    )


def test_002_run_multiline_old_text_replaces_across_lines(vault: Vault) -> None:
    data = vault.replace("Intro text\n## Setup\n", "one\ntwo\nthree\n")

    assert vault.read() == DOC.replace("Intro text\n## Setup\n", "one\ntwo\nthree\n")
    assert data["affectedLines"] == {"start": 2, "end": 4}


def test_002_run_returns_context_lines(vault: Vault) -> None:
    vault.write(TEN)

    context = vault.replace("line 5", "x")["context"]

    assert numbers(context["beforeLines"]) == [2, 3, 4]
    assert numbers(context["afterLines"]) == [6, 7, 8]


def test_002_run_returns_file_hash(vault: Vault) -> None:
    digest = vault.replace("Setup text", "x")["fileHash"]

    assert digest == hashlib.sha256(vault.read().encode()).hexdigest()[:16]


def test_002_run_expected_hash_matches_succeeds(vault: Vault) -> None:
    first = vault.replace("Setup text", "one")

    second = vault.replace("one", "two", expectedHash=first["fileHash"])

    assert second["status"] == "success"


def test_002_run_expected_hash_mismatches_throws(vault: Vault) -> None:
    old = vault.inspect()["fileHash"]
    vault.replace("Setup text", "one")

    data = vault.not_replaced("Config text", "two", expectedHash=old)

    assert data["code"] == "stale"


def test_002_run_first_occurrence_note_includes_other_locations(vault: Vault) -> None:
    note = vault.replace("text", "one\ntwo")["note"]

    assert note == "2 other occurrences found at lines 5, 7"


@pytest.mark.parametrize("path", ["../a.md", "/etc/a.md", "~/a.md"])
def test_002_run_path_outside_vault_throws(vault: Vault, path: str) -> None:
    data = vault.not_replaced("a", "b", filePath=path)

    assert data["code"] in {"path-denied", "no-file"}


@pytest.mark.parametrize("path", ["a.exe", "a", "a.md.bin"])
def test_002_run_disallowed_extension_throws(vault: Vault, path: str) -> None:
    vault.write("text", path)

    data = vault.not_replaced("text", "x", filePath=path)

    assert data["code"] == "path-denied"
    assert "are not allowed here" in data["message"]


# Targets that are gone.


def test_002_run_text_target_throws_argument_exception(vault: Vault) -> None:
    data = vault.not_patched("replace", {"text": "Setup"}, content="x")

    assert data["message"].startswith("target `text` was removed\nuse TextReplace")


def test_002_run_pattern_target_throws_argument_exception(vault: Vault) -> None:
    data = vault.not_patched("replace", {"pattern": "S.*"}, content="x")

    assert data["message"].startswith("target `pattern` was removed\nfind it with TextInspect")


def test_002_run_section_target_throws_argument_exception(vault: Vault) -> None:
    data = vault.not_patched("replace", {"section": "main"}, content="x")

    assert data["message"].startswith("target `section` was removed\nuse heading")


def test_002_run_replace_lines_operation_throws_argument_exception(vault: Vault) -> None:
    data = vault.not_patched("replaceLines", {"lines": {"start": 1}}, content="x")

    assert data["message"] == (
        '`replaceLines` is no longer an operation\nuse operation "replace" with target lines'
    )


# appendToSection.


def test_002_run_append_to_section_inserts_at_end_of_section(vault: Vault) -> None:
    vault.patch("insert", {"appendToSection": "## Setup"}, content="More.")

    assert vault.read() == (
        "# Intro\nIntro text\n## Setup\nSetup text\n\nMore.\n\n## Config\nConfig text\n"
    )


def test_002_run_append_to_section_last_section_inserts_at_end_of_file(vault: Vault) -> None:
    vault.patch("insert", {"appendToSection": "## Config"}, content="More.\n")

    assert vault.read() == f"{DOC}\nMore.\n"


def test_002_run_append_to_section_non_markdown_throws(vault: Vault) -> None:
    vault.write("# Setup\n", "a.txt")

    data = vault.not_patched("insert", {"appendToSection": "Setup"}, content="x", filePath="a.txt")

    assert data["message"] == (
        "target appendToSection needs a Markdown file, and a.txt is none\nuse target lines"
    )


def test_002_run_append_to_section_heading_not_found_throws(vault: Vault) -> None:
    data = vault.not_patched("insert", {"appendToSection": "## Setpu"}, content="x")

    assert data["message"].startswith(
        "there is no heading '## Setpu' in a.md\nsimilar headings: '## Setup' (line 3)"
    )


# Hashes and context.


def test_002_run_returns_context_window_after_edit(vault: Vault) -> None:
    vault.write(TEN)

    context = vault.patch("replace", {"lines": {"start": 5, "end": 6}}, content="x")["context"]

    assert [row["text"] for row in context["beforeLines"]] == ["line 2", "line 3", "line 4"]
    assert [row["text"] for row in context["afterLines"]] == ["line 7", "line 8", "line 9"]
    assert numbers(context["afterLines"]) == [6, 7, 8]


def test_002_run_returns_file_hash_after_edit(vault: Vault) -> None:
    digest = vault.patch("delete", {"lines": {"start": 1}})["fileHash"]

    assert digest == hashlib.sha256(vault.read().encode()).hexdigest()[:16]


def test_002_run_expected_hash_matches_proceeds_with_edit(vault: Vault) -> None:
    digest = vault.inspect()["fileHash"]

    data = vault.patch("delete", {"lines": {"start": 1}}, expectedHash=digest)

    assert data["status"] == "success"


def test_002_run_expected_hash_mismatches_throws_before_editing(vault: Vault) -> None:
    data = vault.not_patched("delete", {"lines": {"start": 1}}, expectedHash="0123456789abcdef")

    assert "may have been modified" in data["message"]


def test_002_run_context_window_at_file_start_has_no_before_lines(vault: Vault) -> None:
    context = vault.patch("replace", {"lines": {"start": 1}}, content="# New")["context"]

    assert context["beforeLines"] == []
    assert numbers(context["afterLines"]) == [2, 3, 4]


def test_002_run_context_window_at_file_end_has_no_after_lines(vault: Vault) -> None:
    context = vault.patch("replace", {"lines": {"start": 6}}, content="New")["context"]

    assert context["afterLines"] == []
    assert numbers(context["beforeLines"]) == [3, 4, 5]


# TextInspect.


def test_002_run_structure_mode_returns_file_hash(vault: Vault) -> None:
    digest = vault.inspect()["fileHash"]

    assert len(digest) == 16
    assert int(digest, 16) >= 0


def test_002_run_structure_mode_file_hash_changes_when_content_changes(vault: Vault) -> None:
    before = vault.inspect()["fileHash"]
    vault.write(f"{DOC}\n")

    assert vault.inspect()["fileHash"] != before


# What the document promises besides.


def test_the_whole_answer_of_a_patch(vault: Vault) -> None:
    data = vault.patch("replace", {"heading": "## Setup"}, content="## Setup\nOther text\nmore")

    assert vault.read() == DOC.replace("Setup text", "Other text\nmore")
    assert data == {
        "status": "success",
        "filePath": "a.md",
        "operation": "replace",
        "affectedLines": {"start": 3, "end": 5},
        "linesDelta": 1,
        "linesChanged": 3,
        "newContent": "## Setup\nOther text\nmore",
        "preview": {
            "before": "## Setup\nSetup text",
            "after": "## Setup\nOther text\nmore",
        },
        "context": {
            "beforeLines": [
                {"number": 1, "text": "# Intro"},
                {"number": 2, "text": "Intro text"},
            ],
            "afterLines": [
                {"number": 6, "text": "## Config"},
                {"number": 7, "text": "Config text"},
            ],
        },
        "fileHash": vault.inspect()["fileHash"],
        "note": "File now has 7 lines (was 6)",
    }


@pytest.mark.parametrize(
    ("operation", "target", "content", "after"),
    [
        ("insert", {"lines": {"start": 2}}, "x", DOC.replace("Intro text\n", "Intro text\nx\n")),
        ("delete", {"lines": {"start": 1, "end": 4}}, None, "## Config\nConfig text\n"),
        ("insert", {"heading": "Setup"}, "x", DOC.replace("## Setup\n", "## Setup\nx\n\n")),
        ("delete", {"heading": "## Setup"}, None, DOC.replace("## Setup\nSetup text\n", "")),
        (
            "insert",
            {"beforeHeading": "## Config"},
            "x",
            DOC.replace("## Config", "x\n## Config"),
        ),
    ],
    ids=str,
)
def test_a_target_is_a_place(
    vault: Vault, operation: str, target: object, content: str | None, after: str
) -> None:
    more = {} if content is None else {"content": content}

    vault.patch(operation, target, **more)

    assert vault.read() == after


@pytest.mark.parametrize(
    ("operation", "content", "after"),
    [
        ("replace", "y = 2\nz = 3", "```py\ny = 2\nz = 3\n```\n"),
        ("insert", "y = 2", "```py\nx = 1\ny = 2\n```\n"),
        ("delete", None, "```py\n```\n"),
    ],
)
def test_a_code_block_is_what_stands_between_its_fences(
    vault: Vault, operation: str, content: str | None, after: str
) -> None:
    vault.write("```py\nx = 1\n```\n")
    more = {} if content is None else {"content": content}

    vault.patch(operation, {"codeBlock": {"index": 0}}, **more)

    assert vault.read() == after


def test_a_heading_is_found_by_its_text_if_its_marks_fit_none(vault: Vault) -> None:
    data = vault.patch("insert", {"appendToSection": "#### setup"}, content="More.")

    assert vault.read().index("More.") < vault.read().index("## Config")
    assert "no heading is '#### setup' with these marks: matched by its text" in data["note"]
    assert vault.not_patched("delete", {"heading": "#### nowhere"})["code"] == "unknown-segment"


def test_a_code_block_that_is_not_there_is_counted(vault: Vault) -> None:
    data = vault.not_patched("replace", {"codeBlock": {"index": 2}}, content="x")

    assert data["message"] == "there is no code block 2: a.md has 0\ncount them from 0"


@pytest.mark.parametrize(
    ("operation", "target", "more", "message"),
    [
        (
            "merge",
            {"lines": {"start": 1}},
            {},
            "`operation` is 'merge'; it is one of replace, insert",
        ),
        ("replace", {"lines": {"start": 1}}, {}, "`content` is missing"),
        ("insert", {"lines": {"start": 1}}, {}, "`content` is missing"),
        ("delete", {"lines": {"start": 1}}, {"content": "x"}, "`content` and operation delete"),
        ("delete", {"afterHeading": "# A"}, {}, "target `afterHeading` was removed\nuse appendTo"),
        ("delete", {"line": 1}, {}, "unknown target `line`\na target is one of lines, heading"),
        ("delete", {}, {}, "`target` is not an object that names a place"),
        ("delete", "heading", {}, "`target` is not an object that names a place"),
        ("delete", {"lines": {"start": 0}}, {}, "`lines` is 0-0; start is from 1"),
        ("delete", {"lines": {"start": 3, "end": 2}}, {}, "`lines` is 3-2; start is from 1"),
        ("delete", {"lines": "all"}, {}, "`lines` is not an object with start and end"),
        ("delete", {"lines": {"start": 99}}, {}, "line 99 is out of bounds (a.md has 6 lines)"),
        ("delete", {"codeBlock": {"index": -1}}, {}, "`index` of codeBlock is not a number from 0"),
        ("delete", {"codeBlock": 1}, {}, "`codeBlock` is not an object with an index"),
        ("delete", {"heading": ""}, {}, "`heading` is not the text of a heading"),
    ],
    ids=str,
)
def test_a_call_that_makes_no_sense_says_what_does(
    vault: Vault, operation: str, target: object, more: dict[str, object], message: str
) -> None:
    data = vault.not_patched(operation, target, **more)

    assert data["message"].startswith(message)


def test_a_target_that_came_as_text_is_taken_and_noted(vault: Vault) -> None:
    data = vault.patch("delete", '{"lines": {"start": 1}}')

    assert data["healed"] == ["`target` was text that holds JSON"]


def test_long_texts_are_cut_in_previews(vault: Vault) -> None:
    long = "x" * 300
    vault.write(f"{long}\n")

    data = vault.replace(long, "y" * 300)

    assert data["preview"] == {"before": f"{'x' * 200}...", "after": f"{'y' * 200}..."}
    patched = vault.patch("replace", {"lines": {"start": 1}}, content="z\n" * 300)
    assert patched["newContent"] == f"{'z' + chr(10)}" * 100 + "..."
    again = vault.patch("replace", {"lines": {"start": 1, "end": 300}}, content="z")
    assert "preview" not in again


def test_a_match_by_tolerance_is_named(vault: Vault) -> None:
    vault.write("- one  \n- two\n")

    data = vault.replace("- one\n- two", "- 1\n- 2")

    assert data["note"].startswith("matched whitespace: ")


def test_extensions_that_the_user_allows_are_those_of_the_vault(desk: Desk) -> None:
    desk.write("a.md", "x\n")
    desk.write("a.org", "x\n")
    desk.write("keyhole.toml", 'extensions = ["org"]\n')

    with Workspace(desk.root) as workspace:
        denied = workspace.call("TextInspect", {"filePath": "a.md"}, "text")
        allowed = workspace.call("TextInspect", {"filePath": "a.org"}, "text")

    assert denied.refused
    assert not allowed.refused


def test_the_structure_of_a_document(vault: Vault) -> None:
    text = (
        "---\ntitle: x\n# comment\nnested:\n  inner: 1\nlist: [a]\n---\n"
        '# One {#top}\n\nTwo\n---\n\n```python\n# no heading\nid="no"\n```\n\n'
        '<a id="here"></a>\n\n## Three ##\n'
    )
    vault.write(text)

    data = vault.inspect()

    assert data.pop("fileHash")
    assert data == {
        "filePath": "a.md",
        "mode": "structure",
        "totalLines": 20,
        "fileSize": "146B",
        "format": "markdown",
        "frontmatter": {"start": 1, "end": 7, "keys": ["title", "nested", "list"]},
        "headings": [
            {"level": 1, "text": "One {#top}", "line": 8},
            {"level": 2, "text": "Two", "line": 10},
            {"level": 2, "text": "Three", "line": 20},
        ],
        "codeBlocks": [{"start": 13, "end": 16, "language": "python"}],
        "anchors": [{"id": "top", "line": 8}, {"id": "here", "line": 18}],
    }


def test_the_structure_of_plain_text(vault: Vault) -> None:
    vault.write("[one]\na=1\n\nhello\nworld\n\n[two]\n", "a.ini")

    data = vault.inspect(filePath="a.ini")

    assert data["sections"] == [{"name": "one", "line": 1}, {"name": "two", "line": 7}]
    assert [group["line"] for group in data["groups"]] == [1, 4, 7]


@pytest.mark.parametrize(
    ("size", "said"), [(10, "10B"), (1229, "1.2KB"), (3 * 1024 * 1024, "3.0MB")]
)
def test_sizes_are_said_as_people_say_them(vault: Vault, size: int, said: str) -> None:
    vault.write("x" * size)

    assert vault.inspect()["fileSize"] == said


def test_a_search_ignores_case_and_knows_the_heading(vault: Vault) -> None:
    data = vault.inspect(mode="search", query="SETUP", context=1)

    assert data["totalMatches"] == 2
    assert data["matches"][1] == {
        "line": 4,
        "column": 1,
        "text": "Setup text",
        "nearestHeading": "Setup",
        "context": {"before": ["## Setup"], "after": ["## Config"]},
    }


def test_a_search_may_be_a_pattern(vault: Vault) -> None:
    data = vault.inspect(mode="search", query="^co\\w+ t", regex=True)

    assert [match["line"] for match in data["matches"]] == [6]
    plain = vault.inspect(mode="search", query="^co\\w+ t")
    assert plain["totalMatches"] == 0


def test_what_a_search_shows_is_cut(vault: Vault) -> None:
    vault.write(f"{'y' * 200}\n{'x' * 300}\n")

    (match,) = vault.inspect(mode="search", query="x" * 300, context=1)["matches"]

    assert len(match["text"]) == 200
    assert len(match["context"]["before"][0]) == 100


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("5", [5]),
        ("8-", [8, 9, 10]),
        ("2-3, 9", [2, 3, 9]),
        ("9-99", [9, 10]),
        ("0-2", [1, 2]),
        ("50", []),
    ],
)
def test_lines_are_shown_by_number_and_cut_to_the_file(
    vault: Vault, query: str, found: list[int]
) -> None:
    vault.write(TEN)

    data = vault.inspect(mode="lines", query=query)

    assert numbers(data["lines"]) == found
    assert data["totalLines"] == 10


@pytest.mark.parametrize(
    "more",
    [
        {"mode": "lines", "query": "a-b"},
        {"mode": "lines", "query": "9-3"},
        {"mode": "lines"},
        {"mode": "search"},
        {"mode": "tree"},
        {"mode": "search", "query": "(", "regex": True},
        {"filePath": "nope.md"},
        {"filePath": "."},
    ],
    ids=str,
)
def test_a_look_that_makes_no_sense_is_refused(vault: Vault, more: dict[str, object]) -> None:
    assert vault.unchanged("TextInspect", {"filePath": "a.md", **more})["message"]


def test_a_hash_that_is_none_is_refused_by_the_name_of_the_tool(vault: Vault) -> None:
    vault.write("one\n")

    data = vault.not_replaced("one", "1", expectedHash="zz")

    assert data["message"].startswith("`expectedHash`: 'zz' is not a hash")


def test_lines_that_are_more_than_one_answer_holds_are_said_to_be_cut(vault: Vault) -> None:
    vault.write("x\n" * 3000)

    cut = vault.inspect(mode="lines", query="1-3000")

    assert (len(cut["lines"]), cut["truncated"]) == (2000, True)
    assert "truncated" not in vault.inspect(mode="lines", query="2001-3000")
