from pathlib import Path

import pytest

from keyhole.fastclasses import replace
from keyhole.linters.base import Linter
from keyhole.linters.configured import BUILTIN, linters_of


def test_a_name_that_keyhole_knows_is_enough() -> None:
    assert linters_of({"ruff": {}, "mypy": {}}) == (BUILTIN["ruff"], BUILTIN["mypy"])


def test_what_is_given_replaces_what_keyhole_knows() -> None:
    (linter,) = linters_of({"ruff": {"errors": ["F", "E"], "timeout": 3, "blocking": False}}, "h")

    expected = replace(BUILTIN["ruff"], errors=("F", "E"), timeout=3, blocking=False, source="h")
    assert linter == expected


def test_a_command_of_the_users_is_a_linter() -> None:
    table = {
        "command": ["mytool", "--strict", "{path}"],
        "languages": ["python", "go"],
        "format": "json:ruff",
        "anchors": ["mytool.ini"],
        "environment": ["LICENCE"],
    }

    (linter,) = linters_of({"mine": table})

    assert linter == Linter(
        "mine",
        ("mytool", "--strict", "{path}"),
        ("python", "go"),
        format="json:ruff",
        input="file",
        anchors=("mytool.ini",),
        environment=("LICENCE",),
    )


@pytest.mark.parametrize(
    ("command", "more", "wanted"),
    [
        (["tool"], {}, "stdin"),
        (["tool", "{path}"], {}, "file"),
        (["tool", "--in={paths}"], {}, "file"),
        (["tool", "--stdin-name", "{path}"], {"input": "stdin"}, "stdin"),
    ],
)
def test_a_command_that_names_the_file_opens_it(
    command: list[str], more: dict[str, str], wanted: str
) -> None:
    (linter,) = linters_of({"mine": {"command": command, "languages": ["*"], **more}})

    assert linter.input == wanted


@pytest.mark.parametrize(
    ("name", "table", "said"),
    [
        ("mine", {}, "has no `command` and `languages` for `validators.mine`"),
        ("mine", {"command": ["x"]}, "has no `command` and `languages`"),
        ("../up", {}, "names a validator '../up': use letters, digits, - and _"),
        ("ruff", "yes", "sets `validators.ruff` to 'yes', which is not a table"),
        ("ruff", {"colour": 1}, "has the unknown setting `validators.ruff.colour`"),
        ("ruff", {"command": "ruff"}, "which is not a list of texts"),
        ("ruff", {"command": []}, "which is not a list of texts"),
        ("ruff", {"languages": [1]}, "which is not a list of texts"),
        ("ruff", {"timeout": 0}, "which is not a number of seconds from 0 to 600"),
        ("ruff", {"timeout": 601}, "which is not a number of seconds from 0 to 600"),
        ("ruff", {"timeout": True}, "which is not a number of seconds from 0 to 600"),
        ("ruff", {"blocking": "yes"}, "which is not true or false"),
        ("ruff", {"format": "xml"}, "it is one of lines, diff, json:ruff, "),
        ("ruff", {"input": "pipe"}, "it is one of stdin, file"),
        ("ruff", {"format": 3}, "which is not a text"),
    ],
)
def test_a_table_that_makes_no_sense_says_what_does_not(
    name: str, table: object, said: str
) -> None:
    with pytest.raises(ValueError, match=r"^[a-z]") as caught:
        linters_of({name: table})

    assert said in str(caught.value)


@pytest.mark.parametrize(
    "command",
    [["sh", "-c", "tool {path}"], ["/bin/bash", "-euc", "cd {dir} && tool"]],
)
def test_a_file_name_does_not_become_part_of_a_shell_script(command: list[str]) -> None:
    with pytest.raises(ValueError, match=r"^puts a file name into a shell script in `validators"):
        linters_of({"mine": {"command": command, "languages": ["python"]}})


def test_a_shell_script_may_take_the_name_as_an_argument() -> None:
    command = ["sh", "-c", 'tool "$1"', "sh", "{path}"]

    (linter,) = linters_of({"mine": {"command": command, "languages": ["python"]}})

    assert linter.command == tuple(command)


@pytest.mark.parametrize(
    ("name", "command", "runs"),
    [
        ("mypy", None, True),
        ("pylint", None, True),
        ("eslint", None, True),
        ("clippy", None, True),
        ("ruff", None, False),
        ("gofmt", None, False),
        ("mine", ["npx", "eslint", "{path}"], True),
        ("mine", ["python3", "-m", "flake8"], True),
        ("mine", ["sh", "-c", 'cd /; exec mypy "$1"', "sh", "{path}"], True),
        ("mine", ["pylint3", "{path}"], True),
        ("mine", ["uvx", "mypy@1.18", "{path}"], True),
        ("mine", ["/opt/mypy-1.18.2", "{path}"], True),
        ("mine", ["svelte-check", "--workspace", "{dir}"], True),
        ("mine", ["./lint"], True),
        ("mine", ["/usr/bin/mypy", "{path}"], True),
        ("mine", ["shellcheck", "-"], False),
    ],
)
def test_what_can_run_code_of_the_tree_is_known(
    name: str, command: list[str] | None, *, runs: bool
) -> None:
    table: dict[str, object] = {"command": command, "languages": ["python"]} if command else {}

    (linter,) = linters_of({name: table})

    assert linter.runs_tree is runs


def test_a_link_by_another_name_is_the_program_that_it_leads_to(tmp_path: Path) -> None:
    (tmp_path / "mypy").write_text("#!/bin/sh\n", encoding="utf-8")
    (tmp_path / "mypy").chmod(0o755)
    (tmp_path / "types").symlink_to("mypy")

    (linter,) = linters_of({"mine": {"command": [f"{tmp_path}/types"], "languages": ["python"]}})

    assert linter.runs_tree
