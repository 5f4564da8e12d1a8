"""Every combination of bytes that a crash and an outsider can leave, judged."""

import itertools

import pytest

from keyhole.storage.steps import Content, FileOutcome, Other, verdict_of

OLD, NEW, SAVED, AGAIN = b"old", b"new", b"saved", b"saved again"
UNPUBLISHED, PUBLISHED, OVERTAKEN = (
    FileOutcome.UNPUBLISHED,
    FileOutcome.PUBLISHED,
    FileOutcome.OVERTAKEN,
)
BLOCKED, INTRUDED, TANGLED = FileOutcome.BLOCKED, FileOutcome.INTRUDED, FileOutcome.TANGLED
MATCHED = FileOutcome.MATCHED

EDIT = [
    (OLD, None, UNPUBLISHED),
    (OLD, NEW, UNPUBLISHED),
    (OLD, OLD, OVERTAKEN),
    (OLD, SAVED, TANGLED),
    (NEW, None, PUBLISHED),
    (NEW, OLD, PUBLISHED),
    (NEW, NEW, MATCHED),
    (NEW, SAVED, INTRUDED),
    (SAVED, None, OVERTAKEN),
    (SAVED, OLD, OVERTAKEN),
    (SAVED, NEW, BLOCKED),
    (SAVED, AGAIN, TANGLED),
    (None, None, OVERTAKEN),
    (None, OLD, OVERTAKEN),
    (None, NEW, BLOCKED),
    (None, SAVED, TANGLED),
    (Other.OTHER, NEW, BLOCKED),
    (NEW, Other.OTHER, INTRUDED),
]
CREATION = [
    (None, None, UNPUBLISHED),
    (None, NEW, UNPUBLISHED),
    (NEW, None, PUBLISHED),
    (NEW, NEW, MATCHED),
    (SAVED, None, OVERTAKEN),
    (SAVED, NEW, BLOCKED),
    (Other.OTHER, NEW, BLOCKED),
]
DELETION = [
    (OLD, None, UNPUBLISHED),
    (OLD, OLD, OVERTAKEN),
    (OLD, SAVED, TANGLED),
    (None, None, PUBLISHED),
    (None, OLD, PUBLISHED),
    (None, SAVED, INTRUDED),
    (SAVED, None, OVERTAKEN),
    (SAVED, OLD, OVERTAKEN),
    (SAVED, AGAIN, TANGLED),
    (Other.OTHER, OLD, OVERTAKEN),
]


@pytest.mark.parametrize(("now", "displaced", "verdict"), EDIT)
def test_an_edit_is_judged_by_what_is_there(
    now: Content, displaced: Content, verdict: FileOutcome
) -> None:
    assert verdict_of(OLD, NEW, now, displaced) is verdict


@pytest.mark.parametrize(("now", "displaced", "verdict"), CREATION)
def test_a_creation_is_judged_by_what_is_there(
    now: Content, displaced: Content, verdict: FileOutcome
) -> None:
    assert verdict_of(None, NEW, now, displaced) is verdict


@pytest.mark.parametrize(("now", "displaced", "verdict"), DELETION)
def test_a_deletion_is_judged_by_what_is_there(
    now: Content, displaced: Content, verdict: FileOutcome
) -> None:
    assert verdict_of(OLD, None, now, displaced) is verdict


def test_bytes_of_somebody_else_at_the_temporary_name_are_never_thrown_away() -> None:
    contents: list[Content] = [OLD, NEW, SAVED, Other.OTHER, None]
    checked = 0
    for before, after in ((OLD, NEW), (None, NEW), (OLD, None)):
        for now, displaced in itertools.product(contents, contents):
            checked += 1
            theirs = displaced is not None and displaced not in {before, after}
            verdict = verdict_of(before, after, now, displaced)
            assert not theirs or verdict.conflicts, (before, after, now, displaced)
            assert not verdict.rescues or theirs

    assert checked == 75
