import pytest

from keyhole.surfaces.cli.grammar import COMMANDS, GROUPS, KNOWN_AS, command, command_meant
from keyhole.surfaces.cli.help import overview, page
from tests.surfaces.cli.shell import Shell


def test_no_words_at_all_is_a_usage_error_that_explains(keyhole: Shell) -> None:
    done = keyhole()

    assert (done.code, done.out, done.err) == (2, "", f"{overview()}\n")


@pytest.mark.parametrize("words", [["--help"], ["-h"], ["help"], ["help", "nonsense"]], ids=str)
def test_help_lists_the_commands(keyhole: Shell, words: list[str]) -> None:
    done = keyhole(*words)

    assert (done.code, done.out, done.err) == (0, f"{overview()}\n", "")


def test_help_of_a_command_is_its_page(keyhole: Shell) -> None:
    pages = {
        keyhole(*words).out
        for words in (["edit", "--help"], ["edit", "a.py", "-h"], ["help", "edit"])
    }

    assert pages == {f"{page(command('edit'))}\n"}


def test_help_as_a_value_is_a_value(keyhole: Shell) -> None:
    keyhole.write("a.txt", "--help\n")

    keyhole.ok("edit", "a.txt", "--find", "--help", "--content", "-h")

    assert keyhole.read("a.txt") == b"-h\n"


def test_an_unknown_command_is_a_usage_error(keyhole: Shell) -> None:
    done = keyhole("edt", "a.py")

    assert (done.code, done.out) == (2, "")
    said = "keyhole: there is no command 'edt'; did you mean edit?\n  help: keyhole --help\n"
    assert done.err == said


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("log", "history"),
        ("blame", "history"),
        ("status", "diff"),
        ("patch", "apply"),
        ("aprove", "approve"),
        ("qqq", ""),
    ],
)
def test_a_command_by_another_name_is_offered_by_ours(typed: str, meant: str) -> None:
    assert command_meant(typed) == meant


def test_every_command_has_its_place_in_the_groups_and_every_other_name_means_one() -> None:
    assert sorted(name for names in GROUPS.values() for name in names) == sorted(COMMANDS)
    assert set(KNOWN_AS.values()) <= set(COMMANDS)
    assert not set(KNOWN_AS) & set(COMMANDS)


@pytest.mark.parametrize(
    "words",
    [
        ["--root", "root", "--json", "read", "a.txt"],
        ["--json", "--root=root", "read", "a.txt"],
        ["--root", "root", "read", "--json", "a.txt"],
    ],
    ids=str,
)
def test_common_flags_may_stand_before_the_command(keyhole: Shell, words: list[str]) -> None:
    keyhole.write("a.txt", "one\n")

    done = keyhole(*words, cwd=keyhole.base)

    assert done.data["text"] == "1| one"


@pytest.mark.parametrize(
    ("words", "named"),
    [(["--json"], "--json"), (["--find", "x"], "--find"), (["--root"], "--root")],
)
def test_flags_alone_are_no_command(keyhole: Shell, words: list[str], named: str) -> None:
    done = keyhole(*words)

    assert (done.code, done.out) == (2, "")
    assert done.err == f"keyhole: there is no command {named!r}\n  help: keyhole --help\n"


def test_a_usage_error_names_the_command(keyhole: Shell) -> None:
    done = keyhole("read")

    assert (done.code, done.out) == (2, "")
    assert done.err == "keyhole read: PATH is missing\n  help: keyhole read --help\n"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_named_and_summed_up_as_in_the_list(name: str) -> None:
    found = command(name)

    assert (found.name, found.summary) == (name, COMMANDS[name])
    assert f"keyhole {name} " in f"{found.example} "
    assert found.example.startswith("$ ")


@pytest.mark.parametrize(
    "words",
    [
        ["read", "a.txt", "--root", "nowhere"],
        ["outline", "--root", "nowhere"],
        ["edit", "a.txt", "--find", "x", "--content", "y", "--root", "nowhere"],
        ["history", "--root", "nowhere"],
    ],
    ids=lambda words: words[0],
)
def test_a_root_that_is_not_there_is_refused(keyhole: Shell, words: list[str]) -> None:
    refusal = keyhole(*words, "--json").refusal

    assert (refusal["code"], refusal["message"]) == (
        "no-file",
        "the workspace root nowhere does not exist",
    )
