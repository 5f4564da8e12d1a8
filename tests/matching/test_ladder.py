import pytest

from keyhole.matching import ladder, view
from keyhole.matching.ladder import (
    SeveralPlaces,
    already_there,
    find,
    find_elided,
    from_base,
    several,
)
from keyhole.matching.query import Obstacle, Occurrences, Quote, Rewrite
from keyhole.matching.view import View
from keyhole.text.changes import ChangeSet
from keyhole.text.document import Document


def seen(text: str) -> View:
    return View(Document.from_bytes(text.encode("utf-8")))


def whole(view: View) -> tuple[int, int]:
    return 0, len(view.flat)


def found(text: str, old: str, new: str | None = None) -> Occurrences:
    view = seen(text)
    sites = find(view, Quote(old, new), whole(view))
    assert isinstance(sites, Occurrences)
    return sites


def result(view: View, laid: object) -> str:
    assert isinstance(laid, Rewrite)
    changes = ChangeSet.of(len(view.document.text), laid.changes)
    assert isinstance(changes, ChangeSet)
    return changes.apply(view.document.text)


def test_a_stricter_rung_is_never_overruled() -> None:
    text = "    call(values)\n\n        call(values)\n"

    assert found(text, "        call(values)").rung == "exact"
    assert found(text, "        call(values)  ").rung == "whitespace"
    assert len(found(text, "  call(values)  ").found) == 2


def test_without_tolerance_only_the_exact_text_counts() -> None:
    view = seen("value = 1\n")

    assert find(view, Quote("value = 1 "), whole(view), tolerant=False) is None


def test_a_huge_file_is_searched_to_the_character_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(view, "_MOST_COMPARED", 5)
    huge = seen("value = 1\n")

    assert find(huge, Quote("value = 1 "), whole(huge)) is None
    assert find(huge, Quote("value"), whole(huge)) is not None


def test_repairs_that_lead_to_different_places_are_several() -> None:
    sites = found("a &lt; value(1)\n1: a < value(1)\n", "1: a &lt; value(1)")

    assert [(site.start, site.rung, site.notes) for site in sites.found] == [
        (0, "transport", ("line numbers were taken off the quoted text",)),
        (16, "transport", ("HTML entities were undone",)),
    ]


def test_one_place_that_two_repairs_read_differently_is_an_obstacle() -> None:
    view = seen("alpha\nbeta\n")
    obstacle = find(view, Quote("alpha\\nbeta", "alpha\\nc\\td"), whole(view))

    assert obstacle == Obstacle(
        "not-found",
        "the quoted text is there once repaired, but the new text reads in two ways",
        0,
        10,
    )


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        ("if x:\n\n    A = [\n", "\nA = [", "A = ["),
        ("if x:\n\n    A = [\n", "\nA = [", "B = ["),
        ("    A = [ \n\n    b\n", "A = [\n\n", "A = ["),
    ],
)
def test_blank_lines_that_the_edit_removes_are_not_left_aside(
    text: str, old: str, new: str
) -> None:
    view = seen(text)

    assert find(view, Quote(old, new), whole(view)) is None
    assert find(view, Quote(old, f"\n{new}\n\n"), whole(view)) is not None
    bare = seen(text.replace("\n\n", "\n"))
    assert find(bare, Quote(old, new), whole(bare)) is not None


def test_of_two_readings_of_a_number_the_stricter_one_counts() -> None:
    sites = found("  a(1)\n  b(2)\n\n", "1|  a(1)\n2|  b(2)\n3|", "1|  a(1)\n2|  c(3)\n3|")

    assert [site.quote for site in sites.found] == [Quote("  a(1)\n  b(2)\n", "  a(1)\n  c(3)\n")]


def test_two_repairs_with_the_same_reading_are_one() -> None:
    sites = found("alpha\nbeta\n", "alpha\\nbeta", "gamma\\ndelta")

    assert [site.quote for site in sites.found] == [Quote("alpha\nbeta", "gamma\ndelta")]


def test_a_repair_of_nothing_but_blanks_is_none() -> None:
    view = seen("a\n\nb\n")

    assert find(view, Quote("```\n\n```"), whole(view)) is None


def test_numbers_without_new_numbers_allow_no_shift() -> None:
    view = seen("if x:\n    value = compute(x)\n")

    assert find(view, Quote("2|value = compute(x) ", "value = 1"), whole(view)) is None
    assert found(view.flat, "2|value = compute(x) ", "2|value = 1").rung == "transport"


