from keyhole.matching.indent_rule import in_file_indent
from keyhole.matching.query import Obstacle, Occurrence, Quote
from keyhole.matching.rungs import whole_lines
from keyhole.matching.view import View
from keyhole.text.document import Document


def seen(text: str) -> View:
    return View(Document(text))


def site_of(view: View, old: str) -> Occurrence:
    sites = whole_lines(view, Quote(old), (0, len(view.flat)))
    assert sites is not None
    (site,) = sites.found
    return site


def test_lines_can_be_put_into_the_frame_of_a_quote() -> None:
    view = seen("    one(1)\n    two(2)\n")
    site = site_of(view, "one(1)\ntwo(2)")

    assert in_file_indent(view, site, ["a", "  b", ""]) == ["    a", "      b", ""]


def test_an_indent_that_the_quote_does_not_tell_is_an_obstacle() -> None:
    view = seen("one(1)\n  two(2)\n")
    found = in_file_indent(view, site_of(view, "    one(1)\n      two(2)"), ["  a"])

    assert isinstance(found, Obstacle)
    assert found.code == "bad-indentation"


def test_indents_that_differ_by_no_rule_are_shown() -> None:
    view = seen("one(1)\n\ttwo(2)\n  three(3)\n")
    found = in_file_indent(view, site_of(view, "one(1)\n   two(2)\n   three(3)"), ["a"])

    assert isinstance(found, Obstacle)
    assert found.reason.endswith(
        "by no one rule: line 2 `\u2192` for `\u00b7\u00b7\u00b7`, "
        "line 3 `\u00b7\u00b7` for `\u00b7\u00b7\u00b7`"
    )
