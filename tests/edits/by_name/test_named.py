from pathlib import Path

import pytest

from tests.case_files import Case, cases_of
from tests.edits import segment_calls
from tests.test_cases import check_case

CASES = cases_of(Path(__file__).parents[2] / "cases" / "named")


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.file} {case.title}")
def test_the_case_comes_out_as_written(case: Case) -> None:
    check_case(case)


def test_every_case_is_run() -> None:
    assert len(CASES) == 312


@pytest.mark.parametrize("action", ["before", "after", "prepend", "append"])
def test_nothing_added_is_nothing_changed(action: str) -> None:
    placed = segment_calls.placed(
        "m.py", "def f():\n    pass\n", segment="f", action=action, content="\n"
    )

    assert placed.changes == ()
    assert placed.span == (0, 18)
