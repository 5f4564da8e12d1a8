import pytest

from tests.surfaces.cli.shell import Shell


@pytest.mark.parametrize(
    ("flags", "feed"),
    [(["--content", "one\n"], ""), (["--content-file", "-"], "one\n"), ([], "one\n")],
    ids=["flag", "file", "pipe"],
)
def test_a_new_file_is_written(keyhole: Shell, flags: list[str], feed: str) -> None:
    receipt = keyhole.ok("write", "sub/a.txt", "--json", *flags, feed=feed).data

    assert (receipt["outcome"], receipt["files"][0]["created"]) == ("applied", True)
    assert keyhole.read("sub/a.txt") == b"one\n"


def test_a_file_is_replaced_only_with_its_hash(keyhole: Shell) -> None:
    keyhole.write("a.txt", "one\n")
    write = ["write", "a.txt", "--content", "two\n", "--json"]

    refusal = keyhole(*write).refusal
    done = keyhole(*write, "--expected-hash", refusal["hash_current"])

    assert (refusal["code"], done.code) == ("file-exists", 0)
    assert keyhole.read("a.txt") == b"two\n"


def test_a_file_is_moved_and_deleted(keyhole: Shell) -> None:
    keyhole.write("a.txt", "one\n")

    keyhole.ok("write", "a.txt", "--move-to", "b.txt")
    moved = keyhole.read("b.txt")
    keyhole.ok("write", "b.txt", "--delete")

    assert moved == b"one\n"
    assert list(keyhole.root.iterdir()) == []


def test_a_rewrite_that_drops_most_of_a_file_needs_to_be_allowed(keyhole: Shell) -> None:
    keyhole.write("a.txt", "line\n" * 80)
    version = keyhole.ok("read", "a.txt", "--json").data["hash"]
    write = ["write", "a.txt", "--content", "short\n", "--expected-hash", version, "--json"]

    assert keyhole(*write).refusal["code"] == "shrinks"
    assert keyhole(*write, "--allow-shrink").code == 0


@pytest.mark.parametrize(
    "flags",
    [["--content", "x", "--delete"], ["--delete", "--move-to", "b"], ["--content", "", "--delete"]],
    ids=str,
)
def test_two_things_at_once_are_refused(keyhole: Shell, flags: list[str]) -> None:
    keyhole.write("a.txt", "one\n")

    assert keyhole("write", "a.txt", *flags, "--json").refusal["code"] == "bad-request"
    assert keyhole.read("a.txt") == b"one\n"


def test_nothing_to_write_on_a_terminal_is_a_usage_error(keyhole: Shell) -> None:
    done = keyhole.on_terminal("write", "a.txt", stdin_too=True)

    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "keyhole write: standard input is no pipe: give --content, --content-file, or a pipe\n"
        "  help: keyhole write --help\n"
    )


def test_bytes_that_are_no_text_are_refused_and_taken_with_their_encoding(keyhole: Shell) -> None:
    body = "grün\n".encode("latin-1")

    refusal = keyhole("write", "a.txt", "--json", feed=body).refusal
    done = keyhole("write", "a.txt", "--encoding", "latin-1", feed=body)

    assert (refusal["code"], done.code) == ("encoding", 0)
    assert keyhole.read("a.txt") == body


def test_an_empty_hash_does_not_stand_for_any_version(keyhole: Shell) -> None:
    keyhole.write("a.txt", "a\n")

    done = keyhole("write", "a.txt", "--delete", "--expected-hash", "")

    assert (done.code, keyhole.read("a.txt")) == (2, b"a\n")
