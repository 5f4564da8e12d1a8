from keyhole.edits.by_name.segment_target import put_lines, put_text
from keyhole.text.changes import Change
from tests.edits.segment_calls import spot

TEXT = "def f():\r\n    x\r\n    y"


def test_lines_that_stay_are_not_touched() -> None:
    found = spot("m.py", TEXT, "f")

    written = put_lines(found, found.span, ["def f():", "    z", "    y"], ("a note",))

    assert written.changes == (Change(10, 17, "    z\r\n"),)
    assert written.span == (0, len(TEXT))
    assert written.notes == ("a note",)


def test_lines_behind_one_without_an_end_leave_it_alone() -> None:
    found = spot("m.py", TEXT, "f")

    written = put_lines(found, found.span, ["def f():", "    x", "    y", "    z"])

    assert written.changes == (Change(len(TEXT), len(TEXT), "\r\n    z"),)


def test_lines_go_in_between_and_out() -> None:
    found = spot("m.py", TEXT, "f")

    assert put_lines(found, (9, 9), ["    w"]).changes == (Change(10, 10, "    w\r\n"),)
    assert put_lines(found, (9, 15), []).changes == (Change(10, 17, ""),)
    assert put_lines(found, (9, 9), []).changes == ()


def test_text_goes_to_the_character() -> None:
    found = spot("m.py", TEXT, "f")

    assert put_text(found, (4, 5), "g").changes == (Change(4, 5, "g"),)
    assert put_text(found, (4, 5), "f").changes == ()
