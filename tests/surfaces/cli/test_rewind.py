import json

import pytest

from tests.surfaces.cli.shell import Shell


def hook(keyhole: Shell, event: str, **more: object) -> None:
    said = {"session_id": "s1", "prompt_id": "p1", "cwd": str(keyhole.root), **more}
    keyhole.ok("hook", "claude-code", feed=json.dumps({"hook_event_name": event, **said}))


@pytest.fixture(name="past")
def _past(keyhole: Shell) -> Shell:
    """A prompt that made a shell write a file."""
    keyhole.write("keyhole.toml", "")
    keyhole.write("a.txt", "one\n")
    hook(keyhole, "SessionStart", source="startup")
    hook(keyhole, "UserPromptSubmit", prompt="make it two\nplease")
    tool = {"tool_name": "Bash", "tool_use_id": "t1", "tool_input": {"command": "sed -i s/e/o/"}}
    hook(keyhole, "PreToolUse", **tool)
    keyhole.write("a.txt", "two\n")
    hook(keyhole, "PostToolUse", **tool)
    return keyhole


def test_a_preview_comes_first_and_yes_carries_it_out(past: Shell) -> None:
    ahead = past.ok("rewind", "p1").out

    assert "-two\n+one\n" in ahead
    assert ahead.endswith("this is a preview; the same command with --yes carries it out\n")
    assert past.read("a.txt") == b"two\n"
    done = past.ok("rewind", "p1", "--yes", "--json").data
    assert past.read("a.txt") == b"one\n"
    past.ok("undo", done["transaction"])
    assert past.read("a.txt") == b"two\n"


def test_the_history_says_which_tool_and_why(past: Shell) -> None:
    [told] = past.ok("history", "--json").data["transactions"]

    assert (told["actor"], told["reason"]) == ("claude-code:Bash", "sed -i s/e/o/")


def test_without_a_point_the_prompts_are_listed(past: Shell) -> None:
    [told] = past.ok("rewind", "--json").data["prompts"]

    assert (told["prompt"], told["host"], told["said"]) == ("p1", "claude-code", "make it two")
    assert "claude-code s1: make it two" in past.ok("rewind").out


@pytest.mark.parametrize("words", [["--exact"], ["--agents"], ["--session", "s1"]], ids=str)
def test_whose_work_goes_can_be_said(past: Shell, words: list[str]) -> None:
    past.ok("rewind", "p1", "--yes", *words)

    assert past.read("a.txt") == b"one\n"


def test_two_ways_of_saying_whose_are_a_mistake(past: Shell) -> None:
    assert past("rewind", "p1", "--exact", "--agents").code == 2
