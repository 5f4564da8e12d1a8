import pytest

from tests.surfaces.cli.shell import Shell

DIFF = """\
--- a/a.txt
+++ b/a.txt
@@ -1,2 +1,2 @@
 one
-two
+zwei
"""
BLOCKS = """\
a.txt
<<<<<<< SEARCH
two
=======
zwei
>>>>>>> REPLACE
"""
BEGIN = """\
*** Begin Patch
*** Update File: a.txt
@@
 one
-two
+zwei
*** End Patch
"""
JSON = '{"path": "a.txt", "edits": [{"find": "two", "content": "zwei"}]}'


@pytest.mark.parametrize(
    "patch", [DIFF, BLOCKS, BEGIN, JSON], ids=["diff", "blocks", "begin", "json"]
)
def test_a_patch_of_any_format_is_carried_out(keyhole: Shell, patch: str) -> None:
    keyhole.write("a.txt", "one\ntwo\n")

    receipt = keyhole.ok("apply", "--json", feed=patch).data

    assert receipt["outcome"] == "applied"
    assert keyhole.read("a.txt") == b"one\nzwei\n"


def test_a_patch_comes_from_a_file_for_a_file_of_another_name(keyhole: Shell) -> None:
    keyhole.write("b.txt", "one\ntwo\n")
    keyhole.write("fix.patch", DIFF)

    keyhole.ok("apply", "fix.patch", "--path", "b.txt")

    assert keyhole.read("b.txt") == b"one\nzwei\n"


def test_a_patch_that_does_not_fit_changes_nothing(keyhole: Shell) -> None:
    keyhole.write("a.txt", "one\nthree\n")

    done = keyhole("apply", "--json", feed=DIFF)

    assert (done.code, done.data["ok"]) == (1, False)
    assert keyhole.read("a.txt") == b"one\nthree\n"


def test_a_dry_run_writes_nothing(keyhole: Shell) -> None:
    keyhole.write("a.txt", "one\ntwo\n")

    done = keyhole.ok("apply", "--dry-run", "--json", feed=DIFF)

    assert done.data["outcome"] == "verified"
    assert keyhole.read("a.txt") == b"one\ntwo\n"


def test_words_that_are_no_patch_are_refused(keyhole: Shell) -> None:
    assert keyhole("apply", "--json", feed="hello\n").refusal["code"] == "bad-patch"


@pytest.mark.parametrize("words", [[], ["nowhere.patch"]], ids=str)
def test_no_patch_at_all_is_a_usage_error(keyhole: Shell, words: list[str]) -> None:
    done = keyhole.on_terminal("apply", *words, stdin_too=True)

    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("keyhole apply: ")
