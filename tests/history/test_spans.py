"""A stretch of text stays the same text while others edit around it."""

from hypothesis import given
from hypothesis import strategies as st

from keyhole.history.steps_since import carry, overlap
from keyhole.text.changes import Change, ChangeSet

TEXT = "0123456789"
points = st.integers(0, len(TEXT))
stretches = st.tuples(points, points).map(lambda pair: (min(pair), max(pair)))
changes = st.lists(
    st.builds(
        lambda span, text: Change(span[0], span[1], text), stretches, st.text("ab", max_size=3)
    ),
    max_size=3,
)


@given(stretches, changes)
def test_a_stretch_that_nobody_touched_holds_the_same_text(
    span: tuple[int, int], loose: list[Change]
) -> None:
    made = ChangeSet.of(len(TEXT), loose)
    if not isinstance(made, ChangeSet):
        return
    touching = [c for c in made.changes if c.start < span[1] and c.end > span[0]]
    start, end = carry(span, made.changes)
    after = made.apply(TEXT)

    assert 0 <= start <= end <= len(after)
    if not touching and span[0] < span[1]:
        assert after[start:end] == TEXT[span[0] : span[1]]


@given(stretches, changes)
def test_what_was_written_inside_a_stretch_belongs_to_it(
    span: tuple[int, int], loose: list[Change]
) -> None:
    made = ChangeSet.of(len(TEXT), loose)
    if not isinstance(made, ChangeSet):
        return
    start, end = carry(span, made.changes)
    for change, (new_start, new_end) in zip(made.changes, made.spans_after(), strict=True):
        if span[0] < change.end and change.start < span[1]:
            assert start <= new_start
            assert new_end <= end


@given(stretches, stretches)
def test_overlap_is_mutual(one: tuple[int, int], other: tuple[int, int]) -> None:
    assert overlap(one, other) is overlap(other, one)
    assert overlap(one, one)
