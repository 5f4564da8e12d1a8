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
