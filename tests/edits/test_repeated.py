"""Additions that stand already: made before, or a second copy."""

from keyhole.edits.repeated import added_by
from keyhole.text.changes import Change
from tests.edits.calls import edited

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