@pytest.mark.parametrize(("line", "count"), [(2, 1), (4, 1), (3, 2)])
def test_numbers_choose_among_equal_places(line: int, count: int) -> None:
    sites = found("a\nvalue(1)\nb\nvalue(1)\n", f"{line}| value(1)", "x")

    assert len(sites.found) == count


@pytest.mark.parametrize("old", ["3: value(1)", "9| value(1)", "9\tvalue(1)"])
def test_numbers_that_cannot_be_of_the_lines_are_content(old: str) -> None:
    view = seen("a\nvalue(1)\nb\n")

    assert find(view, Quote(old, "x"), whole(view)) is None
    assert found(view.flat, "2: value(1)", "x").rung == "transport"


def test_a_number_that_is_not_the_line_is_noted() -> None:
    sites = found("a\nvalue(1)\n", "1| value(1)", "x")

    assert sites.found[0].notes == (
        "line numbers were taken off the quoted text",
        "the quoted text is numbered 1, and stands at line 2",
    )


def test_more_places_of_a_repaired_quote_than_can_be_told_apart() -> None:
    sites = found("value(1)\n" * 300, "```\nvalue(1)\n```", "x")

    assert (len(sites.found), sites.more) == (200, True)


PIECES = "first = begin_of_all()\nmiddle = 1\nlast = the_end_of_all()\n"


def test_an_elision_keeps_what_it_leaves_out() -> None:
    view = seen(PIECES)
    quote = Quote(
        "first = begin_of_all()\n...\nlast = the_end_of_all()\n",
        "first = other()\n...\nlast = the_end_of_all()\n",
    )
    laid = find_elided(view, quote, whole(view))

    assert result(view, laid) == PIECES.replace("begin_of_all", "other")
    assert isinstance(laid, Rewrite)
    assert (laid.rung, laid.notes) == (
        "elision",
        ("the quote leaves out 11 characters of the file",),
    )


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("first = begin_of_all()\n", None),
        ("last = the_end_of_all()\nfirst = begin_of_all()\n", None),
        (f"{PIECES}last = the_end_of_all()\n", SeveralPlaces),
        ("first = begin_of_all()\nxlast = the_end_of_all()\n", None),
    ],
)
def test_every_piece_has_one_place_behind_the_one_before(text: str, what: type | None) -> None:
    view = seen(text)
    new = "first = begin_of_all()\n...\nlast = 2\n"
    laid = find_elided(
        view, Quote("first = begin_of_all()\n...\nlast = the_end_of_all()\n", new), whole(view)
    )

    assert type(laid) is (what or type(None))


def test_a_piece_that_cannot_be_laid_is_an_obstacle() -> None:
    view = seen("if a:\n    first(1)\n    second(2)\nend = the_end_of_all()\n")
    old = "if a:\n    first(1)\nsecond(2)\n...\nend = the_end_of_all()\n"

    assert isinstance(find_elided(view, Quote(old, old), whole(view)), Obstacle)
    assert find_elided(view, Quote("no marker", "none"), whole(view)) is None


SHOWN = "one()\ntwo()\nthree()\nfour()\nfive()\n"


@pytest.mark.parametrize(
    ("now", "after"),
    [
        ("ONE()\ntwo()\nthree()\nfour()\nfive()\n", "ONE()\ntwo()\nthree()\n4()\nfive()\n"),
        ("zero()\nONE()\ntwo()\nthree()\nfour()\nfive()\n", None),
        ("one()\ntwo()\nTHREE()\nfour()\nfive()\n", ""),
        ("one()\ntwo()\nthree()\nFOUR()\nfive()\n", ""),
        ("one()\ntwo()\nthree()\nfour()\n", ""),
        (f"ONE()\n{SHOWN[6:]}x()\n{SHOWN[6:]}", ""),
    ],
)
def test_an_edit_is_carried_over_from_the_version_shown(now: str, after: str | None) -> None:
    view, base = seen(now), seen(SHOWN)
    laid = from_base(view, base, Quote(SHOWN, SHOWN.replace("four", "4")), whole(view))

    if after == "":
        assert laid is None
    else:
        assert result(view, laid) == (after or now.replace("four", "4"))


def test_from_a_version_shown_only_within_the_scope() -> None:
    now = SHOWN.replace("one", "ONE")
    view, base = seen(now), seen(SHOWN)
    quote = Quote(SHOWN, SHOWN.replace("four", "4"))

    assert from_base(view, base, quote, (0, 12)) is None
    assert from_base(view, base, quote, (18, len(now))) is not None


