from keyhole.phrases import Accept, render, say
from keyhole.surfaces.cli.grammar import Given, command
from keyhole.surfaces.cli.output import _ELSEWHERE, words_of
from tests.surfaces.cli.shell import Shell

SAID = say("{find} of {path}, {expected_hash:bare}, {edits}; see {history:tool}")


def test_arguments_are_the_flags_of_the_command() -> None:
    words = words_of(Given(command("edit")))

    assert render(SAID, words) == "--find of PATH, --expected-hash, `edits`; see `keyhole history`"


def test_a_request_has_fields() -> None:
    words = words_of(Given(command("edit"), {"--request": ("-",)}))

    assert render(SAID, words) == "`find` of `path`, expected_hash, `edits`; see `keyhole history`"


def test_a_flag_of_another_command_is_one_of_that_command() -> None:
    flags = {flag.name for name in ("edit", "write") for flag in command(name).flags}

    assert flags >= _ELSEWHERE


def test_the_move_to_accept_names_the_root_that_was_named() -> None:
    words = words_of(Given(command("edit"), {"--root": ("my files",)}))

    assert render(say("{}", Accept("c9")), words) == (
        "run `keyhole edit --accept c9 --root 'my files'`"
    )


def test_the_command_of_a_refusal_can_be_pasted(keyhole: Shell) -> None:
    keyhole.write("a.txt", "one thing here\nanother thing there\n")
    slip = "one thing her\nanother thing there"
    refused = keyhole("edit", "a.txt", "--find", slip, "--content", slip.replace("there", "gone"))

    pasted = refused.out.partition("run `keyhole ")[2].partition("`")[0].split()

    keyhole.ok(*pasted)
    assert keyhole.read("a.txt") == b"one thing here\nanother thing gone\n"


def test_a_refusal_names_the_flags_of_the_command_that_was_typed(keyhole: Shell) -> None:
    keyhole.write("a.py", "def f():\n    return 1\n")
    hunk = "@@ -1 +1 @@\n-a\n+b\n"
    keyhole.write("bare.diff", hunk)
    keyhole.write("two.diff", f"--- a\n+++ a\n{hunk}--- c\n+++ c\n{hunk}")
    wrong = {
        "diff --since soon": "--since is 'soon'; it is a transaction, 2h, 3d, a date or HEAD",
        "diff --since HEAD": "name a transaction or a time with --since",
        "history --machine m": "--machine chooses among workspaces, and this one shares no journal",
        "undo --edit 3": "--edit needs the id of its transaction beside it",
        "undo 3 --task t": "an undo takes one of ID, --task, --to, prompt; given: ID, --task",
        "read a.py --segment f --lines 1": "--lines and --segment both name the place; give one",
        "read a.py --part body": "--part needs --segment beside it",
        "apply bare.diff": "give --path, or a header that names it",
        "apply two.diff --path a.py": "--path is given, and the patch is for 2 files",
    }

    said = {command: keyhole(*command.split()).out for command in wrong}

    assert [command for command, words in wrong.items() if words not in said[command]] == []
