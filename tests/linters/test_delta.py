import pytest

from keyhole.linters.base import Finding
from keyhole.linters.check import new_findings


def at(line: int, message: str = "no", code: str = "X1", linter: str = "tool") -> Finding:
    return Finding(linter, code, "error", message, line)


def test_a_finding_that_moved_with_its_line_is_old() -> None:
    old, new = "a\nbad\n", "first\nsecond\na\nbad\n"

    assert new_findings([at(2)], [at(4)], old, new) == ()


def test_the_same_finding_on_another_line_is_new() -> None:
    old, new = "a\nbad\nc\nd\n", "a\nbad\nc\nbad\nd\n"

    assert new_findings([at(2)], [at(2), at(4)], old, new) == (at(4),)


def test_one_that_goes_and_one_that_comes_are_not_the_same() -> None:
    old, new = "bad\na\nb\nc\nd\n", "good\na\nb\nc\nbad\nd\n"

    assert new_findings([at(1)], [at(5)], old, new) == (at(5),)


def test_a_line_that_was_rewritten_keeps_the_findings_it_had() -> None:
    old, new = "import os, sys\nx\n", "import os, re, sys\nx\n"
    found = [at(1, "`os` is unused"), at(1, "`re` is unused")]

    assert new_findings([at(1, "`os` is unused")], found, old, new) == (found[1],)


def test_an_old_finding_accounts_for_one_only() -> None:
    old, new = "bad\n", "bad\nbad again\n"

    assert new_findings([at(1)], [at(1), at(2)], old, new) == (at(2),)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (at(2, code="X1"), at(2, code="X2")),
        (at(2, "`a` is unused"), at(2, "`b` is unused")),
        (at(2, "name 'x1' is unknown"), at(2, "name 'x2' is unknown")),
        (at(2, linter="one"), at(2, linter="another")),
    ],
    ids=["code", "message", "number in a name", "linter"],
)
def test_another_finding_on_an_old_line_is_new(before: Finding, after: Finding) -> None:
    assert new_findings([before], [after], "a\nb\n", "a\nc\n") == (after,)


def test_numbers_that_stand_alone_may_differ() -> None:
    before = [at(1, "too many lines (1001/1000)"), at(3, "defined before on line 2")]
    after = [at(1, "too many lines (1002/1000)"), at(4, "defined before on line 3")]

    assert new_findings(before, after, "a\nb\nc\n", "a\nnew\nb\nc\n") == ()


def test_what_is_said_about_the_file_as_a_whole_stays_at_its_ends() -> None:
    before = [at(1, "no docstring"), at(2, "no newline at the end")]
    after = [at(1, "no docstring"), at(4, "no newline at the end")]

    assert new_findings(before, after, "a\nb", "new\na\nb\nnew") == ()


def test_everything_is_new_in_a_new_file() -> None:
    assert new_findings([], [at(1), at(2)], "", "a\nb\n") == (at(1), at(2))


def test_the_finding_with_less_choice_is_not_robbed() -> None:
    # Line 2 stays, line 3 becomes lines 3 and 4: the finding on 2 must answer for the one on 2.
    old, new = "a\nbad\nc bad\nd\n", "a\nbad\nx bad\ny bad\nd\n"

    assert new_findings([at(3), at(2)], [at(2), at(3), at(4)], old, new) == (at(4),)
