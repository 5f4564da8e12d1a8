import json

import pytest

from keyhole import Edit, Workspace
from tests.surfaces.cli.shell import Shell

PYTHON = '''\
def load(path):
    """Read a file."""
    return open(path)


def save(path, text):
    print(path)
    print(text)
'''


@pytest.mark.parametrize(
    ("flags", "before", "after"),
    [
        (["--find", "two", "--content", "2"], "one\ntwo\n", "one\n2\n"),
        (["--find", "b", "--until", "d", "--content", "-"], "a b c d e\n", "a - e\n"),
        (["--lines", "2", "--content", "zwei"], "one\ntwo\nthree\n", "one\nzwei\nthree\n"),
        (["--lines", "-1", "--action", "after", "--content", "c"], "a\nb\n", "a\nb\nc\n"),
        (["--find", r"(\w+)=(\w+)", "--regex", "--content", r"\2=\1"], "a=b\n", "b=a\n"),
        (["--find", "x", "--occurrence", "all", "--content", "y"], "x x\nx\n", "y y\ny\n"),
        (["--find", "x", "--occurrence", "2", "--content", "y"], "x\nx\n", "x\ny\n"),
        (["--find", "one\n", "--action", "delete"], "one\ntwo\n", "two\n"),
        (["--action", "append", "--content", "end\n"], "one\n", "one\nend\n"),
        (["--action", "prepend", "--content", "start\n"], "one\n", "start\none\n"),
        (["--find", "b", "--content", ""], "abc\n", "ac\n"),
        (["--find", "x = 1", "--content", "--x"], "x = 1\n", "--x\n"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_every_way_to_name_a_place(
    keyhole: Shell, flags: list[str], before: str, after: str
) -> None:
    keyhole.write("a.txt", before)

    keyhole.ok("edit", "a.txt", *flags)

    assert keyhole.read("a.txt").decode() == after


def test_a_segment_is_replaced_by_name(keyhole: Shell) -> None:
    keyhole.write("a.py", PYTHON)

    keyhole.ok("edit", "a.py", "--segment", "save", "--part", "body", "--content", "return text")

    assert keyhole.read("a.py").decode().endswith("def save(path, text):\n    return text\n")


def test_a_pattern_is_replaced_with_its_variables(keyhole: Shell) -> None:
    keyhole.write("a.py", PYTHON)
    flags = ["--pattern", "print($X)", "--occurrence", "all", "--content", "log($X)"]

    keyhole.ok("edit", "a.py", *flags)

    assert keyhole.read("a.py").decode().endswith("    log(path)\n    log(text)\n")


@pytest.mark.parametrize(
    ("indent", "line"), [("auto", "    return 1"), ("keep", "return 1"), ("6", "      return 1")]
)
def test_the_indent_is_fitted_kept_or_given(keyhole: Shell, indent: str, line: str) -> None:
    keyhole.write("a.txt", "def f():\n    pass\n")
    flags = ["--lines", "2", "--content", "return 1", "--indent", indent]

    keyhole.ok("edit", "a.txt", *flags)

    assert keyhole.read("a.txt").decode() == f"def f():\n{line}\n"


def test_exact_matching_refuses_what_tolerant_matching_takes(keyhole: Shell) -> None:
    keyhole.write("a.txt", "the first line  \nthe second\n")
    quote = "the first line\nthe second"
    edit = ["edit", "a.txt", "--find", quote, "--content", "the first line\n2"]

    assert keyhole(*edit, "--match", "exact", "--json").refusal["code"] == "not-found"
    assert keyhole(*edit).code == 0


def test_texts_come_from_files_and_standard_input(keyhole: Shell) -> None:
    keyhole.write("a.txt", "one\ntwo\n")
    find = keyhole.base / "find"
    find.write_bytes(b"two\n")

    flags = ["--find-file", str(find), "--content-file", "-"]
    keyhole.ok("edit", "a.txt", *flags, feed="drei\nvier\n")

    assert keyhole.read("a.txt") == b"one\ndrei\nvier\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--find-file", "-", "--content-file", "-"], "--find-file and --content-file both read"),
        (["--find", "a", "--find-file", "b"], "--find and --find-file are both given"),
        (["--find", "a", "--request", "-"], "--find and --request are both given"),
        (["--find-file", "nowhere"], "nowhere cannot be read: No such file or directory"),
        (["--content-file", "."], ". cannot be read: Is a directory"),
        (["--request", "nowhere"], "nowhere cannot be read: No such file or directory"),
        (["--mode", "loose"], "--mode is 'loose'; it is one of strict, interactive, verify_only"),
        (
            [*("--find", "a", "--content", "b"), *("--expected-hash", "a") * 2],
            "--expected-hash is given more than once; say PATH=HASH for each file",
        ),
        (["--action", "burn"], "--action is 'burn'; it is one of replace, before, after, prepend"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_flags_that_make_no_sense_are_usage_errors(
    keyhole: Shell, words: list[str], said: str
) -> None:
    keyhole.write("a.txt", "a\n")

    done = keyhole("edit", "a.txt", *words)

    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"keyhole edit: {said}")


@pytest.mark.parametrize(
    ("words", "field"),
    [
        (["--find", "", "--content", "x"], "find"),
        (["--find", "a", "--occurrence", "0", "--content", "x"], "occurrence"),
        (["--lines", "5-2", "--content", "x"], "lines"),
        (["--find", "a", "--indent", "left", "--content", "x"], "indent"),
        (["--find", "a"], "content"),
        (["--part", "body", "--content", "x"], "part"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_malformed_edit_is_refused_by_the_name_of_its_field(
    keyhole: Shell, words: list[str], field: str
) -> None:
    keyhole.write("a.txt", "a\n")

    refusal = keyhole("edit", "a.txt", *words, "--json").refusal

    assert (refusal["code"], refusal["field"]) == ("bad-request", field)
    assert keyhole.read("a.txt") == b"a\n"


def test_an_edit_without_a_path_is_refused(keyhole: Shell) -> None:
    refusal = keyhole("edit", "--find", "a", "--content", "b", "--json").refusal

    assert (refusal["code"], refusal["field"]) == ("bad-request", "path")


def test_a_near_miss_is_refused_and_finished_with_accept(keyhole: Shell) -> None:
    keyhole.write("a.py", PYTHON)
    quote = 'def laod(path):\n    """Read a file."""\n'
    edit = ["--find", quote, "--content", quote.replace("Read", "Open")]

    refusal = keyhole("edit", "a.py", *edit, "--json").refusal
    done = keyhole("edit", "--accept", refusal["candidates"][0]["accept"])

    assert (refusal["code"], done.code) == ("not-found", 0)
    assert keyhole.read("a.py").decode() == PYTHON.replace("Read", "Open")


@pytest.mark.parametrize("words", [["--dry-run"], ["--mode", "verify_only"]], ids=str)
def test_a_dry_run_writes_nothing(keyhole: Shell, words: list[str]) -> None:
    keyhole.write("a.txt", "one\n")

    done = keyhole.ok("edit", "a.txt", "--find", "one", "--content", "two", "--json", *words)

    assert (done.data["outcome"], done.data["dry_run"]) == ("verified", True)
    assert keyhole.read("a.txt") == b"one\n"


def test_a_read_only_workspace_refuses(keyhole: Shell) -> None:
    keyhole.write("a.txt", "one\n")
    edit = ["edit", "a.txt", "--find", "one", "--content", "two", "--read-only", "--json"]

    assert keyhole(*edit).refusal["code"] == "read-only"
    assert keyhole.read("a.txt") == b"one\n"


@pytest.mark.parametrize("spelling", ["{}", "a.txt={}"])
def test_an_expected_hash_is_held_against_the_file(keyhole: Shell, spelling: str) -> None:
    keyhole.write("a.txt", "one\n")
    version = keyhole.ok("read", "a.txt", "--json").data["hash"]
    edit = ["edit", "a.txt", "--find", "one", "--content", "two", "--json"]

    stale = keyhole(*edit, "--expected-hash", spelling.format("0" * 16)).refusal
    done = keyhole(*edit, "--expected-hash", spelling.format(version.upper()))

    assert (stale["code"], stale["hash_current"]) == ("stale", version)
    assert done.code == 0


def test_the_receipt_equals_the_librarys(keyhole: Shell) -> None:
    keyhole.write("a.txt", "one\ntwo\n")
    edit = ["edit", "a.txt", "--find", "two", "--content", "2", "--dry-run", "--json"]

    printed = {detail: keyhole.ok(*edit, "--detail", detail).data for detail in ("brief", "full")}

    with Workspace(keyhole.root) as workspace:
        receipt = workspace.preview(Edit(find="two", content="2"), "a.txt")
    assert printed == {detail: receipt.as_data(detail) for detail in ("brief", "full")}


def test_text_and_json_say_the_same(keyhole: Shell) -> None:
    keyhole.write("a.txt", "one\ntwo\n")
    edit = ["edit", "a.txt", "--find", "two", "--content", "2", "--dry-run"]

    data = keyhole.ok(*edit, "--json").data
    text = keyhole.ok(*edit).out

    [file] = data["files"]
    [placed] = file["edits"]
    rows = [*file["context"]["before"], *placed["text"], *file["context"]["after"]]
    shown = "\n".join(f"    {row['line']}| {row['text']}" for row in rows)
    assert text == (
        f"{data['outcome']} (dry run: nothing was written)\n"
        f"{file['path']} {file['hash_before']} -> {file['hash_after']}\n"
        f"  edit 0: line {placed['lines_before'][0]}, matched {placed['matched']}\n{shown}\n"
    )


def test_a_refusal_says_the_same_as_text_and_as_json(keyhole: Shell) -> None:
    keyhole.write("a.txt", "one\none\n")
    edit = ["edit", "a.txt", "--find", "one", "--content", "1"]

    refusal = keyhole(*edit, "--json").refusal
    text = keyhole(*edit)

    message, where = refusal["message"].split("\n")
    candidates = "".join(
        f"  candidate {one['accept']}: lines {one['lines'][0]}-{one['lines'][1]}\n"
        f"    {one['text']}\n"
        for one in refusal["candidates"]
    )
    assert (text.code, text.err) == (1, "")
    assert text.out == (
        "refused: nothing was changed\n"
        f"{refusal['code']} (edit {refusal['edit']}, {refusal['path']}): {message}\n"
        f"  at: {where}\n  hash: {refusal['hash_current']}\n{candidates}"
        f"  help: {refusal['help']}\n"
    )


def test_who_why_and_for_what_reach_the_history(keyhole: Shell) -> None:
    keyhole.write("a.txt", "one\n")
    said = ["--actor", "agent-7", "--task", "login", "--reason", "it was wrong"]

    keyhole.ok("edit", "a.txt", "--find", "one", "--content", "two", *said)

    [past] = keyhole.ok("history", "--json").data["transactions"]
    kept = [past[name] for name in ("actor", "task", "reason", "tool")]
    assert kept == ["agent-7", "login", "it was wrong", "cli edit"]


def test_the_actor_is_the_user_by_default(keyhole: Shell) -> None:
    keyhole.write("a.txt", "one\n")

    keyhole.ok("edit", "a.txt", "--find", "one", "--content", "two")

    [past] = keyhole.ok("history", "--json").data["transactions"]
    assert past["actor"].startswith("cli:")
    assert len(past["actor"]) > len("cli:")


def test_another_tasks_place_is_refused_unless_forced(keyhole: Shell) -> None:
    keyhole.write("a.txt", "one\n")
    keyhole.ok("edit", "a.txt", "--find", "one", "--content", "two", "--task", "x", "--actor", "x")
    edit = ["edit", "a.txt", "--find", "two", "--content", "three", "--task", "y", "--actor", "y"]

    assert keyhole(*edit, "--json").refusal["code"] == "conflict"
    assert keyhole(*edit, "--on-conflict", "force").code == 0


def test_the_size_limit_can_be_set(keyhole: Shell) -> None:
    keyhole.write("a.txt", "one\n" * 100)
    edit = ["edit", "a.txt", "--lines", "1", "--content", "two\n", "--json"]

    assert keyhole(*edit, "--max-bytes", "399").refusal["code"] == "too-large"
    assert keyhole(*edit, "--max-bytes", "400").code == 0


def test_the_encoding_can_be_named(keyhole: Shell) -> None:
    keyhole.write("a.txt", "gr\xfcn\n".encode("latin-1"))

    keyhole.ok("edit", "a.txt", "--find", "grün", "--content", "größer", "--encoding", "latin-1")

    assert keyhole.read("a.txt") == "größer\n".encode("latin-1")


def test_an_encoding_that_does_not_exist_is_a_usage_error(keyhole: Shell) -> None:
    keyhole.write("a.txt", "a\n")
    words = ["--find", "a", "--content", "b", "--encoding", "klingon"]

    done = keyhole("edit", "a.txt", *words)

    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("keyhole edit: --encoding 'klingon' is no encoding\n")


def test_content_that_is_not_in_its_encoding_is_refused(keyhole: Shell) -> None:
    keyhole.write("a.txt", "a\n")
    edit = ["edit", "a.txt", "--find", "a", "--content-file", "-", "--json"]

    refusal = keyhole(*edit, feed=b"gr\xfcn").refusal

    assert (refusal["code"], refusal["field"]) == ("encoding", "content")


def test_a_file_whose_name_is_no_text_is_edited(keyhole: Shell) -> None:
    keyhole.write("a.txt", "")
    name = b"caf\xe9.txt"
    (keyhole.root / name.decode("utf-8", "surrogateescape")).write_bytes(b"one\n")
    edit = [b"edit", name, b"--find", b"one", b"--content", b"two"]

    planned = keyhole.ok(*edit, b"--dry-run", b"--json")
    done = keyhole.ok(*edit)

    assert planned.data["files"][0]["path"] == name.decode("utf-8", "surrogateescape")
    assert done.out.split("\n")[1].startswith("caf\udce9.txt ")
    assert (keyhole.root / name.decode("utf-8", "surrogateescape")).read_bytes() == b"two\n"


def test_bytes_that_are_no_text_stay_and_are_shown_harmlessly(keyhole: Shell) -> None:
    keyhole.write("a.txt", b"\xfa\xfb one\ntwo\n")

    done = keyhole.ok("edit", "a.txt", "--find", "two", "--content", "2", "--match", "exact")

    assert keyhole.read("a.txt") == b"\xfa\xfb one\n2\n"
    assert "\ufffd\ufffd one" in done.out


def test_a_request_beside_a_path_is_for_that_file(keyhole: Shell) -> None:
    keyhole.write("a.txt", "one\n")
    request = json.dumps({"edits": [{"find": "one", "content": "two"}]})

    keyhole.ok("edit", "a.txt", "--request", "-", feed=request)

    assert keyhole.read("a.txt") == b"two\n"


def test_a_receipt_never_shows_what_was_left_out(keyhole: Shell) -> None:
    keyhole.write("a.txt", "one\n")
    others = ("--task", "a", "--actor", "other", "--json")
    before = keyhole.ok("edit", "a.txt", "--find", "one", "--content", "two", *others)
    left = ("--find", "two", "--content", "three", "--task", "b", "--on-conflict", "skip")

    [file] = keyhole.ok("edit", "a.txt", *left, "--json").data["files"]

    assert keyhole.read("a.txt") == b"two\n"
    assert file["hash_after"] == before.data["files"][0]["hash_after"]
    assert file["edits"] == []
