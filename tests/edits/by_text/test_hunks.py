"""Hunks find their place by their lines, or are refused with what stands in the way."""

import json

import pytest

from keyhole.edits.model.hunk import Hunk, Line
from keyhole.edits.model.plan import LocatedEdit, Snapshot
from keyhole.edits.resolve import resolve
from keyhole.fastclasses import replace
from keyhole.refusals import Refusal, Refused
from keyhole.text.document import Document

CODE = "def first():\n    return 1\n\n\ndef second():\n    return 1\n"


def lines(*marked: str) -> tuple[Line, ...]:
    return tuple((line[0], line[1:]) for line in marked)


def applied(hunk: Hunk, before: str, shown: str = "") -> tuple[str, LocatedEdit]:
    document = Document.from_bytes(before.encode())
    versions = (Document.from_bytes(shown.encode()),) if shown else ()
    plan = resolve([hunk], Snapshot({"f": document}, {"f": versions})).files[0]
    assert plan.after is not None
    return plan.after.text, plan.edits[0]


def refused(hunk: Hunk, before: str) -> Refusal:
    with pytest.raises(Refused) as caught:
        applied(hunk, before)
    [refusal] = caught.value.refusals
    return refusal


def test_lines_that_are_there_already_are_told_and_not_added_twice() -> None:
    hunk = Hunk("f", lines(" def first():", "-    return zero", "+    return the_very_first_value"))
    before = CODE.replace("return 1", "return the_very_first_value", 1)

    after, placed = applied(hunk, before)

    assert (after, placed.already_applied) == (before, True)
    assert placed.notes == ("the lines of the hunk are there already",)


@pytest.mark.parametrize(
    "marked",
    [
        (" first", "+a line that was added before"),
        ("+a line that was added before", " second"),
    ],
)
def test_lines_around_what_a_hunk_keeps_are_not_added_twice(marked: tuple[str, ...]) -> None:
    hunk, before = Hunk("f", lines(*marked)), "first\na line that was added before\nsecond\n"

    for line in (0, 9):
        after, placed = applied(replace(hunk, line=line), before)
        assert (after, placed.already_applied) == (before, True)


@pytest.mark.parametrize(
    "hunk",
    [
        Hunk("f", (), anchors=("def second():",)),
        Hunk("f", (), at_end=True),
        Hunk("f", (), says_start=True),
    ],
)
def test_lines_that_are_only_added_are_added_once(hunk: Hunk) -> None:
    hunk = replace(hunk, lines=lines("+    value = one_that_is_long_enough()"))
    once, _ = applied(hunk, CODE)

    after, placed = applied(hunk, once)

    assert once != CODE
    assert (after, placed.already_applied) == (once, True)


def test_a_hunk_without_a_line_below_is_for_the_end_of_the_file() -> None:
    hunk = Hunk("f", lines(" first", "+a line that was added before"), line=1)
    done = "first\na line that was added before\n"

    assert applied(hunk, "first\n")[0] == done
    assert applied(hunk, f"{done}second\n")[1].already_applied
    assert applied(hunk, "first\nsecond\n")[0] == f"{done}second\n"


@pytest.mark.parametrize("line", [0, 1, 2, 9])
@pytest.mark.parametrize("marked", [(" first", "+short"), ("+first", " short")])
def test_short_lines_around_what_a_hunk_keeps_are_not_added_twice(
    marked: tuple[str, ...], line: int
) -> None:
    refusal = refused(Hunk("f", lines(*marked), line), "first\nshort\n")

    assert refusal.code in {"stale", "ambiguous"}
    if refusal.code == "stale":
        assert refusal.headline == (
            "the new text already stands at line 1 of f: added again, it would stand twice"
        )


def test_a_hunk_at_a_wrong_line_that_the_first_copy_made_right_is_not_made_again() -> None:
    hunk = Hunk("f", lines("+a line that was added before", " second"), line=2)
    once, _ = applied(hunk, "second\n")

    after, placed = applied(hunk, once)

    assert once == "a line that was added before\nsecond\n"
    assert (after, placed.already_applied) == (once, True)


def test_a_hunk_that_keeps_the_copy_adds_another() -> None:
    hunk = Hunk("f", lines(" first", "+short", " short", " last"), line=1)

    assert applied(hunk, "first\nshort\nlast\n")[0] == "first\nshort\nshort\nlast\n"


