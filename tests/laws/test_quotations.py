"""What a refusal quotes from a file stands in the file, whatever words the file holds."""

import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from keyhole import Workspace
from tests.doors import DOORS, Replacement
from tests.scene import put

# The words that messages are made of, and those of every interface for them.
WORDS = st.sampled_from(
    [
        *("`find`", "`content`", "`lines`", "`old_str`", "`oldText`", "`old_content`", "find"),
        *("{find}", "{}", "{match:bare}", "--find", "places", "f.md", "f.py", "``", "`", "help:"),
        *("is a directory", "note: `find`", "; or set mode interactive to write it as it is"),
        '{"accept": "c9"}',
    ]
)
LINES = st.lists(WORDS, min_size=2, max_size=5).map(" ".join)
FILES = st.lists(LINES, min_size=3, max_size=8, unique=True)
ROW = re.compile(r"(?m)^(?:  at:)?\s*(\d+)\| ?(.*)$")


@pytest.fixture(scope="module")
def workspace() -> Iterator[Workspace]:
    with tempfile.TemporaryDirectory() as base, pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", f"{base}/state")
        patch.setenv("XDG_CONFIG_HOME", f"{base}/config")
        root = Path(base) / "root"
        root.mkdir()
        with Workspace(root, actor="tester") as made:
            yield made


def quoted(answer: str) -> list[tuple[int, str]]:
    """The lines of a file that an answer shows, each with its number."""
    return [(int(number), text) for number, text in ROW.findall(answer)]


def check(workspace: Workspace, door: str, text: str, asked: Replacement) -> int:
    """Fail unless each line that the answer shows stands in the file, before or after."""
    put(workspace.root, asked.path, text)
    answer = DOORS[door](workspace, asked)
    before, after = text.split("\n"), text.replace(asked.old, asked.new, 1).split("\n")
    rows = quoted(answer)
    for number, line in rows:
        assert line in {before[number - 1], after[number - 1]}, answer
    return len(rows)


SETTINGS = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.mark.parametrize("door", DOORS)
@SETTINGS
@given(lines=FILES, at=st.integers(0, 7), cut=st.integers(1, 6))
def test_the_nearest_place_is_shown_as_it_stands(
    workspace: Workspace, door: str, lines: list[str], at: int, cut: int
) -> None:
    line = lines[at % len(lines)]
    asked = Replacement("f.md", f"{line[:cut]}zz{line[cut:]}", "other")

    check(workspace, door, "\n".join(lines) + "\n", asked)


@pytest.mark.parametrize("door", DOORS)
@SETTINGS
@given(lines=FILES, at=st.integers(0, 7))
def test_places_to_choose_from_are_shown_as_they_stand(
    workspace: Workspace, door: str, lines: list[str], at: int
) -> None:
    line = lines[at % len(lines)]

    check(workspace, door, "\n".join([*lines, line]) + "\n", Replacement("f.md", line, "other"))


@pytest.mark.parametrize("door", DOORS)
@SETTINGS
@given(lines=FILES)
def test_the_lines_around_a_fault_are_shown_as_they_would_stand(
    workspace: Workspace, door: str, lines: list[str]
) -> None:
    text = "\n".join([*(f"# {line}" for line in lines), "value = 1", *(f"# {x}" for x in lines)])

    check(workspace, door, f"{text}\n", Replacement("f.py", "value = 1", "value = (1"))


def test_answers_show_lines_at_all(workspace: Workspace) -> None:
    text = "`find` is `content`\nvalue = 1\nvalue = 1\n"
    asked = Replacement("f.md", "`find` is `contents`", "x")
    shown = {door: check(workspace, door, text, asked) for door in DOORS}

    assert {door for door, rows in shown.items() if rows} >= DOORS.keys() - {"text-files"}
