"""The page of requirements: every id has a row, and every test it names exists."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "requirements.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| (\w+) \| (.+?) \| (.*) \|$", re.MULTILINE)
ROWS = {name: re.findall(r"`(\S+?)`", tests) for name, _, tests in ROW.findall(PAGE)}
COUNTS = {
    "A": 18,
    "B": 16,
    "C": 7,
    "D": 6,
    "E": 5,
    "F": 10,
    "G": 10,
    "H": 25,
    "I": 18,
    "J": 18,
    "K": 22,
}
# What was met when the product was tried, and when the documents were read again.
MET = {
    "R": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13),
    "M": (1, 2, 3, 4, 5, 6, 7, 8),
    "T": (1, 2, 3, 4, 5),
    "S": (1, 2, 3, 4, 5),
    "L": (1, 2, 5, 6, 7, 9, 10),
}
IDS = [
    *(f"{letter}{number}" for letter, most in COUNTS.items() for number in range(1, most + 1)),
    *(f"{letter}{number}" for letter, numbers in MET.items() for number in numbers),
]
BUGS = [str(number) for number in range(1, 85)]
# The tests that the second document names, by their names there.
NAMED = 36


@cache
def named_in(path: str) -> frozenset[str]:
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def is_there(test: str) -> bool:
    path, _, name = test.partition("::")
    return (ROOT / path).is_file() and name in named_in(path)


def test_every_requirement_and_every_bug_has_its_row() -> None:
    rows = ["id", "bug", *IDS, *BUGS]

    assert sorted({*rows} - {*ROWS, "id", "bug"}) == []
    assert sorted({*ROWS} - {*rows}) == []


@pytest.mark.parametrize("name", [*IDS, *BUGS])
def test_every_test_that_the_page_names_is_there(name: str) -> None:
    assert ROWS[name]
    assert [test for test in ROWS[name] if not is_there(test)] == []


@pytest.mark.parametrize("number", BUGS)
def test_a_case_of_a_bug_can_be_found_by_its_number(number: str) -> None:
    names = [test.partition("::")[2] for test in ROWS[number]]

    assert [name for name in names if not name.startswith(f"test_bug_{int(number):02}_")] == []


def test_all_tests_that_the_second_document_names_are_there() -> None:
    names = named_in("tests/toolsets/text/test_tools.py")

    assert len([name for name in names if name.startswith("test_002_")]) == NAMED


def test_a_test_that_is_not_there_would_be_noticed() -> None:
    assert not is_there("tests/test_requirements_page.py::test_that_nobody_wrote")
    assert not is_there("tests/test_nowhere.py::test_x")
