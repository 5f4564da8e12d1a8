import pytest

from keyhole.matching.query import Obstacle, Occurrence, Quote, Rewrite
from keyhole.matching.rewrite_literal import (
    cut_word,
    cuts_line,
    of_whole_lines,
    put,
    rewrite_literally,
    spelled,
    with_lost_indent,
)
from keyhole.matching.view import View
from keyhole.text.changes import ChangeSet
from keyhole.text.document import Document


def site_of(view: View, old: str, new: str | None) -> Occurrence:
    at = view.flat.index(old)
    return Occurrence(at, at + len(old), "exact", Quote(old, new))


def result(view: View, laid: Rewrite | Obstacle) -> str:
    assert isinstance(laid, Rewrite)
    text = view.document.text
    changes = ChangeSet.of(len(text), laid.changes)
    assert isinstance(changes, ChangeSet)
    return changes.apply(text)


def laid(text: str, old: str, new: str) -> str:
    view = View(Document(text))
    return result(view, rewrite_literally(view, site_of(view, old, new), follow_indent=True))


@pytest.mark.parametrize(
    ("text", "old", "new", "after"),
    [
        ("a b c\n", "b", "x", "a x c\n"),
        ("a\nb\nc\n", "a\nb", "a\nx\nb", "a\nx\nb\nc\n"),
        ("a\nb\nc\n", "a\nb\n", "b\n", "b\nc\n"),
        ("a\nb\nc", "b\nc", "b", "a\nb"),
        ("a\nb\nc\n", "a\nb", "a", "a\nc\n"),
        ("a\nb\n", "a\nb", "a\nb\nc\n", "a\nb\nc\n\n"),
        ("a  \nb\n", "a", "x", "x\nb\n"),
        ("  a\t\nb\n", "a", "x", "  x\nb\n"),
        ("a b  \n", "a", "x", "x b  \n"),
        ("a\nb\n", "\nb", "c", "a\nc\n"),
        ("one\n\ntwo\nthree\n", "\ntwo\n", "", "one\nthree\n"),
        ("one\n\ntwo\n  ", "\ntwo\n", "", "one\n  "),
        ("a\nb\n", "a\n", "c", "c\nb\n"),
        ("a\n\nb\n", "a\n", "c", "c\nb\n"),
        ("a\nb\n", "a\n", "", "b\n"),
        ("a\r\nb\n", "a\nb", "x\ny", "x\r\ny\n"),
        ("a\rb\r", "a", "x\ny", "x\ry\rb\r"),
    ],
)
def test_text_goes_where_the_quote_stands(text: str, old: str, new: str, after: str) -> None:
    assert laid(text, old, new) == after


@pytest.mark.parametrize(
    ("text", "old", "new", "after"),
    [
        ("    return 1\n", "return 1", "if x:\n    return 1\nreturn 2", None),
        ("    return 1\n", "return 1", "if x:\n    return 1", "    if x:\n        return 1\n"),
        ("    return 1\n", "return 1", "y = 1\n    return y", "    y = 1\n    return y\n"),
        ("    return 1\n", "return 1", "y = 1\n\nz = 2", "    y = 1\n\n    z = 2\n"),
        ("\tcall(1)\n", "call(1)", "call(\n\t1\n)", "\tcall(\n\t\t1\n\t)\n"),
        ("x = [1]\n", "[1]", "[\n1\n]", "x = [\n1\n]\n"),
    ],
)
def test_later_lines_get_the_indent_that_the_quote_left_out(
    text: str, old: str, new: str, after: str | None
) -> None:
    expected = after or "    if x:\n        return 1\n    return 2\n"

    assert laid(text, old, new) == expected


def test_a_fitted_indent_is_named_as_the_rung() -> None:
    view = View(Document("    a()\n"))
    site = site_of(view, "a()", "b()\nc()")
    fitted = rewrite_literally(view, site, follow_indent=True)
    kept = rewrite_literally(view, site, follow_indent=False)

    assert isinstance(fitted, Rewrite)
    assert isinstance(kept, Rewrite)
    assert (fitted.rung, result(view, fitted)) == ("indentation", "    b()\n    c()\n")
    assert (kept.rung, result(view, kept)) == ("exact", "    b()\nc()\n")