def test_a_hunk_for_the_version_that_was_shown_is_carried_over() -> None:
    shown = "alpha = 1\nbeta = 2\ngamma = 3\n"
    hunk = Hunk("f", lines(" alpha = 1", " beta = 2", "-gamma = 3", "+gamma = 4"))

    after, placed = applied(hunk, shown.replace("alpha = 1", "alpha = 10"), shown)

    assert (after, placed.matched) == ("alpha = 10\nbeta = 2\ngamma = 4\n", "base")


@pytest.mark.parametrize(
    ("anchors", "code"),
    [
        (("return 1",), "ambiguous"),
        (("class Third:",), "not-found"),
        (("def second", "x"), "not-found"),
    ],
)
def test_an_anchor_stands_once_below_the_one_before_it(anchors: tuple[str, ...], code: str) -> None:
    hunk = Hunk("f", lines("-    return 1", "+    return 2"), anchors=anchors)

    assert refused(hunk, CODE).code == code


def test_an_anchor_may_be_the_beginning_of_a_line() -> None:
    hunk = Hunk("f", lines("-    return 1", "+    return 2"), anchors=("def second",))

    assert applied(hunk, CODE)[0] == CODE.replace(
        "second():\n    return 1", "second():\n    return 2"
    )


def test_lines_are_added_below_an_anchor_and_nowhere_if_the_hint_is_not_there() -> None:
    added = Hunk("f", lines("+    x = 0"), anchors=("def second():",), anchors_hint=True)

    assert applied(added, CODE)[0] == CODE.replace("second():\n", "second():\n    x = 0\n")
    missing = replace(added, anchors=("def third():",))
    assert refused(missing, CODE).headline == "the hunk only adds lines, and nothing says where"


@pytest.mark.parametrize(
    ("hunk", "before", "after"),
    [
        (Hunk("f", lines("+x"), at_end=True), "a\n", "a\nx\n"),
        (Hunk("f", lines("+x"), 1), "a\n", "a\nx\n"),
        (Hunk("f", lines("+x"), says_start=True), "a\n", "x\na\n"),
        (Hunk("f", lines("+x"), at_end=True, open_after=True), "a\n", "a\nx"),
        (Hunk("f", lines("+x\r"), at_end=True), "a\n", "a\nx\r\n"),
        (Hunk("f", lines("+x"), open_after=True), "", "x"),
        (Hunk("f", lines("+x\r"), says_start=True, open_after=True), "a\n", "x\na\n"),
    ],
)
def test_lines_are_added_at_an_end_of_the_file_that_the_hunk_names(
    hunk: Hunk, before: str, after: str
) -> None:
    assert applied(hunk, before)[0] == after


@pytest.mark.parametrize("before", ["a\nb\n", "a\nb", "a\r\nb\r\n", "a\n" * 10])
def test_added_lines_for_a_line_that_the_file_does_not_have_are_refused(before: str) -> None:
    count = Document(before).line_count
    for line in (count + 1, count + 2, 999):
        refusal = refused(Hunk("f", lines("+x"), line), before)

        assert refusal.code == "not-found"
        assert refusal.headline == (
            f"the hunk only adds lines, below line {line}, and f has {count} lines"
        )


def test_added_lines_for_a_later_line_than_an_empty_file_has_are_refused() -> None:
    assert refused(Hunk("f", lines("+x"), 2), "").code == "not-found"
    assert applied(Hunk("f", lines("+x"), 1), "")[0] == "x\n"


def test_an_anchor_decides_whatever_line_a_hunk_states() -> None:
    added = Hunk("f", lines("+    x = 0"), 999, anchors=("def second():",))

    assert applied(added, CODE)[0] == CODE.replace("second():\n", "second():\n    x = 0\n")


def test_the_end_of_the_file_decides_between_equal_places() -> None:
    hunk = Hunk("f", lines("-    return 1", "+    return 2"), at_end=True)

    assert applied(hunk, CODE)[0] == f"{CODE.removesuffix('1' + chr(10))}2\n"


def test_a_last_line_gets_or_loses_its_end_also_where_blanks_are_tolerated() -> None:
    old = ("-the last line of all", "+the very last line")
    gains = Hunk("f", lines(" the line above", *old), open_before=True)
    loses = replace(gains, open_before=False, open_after=True)

    assert applied(gains, "the line above  \nthe last line of all")[0].endswith("very last line\n")
    assert applied(loses, "the line above  \nthe last line of all\n")[0].endswith("very last line")


