"""What docs/checks.md shows and names is what keyhole says."""

import re
import shlex
from pathlib import Path

import pytest

from keyhole.edits.checks import guards, markdown_checks
from keyhole.refusals import CODES
from tests.surfaces.cli.shell import Shell

PAGE = (Path(__file__).parent.parent / "docs" / "checks.md").read_text(encoding="utf-8")


@pytest.fixture
def keyhole(tmp_path: Path) -> Shell:
    (tmp_path / "root").mkdir()
    (tmp_path / "home").mkdir()
    return Shell(tmp_path)


def test_the_example_is_what_the_command_says(keyhole: Shell) -> None:
    console = re.search(r"```console\n\$ keyhole (.*)\n((?s:.*?))```", PAGE)
    assert console
    keyhole.write("app.py", "def f():\n    return (1)\n")

    done = keyhole(*shlex.split(console[1]))

    assert (done.code, done.out) == (1, console[2])


def test_every_code_of_the_page_is_one() -> None:
    files = (markdown_checks.__file__, guards.__file__)
    sources = [Path(file).read_text(encoding="utf-8") for file in files]
    warnings = set(re.findall(r'"([a-z]+-[a-z]+)"\)', "".join(sources))) - CODES.keys()
    named = {name for name in re.findall(r"`([a-z]+-[a-z]+)`", PAGE) if "_" not in name}

    assert warnings == {
        "heading-jump",
        "duplicate-anchor",
        "broken-link",
        "undefined-reference",
        "unclosed-fence",
        "mixed-encodings",
    }
    assert warnings <= named
    assert named - warnings <= CODES.keys()
