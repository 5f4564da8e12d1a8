import pytest

from keyhole.edits.checks.syntax.compare import (
    distance,
    nearest,
    new_problems,
    without_old_messages,
)
from keyhole.edits.checks.syntax.problem import Problem
from keyhole.text.changes import Change, ChangeSet

CHANGES = ChangeSet(100, (Change(10, 20, "x" * 5), Change(50, 50, "y" * 10)))


def at(start: int, end: int, message: str = "m") -> Problem:
    return Problem(start, end, message)


@pytest.mark.parametrize(
    ("old", "new"),
    [((0, 5), (0, 5)), ((30, 35), (25, 30)), ((60, 61), (65, 66)), ((15, 30), (10, 25))],
)
def test_an_old_problem_is_known_where_it_was_carried(
    old: tuple[int, int], new: tuple[int, int]
) -> None:
    assert new_problems([at(*old)], [at(*new)], CHANGES) == []
    assert without_old_messages([at(*new)], [at(*old)], CHANGES) == []


def test_another_problem_at_the_place_of_one_is_new() -> None:
    assert without_old_messages([at(25, 30, "n")], [at(30, 35)], CHANGES) == [at(25, 30, "n")]


def test_one_more_problem_is_new_wherever_it_is() -> None:
    assert new_problems([at(0, 1)], [at(0, 1), at(90, 91)], CHANGES) == [at(90, 91)]


def test_of_as_many_problems_only_those_at_a_change_are_new() -> None:
    assert new_problems([at(0, 1)], [at(90, 91)], CHANGES) == []
    assert new_problems([at(0, 1)], [at(12, 13)], CHANGES) == [at(12, 13)]


def test_the_nearest_problem_is_told_by_its_distance() -> None:
    far, near = at(90, 91), at(30, 31)

    assert [distance(each, CHANGES) for each in (far, near, at(12, 13))] == [35, 14, 0]
    assert nearest([far, near], CHANGES) == near
