import pytest

from keyhole.edits.by_name.pattern import place_pattern
from keyhole.edits.model.operations import Edit
from keyhole.refusals import Refused
from tests.edits.segment_calls import after, notes, placed, refusal, target

TEXT = "def f():\n    print(1)\n\n\nprint(2)\nx = print(3)\n"


def test_a_segment_narrows_the_search() -> None:
    edit = {"pattern": "print($X)", "segment": "f", "content": "log($X)"}

    assert after("m.py", TEXT, **edit) == TEXT.replace("print(1)", "log(1)")


def test_the_last_and_the_first() -> None:
    edit = {"pattern": "print($X)", "content": "log($X)"}

    assert after("m.py", TEXT, **edit, occurrence="last") == TEXT.replace("print(3)", "log(3)")
    assert after("m.py", TEXT, **edit, occurrence="first") == TEXT.replace("print(1)", "log(1)")
    assert notes("m.py", TEXT, **edit, occurrence="first") == ("`pattern` also fits at lines 5, 6",)


def test_a_place_inside_another_is_no_second_one() -> None:
    found = placed("m.py", "f(f(1))\n", pattern="f($X)", content="g($X)", occurrence="all")

    assert (found.found, found.replaced) == (2, 1)


@pytest.mark.parametrize(
    ("action", "wanted"),
    [
        ("before", "x = 0, print(3)\n"),
        ("after", "x = print(3)0, \n"),
        ("delete", "x = \n"),
    ],
)
def test_inside_a_line(action: str, wanted: str) -> None:
    content = None if action == "delete" else "0, "

    assert after("m.py", "x = print(3)\n", pattern="print($X)", action=action, content=content) == (
        wanted
    )


def test_lines_after_a_statement() -> None:
    text = "if x:\r\n    print(1)\r\n"

    assert after("m.py", text, pattern="print($X)", action="after", content="a\n\nb\n") == (
        "if x:\r\n    print(1)\r\n    a\r\n\r\n    b\r\n"
    )


def test_lines_may_keep_their_indent() -> None:
    text = "if x:\n    print(1)\n"

    assert after("m.py", text, pattern="print($X)", content="a(\n  $X)", indent="keep") == (
        "if x:\n    a(\n  1)\n"
    )


def test_a_language_without_a_parser() -> None:
    assert refusal("a.txt", "x\n", pattern="x", content="y").code == "wrong-segment-kind"


@pytest.mark.parametrize("action", ["before", "after", "prepend", "append"])
def test_lines_within_a_line_have_the_ends_of_the_file(action: str) -> None:
    became = after("m.js", "a; f(1); b\r\nc\r\n", pattern="f($X)", action=action, content="x\ny\n")

    assert became.count("\r\n") == became.count("\n") == 4


@pytest.mark.parametrize("action", ["replace", "before", "append"])
def test_a_part_of_a_line_has_no_column(action: str) -> None:
    edit = {"pattern": "print($X)", "action": action, "content": "0", "indent": 4}

    assert refusal("m.py", "x = print(3)\n", **edit).code == "bad-request"


def test_a_content_that_makes_too_much_of_what_it_caught_is_refused() -> None:
    edit = {"pattern": "f($X)", "content": "g(" + "$X, " * 1000 + ")", "occurrence": "all"}
    said = refusal("m.py", "f(abcdefgh)\n" * 1000, **edit)

    assert said.code == "too-large"
    assert said.headline.startswith("the new text would have over 2097152 characters, ")
    assert len(after("m.py", "f(abcdefgh)\n" * 100, **edit)) > 1_000_000


def test_a_large_file_may_be_given_twice_what_it_has() -> None:
    text = "f(abcdefgh)\n" * 20 + "# " + "x" * 2_000_000 + "\n"
    edit = {"pattern": "f($X)", "content": "g(" + "$X, " * 19_000 + ")", "occurrence": "all"}

    assert len(after("m.py", text, **edit)) > 5_000_000


def test_patterns_that_look_through_too_much_are_refused() -> None:
    edit = Edit(pattern="f($X)", content="g($X)")
    once = target("m.py", "f(1)\n" + "# " + "x" * 6_000_000 + "\n")

    assert place_pattern(edit, once).replaced == 1
    with pytest.raises(Refused, match="look through over 10000000 characters") as refused:
        place_pattern(edit, once)
    assert refused.value.refusals[0].code == "too-large"
