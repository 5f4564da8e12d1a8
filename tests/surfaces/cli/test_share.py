"""Commands of two clones that share a journal, typed into two shells."""

from pathlib import Path

import pytest

from tests.postgres import PostgresServer
from tests.surfaces.cli.shell import Shell
from tests.team import git

pytestmark = pytest.mark.needs("postgres")

ANSWERS = ("--json",)


@pytest.fixture(name="shells")
def _shells(tmp_path: Path, database: str) -> tuple[Shell, Shell]:
    made: list[Shell] = []
    for name in ("one", "two"):
        base = tmp_path / name
        (base / "home").mkdir(parents=True)
        shell = Shell(base, {"KEYHOLE_JOURNAL": database, "KEYHOLE_MACHINE": name})
        if made:
            git(tmp_path, "clone", "-q", str(made[0].root), str(shell.root))
        else:
            shell.write("f.txt", "one\ntwo\nthree\n")
            git(shell.root, "init", "-q")
            git(shell.root, "add", ".")
            git(shell.root, "commit", "-qm", "first")
        made.append(shell)
    return made[0], made[1]


def edit(content: str, *words: str) -> list[str]:
    return ["edit", "f.txt", "--find", "two", "--content", content, *words, "--json"]


def test_two_shells_share_history_conflicts_and_claims(shells: tuple[Shell, Shell]) -> None:
    one, two = shells
    first = one(*edit("2", "--task", "A", "--reason", "digits")).data
    assert (first["ok"], first["warnings"], first["sharing"]["state"]) == (True, [], "shared")
    second = two(*edit("zwei", "--task", "B")).data
    (conflict,) = second["conflicts"]
    assert (conflict["kind"], conflict["machine"], conflict["reason"]) == ("hot", "one", "digits")

    listed = one("history", "--machine", "two", *ANSWERS).data["transactions"]
    assert [each["id"] for each in listed] == [second["transaction"]]
    assert len(one("conflicts", *ANSWERS).data["conflicts"]) == 1
    assert one("stats", *ANSWERS).data["by_machine"]["two"] == {"done": 1, "refused": 0}
    refused = one("undo", second["transaction"], *ANSWERS).refusal
    assert (refused["code"], refused["machine"]) == ("nothing-to-undo", "two")

    (claim,) = one("task", "claim", "A", "f.txt", "--for", "5m", *ANSWERS).data["claims"]
    assert (claim["task"], claim["binding"]) == ("A", True)
    refused = one("edit", "f.txt", "--lines", "1", "--content", "1", *ANSWERS).refusal
    assert (refused["code"], refused["task"]) == ("conflict", "A")
    assert one("task", "release", "A", *ANSWERS).data == {"claims": []}
    assert one("doctor", *ANSWERS).data["shared"]["ok"] is True


def test_share_sends_what_an_outage_left(
    shells: tuple[Shell, Shell], postgres: PostgresServer
) -> None:
    one, _ = shells
    postgres.stop()
    try:
        pending = one(*edit("2")).data
        waiting = one("share", *ANSWERS)
    finally:
        postgres.start()

    unchecked, unshared = pending["warnings"]
    assert unchecked.startswith("other checkouts could not all be checked for conflicts: ")
    assert unshared.startswith("sharing is pending: 1 transaction ")
    assert (waiting.code, waiting.data["waiting"]) == (1, 1)
    assert one("share", *ANSWERS).data["ok"] is True


def test_without_a_shared_journal_the_commands_say_how_to_name_one(keyhole: Shell) -> None:
    for words in (["share"], ["conflicts"], ["task", "claims"], ["history", "--machine", "x"]):
        refusal = keyhole(*words, *ANSWERS).refusal
        assert refusal["code"] == "bad-request"
        assert "KEYHOLE_JOURNAL" in refusal["help"]


def test_the_workspace_does_not_say_where_its_files_are_sent(keyhole: Shell) -> None:
    keyhole.write("keyhole.toml", 'journal = "postgresql://elsewhere.example/x"\n')

    assert "only the user may set" in keyhole("history", *ANSWERS).refusal["message"]


MODE = "diff --git a/f.txt b/f.txt\nold mode 100644\nnew mode 100755\n"
HUNK = "--- a/f.txt\n+++ b/f.txt\n@@ -2 +2 @@\n-two\n+2\n"
EXCHANGED = (
    "diff --git a/f.txt b/g.txt\nrename from f.txt\nrename to g.txt\n"
    "diff --git a/g.txt b/f.txt\nrename from g.txt\nrename to f.txt\n"
)


def test_a_mode_and_an_exchange_of_names_are_shared_shown_and_undone(
    shells: tuple[Shell, Shell],
) -> None:
    one, two = shells
    one.write("g.txt", "g\n")
    file = one.root / "f.txt"

    def is_program() -> bool:
        return bool(file.stat().st_mode & 0o100)

    done = one("apply", "-", *ANSWERS, feed=MODE + HUNK).data["transaction"]
    swapped = one("apply", "-", *ANSWERS, feed=EXCHANGED).data["transaction"]

    assert not is_program()
    assert (file.read_bytes(), (one.root / "g.txt").read_bytes()) == (b"g\n", b"one\n2\nthree\n")
    listed = two("history", "--machine", "one", *ANSWERS).data["transactions"]
    assert [each["id"] for each in listed] == [swapped, done]
    (shown,) = two("show", done, *ANSWERS).data["files"]
    assert shown["diff"].startswith(MODE)
    assert MODE.split("\n")[1] in two("show", done).out
    both = two("show", swapped, *ANSWERS).data["files"]
    assert [each["path"] for each in both] == ["f.txt", "g.txt"]

    assert one("undo", swapped, *ANSWERS).data["ok"]
    assert is_program()
    assert one("undo", done, "--edit", "1", *ANSWERS).data["ok"]
    assert (is_program(), file.read_bytes()) == (False, b"one\n2\nthree\n")
    assert one("undo", done, "--edit", "0", *ANSWERS).data["ok"]
    assert file.read_bytes() == b"one\ntwo\nthree\n"
    assert len(two("history", "--machine", "one", *ANSWERS).data["transactions"]) == 5
