"""Patches in every format: read, placed by their lines, or refused by name."""

import time

import pytest

from keyhole.edits.model.plan import Snapshot
from keyhole.edits.resolve import resolve
from keyhole.patches.detect import parse
from keyhole.refusals import Refused
from keyhole.text.document import Document

FILE = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n"


def applied(patch: str, before: str = FILE, path: str = "") -> str | None:
    """Apply a patch to the file `a.txt` and return its text, None where it is gone."""
    documents = {"a.txt": Document.from_bytes(before.encode()), "b.txt": None}
    plan = resolve(parse(patch, path), Snapshot(documents))
    afters = [file.after for file in plan.files if not file.moved_to]
    return afters[0].text if afters[0] is not None else None


def refusal(patch: str, before: str = FILE, path: str = "") -> str:
    """Apply a patch that must be refused, and return code and headline."""
    with pytest.raises(Refused) as caught:
        applied(patch, before, path)
    return "; ".join(f"{each.code}: {each.headline}" for each in caught.value.refusals)


UNIFIED = """\
--- a/a.txt
+++ b/a.txt
@@ -2,3 +2,3 @@
 two
-three
+THREE
 four
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("", ""),
        ("@@ -2,3 +2,3 @@", "@@"),
        ("@@ -2,3 +2,3 @@", "@@ -40,3 +40,3 @@"),
        ("@@ -2,3 +2,3 @@", "@@ -2,9 +2,1 @@"),
        ("@@ -2,3 +2,3 @@", "@@ -2,3 +2,3 @@ def f():"),
        ("--- a/a.txt\n+++ b/a.txt\n", "--- a.txt\t2026-01-01 10:00:00\n+++ a.txt\t2026-01-02\n"),
        ("--- a/a.txt\n", "diff --git a/a.txt b/a.txt\nindex 1..2 100644\n--- a/a.txt\n"),
        (" four\n", " four\n-- \n2.39.5\n"),
        ("\n", "\r\n"),
        (UNIFIED, f"```diff\n{UNIFIED}```\n"),
        ("--- a/a.txt\n+++ b/a.txt\n", '--- "a/a.txt"\n+++ "b/a.txt"\n'),
    ],
)
def test_a_unified_diff_is_placed_by_its_lines_whatever_its_headers_say(old: str, new: str) -> None:
    patch = UNIFIED.replace(old, new) if old else UNIFIED

    assert applied(patch) == FILE.replace("three", "THREE")


def test_a_path_decides_which_file_a_patch_is_for() -> None:
    assert applied(UNIFIED.replace("a.txt", "other.txt"), path="a.txt") == FILE.replace(
        "three", "THREE"
    )
    assert applied(UNIFIED.split("\n", 2)[2], path="a.txt") == FILE.replace("three", "THREE")


def test_the_stated_line_decides_between_equal_places_and_only_if_it_is_right() -> None:
    before = "x\na\ny\nx\na\ny\n"
    patch = "--- a/a.txt\n+++ b/a.txt\n@@ -5 +5 @@\n-a\n+b\n"

    assert applied(patch, before) == "x\na\ny\nx\nb\ny\n"
    assert refusal(patch.replace("-5", "-3"), before).startswith("ambiguous: ")


def test_removed_lines_that_look_like_headers_are_lines() -> None:
    before = "-- one\n++ two\nthree\n"
    patch = "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,2 @@\n--- one\n-++ two\n+++ 2\n three\n"

    assert applied(patch, before) == "++ 2\nthree\n"


def test_a_missing_final_newline_is_taken_away_and_given_back() -> None:
    took = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-x\n+x\n\\ No newline at end of file\n"
    gave = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+x\n"

    assert applied(took, "x\n") == "x"
    assert applied(gave, "x") == "x\n"


def test_kept_lines_keep_the_bytes_of_the_file() -> None:
    before = "one  \r\ntwo\t\r\nthree\r\n"
    patch = "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,4 @@\n one\n two\n+new\n three\n"

    assert applied(patch, before) == "one  \r\ntwo\t\r\nnew\r\nthree\r\n"


def test_files_come_go_and_move() -> None:
    created = "--- /dev/null\n+++ b/b.txt\n@@ -0,0 +1,2 @@\n+x\n+y\n"
    deleted = "--- a/a.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
    moved = (
        "diff --git a/a.txt b/b.txt\nrename from a.txt\nrename to b.txt\n"
        "--- a/a.txt\n+++ b/b.txt\n@@ -2,2 +2,2 @@\n two\n-three\n+3\n"
    )

    assert applied(created) == "x\ny\n"
    assert applied(deleted, "x\n") is None
    assert applied(moved) == FILE.replace("three", "3")
    assert refusal(deleted, "y\n") == "not-found: a.txt is not as the deletion says it is"


BEGIN = """\
*** Begin Patch
*** Update File: a.txt
@@ two
 three
