from hypothesis import given
from hypothesis import strategies as st

from keyhole.text.changes import ChangeSet, Clash
from tests.laws.strategies import change_sets


@st.composite
def in_sequence(draw: st.DrawFn, count: int) -> tuple[str, list[ChangeSet]]:
    """Draw a text and changes, each made for the text that the one before leaves."""
    text = draw(st.text("abcdefgh", max_size=12))
    now, sets = text, []
    for _ in range(count):
        sets.append(draw(change_sets(len(now))))
        now = sets[-1].apply(now)
    return text, sets


@st.composite
def side_by_side(draw: st.DrawFn) -> tuple[str, ChangeSet, ChangeSet]:
    """Draw a text and two sets of changes that were both made for it."""
    text = draw(st.text("abcdefgh", max_size=12))
    return text, draw(change_sets(len(text))), draw(change_sets(len(text)))


@given(in_sequence(1))
def test_invert_undoes_apply(drawn: tuple[str, list[ChangeSet]]) -> None:
    text, (change,) = drawn
    inverse = change.invert(text)

    assert inverse.apply(change.apply(text)) == text
    assert inverse.invert(change.apply(text)) == change


@given(in_sequence(1))
def test_the_new_text_lies_where_the_spans_say(drawn: tuple[str, list[ChangeSet]]) -> None:
    text, (change,) = drawn
    after = change.apply(text)

    assert len(after) == change.new_length
    assert [after[a:b] for a, b in change.spans_after()] == [one.text for one in change.changes]


@given(in_sequence(2))
def test_then_equals_doing_both(drawn: tuple[str, list[ChangeSet]]) -> None:
    text, (first, second) = drawn

    assert first.then(second).apply(text) == second.apply(first.apply(text))


@given(in_sequence(3))
def test_then_is_associative(drawn: tuple[str, list[ChangeSet]]) -> None:
    text, (a, b, c) = drawn
    left, right = a.then(b).then(c), a.then(b.then(c))

    assert left.apply(text) == right.apply(text)
    assert left.length == right.length
    assert left.new_length == right.new_length


@given(in_sequence(2))
def test_a_sequence_is_taken_back_in_reverse(drawn: tuple[str, list[ChangeSet]]) -> None:
    text, (first, second) = drawn
    middle = first.apply(text)
    back = second.invert(middle).then(first.invert(text))

    assert back.apply(second.apply(middle)) == text


@given(side_by_side())
def test_rebase_converges_or_clashes_on_both_sides(drawn: tuple[str, ChangeSet, ChangeSet]) -> None:
    text, ours, theirs = drawn
    mine, other = ours.rebase(theirs), theirs.rebase(ours)

    assert isinstance(mine, Clash) == isinstance(other, Clash)
    if isinstance(mine, ChangeSet) and isinstance(other, ChangeSet):
        assert mine.apply(theirs.apply(text)) == other.apply(ours.apply(text))


@given(side_by_side())
def test_a_clash_names_a_change_of_each_side(drawn: tuple[str, ChangeSet, ChangeSet]) -> None:
    _, ours, theirs = drawn
    clash = ours.rebase(theirs)

    if isinstance(clash, Clash):
        assert clash.ours in ours.changes
        assert clash.theirs in theirs.changes


@given(side_by_side())
def test_a_rebased_set_makes_the_same_changes(drawn: tuple[str, ChangeSet, ChangeSet]) -> None:
    text, ours, theirs = drawn
    rebased = ours.rebase(theirs)

    if isinstance(rebased, ChangeSet):
        after = theirs.apply(text)
        had = [text[one.start : one.end] for one in ours.changes]
        assert [after[one.start : one.end] for one in rebased.changes] == had
        assert [one.text for one in rebased.changes] == [one.text for one in ours.changes]
