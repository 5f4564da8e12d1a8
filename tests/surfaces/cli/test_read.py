import pytest

from keyhole.edits.model.operations import PARTS
from keyhole.surfaces.cli import read
from tests.surfaces.cli.shell import Shell

PYTHON = '''\
def load(path):
    """Read a file."""
    return open(path)
'''


def test_a_file_is_shown_with_its_hash_and_numbers(keyhole: Shell) -> None:
    keyhole.write("a.txt", "one\ntwo\n")

    data = keyhole.ok("read", "a.txt", "--json").data
    text = keyhole.ok("read", "a.txt").out

    assert (data["lines"], data["total_lines"], data["truncated"]) == ([1, 2], 2, False)
    assert text == f"a.txt {data['hash']} lines 1-2 of 2\n{data['text']}\n"
    assert data["text"] == "1| one\n2| two"


@pytest.mark.parametrize(
    ("flags", "text"),
    [
        (["--lines", "2"], "2| two"),
        (["--lines", "2-"], "2| two\n3| three"),
        (["--lines", "1-2", "--plain"], "one\ntwo\n"),
        (["--plain"], "one\ntwo\nthree\n"),
    ],
    ids=str,
)
def test_lines_are_shown_numbered_or_plain(keyhole: Shell, flags: list[str], text: str) -> None:
    keyhole.write("a.txt", "one\ntwo\nthree\n")

    assert keyhole.ok("read", "a.txt", "--json", *flags).data["text"] == text


def test_a_segment_or_one_part_of_it_is_shown(keyhole: Shell) -> None:
    keyhole.write("a.py", f"x = 1\n\n\n{PYTHON}")

    whole = keyhole.ok("read", "a.py", "--segment", "load", "--json").data
    doc = keyhole.ok("read", "a.py", "--segment", "load", "--part", "doc", "--json").data

    assert (whole["segment"], whole["lines"]) == ("load", [4, 6])
    assert doc["lines"] == [5, 5]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["nowhere.txt"], "no-file"),
        (["."], "no-file"),
        (["../a.txt"], "path-denied"),
        (["a.txt", "--segment", "load"], "unknown-segment"),
        (["a.txt", "--lines", "x"], "bad-request"),
        (["a.txt", "--part", "body"], "bad-request"),
        (["binary"], "not-text"),
    ],
    ids=str,
)
def test_what_cannot_be_read_is_refused(keyhole: Shell, words: list[str], code: str) -> None:
    keyhole.write("a.txt", "one\n")
    keyhole.write("binary", b"\0\1\2")

    assert keyhole("read", *words, "--json").refusal["code"] == code


def test_a_refusal_is_text_on_standard_output(keyhole: Shell) -> None:
    done = keyhole("read", "nowhere.txt")

    assert (done.code, done.err) == (1, "")
    assert done.out == (
        "refused\n"
        "no-file (nowhere.txt): there is no file nowhere.txt\n"
        "  help: check the path with `keyhole outline`, or create the file with `keyhole write`\n"
    )


def test_a_segments_parts_are_those_of_the_engine() -> None:
    assert read.PARTS == PARTS


def test_the_file_of_a_workspace_may_set_a_smaller_limit(keyhole: Shell) -> None:
    keyhole.write("keyhole.toml", "max_bytes = 5\n")
    keyhole.write("a.txt", "too long\n")

    assert keyhole("read", "a.txt", "--json").refusal["code"] == "too-large"


def test_templates_outside_the_workspace_are_refused(keyhole: Shell) -> None:
    keyhole.write("keyhole.toml", 'templates = "../elsewhere"\n')

    done = keyhole("templates")

    said = "keyhole.toml sets `templates` to '../elsewhere', which lies outside the workspace"
    assert (done.code, f"bad-request: {said}\n" in done.out) == (1, True)


def test_a_new_program_and_a_mode_are_exported_as_git_does(keyhole: Shell) -> None:
    head = "diff --git a/run b/run\n"
    for modes in (
        "new file mode 100755\n--- /dev/null\n+++ b/run\n@@ -0,0 +1 @@\n+x\n",
        "old mode 100755\nnew mode 100644\n",
    ):
        keyhole.ok("apply", feed=head + modes)

    exported = keyhole.ok("history", "--export").out

    assert "new file mode 100755\n" in exported
    assert "old mode 100755\nnew mode 100644\n" in exported
