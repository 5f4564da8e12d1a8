from keyhole.edits.by_name.fitting import FittedText, FixedLines, pair_texts
from keyhole.edits.by_name.reading import TargetLayout
from keyhole.segments.literals import python_literals
from keyhole.text.indent import IndentStyle

SPACES = IndentStyle(" ", 4)
TABS = IndentStyle("\t", 1)


def block(
    text: str, present: str = "", indent: str = "    ", style: IndentStyle = SPACES
) -> FittedText:
    stands = tuple(present.split("\n")) if present else ()
    frame = TargetLayout("python", style, indent, stands, python_literals(present))
    return FittedText(tuple(text.split("\n")), python_literals(text), frame)


def fitted(text: str, present: str = "", **fields: object) -> str:
    made = block(text, present, **fields)  # type: ignore[arg-type]
    return "\n".join(made.fit(made.frame.indent))


def test_a_text_can_be_written_at_any_indent() -> None:
    made = block("  def f():\n\n      x")

    assert made.at("") == ["def f():", "", "    x"]
    assert made.at("\t") == ["\tdef f():", "", "\t    x"]


def test_a_line_left_of_the_text_stays_left_of_it() -> None:
    assert fitted("    def f():\n  # why\n        x", indent="        ").split("\n")[1] == (
        "      # why"
    )
    assert fitted("    def f():\n# why\n        x", indent="").split("\n")[1] == "# why"


def test_a_value_stays_and_a_docstring_moves() -> None:
    assert fitted('def f():\n    """D.\n    d\n    """\n    x = """\n  v\n"""') == (
        '    def f():\n        """D.\n        d\n        """\n        x = """\n  v\n"""'
    )


def test_a_docstring_that_is_already_in_place_stays() -> None:
    assert fitted('"""D.\n\n    d\n    """') == '    """D.\n\n    d\n    """'


def test_a_docstring_moves_back_as_far_as_it_can() -> None:
    assert fitted('        """D.\n      d\n        """', indent="    ") == (
        '    """D.\n  d\n    """'
    )


def test_a_docstring_goes_from_spaces_to_tabs() -> None:
    text = 'def f():\n  """D.\n  d\n  """'

    assert fitted(text, indent="\t", style=TABS) == '\tdef f():\n\t\t"""D.\n\t\td\n\t\t"""'


def test_what_stands_left_of_a_docstring_moves_as_far() -> None:
    text = 'def f():\n  """D.\nd\n  """'

    assert fitted(text, indent="\t", style=TABS) == '\tdef f():\n\t\t"""D.\n\t  d\n\t\t"""'
    assert fitted(text) == '    def f():\n        """D.\n      d\n        """'


def test_two_literals_of_one_statement_move_together() -> None:
    present = '    x("""\n    a\n    """, """\n    b\n    """)'

    assert fitted('x("""\na\n""", """\nb\n""")', present) == present


def test_a_literal_that_lost_its_tabs_gets_them_back() -> None:
    present = '\tx = """\n\t\ta\n\t"""\n\ty = 1'
    text = 'x = """\n        a\n    """\ny = 2'

    assert fitted(text, present, indent="\t", style=TABS) == ('\tx = """\n\t\ta\n\t"""\n\ty = 2')


def test_one_line_in_common_does_not_make_it_that_literal() -> None:
    present = '    x = """\n    a\n    b\n    c\n    """'

    assert fitted('x = """\nq\nr\nb\n"""', present) == '    x = """\nq\nr\nb\n"""'


def test_a_comment_at_the_margin_stays_there() -> None:
    present = "    def f():\n# margin\n        x"

    assert fitted("def f():\n# margin\n    y", present) == "    def f():\n# margin\n        y"


def test_a_statement_never_goes_to_the_margin() -> None:
    present = '    x = """\ny = 1\n"""\n    z = 1'

    assert fitted("y = 1\nz = 1", present) == "    y = 1\n    z = 1"


def test_broken_text_has_no_structure_to_keep() -> None:
    assert fitted("x = (\ndef f():") == "    x = (\n    def f():"


def test_what_lacks_the_indent_is_known_again() -> None:
    stays = FixedLines(["\tx", "  y", "      z"], "    ")

    assert stays.find("\tx") == "\tx"
    assert stays.find("y") == "  y"
    assert stays.find("  y") == "  y"
    assert stays.find(" y") == ""
    assert stays.find("z") == ""
    assert stays.is_dedented(["\tx", "y", "  z", ""], ["\tx", "  y", "      z", " "])
    assert not stays.is_dedented(["\tx"], ["\tx", ""])
    assert not stays.is_dedented(["q"], [" "])


def test_literals_are_paired_in_order() -> None:
    old = [("a",), ("b", "c"), ("d",)]

    assert pair_texts(old, [("  a",), ("d",)]) == [("a",), ("d",)]
    assert pair_texts(old, [("a",), ("x",), ("d",)]) == [("a",), ("b", "c"), ("d",)]
    assert pair_texts([], [("a",)]) == [()]


def test_a_line_that_stands_at_two_columns_stays_at_each_around_a_change() -> None:
    present = "    def f():\n# why\n        a\n    # why\n        b\n  # why\n        c"

    assert fitted("def f():\n# why\n    x\n# why\n    b\n# why\n    c", present).split("\n") == [
        *("    def f():", "# why", "        x", "    # why", "        b", "  # why", "        c")
    ]
