import pytest

from keyhole.matching.query import LinePair, Obstacle, Occurrence, Quote, Rewrite
from keyhole.matching.rewrite import rewrite
from keyhole.matching.rungs import whole_lines
from keyhole.matching.view import View
from keyhole.text.changes import ChangeSet
from keyhole.text.document import Document


def seen(text: str) -> View:
    return View(Document(text))


def site_of(view: View, old: str, new: str | None) -> Occurrence:
    sites = whole_lines(view, Quote(old, new), (0, len(view.flat)))
    assert sites is not None
    (site,) = sites.found
    return site


def laid(text: str, old: str, new: str, *, follow_indent: bool = True) -> str:
    view = seen(text)
    found = rewrite(view, site_of(view, old, new), follow_indent=follow_indent)
    assert isinstance(found, Rewrite)
    changes = ChangeSet.of(len(text), found.changes)
    assert isinstance(changes, ChangeSet)
    return changes.apply(text)


@pytest.mark.parametrize(
    ("text", "old", "new", "after"),
    [
        # Lines that stay keep every byte, lines that are new are written as they come.
        ("one(1) \ntwo(2)\t\n", "one(1)\ntwo(2)", "one(1)\nTWO", "one(1) \nTWO\n"),
        ("one(1) \ntwo(2)\n", "one(1)\ntwo(2)\n", "one(1)\n", "one(1) \n"),
        ("one(1) \ntwo(2)\n", "one(1)\ntwo(2)\n", "", ""),
        ("one(1) \n", "one(1)", "one(1)\ntwo", "one(1) \ntwo\n"),
        ("one(1) \n", "one(1)", "zero\none(1)", "zero\none(1) \n"),
        ("one(1) \r\ntwo(2)\n", "one(1)\ntwo(2)", "ONE\nTWO", "ONE\r\nTWO\n"),
        ("one(1) \ntwo(2)", "one(1)\ntwo(2)", "one(1)\ntwo(2)\nx", "one(1) \ntwo(2)\nx"),
        # Lines swap: what was tolerated is known by its words.
        ("one(1) \ntwo(2) \n", "one(1)\ntwo(2)", "two(2)\none(1)", "two(2)\none(1) \n"),
        # Of lines with the same words the one that stays is told by its neighbours, not by blanks.
        (
            '#!x\n"""\t\nRun.\n"""\nmain()\n',
            '#!x\n"""\nRun.\n"""\nmain()',
            '"""Run.\n"""\nmain()',
            '"""Run.\n"""\nmain()\n',
        ),
        # Indentation follows one rule.
        (
            "    one(1)\n    two(2)\n",
            "one(1)\ntwo(2)",
            "one(1)\n  x\ntwo(2)",
            "    one(1)\n      x\n    two(2)\n",
        ),
        (
            "\tone(1)\n\t\ttwo(2)\n",
            "    one(1)\n        two(2)",
            "    one(1)\n        TWO",
            "\tone(1)\n\t\tTWO\n",
        ),
    ],
)
def test_the_difference_is_laid_onto_the_lines_of_the_file(
    text: str, old: str, new: str, after: str
) -> None:
    assert laid(text, old, new) == after


@pytest.mark.parametrize(
    ("stands", "quoted", "wanted", "after"),
    [
        ("  \n\n", "\n\n", "\n\n", "  \n\n"),
        ("\n\n\n", "\n", "\n\n\n", "\n\n\n"),
        ("\n\n\n", "\n", "  \n", "\n\n\n"),
        ("\n", "\n", "\n\n", "\n\n"),
        ("\n\n", "\n\n", "\n", "\n"),
        (" \n \n", "\n\n", "\n", " \n"),
        (" \n", "\n", "\n\n", " \n\n"),
        ("\t\n", "\n", "    \n", "    \n"),
    ],
)
def test_a_run_of_blank_lines_keeps_what_the_edit_does_not_change(
    stands: str, quoted: str, wanted: str, after: str
) -> None:
    old, new = f"one(1)\n{quoted}two(2)", f"one(1)\n{wanted}two(2)"

    assert laid(f"one(1) \n{stands}two(2)\n", old, new) == f"one(1) \n{after}two(2)\n"


def test_a_longer_run_stays_where_the_line_beside_it_goes() -> None:
    assert laid("one\n\n\ntwo\nthree\n", "one\n\ntwo\nthree", "one\n\nthree") == (
        "one\n\n\nthree\n"
    )


@pytest.mark.parametrize(("wanted", "after"), [("\n", " \n"), ("\n\n\n", " \n \n\n")])
def test_a_run_may_change_beside_one_of_another_length(wanted: str, after: str) -> None:
    head, old = "one(1)\n\n\n\ntwo(2)\n", "one(1)\n\ntwo(2)\n"

    assert (
        laid(f"{head} \n \nthree(3)\n", f"{old}\n\nthree(3)", f"{old}{wanted}three(3)")
        == f"{head}{after}three(3)\n"
    )


