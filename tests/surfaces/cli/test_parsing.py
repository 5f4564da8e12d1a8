import pytest
from hypothesis import given as each
from hypothesis import strategies as st

from keyhole.surfaces.cli.grammar import (
    Argument,
    Command,
    Flag,
    Given,
    Usage,
    number,
    parse,
    switch,
)


def nothing(given: Given) -> int:
    return len(given.values)


COMMAND = Command(
    "try",
    "tries",
    nothing,
    example="",
    groups={
        "some": (
            Flag("--text", "a text", "TEXT"),
            Flag("--mode", "a choice", choices=("fast", "slow")),
            Flag("--many", "several", "TEXT", many=True),
        ),
        "more": (
            number("--count", "a number"),
            switch("--on", "a switch"),
            Flag("--at", "a place", "DIRECTORY", kind="directory"),
            Flag("--name", "never empty", "NAME", kind="name"),
        ),
    },
    arguments=(
        Argument("FIRST", "the first"),
        Argument("SECOND", "the second", required=False, choices=("a", "b")),
        Argument("THIRD", "the third", required=False),
    ),
)


@each(st.text())
def test_a_flag_takes_the_next_word_whatever_it_is(word: str) -> None:
    apart = parse(COMMAND, ["first", "--text", word])
    joined = parse(COMMAND, ["first", f"--text={word}"])

    assert apart.text("--text") == joined.text("--text") == word


@each(st.lists(st.text(min_size=1), min_size=1, max_size=1))
def test_behind_two_dashes_every_word_is_an_argument(words: list[str]) -> None:
    assert parse(COMMAND, ["--", *words]).text("FIRST") == words[0]


def test_values_come_back_as_they_were_given() -> None:
    words = ["x", "--many", "1", "b", "--on", "--count", "12", "--many", "2", "--mode", "slow"]
    given = parse(COMMAND, words)

    assert (given.text("FIRST"), given.text("SECOND")) == ("x", "b")
    assert (given.all("--many"), given.number("--count", 7)) == (("1", "2"), 12)
    assert (given.on("--on"), given.on("--text"), given.text("--text")) == (True, False, None)
    assert given.text("--mode") == "slow"


def test_what_is_not_given_has_its_default() -> None:
    given = parse(COMMAND, ["-"])

    assert (given.text("FIRST"), given.all("--many"), given.number("--count", 7)) == ("-", (), 7)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "FIRST is missing"),
        (["x", "a", "b", "more"], "one word too many: 'more'"),
        (["x", "a", ""], "THIRD is empty; give it a value, or leave it out"),
        (["x", "c"], "SECOND is 'c'; it is one of a, b"),
        (["x", "--txet", "y"], "unknown flag --txet; did you mean --text?"),
        (["x", "-q"], "unknown flag -q"),
        (["x", "--text"], "--text needs a value: --text TEXT"),
        (["x", "--mode"], "--mode needs a value: --mode fast|slow"),
        (["x", "--text", "1", "--text", "2"], "--text is given twice"),
        (["x", "--on=yes"], "--on takes no value"),
        (["x", "--on", "--on"], "--on is given twice"),
        (["x", "--mode", "idle"], "--mode is 'idle'; it is one of fast, slow"),
        (["x", "--at", ""], "--at is empty; give it a value, or leave it out"),
        (["x", "--name="], "--name is empty; give it a value, or leave it out"),
        (["x", "--count", "-1"], "--count is '-1'; it is a whole number from 0"),
        (["x", "--count", "²"], "--count is '²'; it is a whole number from 0"),
        (["x", "--count", "1" * 30], "--count is '" + "1" * 30 + "'; it is too large"),
    ],
)
def test_a_word_that_makes_no_sense_is_named(words: list[str], said: str) -> None:
    with pytest.raises(Usage) as caught:
        parse(COMMAND, words)

    assert str(caught.value) == said


def test_help_wins_over_what_is_missing() -> None:
    assert parse(COMMAND, ["--help"]).on("--help")


def test_the_last_argument_may_be_given_many_times() -> None:
    arguments = (Argument("A", "one"), Argument("B", "more", required=False, many=True))
    command = Command("many", "test", lambda _: 0, "", {}, arguments)

    assert parse(command, ["x"]).values == {"A": ("x",)}
    assert parse(command, ["x", "y", "z"]).values == {"A": ("x",), "B": ("y", "z")}
