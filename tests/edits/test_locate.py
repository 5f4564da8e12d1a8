import pytest

from keyhole.edits.model.operations import Edit
from keyhole.edits.model.plan import CandidateEdit, FilePlan, Snapshot
from keyhole.edits.resolve import resolve
from keyhole.text.changes import Change
from tests.edits.calls import PATH, after, offers, placed, read, refusal

TEXT = "one\n  two\nthree\n"


@pytest.mark.parametrize(
    ("edit", "text"),
    [
        ({"lines": 2, "content": "x"}, "one\n  x\nthree\n"),
        ({"lines": 2, "content": "x", "indent": "keep"}, "one\nx\nthree\n"),
        ({"lines": "2-", "content": "x\ny\n"}, "one\n  x\n  y\n"),
        ({"lines": [1, 2], "content": ""}, "three\n"),
        ({"lines": "1-2", "action": "delete"}, "three\n"),
        ({"lines": 2, "action": "before", "content": "x"}, "one\n  x\n  two\nthree\n"),
        ({"lines": 2, "action": "after", "content": "x"}, "one\n  two\n  x\nthree\n"),
        ({"lines": 2, "action": "append", "content": "x"}, "one\n  two\n  x\nthree\n"),
        ({"lines": 0, "content": "x"}, f"x\n{TEXT}"),
        ({"lines": -1, "content": "x"}, f"{TEXT}x\n"),
        ({"lines": 0, "action": "delete"}, TEXT),
        ({"lines": -1, "action": "delete"}, TEXT),
        ({"action": "prepend", "content": "x"}, f"x\n{TEXT}"),
        ({"action": "append", "content": "x\n\n"}, f"{TEXT}x\n\n"),
        ({"action": "append", "content": ""}, TEXT),
        ({"lines": 2, "content": "  two"}, TEXT),
    ],
)
def test_lines_are_replaced_deleted_and_added(edit: dict[str, object], text: str) -> None:
    assert after(TEXT, edit) == text


@pytest.mark.parametrize(
    ("text", "edit", "result"),
    [
        ("", {"action": "append", "content": "x"}, "x\n"),
        ("", {"lines": 0, "content": "x"}, "x\n"),
        ("", {"lines": -1, "content": "x"}, "x\n"),
        ("", {"action": "prepend", "content": ""}, ""),
        ("a", {"lines": -1, "content": "x"}, "a\nx"),
        ("a", {"lines": -1, "action": "delete"}, "a"),
        ("a", {"action": "append", "content": ""}, "a"),
        ("a", {"lines": 0, "content": "x"}, "x\na"),
        ("a\nb", {"lines": 2, "action": "delete"}, "a"),
        ("a", {"lines": 1, "content": ""}, ""),
        ("\n\n", {"lines": 1, "content": "x"}, "x\n\n"),
        ("a\rb\r", {"lines": 2, "content": "x\ny"}, "a\rx\ry\r"),
        ("a\r\nb", {"action": "append", "content": "x\r\ny"}, "a\r\nb\r\nx\r\ny"),
    ],
)
def test_the_edges_of_odd_files(text: str, edit: dict[str, object], result: str) -> None:
    assert after(text, edit) == result


ENDS = 'def f():\n    if x:\n        a\n    b\n\nc\nif y:\n    s = """\nt\n"""\n'


@pytest.mark.parametrize(
    ("lines", "place", "new"),
    [
        ("2-3", "        a\n", "    n\n"),
        ("3-4", "    b\n", "    n\n"),
        ("3-5", "    b\n\n", "    n\n"),
        ("4-6", "c\n", "n\n"),
        ("5-6", "c\n", "n\n"),
        ("1-4", "    b\n", "n\n"),
        ("8-10", 't\n"""\n', "    n\n"),
        ("5-5", "b\n\n", "n\n"),
    ],
)
@pytest.mark.parametrize("action", ["after", "append"])
def test_behind_lines_text_is_not_deeper_than_the_last(
    lines: str, place: str, new: str, action: str
) -> None:
    edit = {"lines": lines, "action": action, "content": "n"}

    assert after(ENDS, edit) == ENDS.replace(place, place + new)


def test_behind_a_quote_text_is_not_deeper_than_its_last_line() -> None:
    for quote in ({"find": "b\n\nc"}, {"find": "a\n", "until": "c"}):
        assert after(ENDS, {**quote, "action": "after", "content": "n"}) == ENDS.replace(
            "\nc\n", "\nc\nn\n"
        )


