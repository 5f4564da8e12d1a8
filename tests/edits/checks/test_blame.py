import pytest

from keyhole.edits.checks.diagnostics import edit_to_blame
from keyhole.edits.checks.syntax.problem import Problem
from tests.edits.planned import created, replaced

BEFORE = "def f():\n    return 1\n\n\ndef g():\n    return 2\n\n\ndef h():\n    return 3\n"


def test_the_only_edit_is_to_blame() -> None:
    file = replaced("a.py", BEFORE, ("return 2", "return (2"))

    assert edit_to_blame(file, Problem(0, 0, ""), 0) == 0


def test_nobody_is_to_blame_without_edits() -> None:
    assert edit_to_blame(created("a.py", "("), Problem(0, 0, ""), 0) is None


@pytest.mark.parametrize("guilty", [0, 1, 2])
def test_the_edit_that_breaks_the_file_alone_is_to_blame(guilty: int) -> None:
    pairs = [(f"return {n}", f"return {n}0") for n in (1, 2, 3)]
    pairs[guilty] = (pairs[guilty][0], 'return """')
    file = replaced("a.py", BEFORE, *pairs)

    assert edit_to_blame(file, Problem(0, 0, ""), len(BEFORE)) == guilty


def test_where_none_alone_breaks_it_the_nearest_is_to_blame() -> None:
    pairs = [("return 1", "return 1,"), ("return 3", "return 30")]
    file = replaced("a.py", BEFORE, *pairs)

    assert edit_to_blame(file, Problem(0, 0, ""), 0) == 0
    assert edit_to_blame(file, Problem(0, 0, ""), len(BEFORE)) == 1


def test_what_is_no_matter_of_syntax_is_blamed_on_the_nearest() -> None:
    file = replaced("a.py", BEFORE, ("return 1", "return (1"), ("return 3", "return \x01"))
    assert file.after

    at = file.after.text.index("\x01")
    assert edit_to_blame(file, Problem(at, at + 1, "", code="control-characters"), at) == 1


def test_of_very_many_edits_none_is_tried() -> None:
    before = "".join(f"x{n} = [{n}]\n" for n in range(10, 30))
    pairs = [(f"[{n}]", f"[{n}" if n == 10 else f"[{n}0]") for n in range(10, 30)]
    file = replaced("a.py", before, *pairs)

    assert edit_to_blame(file, Problem(0, 0, ""), 10 * len(before)) == 19
