import pytest

from keyhole.edits.by_name.compose import Misplaced, block_of, definitions_in, fit_text, local_style
from keyhole.fastclasses import replace
from keyhole.text.indent import IndentStyle
from tests.edits.segment_calls import after, spot


def test_a_segment_has_a_style_of_its_own() -> None:
    text = "def a():\n    if x:\n        y\n\n\ndef b():\n  z\n\n\ndef c():\n\td\n\n\ne = 1\n"

    assert local_style(spot("m.py", text, "b")) == IndentStyle(" ", 2)
    assert local_style(spot("m.py", text, "c")) == IndentStyle("\t", 1)
    assert local_style(spot("m.py", text, "e")) == IndentStyle(" ", 4)


def test_a_file_without_a_style_takes_that_of_the_text() -> None:
    assert local_style(spot("a.js", "class A {}\n", "A", content="m() {\n\tx\n}")).character == "\t"
    assert local_style(spot("a.js", "class A {}\n", "A")) == IndentStyle(" ", 2)
    assert local_style(spot("m.py", "x = 1\n", "x")) == IndentStyle(" ", 4)


def test_what_new_text_defines() -> None:
    found = spot("m.py", "class A:\n    def f(self):\n        pass\n", "A.f")
    sent = ["# why", "@d", "def g(self):", "    class B: ...", "x = 1"]

    new = definitions_in(found, block_of(found, sent, found.span, "    "), found.span)

    assert [(one.name, one.kind) for one in new.segments] == [("g", "function"), ("x", "variable")]
    assert new.line_of(new.segments[0].span[0]) == 1


def test_a_fragment_is_read_where_it_goes() -> None:
    found = spot("a.js", "class A {\n  m() {\n    x;\n  }\n}\n", "A.m")

    new = definitions_in(
        found, block_of(found, ["n() {", "  const y = 1;", "}"], found.span, "  "), found.span
    )

    assert [(one.name, one.kind) for one in new.segments] == [("n", "method")]


def test_literals_are_those_of_the_place() -> None:
    text = "class A {\n  m() {\n    return `\n a`;\n  }\n}\n"
    found = spot("a.js", text, "A.m")

    block = block_of(found, ["m() {", "  return `", "b`;", "}"], found.span, "  ")

    assert [tuple(one) for one in block.literals] == [(1, 2, False)]
    assert [tuple(one) for one in block.frame.literals] == [(1, 2, False)]


def test_a_text_may_be_kept_as_it_came() -> None:
    found = spot("m.py", "def f():\n    pass\n", "f", indent="keep")

    assert fit_text(found, block_of(found, ["x", "  y"], found.span, "")) == ["x", "  y"]
    assert fit_text(found, block_of(found, ["  # x"], found.span, "")) == ["  # x"]


def test_a_text_that_leaves_its_block_by_its_column_is_raised() -> None:
    found = spot("m.py", "def f():\n    pass\n", "f", indent="keep")
    block = block_of(found, ["  x", "  y"], found.span, "")

    with pytest.raises(Misplaced, match="expected 0 spaces, got 2"):
        fit_text(found, block)
    assert fit_text(replace(found, moves=True), block) == ["  x", "  y"]


def test_markdown_at_a_column() -> None:
    text = "- a\n\n  ```\n  x\n  ```\n"

    assert after("a.md", text, segment="code", content="```\ny\n```", indent=4) == (
        "- a\n\n    ```\n    y\n    ```\n"
    )


def test_a_code_block_in_a_list_in_every_form() -> None:
    text = "- a\n\n  ```\n  x\n  ```\n"
    wanted = "- a\n\n  ```\n  y\n\n    z\n  ```\n"

    for content in (
        "```\ny\n\n  z\n```",
        "  ```\n  y\n\n    z\n  ```",
        "```\n  y\n\n    z\n  ```",
    ):
        assert after("a.md", text, segment="code", content=content) == wanted


def test_blank_lines_of_markdown_are_the_writers_own() -> None:
    assert after("a.md", "# A\n\ntext\n", segment="A", content="# A\n\nnew\n  \nmore") == (
        "# A\n\nnew\n  \nmore\n"
    )
