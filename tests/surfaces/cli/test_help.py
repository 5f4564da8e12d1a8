from pathlib import Path
from runpy import run_path

import pytest

from keyhole.surfaces.cli import help as pages
from keyhole.surfaces.cli.grammar import COMMANDS, command
from keyhole.surfaces.cli.help import WIDTH, manual, overview, page
from tests.surfaces.cli.shell import Shell

DOCS = Path(__file__).parents[3] / "docs"


def test_the_manual_is_what_the_help_says_now() -> None:
    written = (DOCS / "cli.md").read_text(encoding="utf-8")

    assert written == f"{manual()}\n", "run `make manual`"


def test_the_manual_is_printed_to_be_kept(capsys: pytest.CaptureFixture[str]) -> None:
    run_path(str(pages.__file__), run_name="__main__")

    assert capsys.readouterr().out == f"{manual()}\n"


def test_help_is_as_wide_as_the_terminal_and_no_wider_than_reads_well(keyhole: Shell) -> None:
    found = {
        columns: keyhole.with_environment(COLUMNS=str(columns)).on_terminal("--help").out
        for columns in (1, 60, 300)
    }

    assert found == {1: f"{overview(50)}\n", 60: f"{overview(59)}\n", 300: f"{overview()}\n"}


def test_the_manual_holds_every_page() -> None:
    text = manual()

    assert overview() in text
    assert [name for name in COMMANDS if page(command(name)) not in text] == []


def test_the_list_of_commands_fits_a_terminal() -> None:
    assert [line for line in overview(79).split("\n") if len(line) > 79] == []


def test_no_line_of_help_is_wider_than_a_page() -> None:
    lines = [(name, line) for name in COMMANDS for line in page(command(name)).split("\n") if line]

    assert [(name, line) for name, line in lines if len(line) > WIDTH + 4] == []
