from keyhole.checkpoints.file_changes import ChangeRecorder, OutsideChange
from keyhole.journal.model import EditRecord, Span


def test_a_change_is_one_edit_with_its_spans_and_one_of_the_mode() -> None:
    recorder = ChangeRecorder("why")
    change = OutsideChange("a", b"x1\n", b"x2\n", is_program=True)

    made = recorder.record(change)

    assert made.spans == (Span(0, 3, 3),)
    assert made.edits == (EditRecord(0, (0,), "why"), EditRecord(1, (), "why", matched="mode"))
    assert made.executable is True


def test_an_empty_file_that_comes_is_one_edit_without_a_place() -> None:
    recorder = ChangeRecorder("why")

    made = [recorder.record(OutsideChange(name, None, b"")) for name in "ab"]

    assert [each.edits for each in made] == [
        (EditRecord(0, (), "why"),),
        (EditRecord(1, (), "why"),),
    ]
    assert [each.before for each in made] == [None, None]
