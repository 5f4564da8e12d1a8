import pytest

from keyhole.edits.by_name.attached import is_comment, leading_parts, place_of, tail_end
from tests.edits.segment_calls import after, notes, spot

BLOCK = "class A:\n    def f(self):\n        return 1\n\n        # f\n    # A\n\nx = 1\n"
ARRAY = "[[a]]\nk = 1\n\n# Inside.\n[a.b]\nk = 2\n[[a.c]]\n\n[d]\n"
PYTHON = "# About f.\n@a\n@b(\n    1)\ndef f():\n    pass\n"


def test_what_stands_before_the_name_leads() -> None:
    assert leading_parts(spot("m.py", PYTHON, "f").segment) == ["decorators"]
    assert leading_parts(spot("m.py", 'def f():\n    """D."""\n', "f").segment) == []
    assert leading_parts(spot("a.go", "package a\n\n// D.\nvar x int\n", "x").segment) == ["doc"]
    rust = "/// D.\n#[a]\nconst X: u8 = 1;\n"
    assert leading_parts(spot("a.rs", rust, "X").segment) == ["doc", "decorators"]


@pytest.mark.parametrize(
    ("line", "language"),
    [("  # x", "python"), ("// x", "go"), (" * x", "java"), ("-- x", "lua"), ("#x", "bash")],
)
def test_comments_are_known(line: str, language: str) -> None:
    assert is_comment(line, language)


@pytest.mark.parametrize(("line", "language"), [("#include <x>", "c"), ("x  # y", "python")])
def test_other_lines_are_none(line: str, language: str) -> None:
    assert not is_comment(line, language)


def test_a_constant_keeps_its_attribute() -> None:
    text = "/// D.\n#[a]\nconst X: u8 = 1;\n"

    assert after("a.rs", text, segment="X", content="const X: u8 = 2;") == (
        "/// D.\n#[a]\nconst X: u8 = 2;\n"
    )


def test_a_comment_that_differs_takes_the_place_of_the_old_one() -> None:
    content = "# New.\ndef f():\n    pass"

    assert after("m.py", PYTHON, segment="f", content=content) == (
        "# New.\n@a\n@b(\n    1)\ndef f():\n    pass\n"
    )
    assert notes("m.py", PYTHON, segment="f", content=content) == (
        "kept the decorators of `f`, which the new text leaves out",
        "the comment above `f` gave way to that of the new text",
    )


@pytest.mark.parametrize(
    "above",
    ["#!/usr/bin/env python3", "# -*- coding: utf-8 -*-", "# fmt: off", "# %% cell", "# ====", "#"],
)
def test_a_comment_for_somebody_else_stays(above: str) -> None:
    text, content = f"{above}\ndef f():\n    pass\n", "# New.\ndef f():\n    return 1"

    assert after("m.py", text, segment="f", content=content) == f"{above}\n{content}\n"
    assert notes("m.py", text, segment="f", content=content) == ()


def test_a_comment_that_a_blank_line_follows_is_the_new_one() -> None:
    text, content = "# Old.\ndef f():\n    pass\n", "# New.\n\ndef f():\n    return 1"

    assert after("m.py", text, segment="f", content=content) == f"{content}\n"


def test_code_before_the_definition_is_no_comment() -> None:
    content = "x = 1\ndef f():\n    pass"

    assert after("m.py", PYTHON, segment="f", content=content) == (
        "# About f.\nx = 1\n@a\n@b(\n    1)\ndef f():\n    pass\n"
    )


def test_a_class_that_shares_a_name_with_another_is_no_wrapper() -> None:
    text = "class A:\n    class B:\n        def A(self):\n            pass\n"
    content = "class C:\n    pass"

    assert (
        after("m.py", text, segment="A.B", content=content)
        == "class A:\n    class C:\n        pass\n"
    )


def test_comments_belong_to_the_block_they_are_indented_for() -> None:
    assert BLOCK[: tail_end(spot("m.py", BLOCK, "A.f"))].endswith("# f\n")
    assert BLOCK[: tail_end(spot("m.py", BLOCK, "A"))].endswith("# A\n")
    assert tail_end(spot("m.py", BLOCK, "x")) == len(BLOCK)


def test_text_that_ends_in_the_comments_replaces_them() -> None:
    method = spot("m.py", BLOCK, "A.f")

    assert place_of(method, ["def f(self):", "    pass"]) == method.span
    assert place_of(method, ["def f(self):", "    # f", ""])[1] == tail_end(method)


def test_a_table_of_an_array_ends_with_those_inside_it() -> None:
    assert ARRAY[: tail_end(spot("a.toml", ARRAY, "a.0"))].endswith("[[a.c]]\n")
    assert ARRAY[: tail_end(spot("a.toml", ARRAY, "a.0.b"))].endswith("k = 2\n")
    assert place_of(spot("a.toml", ARRAY, "a.0"), ["[[a]]", "[[a.c]]"]) == (0, 12)
