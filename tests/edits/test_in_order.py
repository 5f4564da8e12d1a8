import pytest

from keyhole.answers.file_receipt import FileReceipt
from keyhole.edits.model.operations import Edit, InOrder
from keyhole.edits.model.plan import FilePlan, Snapshot
from keyhole.edits.resolve import resolve
from keyhole.refusals import Refusal, Refused
from tests.edits.calls import PATH, read


def in_order(text: str, *pairs: tuple[str, str]) -> FilePlan:
    edits = tuple(Edit(find=old, content=new, match="exact") for old, new in pairs)
    (file,) = resolve([InOrder(PATH, edits)], Snapshot({PATH: read(text)})).files
    return file


def refusal(text: str, *pairs: tuple[str, str]) -> Refusal:
    with pytest.raises(Refused) as caught:
        in_order(text, *pairs)
    (found,) = caught.value.refusals
    return found


def after(file: FilePlan) -> str:
    assert file.after is not None
    return file.after.text


def test_an_edit_finds_what_the_one_before_it_wrote() -> None:
    file = in_order("one two three\n", ("two", "four five"), ("five", "six"))

    assert after(file) == "one four six three\n"
    assert file.edits[1].notes == ("it changes what edit 0 wrote",)


def test_an_edit_that_changes_nothing_stays_what_it_is() -> None:
    file = in_order("one two\n", ("one", "one"), ("two", "three"))

    assert after(file) == "one three\n"
    assert [len(edit.changes) for edit in file.edits] == [0, 1]


def test_a_quote_that_cuts_a_line_is_refused_without_an_offer() -> None:
    edits = (Edit(find="a", content="b"), Edit(find="wipe()\nrun", content="go()\nrun"))
    with pytest.raises(Refused) as caught:
        resolve([InOrder(PATH, edits)], Snapshot({PATH: read("a\n# wipe()\nrun()\n")}))

    (found,) = caught.value.refusals
    assert (found.code, found.edit) == ("not-found", 1)
    assert [candidate.accept for candidate in found.candidates] == [""]


def test_the_changes_of_edits_apart_are_those_of_the_text_before() -> None:
    file = in_order("a\nb\nc\n", ("a", "long line\nmore"), ("c", "d"))

    assert after(file) == "long line\nmore\nb\nd\n"
    assert [edit.changes[0].start for edit in file.edits] == [0, 4]
    assert all(edit.changes[0] in file.changes.changes for edit in file.edits)


def test_an_edit_that_builds_on_another_cannot_be_taken_back_alone() -> None:
    file = in_order("a b\n", ("a", "x y"), ("y", "z"))

    assert file.edits[1].changes[0] not in file.changes.changes
    assert file.edits[0].changes[0] not in file.changes.changes


def test_the_receipt_shows_each_edit_where_its_text_now_lies() -> None:
    file = in_order("top\na\nend\n", ("a", "b\nc"), ("c", "d\ne"), ("end", "END"))

    data = FileReceipt.of(file, {}).as_data("brief")

    edits = data["edits"]
    assert isinstance(edits, list)
    assert [edit["lines_after"] for edit in edits] == [[2, 4], [2, 4], [5, 5]]


def test_the_first_edit_that_fails_refuses_all_and_no_later_one_is_looked_at() -> None:
    found = refusal("a\n", ("a", "b"), ("a", "c"), ("nowhere", "d"))

    assert (found.code, found.edit) == ("not-found", 1)
    assert found.data["text_start"] == "b\n"


def test_a_quote_that_an_earlier_edit_made_twice_is_ambiguous() -> None:
    found = refusal("a b\n", ("b", "a"), ("a", "c"))

    assert (found.code, found.edit) == ("ambiguous", 1)


def test_there_must_be_a_file() -> None:
    with pytest.raises(Refused) as caught:
        resolve([InOrder(PATH, (Edit(find="a", content="b"),))], Snapshot({PATH: None}))

    assert caught.value.refusals[0].code == "no-file"


def test_an_edit_that_takes_another_back_leaves_the_text_as_it_was() -> None:
    file = in_order("a\n", ("a", "b"), ("b", "a"))

    assert file.is_unchanged


def test_more_edits_than_a_second_takes_are_refused_before_the_first() -> None:
    pairs = [("a", "b"), ("b", "a")] * 250

    assert after(in_order("a\n", *pairs)) == "a\n"
    found = refusal("a\n", *pairs, ("a", "b"))
    assert (found.code, found.headline) == (
        "too-large",
        "one call holds 501 edits that build on each other; the most is 500 here",
    )


def test_edits_that_together_add_what_stands_there_add_a_second_copy() -> None:
    one, two = "the first line of two", "the second line of two"
    edits = tuple(Edit(find="alpha", action="after", content=line) for line in (two, one))
    text = f"alpha\n{one}\n{two}\n"
    shown = {PATH: (read("no such place\n"),)}

    (file,) = resolve([InOrder(PATH, edits)], Snapshot({PATH: read(text)}, shown)).files

    assert after(file) == f"alpha\n{one}\n{two}\n{one}\n{two}\n"
