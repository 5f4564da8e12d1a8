import pytest

from keyhole.matching import rungs
from keyhole.matching.query import Occurrences, Quote
from keyhole.matching.rungs import exact, find_lines, occurrences, whole_lines
from keyhole.matching.view import View
from keyhole.text.document import Document

PLAIN = "alpha()\n\n\n    beta()\nalpha()\n"


def seen(text: str) -> View:
    return View(Document(text))


def spans(sites: Occurrences | None) -> list[tuple[int, int]]:
    return [(site.start, site.end) for site in sites.found] if sites else []


def lines(view: View, sites: Occurrences | None) -> list[list[str]]:
    return [view.flat[start:end].split("\n") for start, end in spans(sites)]


def whole(view: View) -> tuple[int, int]:
    return 0, len(view.flat)


def test_overlapping_places_are_all_there() -> None:
    assert [*occurrences("aaaa", "aa", 0, 4)] == [0, 1, 2]
    assert [*occurrences("aaaa", "aa", 1, 3)] == [1]


def test_exact_finds_every_place_in_scope() -> None:
    view = seen(PLAIN)

    assert spans(exact(view, Quote("alpha()"), whole(view))) == [(0, 7), (21, 28)]
    assert spans(exact(view, Quote("alpha()"), (1, len(view.flat)))) == [(21, 28)]
    assert exact(view, Quote("gamma"), whole(view)) is None


@pytest.mark.parametrize(
    ("text", "old", "found"),
    [
        ("a\nb", "b\n", [(2, 3)]),
        ("b\nb", "b\n", [(0, 2), (2, 3)]),
        ("a\nb", "b\n\n", []),
        ("a\nb", "\n", [(1, 2)]),
        ("a\nb\n", "b\n\n", []),
        ("\n\n", "\n\n", [(0, 2)]),
    ],
)
def test_a_quote_with_its_end_also_stands_at_an_open_end(
    text: str, old: str, found: list[tuple[int, int]]
) -> None:
    view = seen(text)

    assert spans(exact(view, Quote(old, "new\n"), whole(view))) == found


def test_the_new_text_of_an_open_end_has_none_either() -> None:
    view = seen("a\nb")
    sites = exact(view, Quote("b\n", "c\n"), whole(view))

    assert sites is not None
    assert sites.found[0].quote == Quote("b", "c")
    place = exact(view, Quote("b\n"), whole(view))
    assert place is not None
    assert place.found[0].quote == Quote("b")


def test_an_open_end_outside_the_scope_does_not_count() -> None:
    assert exact(seen("a\nb"), Quote("b\n"), (0, 2)) is None


def test_more_places_than_wanted_are_said_to_be_more() -> None:
    view = seen("aaaa")
    found = exact(view, Quote("a"), whole(view), 2)

    assert spans(found) == [(0, 1), (1, 2)]
    assert found is not None
    assert found.more
    assert exact(view, Quote("a"), whole(view), 4) == exact(view, Quote("a"), whole(view))


@pytest.mark.parametrize(
    ("old", "rung", "count"),
    [
        ("beta()  ", "", 0),
        ("    beta()  ", "whitespace", 1),
        ("alpha()\n\n\n    beta() ", "whitespace", 1),
        ("alpha()\n\n    beta() ", "blank-lines", 1),
        ("  alpha()\n\n      beta() ", "indentation", 1),
        ("alpha() ", "whitespace", 2),
        ("\nalpha() ", "", 0),
        ("\n    beta() ", "whitespace", 1),
        ("beta()\nalpha()", "indentation", 1),
        ("gamma()", "", 0),
    ],
)
def test_lines_are_found_on_the_strictest_rung_that_has_any(
    old: str, rung: str, count: int
) -> None:
    view = seen(PLAIN)
    found = whole_lines(view, Quote(old), whole(view))

    assert (found.rung if found else "") == rung
    assert len(spans(found)) == count


def test_a_run_of_blank_lines_at_the_edge_may_be_part_of_a_longer_one() -> None:
    view = seen("one(1)\n\n\n\ntwo(2)\n")
    above = whole_lines(view, Quote("one(1) \n\n"), whole(view))
    below = whole_lines(view, Quote("\n\ntwo(2) \n"), whole(view))

    assert lines(view, above) == [["one(1)", "", ""]]
    assert lines(view, below) == [["", "", "two(2)", ""]]


@pytest.mark.parametrize("old", ["} ", "  }", "ab ", "  abcd()\n", "  x\n  y\n"])
def test_too_few_words_prove_nothing(old: str) -> None:
    view = seen("}\nab\nabcd()\nx\ny\n")

    assert whole_lines(view, Quote(old), whole(view)) is None


def test_places_outside_the_scope_do_not_count() -> None:
    view = seen("\n\n\nvalue = 1\n\nother = 2\n\n\nvalue = 1\n")
    quote = Quote("value = 1 ")

    assert len(spans(whole_lines(view, quote, whole(view)))) == 2
    assert spans(whole_lines(view, quote, (4, len(view.flat)))) == [(26, 36)]
    assert spans(whole_lines(view, quote, (0, 20))) == [(3, 13)]
    assert spans(whole_lines(view, Quote("\n\nvalue = 1 "), (2, 20))) == []


def test_too_many_places_to_compare_are_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rungs, "MOST_COMPARED", 6)
    view = seen("value = 1\n" * 4)
    found = whole_lines(view, Quote("value = 1 "), whole(view))

    assert found is not None
    assert (found.rung, len(found.found), found.more) == ("indentation", 3, True)


@pytest.mark.parametrize(
    ("text", "old", "rung", "found"),
    [
        ("a\nb\na\n", "a\n", "exact", [(0, 2), (4, 6)]),
        ("a\nb", "b\n", "exact", [(2, 3)]),
        ("xvalue = 1\nvalue = 1 \n", "value = 1\n", "whitespace", [(11, 22)]),
        ("ab\n", "b\n", "", []),
        ("a\n", "a\n\n", "", []),
    ],
)
def test_lines_stand_whole_or_not_at_all(
    text: str, old: str, rung: str, found: list[tuple[int, int]]
) -> None:
    view = seen(text)
    sites = find_lines(view, Quote(old), whole(view))

    assert (sites.rung if sites else "", spans(sites)) == (rung, found)


@pytest.mark.parametrize(
    ("text", "old", "count"),
    [
        ("f {\n  g {\n    x {\n    } \n  }\n};\n", "    }\n  }\n};", 1),
        ("f {\n    x {\n    } \n  }\n", "    }\n  }", 0),  # two brackets stand everywhere
        ("    } \n  }\n};\na\n  }\n  }\n  };\n", "    }\n  }\n};", 0),  # another stair
        ("    } \n  }\n};\n", "  }\n}\n};", 0),  # as deep as quoted, or nothing
    ],
)
def test_closing_lines_are_known_by_their_stair(text: str, old: str, count: int) -> None:
    view = seen(text)

    assert len(spans(whole_lines(view, Quote(old, "x"), whole(view)))) == count
