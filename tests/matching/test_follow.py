"""A place followed through revisions: certain, deleted, or not to be told from its copy."""

import pytest

from keyhole.matching.follow import LostPlace, follow
from keyhole.matching.revision import Revision
from keyhole.text.changes import Change, ChangeSet
from keyhole.text.document import Document

HEAD, TAIL = "head of the file\n", "end of the file\n"
BLOCK = "first line\nsecond line\nthird line\n"
OLDER = HEAD + BLOCK + TAIL
PLACE = (len(HEAD), len(HEAD + BLOCK))


def saved(before: str, after: str) -> Revision:
    return Revision(Document(before), Document(after))


def recorded(before: str, *changes: Change) -> Revision:
    made = ChangeSet(len(before), changes)
    return Revision(Document(before), Document(made.apply(before)), made)


def there(after: str, text: str) -> tuple[int, int]:
    return after.index(text), after.index(text) + len(text)


@pytest.mark.parametrize(
    ("after", "stands"),
    [
        ("new\n" + OLDER, BLOCK),
        (OLDER.replace("second", "2nd"), BLOCK.replace("second", "2nd")),
        (OLDER.replace("\n", "\r\n"), BLOCK.replace("\n", "\r\n")),
        ("\n" + OLDER + "more\n", BLOCK),
        (HEAD + "new\n" + BLOCK + "new\n" + TAIL, BLOCK),
    ],
)
def test_a_place_is_found_again(after: str, stands: str) -> None:
    assert follow(PLACE, [saved(OLDER, after)]) == there(after, stands)


@pytest.mark.parametrize(
    "after",
    [
        # A copy with another line, and the block changed: either could be the block.
        HEAD + BLOCK.replace("first", "1st") + BLOCK.replace("third", "3rd") + TAIL,
        HEAD + BLOCK + BLOCK.replace("second", "2nd") + TAIL,
        HEAD + BLOCK.replace("second", "2nd") + BLOCK + TAIL,
        # A line of it went elsewhere.
        "second line\n" + HEAD + BLOCK.replace("second line\n", "") + TAIL,
    ],
)
def test_a_place_that_may_be_a_copy_is_uncertain(after: str) -> None:
    assert follow(PLACE, [saved(OLDER, after)]) is LostPlace.UNCERTAIN


def test_lines_that_were_taken_out_are_deleted() -> None:
    assert follow(PLACE, [saved(OLDER, HEAD + TAIL)]) is LostPlace.DELETED


def test_what_was_recorded_tells_a_block_from_its_copy() -> None:
    copy = recorded(OLDER, Change(len(HEAD), len(HEAD), BLOCK))
    at = len(HEAD + BLOCK)
    change = recorded(copy.after.text, Change(at, at + len("first"), "1st"))

    assert follow(PLACE, [copy]) == (at, at + len(BLOCK))
    assert follow(PLACE, [copy, change]) == (at, at + len(BLOCK) - 2)


def test_what_was_put_before_the_first_word_of_a_line_is_a_part_of_it() -> None:
    change = recorded(OLDER, Change(len(HEAD), len(HEAD), "very "))

    assert follow(PLACE, [change]) == (PLACE[0], PLACE[1] + len("very "))


def test_what_replaced_a_block_by_itself_and_a_copy_was_compared() -> None:
    both = BLOCK.replace("first", "1st") + BLOCK.replace("third", "3rd")
    at = PLACE[0] + len("first line\nsecond line\n")

    whole = recorded(OLDER, Change(*PLACE, both))
    part = recorded(OLDER, Change(at, PLACE[1], both))
    assert follow(PLACE, [whole]) is LostPlace.UNCERTAIN
    assert follow((PLACE[0], at), [part]) is LostPlace.UNCERTAIN


def test_twins_that_went_leave_the_others_uncertain() -> None:
    twins = "a\n\n\nb\n"

    assert follow((2, 3), [saved(twins, "a\n\nb\n")]) is LostPlace.UNCERTAIN
    assert follow((0, 0), [saved(twins, "a\n\nb\n")]) == (0, 0)
