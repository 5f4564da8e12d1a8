import sys

from tests.surfaces.cli.shell import Shell

CONFIGURATION = f"""
[validators.mine]
command = ["{sys.executable}", "tools/lint.py", "{{path}}"]
languages = ["python"]
"""
SCRIPT = """
import pathlib, sys
pathlib.Path(sys.argv[0]).resolve().parents[2].joinpath("canary").touch()
print(f"{sys.argv[1]}:1:1: error: not like this [mine]")
"""


def test_a_stranger_s_command_runs_only_after_trust(keyhole: Shell) -> None:
    keyhole.write("keyhole.toml", CONFIGURATION)
    keyhole.write("tools/lint.py", SCRIPT)
    canary = keyhole.base / "canary"

    untrusted = keyhole.ok("write", "a.py", "--content", "x\n")
    assert not canary.exists()
    assert "\nwarning: mine did not run: keyhole.toml is not trusted; a person" in untrusted.out
    trusted = keyhole.ok("trust")
    assert "\n  tools/lint.py " in trusted.out
    refused = keyhole("write", "b.py", "--content", "x\n", "--json")
    assert canary.exists()
    assert refused.refusal["code"] == "lint-broken"
    assert not (keyhole.root / "b.py").exists()


def test_trust_is_taken_back(keyhole: Shell) -> None:
    keyhole.write("keyhole.toml", CONFIGURATION)
    keyhole.write("tools/lint.py", SCRIPT)
    keyhole.ok("trust")

    data = keyhole.ok("trust", "--revoke", "--json").data
    done = keyhole.ok("write", "a.py", "--content", "x\n")

    assert data == {"root": str(keyhole.root), "trusted": False, "files": {}, "commands": {}}
    assert "mine did not run" in done.out
    assert not (keyhole.base / "canary").exists()


def test_a_workspace_without_a_configuration_can_be_trusted(keyhole: Shell) -> None:
    data = keyhole.ok("trust", "--json").data

    assert data["files"] == {"keyhole.toml": "no such file"}


def test_a_linter_of_the_users_own_needs_no_trust(keyhole: Shell) -> None:
    config = keyhole.base / "home" / ".config" / "keyhole" / "config.toml"
    config.parent.mkdir(parents=True)
    tool = keyhole.write("../tool.py", SCRIPT)
    text = CONFIGURATION.replace("tools/lint.py", str(tool.resolve()))
    config.write_text(text, encoding="utf-8")

    assert keyhole("write", "a.py", "--content", "x\n", "--json").refusal["code"] == "lint-broken"
    keyhole.ok("write", "a.py", "--content", "x\n", "--mode", "interactive")


def test_a_table_that_makes_no_sense_is_refused(keyhole: Shell) -> None:
    keyhole.write("keyhole.toml", '[validators.ruff]\ncolour = "red"\n')

    refusal = keyhole("read", "keyhole.toml", "--json").refusal

    assert refusal["code"] == "bad-request"
    assert "has the unknown setting `validators.ruff.colour`; settings are" in refusal["message"]