def test_a_version_shown_that_has_the_quote_twice_says_nothing() -> None:
    view, base = seen("x\n"), seen(SHOWN + SHOWN)

    assert from_base(view, base, Quote("four()", "4()"), whole(view)) is None
    assert from_base(view, base, Quote("nowhere", "4()"), whole(view)) is None


def test_a_part_of_a_line_is_carried_over_with_its_whole_line() -> None:
    now = SHOWN.replace("one", "ONE")
    view, base = seen(now), seen(SHOWN)

    quote = Quote("fo", "FO")
    assert result(view, from_base(view, base, quote, whole(view))) == now.replace("fo", "FO")


def test_a_quote_that_cut_a_line_of_the_version_shown_is_not_carried_over() -> None:
    view, base = seen(SHOWN.replace("one", "ONE")), seen(SHOWN)
    quote = Quote("one()\ntwo()\nthree()\nfo", "one()\ntwo()\nthree()\nFO")

    assert from_base(view, base, quote, whole(view)) is None


def test_an_edit_that_changes_nothing_is_carried_over_too() -> None:
    view, base = seen(SHOWN.replace("five", "5")), seen(SHOWN)
    laid = from_base(view, base, Quote("one()\ntwo()", "one()\ntwo()"), whole(view))

    assert isinstance(laid, Rewrite)
    assert (laid.start, laid.end, laid.changes) == (0, 12, ())


def test_several_places_are_spans_of_the_document() -> None:
    view = seen("a\r\na\r\n")
    sites = find(view, Quote("a\n"), whole(view))

    assert isinstance(sites, Occurrences)
    assert several(view, sites) == SeveralPlaces("exact", ((0, 3), (3, 6)))


NEW = "value = compute_everything(1)"


@pytest.mark.parametrize(
    ("text", "old", "new", "there"),
    [
        (f"a\n{NEW}\n", "value = 1", NEW, True),
        (f"a\n{NEW}  \n", "value = 1\n", f"{NEW}\n", False),
        ("short\n", "gone", "short", False),
        (f"{NEW}\n{NEW}\n", "value = 1", NEW, False),
        (f"    {NEW}\n", "value = 1\nx", f"{NEW}\nx = 2", False),
        (f"{NEW}\nvalue = 1x\n", "value = 1", NEW, False),
        (f"{NEW}\n", f"{NEW}\nvalue = 2\n", f"{NEW}\n", False),
        ("other\n", "value = 1", NEW, False),
        ("a = 1\nb = 2\n", "a = 3\nb = 4", "a = 1\nb = 2", True),
        ("# a = 1\nb = 2\n", "a = 3\nb = 4", "a = 1\nb = 2", False),
        (f"other_{NEW}\n", "value = 1", NEW, False),
    ],
)
def test_new_text_that_stands_alone_has_been_written(
    text: str, old: str, new: str, *, there: bool
) -> None:
    view = seen(text)

    assert (already_there(view, Quote(old, new), whole(view)) is not None) == there


TWIN = 'kind = "service"\nport = {}\ntimeout = 30\n'


@pytest.mark.parametrize(
    ("text", "there"),
    [
        (TWIN.format(8080), True),
        (TWIN.format(8080) + TWIN.format(9090), False),
        (TWIN.format(9090) + TWIN.format(8080), False),
        (TWIN.format(8080) + TWIN.format(9090).removesuffix("timeout = 30\n"), True),
        (TWIN.format(8080) + 'kind = "service"\n\nport = 9090\ntimeout = 30\n', True),
    ],
)
def test_new_text_may_stand_at_a_twin_of_its_place(text: str, *, there: bool) -> None:
    view = seen(text)
    quote = Quote(TWIN.format(9000), TWIN.format(8080))

    assert (already_there(view, quote, whole(view)) is not None) == there
    # Beyond the scope nothing can be meant.
    own = text.index(TWIN.format(8080))
    assert already_there(view, quote, (own, own + len(TWIN.format(8080)))) is not None


def test_without_new_text_nothing_is_there() -> None:
    view = seen("a\n")

    assert already_there(view, Quote("b"), whole(view)) is None


def test_rungs_have_an_order() -> None:
    rungs = ["exact", "whitespace", "blank-lines", "indentation", "transport", "elision", "base"]

    assert [ladder.looseness(rung) for rung in rungs] == [*range(7)]
