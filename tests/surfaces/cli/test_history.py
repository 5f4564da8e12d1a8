import pytest

from tests.surfaces.cli.shell import Shell


@pytest.fixture
def past(keyhole: Shell) -> Shell:
    """Three transactions: two of task x, and one by another actor."""
    keyhole.write("a.py", "def one():\n    return 1\n")
    body = ["--segment", "one", "--part", "body"]
    keyhole.ok("edit", "a.py", *body, "--content", "return 2", "--task", "x", "--reason", "more")
    keyhole.ok("write", "docs/b.txt", "--content", "b\n", "--task", "x")
    keyhole.ok("edit", "a.py", "--find", "2", "--content", "3", "--actor", "agent")
    return keyhole


def numbers(keyhole: Shell, *words: str) -> list[int]:
    found = keyhole.ok("history", "--json", *words).data["transactions"]
    return [int(one["id"].partition("-")[0]) for one in found]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ([], [3, 2, 1]),
        (["a.py"], [3, 1]),
        (["--path", "docs"], [2]),
        (["--task", "x"], [2, 1]),
        (["--actor", "agent"], [3]),
        (["--segment", "one"], [3, 1]),
        (["--since", "1h"], [3, 2, 1]),
        (["--since", "2999-01-01"], []),
        (["--limit", "1"], [3]),
    ],
    ids=str,
)
def test_transactions_are_listed_newest_first_and_filtered(
    past: Shell, words: list[str], found: list[int]
) -> None:
    assert numbers(past, *words) == found


def test_text_says_what_json_says_in_a_line_a_transaction(past: Shell) -> None:
    data = past.ok("history", "a.py", "--json").data["transactions"]
    text = past.ok("history", "a.py").out

    newest, oldest = data
    assert text == (
        f"{newest['id']}  {newest['time']}  agent  applied  a.py\n"
        f"{oldest['id']}  {oldest['time']}  {oldest['actor']} task x  applied  a.py: more\n"
    )


def test_nothing_happened_yet_is_an_answer(keyhole: Shell) -> None:
    assert keyhole.ok("history").out == "no transactions\n"
    assert keyhole.on_terminal("history").out == "no transactions\n"


def test_a_terminal_gets_a_table(past: Shell) -> None:
    past.ok("undo", "2")
    listed = past.ok("history", "--json").data["transactions"]

    done = past.on_terminal("history", "--color", "never")

    rows = done.out.rstrip("\n").split("\n")
    assert rows[0].split() == ["id", "when", "who", "what"]
    assert [row.split()[0] for row in rows[1:]] == [one["id"] for one in listed]
    assert rows[1].endswith(f"docs/b.txt (undoes {listed[2]['id']})")
    assert rows[3].endswith(f"docs/b.txt (undone by {listed[0]['id']}) [x]")
    assert rows[4].endswith("a.py [x] more")


def test_a_coloured_table_has_the_same_words(past: Shell) -> None:
    done = past.on_terminal("history")

    assert done.out.startswith("\x1b[1mid")


@pytest.mark.parametrize("when", ["yesterday", "5y", "", "9" * 30 + "d", "0001-01-01"])
def test_a_moment_that_is_none_is_a_usage_error(past: Shell, when: str) -> None:
    done = past("history", "--since", when)

    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"keyhole history: --since is {when!r}; it is 90s, 30m, 2h, 3d, 1w")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--export", "--json"], "--json and --export are both given"),
        (["--export", "--segment", "f"], "--segment and --export are both given"),
        (["a.txt", "--path", "b.txt"], "--path and PATH are both given"),
    ],
    ids=str,
)
def test_flags_that_would_go_unheard_are_refused(past: Shell, words: list[str], said: str) -> None:
    done = past("history", *words)

    assert (done.code, done.out) == (2, "")
    assert done.err == f"keyhole history: {said}\n  help: keyhole history --help\n"


@pytest.mark.parametrize("flag", ["--task", "--actor"])
def test_a_name_that_is_no_text_is_kept_asked_for_and_undone(keyhole: Shell, flag: str) -> None:
    keyhole.write("a.txt", "a\n")
    keyhole.ok("edit", "a.txt", "--find", "a", "--content", "b", flag, b"caf\xe9")

    listed = keyhole.ok("history", "--json", flag, b"caf\xe9").data["transactions"]
    audited = keyhole.ok("audit", flag, b"caf\xe9").data["records"]
    keyhole.ok("undo", flag, b"caf\xe9")

    assert [len(listed), len(audited)] == [1, 1]
    assert keyhole.read("a.txt") == b"a\n"
