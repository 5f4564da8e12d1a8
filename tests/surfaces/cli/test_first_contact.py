"""What a newcomer sees first is true: reads, flags, trust, terminals, modes."""

import os
import pty
import subprocess
import sys

from keyhole.surfaces.mcp.tools import chosen, sets_of
from tests.surfaces.cli.shell import Shell


def test_a_read_that_is_refused_does_not_speak_of_changes(keyhole: Shell) -> None:
    for words in (["read", "nix"], ["outline", "nix"], ["show", "99"]):
        done = keyhole(*words)
        assert done.out.split("\n")[0] == "refused", words
    assert keyhole("edit", "nix", "--find", "a", "--content", "b").out.startswith(
        "refused: nothing was changed\n"
    )


def test_a_path_needs_no_flag(keyhole: Shell) -> None:
    done = keyhole("edit", "--path", "a.py", "--find", "x", "--content", "y")

    assert "unknown flag --path; the path stands alone, without a flag" in done.err


def test_there_is_nothing_to_trust_without_a_file(keyhole: Shell) -> None:
    keyhole = keyhole.with_environment(PATH="/nowhere")  # no language server of this machine
    assert "has no keyhole.toml: there is nothing to trust" in keyhole("trust").out
    keyhole.write("keyhole.toml", "max_bytes = 1000\n")
    assert "is trusted as long as" in keyhole("trust").out


def test_a_name_that_ends_as_directories_do_is_no_file(keyhole: Shell) -> None:
    keyhole.write("ok.txt", "x\n")
    keyhole("edit", "ok.txt", "--find", "x", "--content", "z")
    doors = (
        "read ok.txt/",
        "outline ok.txt/",
        "history ok.txt/",
        "history ok.txt/.",
        "search z ok.txt/",
        "search z ./ok.txt/.",
        "diff ok.txt/",
        "edit ok.txt/ --find x --content y",
        "write ok.txt/ --content y",
    )
    for words in doors:
        done = keyhole(*words.split())
        assert (done.code, "no-file" in done.out) == (1, True), words
    assert "near: ok.txt" in keyhole("history", "ok.txt/").out + keyhole("read", "ok.txt/").out


def test_a_moved_program_is_one_in_the_diff_too(keyhole: Shell) -> None:
    keyhole.write("run.sh", "#!/bin/sh\n")
    (keyhole.root / "run.sh").chmod(0o755)
    moved = keyhole("write", "run.sh", "--move-to", "go.sh", "--detail", "full").out
    gone = keyhole("write", "go.sh", "--delete", "--detail", "full").out

    assert "deleted file mode 100755" in moved
    assert "new file mode 100755" in moved
    assert "deleted file mode 100755" in gone
    assert "deleted file mode 100755" in keyhole("show", "2").out
    assert keyhole("history", "--export").out.count("deleted file mode 100755") == 2


def test_audit_takes_json_and_review_a_journal(keyhole: Shell) -> None:
    assert keyhole("audit", "--json").code == 0
    assert "--journal URL" in keyhole("review", "--help").out


def test_one_tool_of_a_set_is_named_with_its_set() -> None:
    assert [*chosen(("surgical:read_file", "native:edit"))] == ["read_file", "edit"]
    assert sets_of(["surgical:read_file"]) == ["surgical"]


def test_a_server_at_a_terminal_says_what_it_waits_for(keyhole: Shell) -> None:
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "keyhole", "mcp", "--root", str(keyhole.root)],
        stdin=theirs,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    ) as server:
        assert server.stderr is not None
        said = server.stderr.readline().decode()
        server.terminate()
    os.close(ours)
    os.close(theirs)

    assert "waiting for an agent host" in said
