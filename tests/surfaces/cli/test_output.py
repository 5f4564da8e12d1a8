import json
import os
import subprocess

import pytest

from keyhole.surfaces.cli.output import harmless
from tests import forked
from tests.surfaces.cli.shell import KEYHOLE, Shell


def test_a_reader_that_went_away_is_no_error(keyhole: Shell) -> None:
    # More than a pipe holds: without a reader it cannot be written.
    keyhole.write("a.txt", f"{'line of text ' * 10}\n" * 1000)
    script = f'"{KEYHOLE}" read a.txt --plain; echo "left with $?" >&2'

    done = subprocess.run(
        ["bash", "-c", f"({script}) | head -n 1"],
        cwd=keyhole.root,
        env={**keyhole.environment, **forked.counting()},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )

    assert done.stdout.count("\n") == 1
    assert done.stderr == "left with 0\n"


def test_an_edit_is_done_even_if_nobody_hears_of_it(keyhole: Shell) -> None:
    keyhole.write("a.txt", "one\n")
    edit = f'"{KEYHOLE}" edit a.txt --find one --content two'

    done = subprocess.run(
        ["sh", "-c", f"{edit} >&-"],
        cwd=keyhole.root,
        env={**keyhole.environment, **forked.counting()},
        capture_output=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, b"")
    assert keyhole.read("a.txt") == b"two\n"


def test_an_answer_that_cannot_be_written_is_told_as_that(keyhole: Shell) -> None:
    keyhole.write("a.txt", "one\n")
    with open("/dev/full", "wb") as full:  # noqa: PTH123 - a device
        done = subprocess.run(
            [KEYHOLE, "edit", "a.txt", "--find", "one", "--content", "two"],
            cwd=keyhole.root,
            env={**keyhole.environment, **forked.counting()},
            stdout=full,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            check=False,
        )

    told = "the answer cannot be written: No space left on device\n"
    help_line = "  help: make room for it, then ask `keyhole history` what was done\n"
    assert (done.returncode, done.stderr) == (3, told + help_line)
    assert keyhole.read("a.txt") == b"two\n"


@pytest.mark.parametrize("extra", [{}, {"PYTHONUNBUFFERED": "1"}])
def test_an_answer_that_is_cut_is_told_as_that(keyhole: Shell, extra: dict[str, str]) -> None:
    """A file may not grow beyond a limit here, as on a disk with little room left."""
    keyhole.write("a.txt", f"{'line of text ' * 10}\n" * 400)
    script = f'ulimit -f 8; trap "" XFSZ; "{KEYHOLE}" read a.txt --plain >out.txt'

    done = subprocess.run(
        ["bash", "-c", script],
        cwd=keyhole.root,
        env={**keyhole.environment, **extra},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )

    assert done.returncode == 3
    assert done.stderr.startswith("the answer cannot be written: File too large\n")


@pytest.mark.parametrize("extra", [{}, {"PYTHONUNBUFFERED": "1"}])
def test_a_pipe_that_nobody_waits_for_takes_the_whole_answer(
    keyhole: Shell, extra: dict[str, str]
) -> None:
    keyhole.write("a.txt", f"{'line of text ' * 10}\n" * 2000)
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    command = [KEYHOLE, "read", "a.txt", "--plain"]
    env = {**keyhole.environment, **forked.counting(), **extra}
    with subprocess.Popen(command, cwd=keyhole.root, env=env, stdout=writer) as process:
        os.close(writer)
        with open(reader, encoding="utf-8") as output:  # noqa: PTH123 - a pipe
            said = output.read()

    assert process.returncode == 0
    assert said == keyhole.ok("read", "a.txt", "--plain").out


def test_json_keeps_characters_as_they_are(keyhole: Shell) -> None:
    keyhole.write("a.txt", "grün → 😀\n")

    done = keyhole.ok("read", "a.txt", "--json")

    assert "grün → 😀" in done.out
    assert done.out == json.dumps(done.data, ensure_ascii=False) + "\n"


