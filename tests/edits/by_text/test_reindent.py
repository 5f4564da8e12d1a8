import pytest

from keyhole.edits.by_text.reindent import (
    first_indent,
    fit_to_place,
    mixed_indent,
    rebase,
    spelled_indent,
)
from keyhole.refusals import Refused
from keyhole.text.indent import IndentStyle

SPACES = IndentStyle(" ", 4)
TABS = IndentStyle("\t", 1)


def test_the_first_line_with_words_has_the_indent() -> None:
    assert first_indent(["", "  x", "y"]) == "  "
    assert first_indent(["", " "]) == ""


def test_text_at_column_0_goes_to_its_place() -> None:
    lines, note = fit_to_place(["if x:", "    y", "", "z"], "    ", SPACES, "auto")

    assert lines == ["    if x:", "        y", "", "    z"]
    assert note == "the new text was indented to column 4"


@pytest.mark.parametrize(
    ("lines", "place", "indent"),
    [
        (["  x"], "    ", "auto"),
        (["x"], "", "auto"),
        (["x", " y"], "    ", "keep"),
        (["  x"], "", 2),
        (["    x"], "    ", 4),
    ],
)
def test_text_that_is_where_it_belongs_is_left_alone(
    lines: list[str], place: str, indent: str | int
) -> None:
    assert fit_to_place(lines, place, SPACES, indent) == (lines, "")


def test_a_number_is_the_column() -> None:
    assert fit_to_place(["    x", "        y"], "", SPACES, 2)[0] == ["  x", "      y"]
    assert fit_to_place(["x"], "", TABS, 6)[0] == ["\t  x"]


def test_what_lies_inside_a_long_string_stays() -> None:
    lines = ['x = """', "  a", '"""', "y = 1"]

    assert fit_to_place(lines, "    ", SPACES, "auto")[0] == [
        '    x = """',
        "  a",
        '"""',
        "    y = 1",
    ]


def test_a_docstring_follows_the_code() -> None:
    lines = ['"""Doc.', "", "More.", '"""', "x = '''", "'''"]

    assert fit_to_place(lines, "  ", SPACES, "auto")[0] == [
        '  """Doc.',
        "",
        "  More.",
        '  """',
        "  x = '''",
        "'''",
    ]


def test_tabs_and_spaces_are_exchanged_as_the_file_has_them() -> None:
    assert rebase(["a", "\tb", "\t\tc"], "    ", SPACES) == ["    a", "        b", " " * 12 + "c"]
    assert rebase(["a", "  b", "     c"], "\t", TABS) == ["\ta", "\t\tb", "\t\t\t c"]


def test_the_unit_becomes_that_of_the_file() -> None:
    assert rebase(["a:", "  b:", "    c"], "", SPACES) == ["a:", "    b:", "        c"]


def test_aligned_lines_show_no_unit() -> None:
    lines = ["def f(a,", "      b):", "    return a"]

    assert rebase(lines, "  ", SPACES) == [f"  {line}" for line in lines]


def test_a_file_without_indents_asks_for_nothing() -> None:
    assert rebase(["a", "  b"], "", IndentStyle()) == ["a", "  b"]


def test_an_indent_that_mixes_is_refused() -> None:
    with pytest.raises(Refused) as refused:
        rebase(["a", "\tb", "\t c"], "    ", SPACES)

    assert refused.value.refusals == (mixed_indent("\t "),)
    assert mixed_indent("\t ").headline == (
        "a line of the new text mixes tabs and spaces in one indent: →·"
    )


def test_an_indent_is_spelled_as_the_file_does() -> None:
    assert spelled_indent(6, SPACES) == "      "
    assert spelled_indent(6, TABS) == "\t  "