def test_a_shift_is_noted_and_no_change_is_none() -> None:
    assert placed(TEXT, lines=2, content="x").notes == ("the new text was indented to column 2",)
    assert placed(TEXT, lines=2, content="  two").changes == ()


@pytest.mark.parametrize(
    ("text", "lines", "headline"),
    [
        (TEXT, 4, "line 4 is out of bounds (file.txt has 3 lines)"),
        (TEXT, "2-9", "line 9 is out of bounds (file.txt has 3 lines)"),
        (TEXT, "5-", "line 5 is out of bounds (file.txt has 3 lines)"),
        ("a", 2, "line 2 is out of bounds (file.txt has 1 line)"),
        ("", 1, "line 1 is out of bounds (file.txt has 0 lines)"),
    ],
)
def test_lines_beyond_the_end_are_refused(text: str, lines: object, headline: str) -> None:
    found = refusal(text, lines=lines, content="x")

    assert (found.code, found.headline) == ("not-found", headline)
    assert refusal(text, lines=lines, find="one", content="x").headline == headline


def test_a_quote_is_searched_inside_lines() -> None:
    text = "a\r\nb\r\na\r\n"

    assert after(text, {"find": "a", "lines": "2-3", "content": "x"}) == "a\r\nb\r\nx\r\n"
    found = refusal(text, find="a", lines=2, content="x")
    assert found.headline == "`find` is not in file.txt within the named place"
    assert refusal(text, find="a", lines=0, content="x").code == "not-found"


def test_a_quote_is_searched_inside_a_segment() -> None:
    text = "def f():\n    return 1\n\n\ndef g():\n    return 1\n"
    edit = Edit(path="a.py", segment="g", find="return 1", content="return 2")
    (file,) = resolve([edit], Snapshot({"a.py": read(text)})).files

    assert file.after is not None
    assert file.after.text == text[:30] + text[30:].replace("1", "2")


def test_a_segment_and_a_pattern_are_places_too() -> None:
    text = "def f():\n    return 1\n"
    edits = [
        Edit(path="a.py", segment="f", content="def f():\n    return 2\n"),
        Edit(path="a.py", pattern="return $X", content="return ($X)"),
    ]
    results = [resolve([edit], Snapshot({"a.py": read(text)})).files[0] for edit in edits]

    assert [file.after.text for file in results if file.after] == [
        text.replace("1", "2"),
        text.replace("1", "(1)"),
    ]


@pytest.mark.parametrize("edit", [{"lines": 1}, {"find": "b"}, {"action": "append"}])
def test_what_is_not_text_is_edited_to_the_character_or_not_at_all(edit: dict[str, object]) -> None:
    found = refusal(b"a\0b\n", content="x", **edit)

    assert (found.code, found.headline) == ("not-text", "file.txt is not text: it holds NUL bytes")
    assert after(b"a\0b\n", {"find": "b", "content": "x", "match": "exact"}) == "a\0x\n"


OLD = "def total(price):\n    return sum(prices)\n"
FILE = "def total(prices):\n    return sum(prices)\n"


def accepted(text: str, offer: CandidateEdit, path: str = PATH) -> FilePlan:
    edit = Edit(path=path, accept=offer.accept, reason="yes")
    (file,) = resolve([edit], Snapshot({path: read(text)}), {offer.accept: offer}).files
    return file


def test_an_offer_is_carried_out_when_accepted() -> None:
    (offer,) = offers(FILE, find=OLD, content=OLD.replace("sum(prices)", "0"))
    file = accepted(FILE, offer)

    assert file.after is not None
    assert file.after.text == FILE.replace("sum(prices)", "0")
    assert [(edit.matched, edit.reason) for edit in file.edits] == [("accepted", "yes")]


def test_an_offer_is_for_one_version_of_one_file() -> None:
    (offer,) = offers(FILE, find=OLD, content=OLD.replace("sum(prices)", "0"))

    with pytest.raises(Exception, match=f"stale: candidate {offer.accept} was offered"):
        accepted(f"{FILE}\n", offer)
    with pytest.raises(Exception, match=f"no candidate has the id {offer.accept}"):
        accepted(FILE, offer, "other.txt")
    with pytest.raises(Exception, match="no candidate has the id abc"):
        resolve([Edit(path=PATH, accept="abc")], Snapshot({PATH: read(FILE)}))
    assert offer.changes == (Change(19, 42, "    return 0\n"),)
