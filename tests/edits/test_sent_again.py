"""A call that comes again: made, refused with an offer, or carried out a second time."""

from collections.abc import Mapping

import pytest

from keyhole.edits.model.plan import FilePlan
from keyhole.edits.repeated import OwnTransaction, SentAgain, resend
from keyhole.matching.revision import Revision
from tests.edits.calls import edited, read

APPEND = {"action": "append", "content": "new line"}


def sent_twice(before: str, now: str, *edits: Mapping[str, object]) -> tuple[FilePlan, FilePlan]:
    """Return the plan of a call on the present text, and what is left of it if it was made."""
    mine, again = edited(before, *edits), edited(now, *edits)
    assert mine.before is not None
    assert mine.after is not None
    sent = OwnTransaction(mine.before, mine.after, mine.changes, len(mine.edits))
    return again, resend(again, mine, sent, [Revision(mine.after, read(now))])


def is_made_again(before: str, now: str, *edits: Mapping[str, object]) -> bool:
    plan, left = sent_twice(before, now, *edits)
    return left is plan


def test_what_stands_is_not_added_again() -> None:
    _, left = sent_twice("a\n", "a\nnew line\nb\n", APPEND)

    assert left.changes.is_empty
    assert left.edits[0].already_applied


@pytest.mark.parametrize("now", ["a\n", "a\nanother one\n"], ids=["taken out", "replaced"])
def test_what_is_gone_is_added_again(now: str) -> None:
    assert is_made_again("a\n", now, APPEND)


def test_what_was_changed_is_refused() -> None:
    with pytest.raises(SentAgain, match="the new text already stands at line 2"):
        sent_twice("a\n", "a\nnew line of mine\nb\n", APPEND)


def test_what_replaced_a_line_is_carried_out_again() -> None:
    second = {"lines": "2", "content": "two"}

    assert is_made_again("a\nb\nc\n", "new\na\ntwo\nc\n", second)


def test_a_blank_line_beside_new_text_proves_nothing() -> None:
    blank = {"find": "a", "action": "before", "content": "\n"}

    _, left = sent_twice("a\nb\n", "\na\nb\nnew line\nc\n", blank, APPEND)

    assert left.changes.is_empty
