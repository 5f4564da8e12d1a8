import pytest

from keyhole.edits.naming.attached import is_comment, leading_parts
from tests.edits.by_name import after, notes, spot

PYTHON = "# About f.\n@a\n@b(\n    1)\ndef f():\n    pass\n"


def test_what_stands_before_the_name_leads() -> None:
    assert leading_parts(spot("m.py", PYTHON, "f").segment) == ["decorators"]
    assert leading_parts(spot("m.py", 'def f():\n    """D."""\n', "f").segment) == []
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


def test_a_comment_that_differs_comes_with_the_text() -> None:
    content = "# New.\ndef f():\n    pass"

    assert after("m.py", PYTHON, segment="f", content=content) == (
        "# About f.\n# New.\n@a\n@b(\n    1)\ndef f():\n    pass\n"
    )
    assert notes("m.py", PYTHON, segment="f", content=content) == (
        "kept the decorators of `f`, which the new text leaves out",
    )


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
