import pytest

from keyhole.edits.by_name.layout import layout_of
from keyhole.edits.by_name.reading import ReadLine, TargetLayout, drop, inside_of, read_rows
from keyhole.refusals import Refused
from keyhole.segments.literals import Literal
from keyhole.text.indent import IndentStyle

SPACES = IndentStyle(" ", 4)
TABS = IndentStyle("\t", 1)


def rows(text: str, language: str = "python", **fields: object) -> list[ReadLine]:
    frame = TargetLayout(
        language,
        fields.get("style", SPACES),  # type: ignore[arg-type]
        str(fields.get("indent", "    ")),
        tuple(str(fields.get("present", "")).split("\n")),
    )
    lines = text.split("\n")
    return read_rows(lines, layout_of(lines, language, ()), frame)


def depths(text: str, language: str = "python", **fields: object) -> list[str]:
    return [row.inner for row in rows(text, language, **fields)]


@pytest.mark.parametrize(
    "text",
    [
        "def f():\n    x\n    if y:\n        z",
        "  def f():\n      x\n      if y:\n          z",
        "def f():\n        x\n        if y:\n            z",
        "    def f():\n    x\n    if y:\n        z",
        "def f():\n  x\n  if y:\n    z",
        "def f():\n\tx\n\tif y:\n\t\tz",
        "\tdef f():\n\t\tx\n\t\tif y:\n\t\t\tz",
        "def f():\n\t\tx\n\t\tif y:\n\t\t\tz",
    ],
    ids=["flush", "moved", "first", "only-first", "two", "tabs", "tabs-in", "tabs-first"],
)
def test_every_way_of_sending_is_read_alike(text: str) -> None:
    assert depths(text) == ["", "    ", "    ", "        "]


def test_another_unit_and_the_first_line_at_column_0() -> None:
    assert depths("def f():\n    if y:\n      z") == ["", "    ", "        "]


def test_steps_that_differ_are_left_as_they_are() -> None:
    assert depths("def f():\n   if y:\n        z") == ["", "   ", "        "]


def test_decorators_and_a_signature_at_the_files_column() -> None:
    assert depths("@a\n    def f():\n        x") == ["", "", "    "]


def test_a_comment_above_is_no_line_of_its_own_column() -> None:
    assert rows("# why\n    def f():\n        x")[0] == ReadLine("", "# why")


def test_a_line_left_of_the_base_is_short() -> None:
    assert rows("    def f():\n  # why\n        x")[1] == ReadLine("", "# why", 2)


def test_broken_text_goes_by_its_margin() -> None:
    assert depths("  x = (\n    def f():") == ["", "  "]


def test_nothing_but_a_comment() -> None:
    assert rows("  # why\n\n    # so") == [
        ReadLine("", "# why"),
        ReadLine("", ""),
        ReadLine("  ", "# so"),
    ]


@pytest.mark.parametrize(
    "text",
    ["    def f():\n  x\n      y", "def f():\nx", "def f():\n    x\n  y", "x\n  y"],
)
def test_what_has_no_consistent_reading_is_refused(text: str) -> None:
    with pytest.raises(Refused) as refused:
        rows(text)

    assert refused.value.refusals[0].code == "bad-indentation"


def test_one_indent_that_mixes_is_refused() -> None:
    with pytest.raises(Refused) as refused:
        rows("def f():\n \tx")

    assert refused.value.refusals[0].code == "bad-indentation"


def test_a_file_that_mixes_may_go_on() -> None:
    present = "    def f():\n\tx"

    assert depths("def f():\n    if y:\n\t    z", present=present) == ["", "    ", "\t    "]


def test_spaces_become_tabs_and_what_is_aligned_stays_aligned() -> None:
    text = "def f():\n    if x:\n        call(a,\n             b)"

    assert depths(text, style=TABS, indent="\t") == ["", "\t", "\t\t", "\t\t\t "]


def test_a_continuation_line_is_moved_with_its_statement() -> None:
    text = "def f():\n  call(a,\n       b)\n  # why\n  if x:\n    y"

    assert depths(text) == ["", "    ", "         ", "    ", "    ", "        "]


def test_a_unit_that_the_segment_has_is_left() -> None:
    present = "    def f():\n      x"

    assert depths("def f():\n  x", present=present) == ["", "  "]


def test_closing_braces_tell_where_the_rest_is_based() -> None:
    text = "m() {\n    return 1;\n  }"

    assert depths(text, "javascript", style=IndentStyle(" ", 2), indent="  ") == ["", "  ", ""]


def test_only_the_first_line_indented_in_braces() -> None:
    assert depths("    m() {\n    x;\n}", "javascript") == ["", "    ", ""]


def test_what_stands_in_the_file_decides() -> None:
    present = "    // one\n    x = 1;"

    assert depths("// one\n    x = 2;\n    x = 1;", "javascript", present=present) == ["", "", ""]


def test_yaml_refuses_what_is_left_of_its_first_line() -> None:
    with pytest.raises(Refused):
        rows("  a: 1\n b: 2", "yaml")


def test_columns_are_taken_off_from_the_left() -> None:
    assert drop("        ", 4) == "    "
    assert drop("\t\t", 4) == "\t"
    assert drop("\t", 2) == "  "
    assert drop("  ", 4) == ""


def test_lines_inside_literals() -> None:
    assert inside_of([Literal(0, 2, follows=False), Literal(4, 5, follows=True)]) == {1, 2, 5}
