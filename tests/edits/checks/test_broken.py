from keyhole.edits.checks.diagnostics import (
    diagnostic_of,
    place_of,
    point_of,
    refusals_of,
    with_caret,
    with_diff,
)
from keyhole.edits.checks.syntax.problem import Problem
from keyhole.edits.model.plan import Diagnostic
from keyhole.text.document import Document
from tests.edits.planned import created, replaced


def test_a_place_counts_from_one() -> None:
    assert place_of(Document("ab\ncd\n"), 4) == (2, 2)
    assert place_of(Document("ab\rcd\r"), 4) == (2, 2)


def test_the_caret_stands_below_its_character() -> None:
    document = Document("a\n\tb = c\nd\n")

    assert with_caret(document, 7) == "1| a\n2| \tb = c\n   \t    ^\n3| d"


def test_a_long_line_is_cut_around_the_caret() -> None:
    document = Document("x" * 500 + "!" + "y" * 500)

    shown = with_caret(document, 500).split("\n")

    assert [len(line) for line in shown] == [163, 84]
    assert shown[0][shown[1].index("^")] == "!"


def test_an_empty_text_has_nothing_to_show() -> None:
    assert with_caret(Document(""), 0) == ""


def test_a_wide_problem_is_shown_where_the_change_begins_in_it() -> None:
    file = replaced("a.yaml", "a: 1\nb: 2\nc: 3\n", ("b: 2", "b: 5"))

    assert point_of(file, Problem(0, 14, "")) == 5
    assert point_of(file, Problem(0, 3, "")) == 0
    assert point_of(file, Problem(99, 99, "")) == 15


def test_a_diagnostic_has_line_and_column() -> None:
    file = created("a.py", "x\ny (\n")

    assert diagnostic_of(file, Problem(4, 5, "open"), "error", new=False) == Diagnostic(
        "error", "syntax-broken", "open", 2, 3, new=False
    )


def test_problems_of_one_edit_are_one_refusal_that_lists_them() -> None:
    file = replaced("a.py", "x = 1\ny = 2\n", ("x = 1", "x = ("))
    problems = [
        Problem(4, 5, "first"),
        Problem(6, 7, "second"),
        Problem(0, 1, "c", code="encoding"),
    ]

    syntax, other = refusals_of(file, problems)

    assert (syntax.edit, syntax.data["line"], syntax.data["column"]) == (0, 1, 5)
    assert [each["message"] for each in syntax.data["diagnostics"]] == ["first", "second"]  # type: ignore[attr-defined]
    assert (other.code, other.headline) == ("encoding", "line 1 of a.py: c")


def test_the_diff_of_a_new_file_is_shown_too() -> None:
    file = created("a.py", "(\n")
    (refusal,) = refusals_of(file, [Problem(0, 1, "open")])

    assert refusal.hash_current == ""
    assert str(with_diff(refusal, file).data["diff"]).endswith("@@ -0,0 +1 @@\n+(\n")