-four
+FOUR
*** End Patch
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("", ""),
        ("*** End Patch\n", ""),
        ("@@ two", "@@"),
        ("*** Begin Patch\n", "apply_patch <<'EOF'\n*** Begin Patch\n"),
    ],
)
def test_a_begin_patch_is_placed_below_its_anchors(old: str, new: str) -> None:
    patch = BEGIN.replace(old, new) if old else BEGIN

    assert applied(patch) == FILE.replace("four", "FOUR")


def test_a_begin_patch_adds_deletes_moves_and_appends() -> None:
    head = "*** Begin Patch\n"

    assert applied(f"{head}*** Add File: b.txt\n+x\n+y\n*** End Patch\n") == "x\ny\n"
    assert applied(f"{head}*** Delete File: a.txt\n*** End Patch\n") is None
    moved = f"{head}*** Update File: a.txt\n*** Move to: b.txt\n@@\n-one\n+1\n*** End Patch\n"
    assert applied(moved) == FILE.replace("one", "1")
    ended = f"{head}*** Update File: a.txt\n@@\n+eight\n*** End of File\n*** End Patch\n"
    assert applied(ended) == f"{FILE}eight\n"
    cut = "@@\n-seven\n+7\n\\ No newline at end of file\n*** End of File\n"
    assert applied(f"{head}*** Update File: a.txt\n{cut}*** End Patch\n") == FILE.replace(
        "seven\n", "7"
    )


def test_a_file_that_a_patch_writes_is_written_at_the_path_that_is_given() -> None:
    added = "*** Begin Patch\n*** Add File: other.txt\n+x\n*** End Patch\n"

    assert applied(added, path="b.txt") == "x\n"


