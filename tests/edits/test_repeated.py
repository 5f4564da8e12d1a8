"""Additions that stand already: made before, or a second copy."""

from keyhole.edits.model.operations import Edit
from keyhole.edits.repeated import added_by, may_repeat
from keyhole.text.changes import Change
from tests.edits.calls import edited
from tests.edits.planned import planned

ADD = {"find": "alpha", "action": "after", "content": "one line that is long enough to tell"}


def test_an_older_version_that_has_the_addition_too_proves_nothing() -> None:
    now = f"alpha\nb\n{ADD['content']}\n"

    file = edited(now, ADD, shown=f"alpha\n{ADD['content']}\n")

    assert file.after is not None
    assert file.after.text == f"alpha\n{ADD['content']}\nb\n{ADD['content']}\n"


def test_an_addition_that_was_made_on_an_older_version_is_not_made_again() -> None:
    now = f"alpha\n{ADD['content']}\nb\n"

    assert edited(now, ADD, shown="alpha\nb\n").changes.is_empty


def test_what_a_change_repeats_above_or_below_is_not_added() -> None:
    assert added_by("ab\n", Change(0, 3, "x\nab\n")) == Change(0, 0, "x\n")
    assert added_by("ab\n", Change(0, 3, "ab\nx\n")) == Change(3, 3, "x\n")
    assert added_by("ab\n", Change(0, 3, "x\n")) == Change(0, 3, "x\n")


def test_many_lines_in_a_long_file_are_not_looked_for_one_by_one() -> None:
    before = "".join(f"line {number} of a long file\n" for number in range(40_000))
    new = "".join(f"other {number}\n" for number in range(100))

    def is_looked_into(content: str) -> bool:
        edit = Edit(path="f", find="line 7 of a long file\n", content=content)
        return may_repeat(planned(before, edit).files[0])

    assert is_looked_into(new)
    assert not is_looked_into("other\n")
