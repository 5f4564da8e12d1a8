"""The tools for articles: what document 003 asks for, and bugs 51 to 62 of its samples."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from keyhole import Workspace
from tests.toolsets.desk import Data, Desk, Set

DOC = "# Auth\n\nThe login endpoint accepts a password.\n\n## Parameters\n\n| Name |\n|------|\n"


@pytest.fixture
def tools(desk: Desk) -> Set:
    desk.write("docs/auth.md", DOC)
    return Set(desk, "article")


def edits(*triples: tuple[str, str, str]) -> list[dict[str, str]]:
    names = ("old_string", "new_string", "reason")
    return [dict(zip(names, each, strict=True)) for each in triples]


def edited(tools: Set, *triples: tuple[str, str, str]) -> Data:
    return tools.ok("edit_article", path="docs/auth.md", edits=edits(*triples))


def refused(tools: Set, given: object, path: str = "docs/auth.md") -> Data:
    """The refusal of a call that leaves the article as it was."""
    before = tools.desk.read("docs/auth.md")
    data = tools.no("edit_article", path=path, edits=given)
    assert tools.desk.read("docs/auth.md") == before
    assert data["success"] is False
    return data


def audited(desk: Desk, *words: str) -> Data:
    """What `keyhole audit` prints."""
    import sys

    program = str(Path(sys.executable).with_name("keyhole"))
    command = [program, "audit", "--root", str(desk.root), *words]
    done = subprocess.run(command, check=True, capture_output=True, env=os.environ)
    return json.loads(done.stdout)


def test_the_whole_answer_of_an_edit(tools: Set) -> None:
    data = edited(
        tools,
        ("accepts a password.", "accepts a password and a token.", "login takes a token"),
        ("| Name |\n|------|\n", "| Name |\n|------|\n| token |\n", "document the token"),
    )

    assert data.pop("transaction")
    assert len(data.pop("hash")) == 16
    assert data == {
        "success": True,
        "output": "Applied 2 edits to docs/auth.md",
        "appliedEdits": [
            {"index": 0, "reason": "login takes a token"},
            {"index": 1, "reason": "document the token"},
        ],
        "warnings": [],
    }


def test_edits_are_made_in_order_on_the_running_text(tools: Set) -> None:
    edited(tools, ("a password", "a secret", "one"), ("a secret.", "a key.", "two"))

    assert tools.desk.read("docs/auth.md") == DOC.replace("a password.", "a key.")


def test_edits_that_take_each_other_back_are_no_change(tools: Set) -> None:
    data = edited(tools, ("a password", "a key", "one"), ("a key", "a password", "two"))

    assert (data["output"], data["appliedEdits"]) == ("No article changes applied.", [])


def test_one_edit_is_taken_back_alone_unless_another_builds_on_it(tools: Set) -> None:
    workspace = tools.desk.workspace
    apart = edited(tools, ("# Auth", "# Login", "one"), ("a password", "a key", "two"))
    taken = workspace.undo(apart["transaction"], edit=0)
    built = edited(tools, ("a key", "a long key", "one"), ("long", "short", "two"))
    kept = workspace.undo(built["transaction"], edit=1)

    assert taken.ok
    assert not kept.ok
    assert tools.desk.read("docs/auth.md") == DOC.replace("a password", "a short key")


def test_one_failure_writes_nothing(tools: Set) -> None:
    data = refused(tools, edits(("a password", "a key", "one"), ("nowhere", "x", "two")))

    assert data["index"] == 1


def test_not_found_is_told_with_a_preview(tools: Set) -> None:
    data = refused(tools, edits(("no such words", "x", "why")))

    assert data["error"] == (
        "Edit 0: Text not found in file. The old_string you provided does not exist in the file."
        f"\n\nActual file content:\n```\n{DOC}\n```\n\nPlease use exact text from the file above."
    )


def test_the_preview_has_five_hundred_characters(tools: Set) -> None:
    tools.desk.write("docs/auth.md", "x" * 501)

    data = refused(tools, edits(("no such words", "x", "why")))

    assert f"```\n{'x' * 500}...\n\n[File truncated - 501 chars total]\n```" in data["error"]


def test_not_unique_is_told_with_a_hint(tools: Set) -> None:
    tools.desk.write("docs/auth.md", "one\ntwo\none\nthree\none\n")

    data = refused(tools, edits(("one", "x", "why")))

    assert data == {
        "success": False,
        "error": "Edit 0: Text appears 3 times in file - include more surrounding context "
        "to make it unique",
        "hint": "Add a heading, preceding paragraph, or other unique text to old_string",
        "code": "ambiguous",
        "index": 0,
        "lines": [1, 3, 5],
    }


@pytest.mark.parametrize("old", ["the login endpoint", "The  login", "accepts a password. "])
def test_only_the_exact_text_matches(tools: Set, old: str) -> None:
    assert refused(tools, edits((old, "x", "why")))["code"] == "not-found"


@pytest.mark.parametrize(
    ("edit", "error"),
    [
        ({"new_string": "x", "reason": "y"}, "Edit 0: Missing or invalid 'old_string'"),
        ({"old_string": "x", "reason": "y"}, "Edit 0: Missing or invalid 'new_string'"),
        ({"old_string": "x", "new_string": "y"}, "Edit 0: Missing or invalid 'reason'"),
        (
            {"old_string": {"a": 1}, "new_string": "x", "reason": "y"},
            "Edit 0: Missing or invalid 'old_string'",
        ),
    ],
    ids=str,
)
def test_each_field_is_asked_for_by_name(tools: Set, edit: object, error: str) -> None:
    assert refused(tools, [edit])["error"] == error


def test_a_file_that_is_not_there(tools: Set) -> None:
    data = refused(tools, edits(("a", "b", "c")), path="docs/nope.md")

    assert data["error"] == "File not found: docs/nope.md"


@pytest.mark.parametrize("path", ["../auth.md", "/etc/passwd", "docs/\0.md"])
def test_a_path_outside_the_workspace_is_refused(tools: Set, path: str) -> None:
    assert refused(tools, edits(("a", "b", "c")), path=path)["code"] in {
        "path-denied",
        "bad-request",
    }


def test_the_path_must_be_the_article(desk: Desk) -> None:
    desk.write("docs/auth.md", DOC)
    desk.write("docs/other.md", DOC)
    change = edits(("a password", "a key", "why"))
    with Workspace(desk.root, article="docs/auth.md") as workspace:
        other = workspace.call(
            "edit_article", {"path": "docs/other.md", "edits": change}, "article"
        )
        own = workspace.call("edit_article", {"path": "./docs/auth.md", "edits": change}, "article")

    assert other.text.startswith("path must be the article, docs/auth.md; it is docs/other.md")
    assert desk.read("docs/other.md") == DOC
    assert not own.refused


def test_new_files_and_rewrites_go_through_write_file(tools: Set) -> None:
    new = tools.ok("write_file", path="docs/new.md", content="# New\n", reason="a new page")
    known = tools.ok("read_file", path="docs/auth.md")["hash"]
    stale = tools.no("write_file", path="docs/auth.md", content="x\n", expected_hash="0" * 16)
    whole = tools.ok("write_file", path="docs/auth.md", content="# Auth\n", expected_hash=known)

    assert (new["output"], whole["output"]) == (
        "Created docs/new.md, 1 line",
        "Wrote docs/auth.md, 1 line",
    )
    assert stale["code"] == "stale"


def test_read_file_leaves_no_nul_in_its_output(tools: Set) -> None:
    tools.desk.write("a.txt", b"a" * 9000 + b"\0b")

    assert "\0" not in tools.ok("read_file", path="a.txt")["output"]
    assert tools.no("read_file", path="a\0.txt")["code"] == "bad-request"


# Bugs.


@pytest.mark.parametrize(
    "new", ["$&", "$`", "$'", "$$", "$1", r"\1", r"\g<0>", "\\", r"\n", "Bun.$`mkdir -p ${dir}`"]
)
def test_bug_51_new_text_is_literal(tools: Set, new: str) -> None:
    edited(tools, ("a password", new, "why"))

    assert tools.desk.read("docs/auth.md") == DOC.replace("a password", new)


def test_bug_52_what_was_edited_is_what_is_written(tools: Set) -> None:
    edited(tools, ("a password", "a key", "why"))

    assert tools.desk.read("docs/auth.md") != DOC


def test_bug_53_a_refusal_and_a_success_have_all_their_fields(tools: Set) -> None:
    done = edited(tools, ("a password", "a key", "why"))
    tools.desk.write("docs/auth.md", "one one\n")
    twice = refused(tools, edits(("one", "x", "why")))

    assert {"success", "output", "appliedEdits"} <= done.keys()
    assert {"success", "error", "hint"} <= twice.keys()


def test_bug_54_empty_old_text_is_refused(tools: Set) -> None:
    tools.desk.write("docs/auth.md", "ab")

    assert refused(tools, edits(("", "x", "why")))["error"].startswith(
        "Edit 0: old_string is empty"
    )


def test_bug_54_overlapping_places_count(tools: Set) -> None:
    tools.desk.write("docs/auth.md", "aaa\n")

    assert refused(tools, edits(("aa", "x", "why")))["error"].startswith(
        "Edit 0: Text appears 2 times"
    )


def test_bug_55_the_nearest_place_comes_before_the_preview(tools: Set) -> None:
    text = "filler\n" * 200 + "the quick brown fox\n"
    tools.desk.write("docs/auth.md", text)

    error = refused(tools, edits(("the quikc brown fox", "x", "why")))["error"]

    assert error.index("The nearest place, lines 201-201") < error.index("Actual file content")


def test_bug_55_the_preview_is_of_the_running_text(tools: Set) -> None:
    data = refused(tools, edits(("# Auth", "# Login", "one"), ("nowhere", "x", "two")))

    assert "```\n# Login\n" in data["error"]


def test_bug_55_a_fence_in_the_file_does_not_end_the_preview(tools: Set) -> None:
    tools.desk.write("docs/auth.md", "```js\nx\n```\n")

    error = refused(tools, edits(("nowhere", "x", "two")))["error"]

    assert "````\n```js\nx\n```\n\n````" in error


@pytest.mark.parametrize(
    "given",
    [[], edits(("a password", "a password", "why")), edits(("a password", "x", " ")), None, "x"],
    ids=str,
)
def test_bug_56_a_call_that_does_nothing_or_says_no_reason_is_refused(
    tools: Set, given: object
) -> None:
    assert refused(tools, given)["code"] == "bad-request"


def test_bug_57_edits_at_the_same_time_are_all_kept(tools: Set) -> None:
    tools.desk.write("docs/auth.md", "".join(f"word{n}.\n" for n in range(8)))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: edited(tools, (f"word{n}.", f"WORD{n}.", "why")), range(8)))

    assert tools.desk.read("docs/auth.md") == "".join(f"WORD{n}.\n" for n in range(8))


def test_bug_58_the_audit_is_of_the_article_whatever_its_spelling(tools: Set) -> None:
    change = edits(("a password", "a key", "why"))
    tools.ok("edit_article", path="./docs/auth.md", edits=change)

    (article,) = audited(tools.desk, "docs/auth.md")["records"][0]["articles"]

    assert (article["path"], article["status"]) == ("docs/auth.md", "updated")
    assert "-The login endpoint accepts a password." in article["patch"]
    assert "+edited" not in article["patch"]


def test_bug_59_the_reasons_of_the_edits_reach_the_audit(tools: Set) -> None:
    edited(tools, ("a password", "a key", "one"), ("## Parameters", "## Arguments", "two"))

    (article,) = audited(tools.desk)["records"][0]["articles"]

    assert article["editReasons"] == ["one", "two"]


def test_bug_60_an_emptied_article_was_updated(tools: Set) -> None:
    edited(tools, (DOC, "", "withdrawn"))

    (article,) = audited(tools.desk)["records"][0]["articles"]

    assert tools.desk.read("docs/auth.md") == ""
    assert article["status"] == "updated"


@pytest.mark.parametrize("apart", range(1, 9))
def test_bug_61_the_patch_of_the_audit_applies(tools: Set, tmp_path: Path, apart: int) -> None:
    before = "".join(f"line {n}\n" for n in range(40)) + "no newline"
    tools.desk.write("docs/auth.md", before)
    second = 10 + apart
    edited(tools, ("line 10\n", "X\n", "one"), (f"line {second}\n", "Y\n", "two"))
    patch = audited(tools.desk)["records"][0]["articles"][0]["patch"]
    (tmp_path / "copy" / "docs").mkdir(parents=True)
    (tmp_path / "copy" / "docs" / "auth.md").write_bytes(before.encode())

    subprocess.run(["git", "apply"], input=patch.encode(), cwd=tmp_path / "copy", check=True)

    after = (tmp_path / "copy" / "docs" / "auth.md").read_bytes().decode()
    assert after == tools.desk.read("docs/auth.md")


def test_bug_62_records_are_never_lost(tools: Set) -> None:
    for number in range(60):
        edited(tools, ("# Auth", f"# {number}", "up"), (f"# {number}", "# Auth ", "down"))
        edited(tools, ("# Auth ", "# Auth", "tidy"))

    records = audited(tools.desk, "--limit", "1000")["records"]

    assert len(records) == 120
    assert len(audited(tools.desk)["records"]) == 50


RULES = """import re, sys
text = sys.stdin.read()
front = re.match("---\\n(.*?)^---$", text, re.S | re.M)
if not front:
    print(f"{sys.argv[1]}:1:1: warning: no front matter: add jrn and attention [front]")