EDIT = ["edit", "a.txt", "--find", "two", "--content", "2", "--dry-run"]
COLOURED = (
    "\x1b[1;32mverified (dry run: nothing was written)\x1b[0m\n"
    "a.txt 3141592653589793 -> 3141592653589793\n"
    "  edit 0: line 2, matched exact\n"
    "\x1b[1mdiff --git a/a.txt b/a.txt\x1b[0m\n"
    "\x1b[1m--- a/a.txt\x1b[0m\n\x1b[1m+++ b/a.txt\x1b[0m\n\x1b[36m@@ -1,2 +1,2 @@\x1b[0m\n"
    " one\n\x1b[31m-two\x1b[0m\n\x1b[32m+2\x1b[0m\n"
)


def without_hashes(keyhole: Shell, text: str) -> str:
    data = keyhole.ok(*EDIT, "--json").data
    for name in ("hash_before", "hash_after"):
        text = text.replace(data["files"][0][name], "3141592653589793")
    return text


def test_a_terminal_gets_a_coloured_diff(keyhole: Shell) -> None:
    keyhole.write("a.txt", "one\ntwo\n")

    done = keyhole.on_terminal(*EDIT)

    assert done.code == 0
    assert without_hashes(keyhole, done.out) == COLOURED


def test_a_pipe_gets_colours_only_when_asked(keyhole: Shell) -> None:
    keyhole.write("a.txt", "one\ntwo\n")

    plain = keyhole.ok(*EDIT, "--detail", "full").out
    coloured = keyhole.ok(*EDIT, "--detail", "full", "--color", "always").out

    assert "\x1b" not in plain
    assert without_hashes(keyhole, coloured) == COLOURED


@pytest.mark.parametrize(
    ("environment", "flags", "coloured"),
    [
        ({"NO_COLOR": "1"}, [], False),
        ({"NO_COLOR": ""}, [], True),
        ({"TERM": "dumb"}, [], False),
        ({}, ["--color", "never"], False),
        ({"NO_COLOR": "1"}, ["--color", "always"], True),
    ],
    ids=str,
)
def test_colours_are_left_out_where_they_are_not_wanted(
    keyhole: Shell, environment: dict[str, str], flags: list[str], *, coloured: bool
) -> None:
    keyhole.write("a.txt", "one\ntwo\n")

    done = keyhole.with_environment(**environment).on_terminal(*EDIT, *flags)

    assert ("\x1b" in done.out) == coloured
    assert "-two" in done.out


def test_a_file_cannot_drive_the_terminal_that_shows_it(keyhole: Shell) -> None:
    keyhole.write("a.txt", "one\x1b[2Jtwo\x07\x9b\r\n")

    on_terminal = keyhole.on_terminal("read", "a.txt", "--color", "never").out
    in_a_pipe = keyhole.ok("read", "a.txt").out

    assert on_terminal.endswith("1| one␛[2Jtwo␇\ufffd\n")
    assert in_a_pipe.endswith("1| one\x1b[2Jtwo\x07\x9b\n")


def test_tabs_and_newlines_are_harmless() -> None:
    assert harmless("a\tb\nc\x7f") == "a\tb\nc␡"


def test_json_on_a_terminal_is_indented(keyhole: Shell) -> None:
    keyhole.write("a.txt", "one\n")

    done = keyhole.on_terminal("read", "a.txt", "--json")

    assert done.out == json.dumps(done.data, indent=2) + "\n"


PAGED = {"KEYHOLE_PAGER": "sed s/^/paged:/"}


@pytest.mark.parametrize(
    ("text", "paged"),
    [("line\n" * 10, False), ("line\n" * 40, True), ("word " * 800 + "\n", True)],
    ids=["short", "many lines", "a line that a terminal breaks"],
)
def test_only_what_does_not_fit_a_terminal_goes_through_the_pager(
    keyhole: Shell, text: str, *, paged: bool
) -> None:
    name = f"{len(text)}.txt"
    keyhole.write(name, text)
    shell = keyhole.with_environment(**PAGED)

    rows = shell.on_terminal("read", name).out.splitlines()

    assert {row.startswith("paged:") for row in rows} == {paged}
    assert not shell.ok("read", name).out.startswith("paged:")


@pytest.mark.parametrize("pager", ["", "cat", "no-such-pager"])
def test_without_a_pager_a_long_answer_is_printed(keyhole: Shell, pager: str) -> None:
    keyhole.write("a.txt", "line\n" * 40)

    done = keyhole.with_environment(KEYHOLE_PAGER=pager).on_terminal("read", "a.txt")

    assert done.code == 0
    assert done.out.count("line") >= 40
