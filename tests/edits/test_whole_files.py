import pytest

from keyhole.edits.model.hunk import ADD, KEEP, Hunk
from keyhole.edits.model.operations import DeleteFile, MoveFile, WriteFile
from keyhole.edits.model.plan import FilePlan, Snapshot
from keyhole.edits.resolve import Unresolved, resolve
from keyhole.refusals import Refusal
from keyhole.text.changes import Change
from keyhole.text.document import Document

Whole = WriteFile | DeleteFile | MoveFile


def planned(before: bytes | None, operation: Whole, **others: bytes | None) -> tuple[FilePlan, ...]:
    files = {"a": before, "b": None, **others}
    read = {p: None if d is None else Document.from_bytes(d) for p, d in files.items()}
    return resolve([operation], Snapshot(read)).files


def refusal(before: bytes | None, operation: Whole, **others: bytes | None) -> Refusal:
    with pytest.raises(Unresolved) as refused:
        planned(before, operation, **others)
    (found,) = refused.value.refusals
    return found


def written(before: bytes | None, content: str) -> bytes:
    (file,) = planned(before, WriteFile("a", content, reason="why"))
    assert file.after is not None
    assert file.changes.apply(file.before.text if file.before else "") == file.after.text
    return file.after.to_bytes()


@pytest.mark.parametrize(
    ("before", "content", "after"),
    [
        (None, "", b""),
        (None, "a\r\nb\n", b"a\r\nb\n"),
        (b"a\n", "b\n", b"b\n"),
        (b"\xef\xbb\xbfa\n", "b\n", b"\xef\xbb\xbfb\n"),
        (b"a\r\nb\r\n", "a\nc\n", b"a\r\nc\r\n"),
        (b"a\r\nb\nc\r\n", "a\nb\nx\nc\n", b"a\r\nb\nx\r\nc\r\n"),
        (b"a\r\nb", "a\nb\n", b"a\r\nb\r\n"),
        (b"a\r\nb\r\n", "a\nb", b"a\r\nb"),
        (b"a\rb\r", "a\nc\n", b"a\rc\r"),
        (b"a\r\n", "a\r\nb\n", b"a\r\nb\n"),
        (b"\xff\xfea\0", "\u00e9", b"\xff\xfe\xe9\0"),
    ],
)
def test_a_whole_text_keeps_mark_encoding_and_line_ends(
    before: bytes | None, content: str, after: bytes
) -> None:
    assert written(before, content) == after


def test_a_new_file_may_be_a_program() -> None:
    (file,) = planned(None, WriteFile("a", "#!/bin/sh\n", executable=True))

    assert (file.before, file.executable) == (None, True)
    assert file.edits[0].changes == (Change(0, 0, "#!/bin/sh\n"),)


def test_a_write_that_drops_most_lines_is_refused() -> None:
    before = b"line\n" * 50

    assert refusal(before, WriteFile("a", "line\n" * 24)) == Refusal(
        "shrinks",
        "the write would leave 24 of the 50 lines of a",
        help="edit the part you mean, or set allow_shrink if the rest shall go",
        mend="edit the part you mean",
        edit=0,
        path="a",
        hash_current=Document.from_bytes(before).hash,
    )
    assert len(planned(before, WriteFile("a", "line\n" * 25))) == 1
    assert len(planned(before, WriteFile("a", "", allow_shrink=True))) == 1
    assert len(planned(b"line\n" * 49, WriteFile("a", ""))) == 1


def test_a_file_goes_away() -> None:
    (file,) = planned(b"x\n", DeleteFile("a", reason="old"))

    assert (file.after, file.changes.changes) == (None, (Change(0, 2, ""),))
    assert file.edits[0].reason == "old"
    (empty,) = planned(b"", DeleteFile("a"))
    assert empty.changes.is_empty


def test_a_deletion_may_say_what_it_expects() -> None:
    assert len(planned(b"x\r\n", DeleteFile("a", expect="x\n"))) == 1
    found = refusal(b"y\n", DeleteFile("a", expect="x\n"))
    assert (found.code, found.headline) == ("not-found", "a is not as the deletion says it is")


def test_a_file_moves_with_its_bytes() -> None:
    gone, came = planned(b"\xef\xbb\xbfx\n", MoveFile("a", "b"))

    assert (gone.path, gone.after, gone.moved_to) == ("a", None, "b")
    assert came.after is not None
    assert (came.path, came.moved_from, came.after.to_bytes()) == ("b", "a", b"\xef\xbb\xbfx\n")
    _, empty = planned(b"", MoveFile("a", "b"))
    assert empty.changes.is_empty


def hunk(*lines: tuple[str, str]) -> Hunk:
    return Hunk("a", lines)


def test_a_file_may_change_on_its_way() -> None:
    _, came = planned(b"x\ny\n", MoveFile("a", "b", hunks=(hunk((KEEP, "x"), (ADD, "new")),)))

    assert came.after is not None
    assert came.after.text == "x\nnew\ny\n"


def test_a_move_whose_change_has_two_places_is_refused() -> None:
    hunk = Hunk("a", ((KEEP, "x"), (ADD, "y")))

    found = refusal(b"x\nx\n", MoveFile("a", "b", hunks=(hunk,)))

    assert (found.code, found.headline) == ("ambiguous", "hunk 1: the hunk stands at 2 places in a")


def test_a_move_whose_change_has_no_place_is_refused() -> None:
    change = hunk((KEEP, "nowhere at all"), (ADD, "new"))
    found = refusal(b"x\ny\n", MoveFile("a", "b", hunks=(change,)))

    assert (found.code, found.headline, found.candidates) == (
        "not-found",
        "hunk 1: the hunk is not in a",
        (),
    )


@pytest.mark.parametrize("operation", [DeleteFile("a"), MoveFile("a", "b")])
def test_what_is_not_there_is_refused(operation: Whole) -> None:
    found = refusal(None, operation)

    assert (found.code, found.headline) == ("no-file", "there is no file a")


def test_a_move_writes_over_nothing() -> None:
    found = refusal(b"x", MoveFile("a", "b"), b=b"y")

    assert found.code == "file-exists"
    assert found.headline == "cannot move a to b: there already is such a file"
