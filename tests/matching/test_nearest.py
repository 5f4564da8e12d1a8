import pytest

from keyhole.matching.nearest import NearPlace, nearest, visible
from keyhole.matching.query import Quote
from keyhole.matching.view import View
from keyhole.text.changes import Change, ChangeSet
from keyhole.text.document import Document

TEXT = """\
def total(prices):
    result = sum(prices)
    return result


def count(prices):
    result = len(prices)
    return result
"""


def near(
    text: str, old: str, new: str | None = None, lines: tuple[int, int] | None = None
) -> tuple[NearPlace, ...]:
    view = View(Document(text))
    scope = (0, len(view.flat)) if lines is None else lines
    found = nearest(view, Quote(old, new), scope)
    assert found is not None
    return found


def test_the_best_place_comes_first_and_says_what_differs() -> None:
    old = "def total(price):\n    result = sum(prices)\n    return result\n"
    best, second = near(TEXT, old, old.replace("return result", "return 0"))

    assert (best.first, best.last, round(best.similarity, 2)) == (0, 3, 0.99)
    assert best.differs == "line 1 is `def total(prices):`, quoted as `def total(price):`"
    assert best.changes == (Change(44, 62, "    return 0\n"),)
    assert (second.first, second.last) == (5, 8)
    assert second.similarity < best.similarity


def test_a_change_of_a_line_that_is_not_as_quoted_is_not_offered() -> None:
    (best, *_) = near(TEXT, "def total(price):\n    result = sum(prices)\n", "x\n")

    assert best.changes is None


def test_a_skipped_line_is_named() -> None:
    (best, *_) = near(
        TEXT, "def total(prices):\n    return result\n", "def total(prices):\n    return 0\n"
    )

    assert best.differs == "line 2, `    result = sum(prices)`, is not quoted"
    assert best.changes == (Change(44, 62, "    return 0\n"),)


def test_a_skipped_blank_line_is_not_worth_a_word() -> None:
    (best, *_) = near("alpha(1)\n\nbeta(2)\n", "alpha(1)\nbeta(2)x\n")

    assert best.differs == "line 3 is `beta(2)`, quoted as `beta(2)x`"


def test_a_line_that_the_file_does_not_have_is_named() -> None:
    (best, *_) = near("alpha(1)\nbeta(2)\n", "alpha(1)\nextra()\n\nbeta(2)\n")

    assert best.differs == "the file has no line `extra()`; the file has no blank line at 2"


@pytest.mark.parametrize(
    ("text", "old", "differs"),
    [
        ("f() {\n    }\n", "\t}\n", "line 2 is `    }`, quoted as `\u2192}`"),
        ("ab\n", "ab  ", "line 1 is `ab`, quoted as `ab\u00b7\u00b7`"),
        ("ab\n\n", "ab\n\n\n", "1 blank lines at 2 are quoted as 2"),
        ("ab\n", "ab\n", ""),
    ],
)
def test_where_only_blanks_differ_they_are_shown(text: str, old: str, differs: str) -> None:
    (best,) = near(text, old, "new\n")

    assert best.differs == differs


def test_places_that_overlap_a_better_one_are_left_out() -> None:
    found = near("value(1)\nvalue(1)\nvalue(1)\n", "value(1)\nvalue(1)")

    assert [(place.first, place.last) for place in found] == [(0, 2)]


def test_at_most_three_places_are_named() -> None:
    text = "".join(f"value_{letter} = compute({letter})\n\n" for letter in "abcdefgh")

    assert len(near(text, "value_z = compute(z)")) == 3


@pytest.mark.parametrize(
    ("text", "old"),
    [("", "abc"), ("abc\n", " \n"), ("xyz\n", "abcdef"), ("\n\n", "abc"), ("\nx", "a b\n\n")],
)
def test_nothing_is_like_nothing(text: str, old: str) -> None:
    assert near(text, old) == ()


def test_only_the_scope_is_looked_at() -> None:
    start = TEXT.index("def count")
    found = near(TEXT, "    return results\n", lines=(start, len(TEXT)))

    assert [place.first for place in found] == [7]
    assert near("aaaa bbbb\ncccc dddd\n", "cccc dxdd eeee", lines=(20, 20)) == ()


def test_blank_lines_of_the_quote_take_those_of_the_file() -> None:
    text = "alpha(1)\n\n\n\nbeta(2)\ngamma(3)\n"
    old = "\nalpha(1)\n\nbeta(x)\ngamma(3)\n\n"
    (best, *_) = near(text, old, old.replace("gamma(3)", "delta(4)"))

    assert best.changes is not None
    changes = ChangeSet.of(len(text), best.changes)
    assert isinstance(changes, ChangeSet)
    assert changes.apply(text) == text.replace("gamma(3)", "delta(4)")


def test_common_lines_do_not_drown_rare_ones() -> None:
    text = "return result\n" * 100 + "unique_name_of_it(1)\nreturn result\n"
    (best, *_) = near(text, "unique_name_of_it(1)\nreturn results\n")

    assert (best.first, best.last) == (100, 102)


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("\ta b", "`\u2192a b`"),
        ("a  ", "`a\u00b7\u00b7`"),
        ("a\t ", "`a\u2192\u00b7`"),
        ("\u201ca\u00a0é·中", "`<U+201C>a<U+00A0>é·中`"),
        ("\x07", "`<U+0007>`"),
    ],
)
def test_what_cannot_be_seen_is_spelled_out(line: str, shown: str) -> None:
    assert visible(line) == shown


def test_what_takes_too_long_to_compare_is_not_compared() -> None:
    view = View(Document("".join(f"line {n} of some text\n" for n in range(2000))))
    whole = (0, len(view.flat))
    other = Quote("line 1 of some text\n" + "".join(f"{n:x}()\n" for n in range(2000)))

    assert nearest(view, other, whole) is None
