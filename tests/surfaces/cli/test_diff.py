import json

import pytest

from tests.surfaces.cli.shell import Shell


@pytest.fixture
def past(keyhole: Shell) -> Shell:
    """Two tasks that edited one file."""
    keyhole.write("a.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n")
    keyhole.ok("edit", "a.txt", "--find", "2", "--content", "two", "--task", "x", "--reason", "en")
    keyhole.ok("edit", "a.txt", "--find", "8", "--content", "eight", "--task", "y")
    return keyhole


def test_all_that_happened_is_one_diff_below_its_reasons(past: Shell) -> None:
    rows = past.ok("diff").out.split("\n")

    assert rows[:2] == ["1 file, +2 -2, in 2 transactions", "a.txt  +2 -2"]
    assert rows[2].endswith("task x, line 2: en")
    assert rows[3].endswith("task y, line 8")
    assert {"-2", "+two", "-8", "+eight"} <= set(rows)


@pytest.mark.parametrize(
    ("words", "counts"),
    [
        (["--task", "x"], "1 file, +1 -1, in 1 transaction"),
        (["--since", "1"], "1 file, +1 -1, in 1 transaction"),
        (["--since", "1h"], "1 file, +2 -2, in 2 transactions"),
        (["--since", "2"], "no changes"),
        (["--actor", "nobody"], "no changes"),
        (["--unseen"], "1 file, +2 -2, in 2 transactions"),
        (["b.txt"], "no changes"),
        (["a.txt"], "1 file, +2 -2, in 2 transactions"),
    ],
    ids=str,
)
def test_a_diff_is_of_what_the_flags_say(past: Shell, words: list[str], counts: str) -> None:
    assert past.ok("diff", "--stat", *words).out.split("\n")[0] == counts


def test_json_says_the_same_with_the_lines_of_each_reason(past: Shell) -> None:
    data = past.ok("diff", "--json").data

    assert (data["added"], data["removed"], len(data["transactions"])) == (2, 2, 2)
    [file] = data["files"]
    assert [(each["lines"], each["task"]) for each in file["reasons"]] == [
        ([2, 2], "x"),
        ([8, 8], "y"),
    ]
    assert file["diff"].startswith("diff --git a/a.txt b/a.txt\n")


def test_a_point_that_is_none_is_refused(past: Shell) -> None:
    assert past("diff", "--since", "soon", "--json").refusal["code"] == "bad-request"
    assert past("diff", "--since", "HEAD", "--json").refusal["code"] == "bad-request"
    assert past("diff", "--since", "99", "--json").refusal["code"] == "nothing-to-undo"
    assert past("diff", "--since", "1", "--unseen").code == 2


def test_a_terminal_breaks_reasons_at_words_and_keeps_the_diff_as_it_is(past: Shell) -> None:
    long = "word " * 30
    words = ("--find", "5", "--content", "+" * 100, "--reason", long)
    past.ok("edit", "a.txt", *words)

    wide = past.with_environment(COLUMNS="80", PAGER="cat")
    rows = wide.on_terminal("diff", "--color", "never").out.split("\n")

    told = [row for row in rows if "word word" in row]
    assert len(told) == 3
    assert max(map(len, told)) <= 80
    assert all(row.startswith("    word") for row in told[1:])
    assert "+" * 101 in rows


def test_of_many_reasons_the_first_are_told_and_the_rest_counted(keyhole: Shell) -> None:
    keyhole.write("a.txt", "".join(f"{number}\n" for number in range(50)))
    edits = [{"find": f"{n}\n", "content": "x\n", "occurrence": 1} for n in range(10, 35)]
    keyhole.ok("edit", "--request", "-", feed=json.dumps({"path": "a.txt", "edits": edits}))

    rows = keyhole.ok("diff").out.split("\n")

    assert sum(row.startswith("  1-") for row in rows) == 20
    assert "  and 5 more in the history of the file" in rows
    assert len(keyhole.ok("diff", "--json").data["files"][0]["reasons"]) == 25
