"""A plan made for an older version, carried over to the present one or refused as stale."""

from collections.abc import Mapping

import pytest

from keyhole.edits.model.plan import FilePlan
from keyhole.edits.rebase import carried_over
from keyhole.matching.revision import Revision
from keyhole.refusals import Refused
from tests.edits.calls import edited, read


def onto(present: str, older: str, *edits: Mapping[str, object]) -> FilePlan:
    now = read(present)
    return carried_over(edited(older, *edits), now, [Revision(read(older), now)])


def test_edits_are_made_where_their_places_are_by_now() -> None:
    file = onto("new\na\nb\n", "a\nb\n", {"find": "b", "content": "B"})

    assert file.after == read("new\na\nB\n")
    assert file.edits[0].notes[-1].endswith("the edit was carried over")


def test_an_edit_of_what_was_changed_since_is_refused_by_its_number() -> None:
    with pytest.raises(Refused, match="the same place was changed since") as caught:
        onto("a\nother\n", "a\nb\n", {"find": "b", "content": "B"})

    assert [refusal.edit for refusal in caught.value.refusals] == [0]


def test_edits_that_only_together_meet_what_was_changed_are_refused_together() -> None:
    gone = {"find": "a\nb", "content": "", "match": "exact"}
    with pytest.raises(Refused, match="the same place was changed since") as caught:
        onto("a\nb\nnew\n", "a\nb", gone, {"action": "prepend", "content": "x"})

    assert [refusal.edit for refusal in caught.value.refusals] == [None]
