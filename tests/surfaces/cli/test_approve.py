"""A person's word about proposals, in the terminal."""

import pytest

from tests.surfaces.cli.shell import Shell


@pytest.fixture
def waiting(keyhole: Shell) -> Shell:
    """A proposal of two edits."""
    keyhole.write("a.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n")
    edits = '{"path": "a.txt", "edits": [{"find": "2", "content": "two", "reason": "word"}, '
    edits += '{"find": "8", "content": "eight"}]}'
    keyhole.ok("edit", "--request", "-", "--propose", feed=edits)
    return keyhole


def name_of(keyhole: Shell) -> str:
    [proposal] = keyhole.ok("proposals", "--json").data["proposals"]
    return str(proposal["id"])


def shown(keyhole: Shell) -> str:
    return str(keyhole.ok("proposals", name_of(keyhole), "--json").data["shown"])


def test_a_proposal_is_listed_shown_and_carried_out(waiting: Shell) -> None:
    name = name_of(waiting)
    text = waiting.ok("proposals", name).out
    assert "  edit 0 in a.txt: word\n" in text
    assert text.endswith(f"shown: {shown(waiting)}\n")

    waiting.ok("approve", name, "--shown", shown(waiting))

    assert waiting.read("a.txt") == b"1\ntwo\n3\n4\n5\n6\n7\neight\n9\n"
    assert waiting.ok("proposals").out == "no proposals\n"
    assert "accepted" in waiting.ok("proposals", "--all").out


def test_some_edits_are_carried_out_and_the_others_turned_down(waiting: Shell) -> None:
    name = name_of(waiting)
    stray = waiting("approve", name, "--edit", "7", "--shown", shown(waiting), "--json").refusal
    assert stray["code"] == "bad-request"
    assert waiting("approve", name, "--edit", "x", "--shown", shown(waiting)).code == 2
    waiting.ok("approve", name, "--edit", "1", "--shown", shown(waiting), "--comment", "one")

    assert waiting.read("a.txt") == b"1\n2\n3\n4\n5\n6\n7\neight\n9\n"
    decided = waiting.ok("proposals", name).out
    assert "+two" in decided, "it is shown as it was proposed"
    assert "+eight" in decided
    assert "cannot be carried out" not in decided
    assert "partly-accepted" in waiting.ok("proposals", "--all").out


def test_a_proposal_is_turned_down_with_a_word(waiting: Shell) -> None:
    name = name_of(waiting)
    waiting.ok("reject", name, "--shown", shown(waiting), "--comment", "not so")

    assert waiting.read("a.txt") == b"1\n2\n3\n4\n5\n6\n7\n8\n9\n"
    told = waiting.ok("show", name, "--json").data["proposals"][0]
    assert (told["outcome"], told["comment"]) == ("rejected", "not so")
    again = waiting("reject", name, "--shown", "x", "--json").refusal
    assert again["code"] == "stale"


def test_a_word_about_what_was_not_shown_is_not_taken(waiting: Shell) -> None:
    name, seal = name_of(waiting), shown(waiting)
    blind = waiting("approve", name)
    assert (blind.code, blind.out) == (2, "")
    assert f"`keyhole proposals {name}` prints what you decide about" in blind.err

    waiting.ok("edit", "a.txt", "--find", "5", "--content", "five")
    assert waiting("approve", name, "--shown", seal, "--json").refusal["code"] == "stale"
    assert waiting("approve", "p-00000000", "--json").refusal["code"] == "nothing-to-undo"
    assert b"two" not in waiting.read("a.txt")


@pytest.mark.parametrize(
    ("word", "code", "text"), [("y\n", 0, b"two"), ("\n", 1, b"2")], ids=["yes", "no"]
)
def test_on_a_terminal_the_person_is_asked(
    waiting: Shell, word: str, code: int, text: bytes
) -> None:
    name = name_of(waiting)
    listed = waiting.on_terminal("proposals", "--color", "never")
    done = waiting.on_terminal("approve", name, "--color", "never", typed=word)

    assert name in listed.out
    assert "+two" in done.out
    assert "Carry it out? [y/N] " in done.out
    assert (done.code, "nothing was decided" in done.out) == (code, code == 1)
    assert waiting.read("a.txt").split(b"\n")[1] == text
