from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from keyhole.text.changes import Change, ChangeSet
from keyhole.workspace.past.words import by_words
from tests.laws.strategies import change_sets


def grown(text: str, *changes: Change) -> tuple[Change, ...]:
    return by_words(ChangeSet(len(text), changes), text).changes


def test_a_letter_of_a_word_is_the_word() -> None:
    assert grown("t = 60;", Change(4, 5, "3")) == (Change(4, 6, "30"),)
    assert grown("t = 60;", Change(6, 6, "0")) == (Change(4, 6, "600"),)
    assert grown("t = 60;", Change(5, 6, "")) == (Change(4, 6, "6"),)
    assert grown("a_b", Change(0, 1, "c"), Change(2, 3, "d")) == (Change(0, 3, "c_d"),)


def test_what_is_no_word_stays_as_it_is() -> None:
    calls = Change(3, 3, "()")
    assert grown("foo", calls) == (calls,)
    line = Change(2, 2, "new\n")
    assert grown("a\nb\n", line) == (line,)
    letter = Change(1, 2, "\u5b57")
    assert grown("\u4e2d\u6587\u5b57", letter) == (letter,)


@given(st.data())
def test_grown_changes_make_the_same_text(data: st.DataObject) -> None:
    text = data.draw(st.text("ab_1 .\n", max_size=20))
    changes = data.draw(change_sets(len(text)))

    found = by_words(changes, text)

    assert found.apply(text) == changes.apply(text)
    ends = [(each.start, each.end) for each in found.changes]
    assert all(one[1] <= other[0] for one, other in pairwise(ends))