def test_a_run_that_was_quoted_shorter_is_known_by_its_length_in_the_file() -> None:
    old, new = "one(1)\n\n\ntwo(2)", "one(1)\n\nx\n\n\n\ntwo(2)"

    assert laid("one(1)\n\n\n\ntwo(2)\n", old, new) == "one(1)\n\nx\n\n\n\ntwo(2)\n"


@pytest.mark.parametrize(
    "new",
    [
        "one(1)\n\nx\n\n\ntwo(2)",  # shorter above, as quoted below: which part of it is new?
        "one(1)\n\n\nx\n\n\n\ntwo(2)",  # as quoted above, as in the file below: which is it?
    ],
)
def test_a_run_of_contested_length_is_an_obstacle(new: str) -> None:
    view = seen("one(1)\n\n\n\ntwo(2)\n")

    assert isinstance(rewrite(view, site_of(view, "one(1)\n\n\ntwo(2)", new)), Obstacle)


def test_a_run_of_the_same_length_elsewhere_in_new_is_another() -> None:
    old, new = "one(1)\n\ntwo(2)", "one(1)\n\nTWO\n\n\nthree(3)"

    assert laid("one(1)\n\n\ntwo(2)\n", old, new) == "one(1)\n\n\nTWO\n\n\nthree(3)\n"


def test_a_changed_line_may_come_to_stand_last() -> None:
    text = "one(1) \n \nthree(3)"

    assert laid(text, "one(1)\n\nthree(3)", "one(1)\n\t") == "one(1) \n\t"


def test_new_text_may_be_written_with_its_own_indent() -> None:
    text = "    one(1)\n    two(2)\n"

    assert laid(text, "one(1)\ntwo(2)", "one(1)\nx", follow_indent=False) == "one(1)\nx\n"


@pytest.mark.parametrize(
    ("text", "old", "new", "code"),
    [
        ("one(1)\n\n\n\ntwo(2)\n", "one(1)\n\ntwo(2)", "one(1)\ntwo(2)", "not-found"),
        ("one(1)\n\n\n\ntwo(2)\n", "one(1)\n\ntwo(2)", "one(1)\n\n\ntwo(2)", "not-found"),
        ("wait\u2026 now(1)\n", "wait... now(1)", "wait... then(1)", "not-found"),
        ("if a:\n    one(1)\n    two(2)\n", "if a:\n    one(1)\ntwo(2)", "x", "bad-indentation"),
        ("one(1)\ntwo(2)\n", "  one(1)\n  two(2)", "  one(1)\nx", "bad-indentation"),
    ],
)
def test_what_cannot_be_laid_is_an_obstacle(text: str, old: str, new: str, code: str) -> None:
    view = seen(text)
    found = rewrite(view, site_of(view, old, new))

    assert isinstance(found, Obstacle)
    assert (found.code, found.start, found.end) == (code, 0, len(text))


def test_a_place_alone_has_no_changes() -> None:
    view = seen("one(1) \n")

    assert rewrite(view, site_of(view, "one(1)", None)) == Rewrite(0, 8, "whitespace", ())


@pytest.mark.parametrize("new", ["    one(1)\nnone(0)\n      TWO", "    one(1)\n      TWO"])
def test_lines_that_stand_nowhere_have_no_frame(new: str) -> None:
    view = seen("  one(1)\n    two(2)\nthree(3)\n")
    quote = Quote("    one(1)\nnone(0)\n      two(2)", new)
    pairs = (LinePair(0, 1, 0, 1), LinePair(1, 2, 1, 1), LinePair(2, 3, 1, 2))
    found = rewrite(view, Occurrence(0, 20, "accepted", quote, pairs))

    assert isinstance(found, Obstacle)
    assert found.code == "bad-indentation"


def test_a_gap_between_lines_that_change_is_an_obstacle() -> None:
    view = seen("one(1)\nextra()\ntwo(2)\n")
    quote = Quote("one(1)\ntwo(2)", "three(3)")
    found = rewrite(
        view, Occurrence(0, 22, "accepted", quote, (LinePair(0, 1, 0, 1), LinePair(1, 2, 2, 3)))
    )

    assert isinstance(found, Obstacle)
    assert found.reason == "the edit changes lines that are not in the file as quoted"


def test_an_insertion_into_a_gap_is_an_obstacle() -> None:
    view = seen("one(1)\nextra()\ntwo(2)\n")
    quote = Quote("one(1)\ntwo(2)", "one(1)\nnew\ntwo(2)")

    assert isinstance(
        rewrite(
            view, Occurrence(0, 22, "accepted", quote, (LinePair(0, 1, 0, 1), LinePair(1, 2, 2, 3)))
        ),
        Obstacle,
    )
