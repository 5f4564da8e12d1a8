import pytest

from keyhole.edits.model.operations import Edit, LineRange, WriteFile
from keyhole.refusals import Refused
from keyhole.toolsets.safe_edit.requests import asked


def edit_of(**given: object) -> Edit:
    (operation,) = asked({"path": "a.txt", **given}).operations
    assert isinstance(operation, Edit)
    return operation


def test_content_is_a_whole_file_that_may_shrink_if_it_is_forced() -> None:
    for mode, may in (("strict", False), ("interactive", True)):
        (operation,) = asked({"path": "a.txt", "content": "x", "mode": mode}).operations
        assert operation == WriteFile("a.txt", "x", allow_shrink=may)


def test_an_insertion_is_after_the_line_above() -> None:
    first = edit_of(insert_lines=[{"at_line": 1, "content": "x"}])
    third = edit_of(insert_lines=[{"at_line": 3, "content": "x"}])

    assert (first.lines, first.action) == (LineRange(0, 0), "after")
    assert third.lines == LineRange(2, 2)


@pytest.mark.parametrize(
    ("flags", "pattern"),
    [
        (0, "(?-m)a"),
        (2, "(?i-m)a"),
        (8, "(?m)a"),
        (2 | 8 | 16, "(?ims)a"),
        (32 | 256, "(?-m)a"),
    ],
)
def test_flags_are_said_in_the_pattern(flags: int, pattern: str) -> None:
    edit = edit_of(search="a", replace="b", regex=True, search_flags=flags)

    assert edit.find == pattern


def test_a_plain_search_whatever_the_case_is_a_pattern_of_plain_text() -> None:
    edit = edit_of(search="a.b", replace=r"\1 \\2 \g<x>", search_flags=2)

    assert (edit.find, edit.regex) == (r"(?i-m)a\.b", True)
    assert edit.content == r"\\1 \\\2 \\g<x>"


def test_a_count_limits_all() -> None:
    assert (edit_of(search="a", replace="b").occurrence, edit_of(search="a", replace="b").most) == (
        "all",
        0,
    )
    assert edit_of(search="a", replace="b", search_count=3).most == 3


def test_the_path_comes_first() -> None:
    with pytest.raises(Refused) as caught:
        asked({"content": "x"})

    assert caught.value.refusals[0].headline == "`path` is missing"
