import pytest

from keyhole.edits.checks.validate import LONG, check_shrink
from keyhole.edits.model.plan import FilePlan, LocatedEdit, Plan
from keyhole.fastclasses import replace
from keyhole.refusals import Refused
from keyhole.text.changes import Change, ChangeSet
from keyhole.text.document import Document


def shrunk(lines: int, kept: int, new: str = "") -> FilePlan:
    text = "".join(f"line {number:03d}\n" for number in range(1, lines + 1))
    changes = ChangeSet.of(len(text), [Change(kept * 9, len(text), new)])
    assert isinstance(changes, ChangeSet)
    before = Document.from_bytes(text.encode())
    edits = (LocatedEdit(0, changes.changes, is_unquoted=True),)
    return FilePlan("a.txt", before, before.with_text(changes.apply(text)), changes, edits)


@pytest.mark.parametrize(
    ("lines", "kept"),
    [(LONG, LONG // 2), (LONG - 1, 0), (LONG, LONG)],
    ids=["half", "short", "none"],
)
def test_half_a_file_or_a_short_one_is_no_matter(lines: int, kept: int) -> None:
    plan = Plan((shrunk(lines, kept),))

    assert check_shrink(plan, "refuse").plan is plan


def test_what_is_quoted_or_counted_is_meant() -> None:
    file = shrunk(LONG, 0)
    plan = Plan((replace(file, edits=(replace(file.edits[0], is_unquoted=False),)),))

    assert check_shrink(plan, "refuse").plan is plan


def test_a_file_that_comes_or_goes_does_not_shrink() -> None:
    file = shrunk(LONG, 0)
    plan = Plan((replace(file, before=None), replace(file, after=None)))

    assert check_shrink(plan, "refuse").plan is plan


def test_the_refusal_shows_both_sides() -> None:
    with pytest.raises(Refused) as error:
        check_shrink(Plan((shrunk(100, 3, "rest\n"),)), "refuse")

    [refusal] = error.value.refusals
    assert (refusal.code, refusal.path) == ("shrinks", "a.txt")
    assert refusal.headline == "the call would leave 4 of the 100 lines of a.txt"
    assert refusal.where == (
        "now:\n4| line 004\n5| line 005\n6| line 006\n7| line 007\n8| line 008\n"
        "... and 92 lines more\nthen:\n4| rest"
    )


def test_a_deletion_shows_that_nothing_comes_instead() -> None:
    with pytest.raises(Refused) as error:
        check_shrink(Plan((shrunk(60, 20),)), "refuse")

    assert error.value.refusals[0].where.endswith("then:\nnothing in its place")


def test_what_shrinks_is_left_out_and_the_rest_stays() -> None:
    other = shrunk(60, 59)
    spared = check_shrink(Plan((shrunk(60, 1), other)), "skip")

    assert spared.plan == Plan((other,))
    assert spared.warnings == ("a.txt was left out: most of it would have been deleted",)


def test_who_may_shrink_is_not_asked() -> None:
    plan = Plan((shrunk(100, 1),))

    assert check_shrink(plan, "allow").plan is plan


def test_files_that_exchange_names_are_left_out_together() -> None:
    bound = replace(shrunk(100, 3), bound=True)
    kin = replace(shrunk(60, 59), path="b.txt", bound=True)
    other = replace(shrunk(60, 59), path="c.txt")

    spared = check_shrink(Plan((bound, kin, other)), "skip")

    assert [file.path for file in spared.plan.files] == ["c.txt"]
    assert len(spared.warnings) == 2
