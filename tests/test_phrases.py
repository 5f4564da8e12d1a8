import copy
import json
import pickle

import pytest

from keyhole.phrases import (
    Accept,
    ArgumentName,
    FileName,
    Phrase,
    Row,
    Words,
    files_in,
    in_one_line,
    joined,
    kind_of,
    mentions,
    render,
    respell,
    say,
)

THEIRS = Words({"find": "old_str"})


def test_a_phrase_is_a_text_in_our_own_words() -> None:
    said = say("{find} stands at {} places in {}", 2, FileName("a.py"))

    assert said == "`find` stands at 2 places in a.py"
    assert json.dumps([said]) == '["`find` stands at 2 places in a.py"]'


def test_a_door_has_its_own_names_for_arguments() -> None:
    said = say("{find} with {match:bare} exact, or see {history:tool}; else {}", Accept("c9"))

    assert render(said, THEIRS) == (
        '`old_str` with match exact, or see `history`; else send {"accept": "c9"} alone'
    )


@pytest.mark.parametrize("quoted", ["`find`", "{find}", "{}", "{history:tool}", "find"])
def test_what_is_quoted_stays_as_it_is(quoted: str) -> None:
    assert render(say("the file has {}", quoted), THEIRS) == f"the file has {quoted}"
    assert render(quoted, THEIRS) == quoted


def test_braces_that_are_no_placeholder_stay() -> None:
    text = 'send {"edits": [...]}, not {path: hash}'

    assert say(text) == text


def test_a_phrase_within_a_phrase_keeps_its_pieces() -> None:
    inner = say("{find} is empty")

    assert render(say("hunk {}: {}", 1, inner), THEIRS) == "hunk 1: `old_str` is empty"


def test_messages_are_joined_by_their_pieces() -> None:
    names = [ArgumentName("find"), "plain", say("{until} too")]

    assert render(joined(", ", names), THEIRS) == "`old_str`, plain, `until` too"
    assert joined(", ", []) == ""


def test_a_value_too_many_is_a_bug() -> None:
    with pytest.raises(AssertionError, match="BUG: more values than places"):
        say("one {}", 1, 2)


def test_files_are_named_as_the_caller_did() -> None:
    said = say("cannot move {} to {}: `a.py` is there", FileName("a.py"), FileName("b.py"))

    assert files_in(said) == ("a.py", "b.py")
    assert respell(said, {"a.py": "./a.py"}) == "cannot move ./a.py to b.py: `a.py` is there"
    inner = say("`f` of {}", FileName("c.py"))
    assert files_in(respell(said, {"a.py": inner})) == ("c.py", "b.py")
    assert respell("a.py is plain", {"a.py": "./a.py"}) == "a.py is plain"


def test_line_ends_of_quotations_are_written_out() -> None:
    said = in_one_line(say("{find} is in {}: {}", FileName("a\nb"), "c\r\nd"))

    assert said == "`find` is in a\\nb: c\\r\\nd"
    assert render(said, THEIRS) == "`old_str` is in a\\nb: c\\r\\nd"


def test_a_name_that_is_no_text_can_be_read() -> None:
    assert say("no {}", FileName("a\udcff\x1b")) == "no a\\udcff\\x1b"


def test_a_note_has_a_kind_and_says_which_arguments_it_is_about() -> None:
    note = say("{find} also stands at {}", "`content`", kind="elsewhere")

    assert (kind_of(note), kind_of("`find`")) == ("elsewhere", "")
    assert mentions(note, "find")
    assert not mentions(note, "content")
    assert not mentions("`find`", "find")


def test_a_copy_is_the_same_phrase() -> None:
    said = say("{find} in {}", FileName("a"), kind="note")

    for made in (copy.copy(said), copy.deepcopy(said), pickle.loads(pickle.dumps(said))):
        assert isinstance(made, Phrase)
        assert (made, made.pieces, made.kind) == (said, said.pieces, "note")


def test_a_row_is_a_text_with_a_role() -> None:
    row = Row("help", "  help: look")

    for made in (row, copy.copy(row), pickle.loads(pickle.dumps(row))):
        assert (made, made.role) == ("  help: look", "help")
