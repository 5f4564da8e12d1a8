"""ARCHITECTURE.md: the files, functions, codes and packages that it names are there."""

import re
import tomllib
from itertools import chain
from pathlib import Path
from pkgutil import resolve_name

import pytest

from keyhole.refusals import CODES
from tests.house import HOMES, LAYERS

HERE = Path(__file__).parent.parent
PAGE = (HERE / "ARCHITECTURE.md").read_text(encoding="utf-8")
MOST_WORDS = 40
# A package, and the name it is imported by where that is another one.
IMPORTED = {"google-re2": "re2", "ast-grep-py": "ast_grep_py"}


def part(heading: str) -> str:
    return PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def rows(heading: str) -> list[list[str]]:
    """The rows of the table below a heading, without its head."""
    lines = [line for line in part(heading).split("\n") if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[2:]]


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`([\w/]+(?:\.py|\.md|/))`", PAGE))))
def test_every_file_that_is_named_is_there(name: str) -> None:
    homes = [HERE, HERE / "src/keyhole", HERE / "tests"]
    assert any((home / name).exists() for home in homes)


def test_the_tree_shows_every_room() -> None:
    tree = part("The house").split("```")[1]
    rooms = {room for room in LAYERS if room and not room.startswith("__")}

    assert {room for room in rooms if not re.search(rf"  {room}(/|\.py)  ", tree)} == set()


@pytest.mark.parametrize("row", rows("The walk of one edit"), ids=lambda row: row[0])
def test_every_step_of_the_walk_is_there(row: list[str]) -> None:
    names = re.findall(r"`([a-z_.]+(?:\.\w+)+)`", row[1])

    assert all(map(resolve_name, (f"keyhole.{name}" for name in names)))
    assert set(re.findall(r"\b[a-z]+(?:-[a-z]+)+\b|\bstale\b|\bbusy\b", row[3])) <= set(CODES)


def test_the_glossary_is_short_and_says_each_word_once() -> None:
    words = [word for row in rows("Words") for word in row[0].split(", ")]

    assert len(words) == len(set(words)) <= MOST_WORDS


def test_every_decision_stands_under_its_room() -> None:
    first, *rooms = part("Decisions").split("\n### ")

    assert "**" not in first
    assert all("\n**" in room for room in rooms)


def test_every_package_is_listed_with_its_home() -> None:
    listed = {row[0].strip("`"): row[1].strip("`") for row in rows("Dependencies, and why each")}
    project = tomllib.loads((HERE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    asked = [*project["dependencies"], *chain(*project["optional-dependencies"].values())]

    assert {re.split(r"[\[><=]", each)[0] for each in asked} == set(listed)
    assert {IMPORTED.get(name, name): home for name, home in listed.items()} == HOMES