def test_a_line_said_to_have_no_end_in_the_middle_is_told_of() -> None:
    hunk = Hunk("f", lines("-def first():", "+def one():"), open_after=True)

    after, placed = applied(hunk, CODE)

    assert after == CODE.replace("first", "one")
    told = "the hunk says that its last line has no end, and the file goes on below it"
    assert placed.notes == (told,)


def test_a_run_of_blank_lines_of_another_length_is_not_changed() -> None:
    hunk = Hunk("f", lines(" def first():", "     return 1", "-", " def second():"))

    assert refused(hunk, CODE).code == "not-found"


def test_new_lines_whose_indent_nothing_tells_are_refused() -> None:
    marked = lines(" if condition_one:", "     call_function()", "-\tother_call()", "+  strange()")
    before = "\tif condition_one:\n\t\tcall_function()\n\t\t\tother_call()\n"

    assert refused(Hunk("f", marked), before).code in {"bad-indentation", "not-found"}


def test_bytes_that_are_no_text_of_the_files_encoding_stay_bytes() -> None:
    hunk = Hunk("f", lines("-x = '\udc81'", "+x = 1"), 2)
    data = b"# coding: cp1252\nx = '\x81'\n"
    plan = resolve([hunk], Snapshot({"f": Document.from_bytes(data)})).files[0]

    assert plan.after is not None
    assert plan.after.to_bytes() == b"# coding: cp1252\nx = 1\n"


def test_bytes_that_the_files_encoding_cannot_read_are_not_in_it() -> None:
    hunk = Hunk("f", lines("-xy\udc81", "+y"), 1)
    document = Document.from_bytes("x\n".encode("utf-16"))

    with pytest.raises(Refused, match="the hunk is not in f"):
        resolve([hunk], Snapshot({"f": document}))


def test_lines_go_beside_the_line_that_a_longer_blank_run_stands_at() -> None:
    before = "first\n\n\nlast\n"

    above, _ = applied(Hunk("f", lines(" first", "+new", " ", " last")), before)
    below, _ = applied(Hunk("f", lines(" first", " ", "+new", " last")), before)

    assert (above, below) == ("first\nnew\n\n\nlast\n", "first\n\n\nnew\nlast\n")


@pytest.mark.parametrize(
    "marked",
    [
        (" first", "+new", "+", " ", " last"),  # blank lines beside the run
        (" first", " ", "+new", " ", " last"),  # a line inside of it
    ],
)
def test_where_in_a_longer_blank_run_lines_are_added_is_not_guessed(
    marked: tuple[str, ...],
) -> None:
    refusal = refused(Hunk("f", lines(*marked)), "first\n\n\n\nlast\n")

    assert refusal.code == "not-found"
    assert "a run of blank lines that has another length" in refusal.headline


def test_where_a_hunk_stands_in_cells_is_said_with_them() -> None:
    cell = {"cell_type": "raw", "metadata": {}, "source": "a\nx = 1"}
    whole = {"cells": [cell, cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
    document = Document.from_bytes(json.dumps(whole).encode(), "notebook")

    with pytest.raises(Refused) as caught:
        resolve([Hunk("f", lines("-x = 1", "+x = 2"))], Snapshot({"f": document}))

    [refusal] = caught.value.refusals
    assert (refusal.code, refusal.where) == (
        "ambiguous",
        "line 2 of `cell#1`, line 2 of `cell#2`",
    )


def test_a_place_beside_its_anchor_is_offered_only_if_the_hunk_fits_it() -> None:
    marked = lines(" if condition_one:", "     call_function()", "-\tother_call()", "+  strange()")
    before = "\tif condition_one:\n\t\tcall_function()\n\t\t\tother_call()\nanchor\nend\n"

    refusal = refused(Hunk("f", marked, anchors=("anchor",)), before)

    assert (refusal.code, refusal.candidates) == ("not-found", ())


def test_another_reading_of_a_hunk_does_not_move_it() -> None:
    other = lines("-    return 2", "+    return 3")
    hunk = Hunk("f", lines("-return 1", "+return 4"), readings=(other,))

    assert applied(hunk, "return 1  \n    return 2\n")[0] == "return 4\n    return 2\n"