def test_a_new_text_of_one_line_needs_no_indent() -> None:
    view = View(Document("    a()\n"))

    assert with_lost_indent(view, site_of(view, "a()", "b()")) == "b()"
    assert with_lost_indent(view, site_of(view, "a()", None)) == ""


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        ("one two\nthree\n", "two\nthree", "three"),
        ("one\ntwo three\n", "one\ntwo", "one"),
        # What stays would follow a line that is new, or stand before one.
        ("one\ntwo three\n", "one\ntwo", "one\ntwo\nmore"),
        ("one\ntwo three\n", "one\ntwo", "one\n2\nmore"),
        ("one two\nthree\n", "two\nthree", "more\ntwo\nthree"),
    ],
)
def test_a_line_of_which_words_stay_is_an_obstacle(text: str, old: str, new: str) -> None:
    view = View(Document(text))
    found = rewrite_literally(view, site_of(view, old, new), follow_indent=True)

    assert isinstance(found, Obstacle)
    assert found.code == "not-found"
    assert found.reason == "a line has more words in the file than are quoted"


def test_put_writes_to_the_character() -> None:
    view = View(Document("one  \r\n two\r\n"))

    assert result(view, put(view, site_of(view, "one", "x\ny"))) == "x\r\ny  \r\n two\r\n"
    assert result(view, put(view, site_of(view, "  \n two", "!"))) == "one!\r\n"


def test_put_leaves_the_line_end_behind_the_quote_to_its_line() -> None:
    view = View(Document("one\ntwo\r\nthree"))
    site = site_of(view, "\ntwo", "2\n")

    assert result(view, put(view, site)) == "one2\n\r\nthree"


@pytest.mark.parametrize(
    ("old", "word"),
    [("tries = 3", "retries"), ("retries = 3", "30"), ("retries = 30", ""), ("=", "")],
)
def test_a_cut_word_is_named(old: str, word: str) -> None:
    view = View(Document("retries = 30\n"))

    assert cut_word(view, site_of(view, old, None)) == word


@pytest.mark.parametrize(
    ("old", "new", "cuts"),
    [
        ("f():\n    pass", "f():\n    pas", True),
        ("def f():\n    pas", "def f():\n    pass", True),
        ("def f():\n    pass  # no", "def f():\n    pass", True),
        ("def f():\n", "", False),
        ("f():\n", "", True),
        ("def f():\n    ", "def g():\n    ", False),
        ("def f():\n    ", "def g():\n  ", True),
        ("def f():\n    ", None, True),
        ("\n    pass  # no word", "", False),
        ("  # no word  \n", "", True),
        (":\n    pass  # no word  \n", "", True),
        ("def f():\n    pass  # no word", "x", False),
        ("pas", "pas\nx = 1", False),
    ],
)
def test_lines_are_quoted_whole(old: str, new: str | None, *, cuts: bool) -> None:
    view = View(Document("def f():\n    pass  # no word  \n"))

    assert cuts_line(view, site_of(view, old, new)) is cuts


def test_a_line_end_that_the_file_lacks_is_quoted_all_the_same() -> None:
    view = View(Document("# wipe()"))

    assert cuts_line(view, site_of(view, "wipe()", ""), "wipe()\n")
    assert not cuts_line(view, site_of(view, "wipe()", ""), "wipe()")


@pytest.mark.parametrize(
    ("old", "new", "whole", "becomes"),
    [
        ("two()\nthree", "2\nthree", "  # two()\nthree()", "  2\nthree()"),
        ("two()\nthree", "  2\nthree", "  # two()\nthree()", "  2\nthree()"),
        ("two()\nthree", "two()\n3", "  # two()\nthree()", "  # two()\n3"),
        ("two()\n", "", "  # two()\n", ""),
        ("\nthree", "\n3", "\nthree()", "\n3"),
        ("two()\nthree", None, "  # two()\nthree()", None),
    ],
)
def test_whole_lines_stand_for_a_quote_that_cuts_them(
    old: str, new: str | None, whole: str, becomes: str | None
) -> None:
    view = View(Document("one()\n  # two()\nthree()\n"))
    site = of_whole_lines(view, site_of(view, old, new))

    assert site.quote == Quote(whole, becomes)
    assert view.flat[site.start : site.end] == whole


def test_a_letter_and_its_accent_are_one() -> None:
    view = View(Document("cafe\u0301 au lait\n"))

    assert cut_word(view, site_of(view, "cafe", None)) == "e\u0301"
    assert cut_word(view, site_of(view, "cafe\u0301", None)) == ""


def test_text_is_spelled_with_the_line_ends_around() -> None:
    view = View(Document("a\r\nb\n"))

    assert spelled(view, "x\ny", 0, 1) == "x\r\ny"
    assert spelled(view, "x\ny", 3, 4) == "x\ny"
    assert spelled(view, "xy", 0, 1) == "xy"
