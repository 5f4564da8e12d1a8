"""Bugs 34 to 50: what the samples of the text tools, and their first implementation, got wrong."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from keyhole.toolsets import tool_named
from keyhole.toolsets.text.requests import REMOVED
from tests.toolsets.desk import Desk
from tests.toolsets.vault import Vault, numbers


@pytest.fixture
def vault(desk: Desk) -> Vault:
    return Vault(desk)


def test_bug_34_empty_old_text_is_refused(vault: Vault) -> None:
    vault.write("text\n")

    assert vault.not_replaced("", "x")["message"] == (
        "`oldText` is empty\nquote the text to replace"
    )


@pytest.mark.parametrize("said", ["second", "FIRST ", "First", "0", "-1", "1.5", 0, True, []])
def test_bug_35_an_unknown_occurrence_is_refused(vault: Vault, said: object) -> None:
    vault.write("text text\n")

    message = vault.not_replaced("text", "x", occurrence=said)["message"]

    assert message.endswith("it is first, last, all or a number from 1")


def test_bug_36_lines_and_context_are_those_of_the_new_text(vault: Vault) -> None:
    vault.write("a\nX\nb\nX\nc\n")

    data = vault.replace("X", "1\n2\n3")

    assert data["affectedLines"] == {"start": 2, "end": 4}
    assert numbers(data["context"]["beforeLines"]) == [1]
    assert [row["text"] for row in data["context"]["afterLines"]] == ["b", "X", "c"]
    assert data["note"] == "1 other occurrence found at line 6"


def test_bug_36_all_tells_of_every_place(vault: Vault) -> None:
    vault.write("X\nb\nX\n")

    data = vault.replace("X", "1\n2", occurrence="all")

    assert data["affectedLines"] == {"start": 1, "end": 5}
    assert data["affectedRanges"] == [{"start": 1, "end": 2}, {"start": 4, "end": 5}]


def test_bug_37_every_line_around_an_insertion_is_in_the_context(vault: Vault) -> None:
    vault.write("1\n2\n3\n4\n")

    data = vault.patch("insert", {"lines": {"start": 2}}, content="x")

    assert data["affectedLines"] == {"start": 3, "end": 3}
    assert numbers(data["context"]["beforeLines"]) == [1, 2]
    assert numbers(data["context"]["afterLines"]) == [4, 5]


def test_bug_37_an_insertion_before_the_first_line_has_lines(vault: Vault) -> None:
    vault.write("# One\ntext\n")

    data = vault.patch("insert", {"beforeHeading": "# One"}, content="Top.")

    assert data["affectedLines"] == {"start": 1, "end": 2}
    assert data["context"]["beforeLines"] == []


def test_bug_38_four_different_files_have_four_hashes(vault: Vault) -> None:
    bodies = [b"a\nb\n", b"a\r\nb\r\n", b"a\nb", b"\xef\xbb\xbfa\nb\n"]

    hashes = set()
    for body in bodies:
        vault.write(body)
        hashes.add(vault.inspect()["fileHash"])

    assert len(hashes) == 4


def test_bug_39_line_ends_mark_and_mode_stay(vault: Vault) -> None:
    path = vault.desk.write("a.md", b"\xef\xbb\xbfone\r\ntwo\nthree")
    path.chmod(0o640)
    other = vault.desk.write("a.md.tmp", "somebody's")

    vault.replace("one", "1")

    assert path.read_bytes() == b"\xef\xbb\xbf1\r\ntwo\nthree"
    assert path.stat().st_mode & 0o777 == 0o640
    assert other.read_bytes() == b"somebody's"


def test_bug_40_a_hash_is_checked_on_the_text_that_is_edited(vault: Vault) -> None:
    vault.write("0 one two three four five six seven eight\n")
    digest = vault.inspect()["fileHash"]

    with ThreadPoolExecutor(8) as pool:
        words = ["one", "two", "three", "four", "five", "six", "seven", "eight"]
        waiting = [
            pool.submit(
                vault.desk.call,
                "TextReplace",
                {"filePath": "a.md", "oldText": w, "newText": "X", "expectedHash": digest},
                "text",
            )
            for w in words
        ]
        refused = [each.result().refused for each in waiting]

    assert refused.count(False) == 1
    assert vault.read().count("X") == 1


def test_bug_41_relative_indentation_stays(vault: Vault) -> None:
    vault.write("- a\n  - old\n")

    vault.patch("replace", {"lines": {"start": 2}}, content="- b\n  - c\n    - d")

    assert vault.read() == "- a\n  - b\n    - c\n      - d\n"


def test_bug_41_without_preserve_indent_nothing_is_moved(vault: Vault) -> None:
    vault.write("- a\n  - old\n")

    vault.patch("replace", {"lines": {"start": 2}}, content="b\n  c", preserveIndent=False)

    assert vault.read() == "- a\nb\n  c\n"


def test_bug_42_a_final_newline_adds_no_blank_line_and_crlf_no_returns(vault: Vault) -> None:
    vault.write("one\ntwo\n")

    vault.patch("replace", {"lines": {"start": 1}}, content="1\r\n1b\r\n")

    assert vault.read() == "1\n1b\ntwo\n"


def test_bug_42_replacing_by_nothing_is_an_edit(vault: Vault) -> None:
    vault.write("one\ntwo\n")

    vault.patch("replace", {"lines": {"start": 1}}, content="")

    assert vault.read() == "two\n"


FENCED = "```sh\n## Setup\n#!/bin/sh\n```\n\n#tag\n\n## Setup\n\ntext\n"


@pytest.mark.parametrize("name", ["heading", "beforeHeading", "appendToSection"])
def test_bug_43_every_target_knows_what_a_heading_is(vault: Vault, name: str) -> None:
    vault.write(FENCED)

    vault.patch("insert", {name: "## Setup"}, content="NEW")

    assert vault.read().index("NEW") > vault.read().index("#tag")
    for mark in ("#tag", "#!/bin/sh"):
        assert vault.not_patched("insert", {name: mark}, content="x")["status"] == "error"


def test_bug_44_marks_name_the_level(vault: Vault) -> None:
    vault.write("# Setup\n\none\n\n## Setup\n\ntwo\n")

    vault.patch("replace", {"heading": "## Setup"}, content="## Setup\n\nnew")

    assert vault.read() == "# Setup\n\none\n\n## Setup\n\nnew\n"


def test_bug_44_two_headings_of_one_name_are_refused(vault: Vault) -> None:
    vault.write("# A\n\n## Setup\n\none\n\n# B\n\n## Setup\n\ntwo\n")

    assert vault.not_patched("delete", {"heading": "## Setup"})["code"] == "ambiguous"


def test_bug_45_what_is_appended_stands_apart(vault: Vault) -> None:
    vault.write("# A\n\n## One\n\ntext\n\n\n\n## Two\n\nmore\n")

    vault.patch("insert", {"appendToSection": "## One"}, content="NEW")

    assert vault.read() == "# A\n\n## One\n\ntext\n\nNEW\n\n\n\n## Two\n\nmore\n"


def test_bug_45_the_end_below_a_subsection_is_said(vault: Vault) -> None:
    vault.write("# A\n\n## One\n\ntext\n\n# B\n")

    data = vault.patch("insert", {"appendToSection": "# A"}, content="NEW")

    assert vault.read() == "# A\n\n## One\n\ntext\n\nNEW\n\n# B\n"
    assert data["note"].endswith("the end of the section lies below its subsection 'One'")


@pytest.mark.parametrize("name", ["beforeHeading", "appendToSection"])
@pytest.mark.parametrize("operation", ["replace", "delete"])
def test_bug_45_a_point_can_only_be_inserted_at(vault: Vault, name: str, operation: str) -> None:
    vault.write("# A\n\ntext\n")
    more = {"content": "x"} if operation == "replace" else {}

    assert vault.not_patched(operation, {name: "# A"}, **more)["message"].startswith(
        f"`{name}` is a point"
    )


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("```\n```\n", "```\nNEW\n```\n"),
        ("~~~\nold\n~~~\n", "~~~\nNEW\n~~~\n"),
        ("````\n```python\nold\n````\n", "````\nNEW\n````\n"),
        ("- a\n\n  ```\n  old\n  ```\n", "- a\n\n  ```\n  NEW\n  ```\n"),
        ("```\nold\n# not closed\n", "```\nNEW\n"),
    ],
    ids=repr,
)
def test_bug_46_fences_of_every_form_hold_code(vault: Vault, text: str, after: str) -> None:
    vault.write(text)

    vault.patch("replace", {"codeBlock": {"index": 0}}, content="NEW")

    assert vault.read() == after


def test_bug_46_marks_in_an_open_fence_are_no_headings(vault: Vault) -> None:
    vault.write("```\n# code\n")

    assert vault.inspect()["headings"] == []


def test_bug_47_front_matter_has_its_outermost_keys(vault: Vault) -> None:
    vault.write("---\n# no key\ntitle: x\nnested:\n  inner: 1\n...\ntext\n")

    assert vault.inspect()["frontmatter"] == {"start": 1, "end": 6, "keys": ["title", "nested"]}


def test_bug_48_two_targets_are_refused(vault: Vault) -> None:
    vault.write("# A\n")

    message = vault.not_patched("delete", {"heading": "# A", "lines": {"start": 1}})["message"]

    assert message == "`target` names heading and lines; it names exactly one place"


def test_bug_48_what_was_removed_is_in_no_description() -> None:
    tool = tool_named("TextPatch", ("text",))

    words = {word.strip('":{},().') for word in f"{tool.about} {tool.takes}".split()}
    assert not words & {"afterHeading", "pattern", "replaceLines"}
    assert {"afterHeading", "pattern", "text", "section"} == REMOVED.keys()


def test_bug_49_a_neighbour_with_a_longer_name_is_outside(vault: Vault, tmp_path: Path) -> None:
    backup = tmp_path / "root-backup"
    backup.mkdir()
    (backup / "a.md").write_bytes(b"text\n")
    (vault.desk.root / "link.md").symlink_to(backup / "a.md")

    for path in (str(backup / "a.md"), "link.md", str(vault.desk.root).upper() + "/a.md"):
        data = vault.not_replaced("text", "x", filePath=path)
        assert data["code"] in {"path-denied", "no-file"}
    assert (backup / "a.md").read_bytes() == b"text\n"


def test_bug_50_only_the_place_is_replaced_on_its_line(vault: Vault) -> None:
    vault.write("Setup and Setup, Setup\n")

    vault.replace("Setup", "x", occurrence=2)

    assert vault.read() == "Setup and x, Setup\n"


def test_no_temporary_file_is_left(vault: Vault) -> None:
    vault.write("text\n")
    vault.replace("text", "x")
    vault.not_replaced("nowhere", "x")

    assert [path.name for path in vault.desk.root.iterdir()] == ["a.md"]