elif not re.search("^jrn: *[^ ]", front[1], re.M):
    print(f"{sys.argv[1]}:1:1: error: jrn is missing [jrn]")
elif not re.search("^attention:(?: *\\\\[|\\n *- )", front[1], re.M):
    print(f"{sys.argv[1]}:1:1: error: attention is no list [attention]")
"""
FRONT = "---\njrn: AUTH_1\nattention:\n  - src/auth.ts\n---\n# Auth\n\nold\n"


@pytest.fixture
def ruled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Set]:
    """The set in a workspace whose user has rules for the fields of front matter."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    rules = tmp_path / "rules.py"
    rules.write_text(RULES, encoding="utf-8")
    config = tmp_path / "config" / "keyhole" / "config.toml"
    config.parent.mkdir(parents=True)
    command = json.dumps([sys.executable, str(rules), "{path}"])
    config.write_text(
        f'[validators.front]\ncommand = {command}\nlanguages = ["markdown"]\ninput = "stdin"\n',
        encoding="utf-8",
    )
    (tmp_path / "root").mkdir()
    with Workspace(tmp_path / "root") as workspace:
        yield Set(Desk(tmp_path / "root", workspace), "article")


def changed(old: str, new: str) -> list[dict[str, str]]:
    return [{"old_string": old, "new_string": new, "reason": "why"}]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("jrn: AUTH_1\n", "", "jrn is missing"),
        ("attention:\n  - src/auth.ts", "attention: all", "attention is no list"),
    ],
)
def test_rules_of_a_project_for_its_front_matter_block_the_write(
    ruled: Set, old: str, new: str, said: str
) -> None:
    ruled.desk.write("a.md", FRONT)

    no = ruled.no("edit_article", path="a.md", edits=changed(old, new))

    assert (no["code"], ruled.desk.read("a.md")) == ("lint-broken", FRONT)
    assert said in no["error"]
    assert ruled.ok("edit_article", path="a.md", edits=changed("old", "new"))["warnings"] == []


def test_missing_front_matter_is_a_warning_and_the_edit_is_made(ruled: Set) -> None:
    ruled.desk.write("a.md", FRONT)
    front = FRONT.partition("# Auth")[0]

    done = ruled.ok("edit_article", path="a.md", edits=changed(front, ""))

    assert done["success"]
    assert done["warnings"] == ["warning: no front matter: add jrn and attention"]
    assert ruled.desk.read("a.md") == "# Auth\n\nold\n"


def test_an_addition_that_is_sent_again_is_not_made_twice(tools: Set) -> None:
    call = ("## Parameters\n", "## Parameters\n\nAll are required.\n", "they are")
    first = edited(tools, call)
    made = tools.desk.read("docs/auth.md")
    again = edited(tools, call)
    assert (first["appliedEdits"], again["appliedEdits"]) == (
        [{"index": 0, "reason": "they are"}],
        [],
    )
    assert tools.desk.read("docs/auth.md") == made
