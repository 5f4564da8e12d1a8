import pytest

from keyhole.text.changes import Change, ChangeSet, Clash


def test_changes_are_put_in_order() -> None:
    later, earlier = Change(3, 4, "d"), Change(0, 1, "a")

    assert ChangeSet.of(5, [later, earlier]) == ChangeSet(5, (earlier, later))


def test_insertions_at_one_point_keep_their_order() -> None:
    found = ChangeSet.of(2, [Change(1, 1, "x"), Change(1, 1, "y"), Change(1, 2, "z")])

    assert isinstance(found, ChangeSet)
    assert found.apply("ab") == "axyz"


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (Change(0, 2, ""), Change(1, 3, "")),
        (Change(0, 2, "x"), Change(0, 2, "y")),
        (Change(0, 2, ""), Change(1, 1, "x")),
    ],
)
def test_changes_of_the_same_text_clash(left: Change, right: Change) -> None:
    assert ChangeSet.of(3, [left, right]) == Clash(left, right)
    assert isinstance(ChangeSet.of(3, [right, left]), Clash)


def test_changes_that_only_touch_do_not_clash() -> None:
    assert isinstance(ChangeSet.of(3, [Change(0, 1, "x"), Change(1, 2, "y")]), ChangeSet)


def test_a_set_belongs_to_a_text() -> None:
    changes = ChangeSet(3, (Change(0, 1, "xy"),))

    with pytest.raises(AssertionError, match="BUG: change set belongs to another text"):
        changes.apply("ab")
    with pytest.raises(AssertionError, match="BUG: change set belongs to another text"):
        changes.invert("ab")
    with pytest.raises(AssertionError, match="BUG: change sets do not follow each other"):
        changes.then(ChangeSet(3))
    with pytest.raises(AssertionError, match="BUG: change sets of different texts"):
        changes.rebase(ChangeSet(4))
    with pytest.raises(AssertionError, match="BUG: change outside its text"):
        ChangeSet.of(1, [Change(0, 2, "")])


def test_a_set_knows_its_size() -> None:
    changes = ChangeSet(3, (Change(0, 1, "xyz"), Change(2, 3, "")))

    assert changes.new_length == 4
    assert [*changes.spans_after()] == [(0, 3), (4, 4)]
    assert not changes.is_empty
    assert ChangeSet(3).is_empty


def test_changes_that_meet_become_one() -> None:
    first = ChangeSet(3, (Change(2, 3, "XYZ"),))
    second = ChangeSet(5, (Change(3, 4, ""),))

    assert first.then(second) == ChangeSet(3, (Change(2, 3, "XZ"),))


def test_two_insertions_at_one_point_clash() -> None:
    ours, theirs = Change(1, 1, "x"), Change(1, 1, "y")

    assert ChangeSet(2, (ours,)).rebase(ChangeSet(2, (theirs,))) == Clash(ours, theirs)


def test_an_insertion_moves_with_what_comes_before_it() -> None:
    ours, theirs = ChangeSet(3, (Change(2, 3, "x"),)), ChangeSet(3, (Change(0, 0, "new "),))

    assert ours.rebase(theirs) == ChangeSet(7, (Change(6, 7, "x"),))


def test_the_inverse_is_in_positions_of_the_text_after() -> None:
    changes = ChangeSet(3, (Change(0, 1, "xyz"), Change(2, 3, "")))

    assert changes.invert("abc") == ChangeSet(4, (Change(0, 3, "a"), Change(4, 4, "c")))


def test_a_span_of_no_change_is_carried_along() -> None:
    changes = ChangeSet(10, (Change(0, 2, ""), Change(4, 4, "xyz")))

    assert [changes.carried(span) for span in ((0, 1), (2, 4), (4, 5), (10, 10))] == [
        (0, 0),
        (0, 2),
        (2, 6),
        (11, 11),
    ]
    assert ChangeSet(4, (Change(0, 4, ""),)).carried((1, 2)) == (0, 0)