BLOCK = """\
a.txt
```
<<<<<<< SEARCH
three
=======
THREE
>>>>>>> REPLACE
```
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("", ""),
        ("SEARCH\n", "SEARCH>\n"),
        ("<<<<<<< SEARCH", "<<<<< SEARCH"),
        ("SEARCH\n", "SEARCH\n:start_line:3\n-------\n"),
        ("<<<<<<< SEARCH", "------- SEARCH"),
        (">>>>>>> REPLACE", "+++++++ REPLACE"),
        (">>>>>>> REPLACE\n", ""),
        (">>>>>>> REPLACE\n```\n", ""),
        ("a.txt\n", "**a.txt**\n"),
        ("\n", "\r\n"),
    ],
)
def test_a_search_replace_block_is_read_with_its_variants(old: str, new: str) -> None:
    patch = BLOCK.replace(old, new) if old else BLOCK

    assert applied(patch) == FILE.replace("three", "THREE")


def test_a_divider_of_another_length_is_text() -> None:
    before = "Title\n=====\ntext\n"
    patch = "a.txt\n<<<<<<< SEARCH\nTitle\n=====\n=======\nName\n====\n>>>>>>> REPLACE\n"

    assert applied(patch, before) == "Name\n====\ntext\n"


def test_json_is_a_patch_too() -> None:
    patch = '{"path": "a.txt", "edits": [{"find": "three", "content": "3"}]}'

    assert applied(patch) == FILE.replace("three", "3")
    assert applied(patch.replace('{"find"', '{"path": null, "find"')) == applied(patch)


def test_every_edit_of_json_that_is_none_is_told_with_its_number() -> None:
    with pytest.raises(Refused) as error:
        parse('[{"path": "a", "find": ""}, {"path": "a", "lines": "1", "x": 1}]')

    assert [each.edit for each in error.value.refusals] == [0, 1]


@pytest.mark.parametrize(
    ("patch", "said"),
    [
        ("", "bad-patch: this is no patch in a known format"),
        ("hello there", "bad-patch: this is no patch in a known format"),
        ("1,2c\nx\n.\n", "bad-patch: this is an ed script"),
        ("*** a\n--- b\n***************\n*** 1 ****\n", "bad-patch: this is a context diff"),
        ("--- a/a.txt\n+++ b/a.txt\n", "bad-patch: the patch has no hunk"),
        ("@@ -1 +1 @@\n-one\n+1\n", "bad-patch: the patch names no file"),
        ("--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n one\n", "bad-patch: the hunk at line 3 changes"),
        (
            "--- /dev/null\n+++ /dev/null\n@@ -0,0 +1 @@\n+x\n",
            "bad-patch: a section names /dev/null",
        ),
        ("diff --git a/l b/l\nnew file mode 120000\n@@ -0,0 +1 @@\n+x\n", "bad-patch: mode 120000"),
        ("diff --git a/l b/l\nGIT binary patch\n", "bad-patch: line 2 makes this a binary patch"),
        ('--- "a/x\\001y"\n+++ "b/x"\n@@ -1 +1 @@\n-a\n+b\n', "bad-patch: the file name"),
        ('--- "a/x\n+++ "b/x"\n@@ -1 +1 @@\n-a\n+b\n', "bad-patch: a quoted file name has no end"),
        (
            "*** Begin Patch\n*** Update File: a.txt\n*** End Patch\n",
            "bad-patch: the update of a.txt",
        ),
        ("*** Begin Patch\n*** Begin Patch\n", "bad-patch: the patch begins twice"),
        ("*** Begin Patch\n*** End Patch\n", "bad-patch: the patch names no file"),
        ("*** Add File: b.txt\nx\n", "bad-patch: a line of the new file b.txt is not marked"),
        ("*** Delete File: a.txt\nx\n", "bad-patch: the deletion of a.txt has lines"),
        ("*** Update File: a.txt\n@@\n-one\n*** x", "bad-patch: a line of the update of a.txt"),
        ("*** Update File: a.txt\n@@\n-one\nx\n", "not-found: the hunk is not in a.txt"),
        ("*** Update File: a.txt\n@@ nine\n+x\n", "not-found: the anchor `nine` is not in"),
        ("*** Update File: a.txt\n@@\n+x\n", "not-found: the hunk only adds lines, and nothing"),
        ("<<<<<<< SEARCH\none\n=======\n1\n>>>>>>> REPLACE\n", "bad-patch: the block at line 1"),
        ("a.txt\n<<<<<<< SEARCH\none\n=======\n", "bad-patch: the block above line 5 has no >"),
        ("a.txt\n<<<<<<< SEARCH\none\n", "bad-patch: the block above line 3 has no ======="),
        ("{", "bad-patch: the patch is not JSON"),
        ("[" * 100_000, "bad-patch: the patch is not JSON: it is nested too deeply"),
        ("[" + "9" * 5000, "bad-patch: the patch is not JSON: a number has too many digits"),
        ('{"path": "a.txt", "edits": [5]}', "bad-request: `edits` must hold objects"),
        ('{"path": 5, "edits": [{"lines": "1", "content": ""}]}', "bad-request: `path` is 5"),
        (
            '{"path": "a.txt", "edits": [{"lines": "1", "content": ""}], "dry_run": true}',
            "bad-request: unknown argument `dry_run`",
        ),
        ("[]", "bad-patch: the patch holds no edits"),
        ('[{"find": "one", "conten": ""}]', "bad-request: unknown field `conten`"),
    ],
)
def test_what_is_no_patch_is_refused_by_name(patch: str, said: str) -> None:
    assert refusal(patch).startswith(said)


def test_every_hunk_that_cannot_be_placed_is_reported() -> None:
    patch = (
        "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-zwei\n+2\n"
        "@@ -3 +3 @@\n-three\n+3\n@@ -6,2 +6,2 @@\n six\n-sieben\n+7\n"
    )

    with pytest.raises(Refused) as caught:
        applied(patch)

    assert [each.edit for each in caught.value.refusals] == [0, 2]


def test_several_files_do_not_go_with_one_path() -> None:
    patch = UNIFIED + UNIFIED.replace("a.txt", "b.txt")

    assert refusal(patch, path="a.txt").startswith("bad-patch: `path` is given")


def test_the_end_of_the_patch_is_no_blank_line_whatever_the_counts_say() -> None:
    patch = UNIFIED.replace("-2,3 +2,3", "-2,4 +2,4")

    assert applied(patch) == FILE.replace("three", "THREE")


def test_two_dividers_are_refused_and_longer_markers_tell_them_apart() -> None:
    before = "Title\n=======\ntext\n"
    block = "a.txt\n<<<<<<< SEARCH\nTitle\n=======\n=======\nName\n=======\n>>>>>>> REPLACE\n"

    assert refusal(block, before) == "bad-patch: the block at line 2 has two dividers"
    longer = block.replace("<<<<<<<", "<<<<<<<<<").replace(">>>>>>>", ">>>>>>>>>")
    longer = longer.replace("=======\n=======", "=======\n=========")
    assert applied(longer, before) == "Name\n=======\ntext\n"


def test_the_first_mark_of_a_format_decides_what_a_patch_is() -> None:
    before = "intro\n*** Begin Patch\n@@\n<<<<<<< SEARCH\n"
    blocks = "a.txt\n<<<<<<<<< SEARCH\n*** Begin Patch\n@@\n=========\nx\n>>>>>>>>> REPLACE\n"
    lines = " intro\n-*** Begin Patch\n+x\n *** End Patch\n"
    begin = f"*** Begin Patch\n*** Update File: a.txt\n@@\n{lines}"

    assert applied(blocks, before) == "intro\nx\n<<<<<<< SEARCH\n"
    after = applied(begin, "intro\n*** Begin Patch\n*** End Patch\n")
    assert after == "intro\nx\n*** End Patch\n"


def test_the_date_of_no_file_makes_and_deletes_as_diff_writes_it() -> None:
    nowhere, now = "1970-01-01 01:00:00.000000000 +0100", "2026-01-01 10:00:00.000000000 +0100"
    created = f"--- a/b.txt\t{nowhere}\n+++ b/b.txt\t{now}\n@@ -0,0 +1 @@\n+x\n"
    deleted = f"--- a/a.txt\t{now}\n+++ b/a.txt\t{nowhere}\n@@ -1 +0,0 @@\n-x\n"

    assert applied(created) == "x\n"
    assert applied(deleted, "x\n") is None


def test_a_last_line_without_end_is_only_ever_the_last() -> None:
    marker = "\\ No newline at end of file\n"
    head = "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n"

    said = "bad-patch: a line follows one that has no end"
    assert refusal(f"{head}-one\n+1\n{marker}+2\n two\n") == said
    middle = f"{head}-one\n+1\n two\n{marker}"
    assert applied(middle) == FILE.replace("one", "1")
    assert applied(middle, "one\ntwo") == "1\ntwo"


def test_line_ends_that_a_patch_names_are_written_and_others_are_the_files() -> None:
    head = "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n"

    assert applied(f"{head}-one\n+one\r\n two\n", "one\ntwo\n") == "one\r\ntwo\n"
    assert applied(f"{head}-one\r\n+1\r\n two\r\n", "one\ntwo\n") == "1\ntwo\n"
    assert applied(f"{head}-one\n+1\n two\n", "one\r\ntwo\r\n") == "1\r\ntwo\r\n"


@pytest.mark.parametrize("header", ["@@ ... @@", "@@ nowhere in the file @@"])
def test_text_behind_a_bare_mark_is_a_hint_and_no_more(header: str) -> None:
    assert applied(UNIFIED.replace("@@ -2,3 +2,3 @@", header)) == FILE.replace("three", "THREE")


def test_text_behind_a_bare_mark_tells_equal_places_apart() -> None:
    before = "def f():\n    return 1\n\ndef g():\n    return 1\n"
    patch = "--- a/a.txt\n+++ b/a.txt\n@@ def g():\n-    return 1\n+    return 2\n"

    assert applied(patch, before) == "def f():\n    return 1\n\ndef g():\n    return 2\n"


def test_a_file_that_is_not_text_changes_only_by_a_hunk_that_fits_to_the_byte() -> None:
    patch = "--- a/a.txt\n+++ b/a.txt\n@@ -2,2 +2,2 @@\n two\n-three\n+3\n"

    assert applied(patch, "\0\ntwo\nthree\n") == "\0\ntwo\n3\n"
    said = "not-text: a.txt is not text, and the hunk is not in it to the byte"
    assert refusal(patch, "\0\ntwo\n\nthree\n") == said


def test_original_and_updated_are_the_same_as_search_and_replace() -> None:
    block = BLOCK.replace("SEARCH", "ORIGINAL").replace("REPLACE", "UPDATED")

    assert applied(block) == FILE.replace("three", "THREE")


def test_a_hunk_that_says_there_is_nothing_before_it_makes_the_file() -> None:
    hunk = "@@ -0,0 +1,2 @@\n+x\n+y\n"

    assert applied(f"--- a/b.txt\n+++ b/b.txt\n{hunk}") == "x\ny\n"
    assert applied(f"{hunk}\\ No newline at end of file\n", path="b.txt") == "x\ny"
    elsewhere = refusal(f"--- a/b.txt\n+++ b/b.txt\n{hunk.replace('-0,0', '-3,0')}")
    assert elsewhere == "no-file: there is no file b.txt"


@pytest.mark.parametrize("verb", ["rename", "copy"])
def test_a_move_or_a_copy_does_not_go_with_one_path(verb: str) -> None:
    patch = f"diff --git a/a.txt b/b.txt\n{verb} from a.txt\n{verb} to b.txt\n"

    assert refusal(patch, path="a.txt").startswith("bad-patch: `path` is given")


@pytest.mark.parametrize("above", ["Makefile", "`Makefile`", "**Makefile**", "sub/Makefile"])
def test_a_file_name_without_a_dot_is_one_and_prose_is_none(above: str) -> None:
    block = "<<<<<<< SEARCH\none\n=======\n1\n>>>>>>> REPLACE\n"

    assert [each.path for each in parse(f"{above}\n{block}")] == [above.strip("*`")]
    for prose in ("Then:", "and then this one", "Now that..."):
        assert parse(f"a.txt\n{block}{prose}\n{block}")[1].path == "a.txt"


@pytest.mark.parametrize(
    "patch",
    [
        "```\nx\n```" + " " * 200_000 + "x",
        "~" * 200_000,
        "```\n" * 50_000,
        "@@ -" + "1 " * 100_000 + "\n-a\n+b\n",
        '--- "' + "\\a" * 100_000 + "\n+++ b/f\n@@\n-a\n+b\n",
        "[" * 100_000,
        "--- a.txt\n+++ a.txt\n@@\n-a\n" + "\\ No newline\n" * 100_000,
        "a.txt\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n" * 50_000,
        "a.txt\n<<<<<<< SEARCH\nnot there\n=======\ny\n" + "\n" * 100_000,
        "a.txt\n<<<<<<< SEARCH\nx\n" + "=======\n" * 100_000,
    ],
    ids=[
        "blanks",
        "tildes",
        "fences",
        "digits",
        "quotes",
        "brackets",
        "ends",
        "blocks",
        "cut",
        "dividers",
    ],
)
def test_a_patch_made_to_take_long_is_answered_at_once(patch: str) -> None:
    begun = time.process_time()

    with pytest.raises(Refused):
        applied(patch)

    assert time.process_time() - begun < 2


def test_a_blank_line_at_the_end_of_a_hunk_tells_no_places_apart() -> None:
    before = "first\nkey: 1\n\nsecond\nkey: 1\n"
    begin = "*** Begin Patch\n*** Update File: a.txt\n@@\n-key: 1\n+key: 2\n \n*** End Patch\n"
    stated = "--- a/a.txt\n+++ b/a.txt\n@@ -2,2 +2,2 @@\n-key: 1\n+key: 2\n \n"

    assert refusal(begin, before) == "ambiguous: the hunk stands at 2 places in a.txt"
    assert applied(stated, before) == "first\nkey: 2\n\nsecond\nkey: 1\n"


@pytest.mark.parametrize(
    ("patch", "said"),
    [
        ("*** Update File: a.txt\n@@\n one\n", "bad-patch: a hunk of a.txt changes nothing"),
        ("--- a/a.txt\n", "bad-patch: the patch has no hunk"),
        ("rename from a\nrename to b\n", "bad-patch: the patch has no hunk"),
        (
            "a.txt\n<<<<<<< SEARCH\none\n<<<<<<< SEARCH\n",
            "bad-patch: the block above line 3 has no =======",
        ),
        (
            "diff --git a/a.txt b/a.txt\ncopy from a.txt\ncopy to a.txt\n",
            "file-exists: cannot copy a.txt to a.txt",
        ),
    ],
)
def test_what_is_half_a_patch_is_refused_by_name(patch: str, said: str) -> None:
    assert refusal(patch).startswith(said)


def test_blank_lines_of_a_begin_patch_may_lack_their_space() -> None:
    patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n one\n\n-two\n+2\n*** End Patch\n"

    assert applied(patch, "one\n\ntwo\n") == "one\n\n2\n"


def test_a_block_without_text_to_find_makes_a_file() -> None:
    assert applied("b.txt\n<<<<<<< SEARCH\n=======\nx\n>>>>>>> REPLACE\n") == "x\n"


def test_a_second_block_for_the_same_file_needs_no_name() -> None:
    block = "<<<<<<< SEARCH\none\n=======\n1\n>>>>>>> REPLACE\n"
    second = block.replace("one", "two").replace("\n1\n", "\n2\n")

    after = applied(f"a.txt\n{block}{second}")

    assert after == FILE.replace("one", "1").replace("two", "2")
