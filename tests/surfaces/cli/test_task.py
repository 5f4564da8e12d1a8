import pytest

from tests.surfaces.cli.shell import Shell


@pytest.fixture
def tasks(keyhole: Shell) -> Shell:
    keyhole.write("a.txt", "one\n")
    edit = ("edit", "a.txt", "--find", "one", "--content", "two")
    keyhole.ok(*edit, "--task", "login", "--actor", "x")
    return keyhole


def test_tasks_are_listed(tasks: Shell) -> None:
    data = tasks.ok("task", "--json").data
    text = tasks.ok("task", "list").out

    [task] = data["tasks"]
    assert (task["task"], task["transactions"], task["ended"]) == ("login", 1, False)
    assert text == f"login  open  1 transactions, last {task['last']}\n"


def test_an_ended_task_no_longer_conflicts(tasks: Shell) -> None:
    edit = ("edit", "a.txt", "--find", "two", "--content", "three", "--task", "other")

    assert tasks(*edit, "--json").refusal["code"] == "conflict"
    assert tasks.ok("task", "end", "login", "--json").data["tasks"][0]["ended"]
    assert tasks(*edit).code == 0


def test_no_tasks_is_an_answer(keyhole: Shell) -> None:
    assert keyhole.ok("task").out == "no tasks\n"


def test_an_unknown_task_cannot_be_ended(tasks: Shell) -> None:
    assert tasks("task", "end", "logn", "--json").refusal["code"] == "bad-request"


def test_a_read_only_workspace_ends_no_task(tasks: Shell) -> None:
    assert tasks("task", "end", "login", "--read-only", "--json").refusal["code"] == "read-only"


@pytest.mark.parametrize("words", [["end"], ["list", "login"]], ids=" ".join)
def test_half_a_wish_is_a_usage_error(keyhole: Shell, words: list[str]) -> None:
    done = keyhole("task", *words)

    assert done.code == 2
    assert done.err.startswith(
        "keyhole task: say `task end NAME`, `task claim NAME PATH`, or `task` for the list\n"
    )


@pytest.mark.parametrize("flag", ["--for", "--segment"])
@pytest.mark.parametrize("words", [["end", "login"], []], ids=str)
def test_what_is_for_claims_goes_with_claims_only(
    keyhole: Shell, words: list[str], flag: str
) -> None:
    done = keyhole("task", *words, flag, "10m")

    what = " ".join(words[:1]) or "list"
    said = f"{flag} goes with `task claim`, not with `task {what}`"
    assert (done.code, done.err.split("\n")[0]) == (2, f"keyhole task: {said}")
