"""Lines that a diff says its hunks are for speak against places that are not those."""

import pytest

from keyhole.edits.model.hunk import Hunk, Line
from keyhole.edits.model.plan import Snapshot
from keyhole.edits.resolve import resolve
from keyhole.fastclasses import replace
from keyhole.refusals import Refused
from keyhole.text.document import Document

TWINS = "[a]\nkey = 1\nend\n\n[b]\n\n[c]\nkey = 1\nend\n"


def lines(*marked: str) -> tuple[Line, ...]:
    return tuple((line[0], line[1:]) for line in marked)


KEY = Hunk("f", lines("-key = 1", "+key = 2", " end"))
WHOLE = Hunk("f", lines(" top", "-key = 1", "+key = 2", " end"))


def applied(before: str, *hunks: Hunk) -> str:
    snapshot = Snapshot({"f": Document.from_bytes(before.encode())}, {})
    after = resolve(hunks, snapshot).files[0].after
    assert after is not None
    return after.text


def refused(before: str, *hunks: Hunk) -> str:
    with pytest.raises(Refused) as caught:
        applied(before, *hunks)
    [refusal] = caught.value.refusals
    assert refusal.code == "ambiguous"
    return refusal.headline


def test_a_hunk_whose_own_place_has_other_lines_does_not_go_to_a_twin() -> None:
    before = "top\nkey = 9\nend\n\ntop\nkey = 1\nend\n"

    assert refused(before, replace(WHOLE, line=1)) == (
        "at line 1, which the hunk is for, its kept lines stand around lines that are not as it "
        "says; its old lines stand elsewhere"
    )
    gone = before.replace("key = 9\n", "")
    assert refused(gone, replace(WHOLE, line=1)) == refused(before, replace(WHOLE, line=1))
    assert applied(before, replace(WHOLE, line=3)) == before.replace("= 1", "= 2")
    assert applied(before, replace(WHOLE, line=90)) == before.replace("= 1", "= 2")


def test_a_hunk_that_was_carried_out_at_its_line_does_not_go_to_a_twin() -> None:
    hunk = Hunk("f", lines(" end", "+more", " "), line=3)
    before = "[a]\nkey\nend\nmore\n\n[b]\nend\n\n[c]\n"

    assert refused(before, hunk).endswith(
        "its lines stand as it makes them; its old lines stand elsewhere"
    )
    assert applied(before, replace(hunk, line=2)).endswith("[b]\nend\nmore\n\n[c]\n")


def test_a_line_within_the_place_itself_does_not_speak_against_it() -> None:
    hunk = Hunk("f", lines("-key = 1", "+key = 2", " end", " more"), line=2)

    assert applied("key = 1\nend\nmore\n", hunk) == "key = 2\nend\nmore\n"


def test_one_kept_line_is_too_little_to_speak_against_a_place() -> None:
    before = "key = 9\nend\n\nkey = 1\nend\n"

    assert applied(before, replace(KEY, line=1)) == before.replace("= 1", "= 2")


def test_hunks_do_not_change_places() -> None:
    first = Hunk("f", lines("-[c]", "+[C]"), line=1)
    second = Hunk("f", lines("-[b]", "+[B]"), line=5)

    assert refused(TWINS, first, second) == (
        "the hunk for line 1 stands at line 7, not above the one for line 5, which stands at line 5"
    )
    # Numbers that agree with the places, or say nothing, are no objection.
    both = TWINS.replace("[c]", "[C]").replace("[b]", "[B]")
    assert applied(TWINS, second, first) == both
    assert applied(TWINS, replace(first, line=7), second) == both
    assert applied(TWINS, replace(first, line=0), second) == both


def test_two_hunks_for_two_lines_are_not_one() -> None:
    before = TWINS.replace("key = 1", "key = 0", 1)

    assert refused(before, replace(KEY, line=2), replace(KEY, line=8)) == (
        "the hunk for line 2 stands at line 8, not above the one for line 8, which stands at line 8"
    )
    assert applied(before, replace(KEY, line=8), replace(KEY, line=8)) == before.replace(
        "key = 1", "key = 2"
    )
