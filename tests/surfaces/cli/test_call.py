import json

from tests.surfaces.cli.shell import Shell

PATCH = "*** Begin Patch\n*** Update File: a.txt\n-one\n+two\n*** End Patch"


def test_a_tool_of_another_interface_is_called_as_an_agent_calls_it(keyhole: Shell) -> None:
    keyhole.write("a.txt", "one\n")

    done = keyhole.ok("call", "apply_patch", feed=json.dumps({"input": PATCH}))

    assert done.out == "Success. Updated the following files:\nM a.txt\n"
    assert keyhole.read("a.txt") == b"two\n"


def test_a_refused_call_exits_with_one(keyhole: Shell) -> None:
    keyhole.write("a.txt", "three\n")

    done = keyhole("call", "apply_patch", "--json", feed=json.dumps({"input": PATCH}))

    assert done.code == 1
    assert done.data["refusals"][0]["code"] == "not-found"


def test_an_unknown_tool_is_refused(keyhole: Shell) -> None:
    done = keyhole("call", "fly", "--tools", "codex", feed="{}")

    assert done.code == 1
    assert "name one of apply_patch" in done.out + done.err
