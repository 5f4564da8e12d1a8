from keyhole.edits.by_name.inside import deeper, find_inside
from tests.edits.segment_calls import after, refusal, spot


def test_one_level_deeper() -> None:
    assert deeper(spot("m.py", "class A:\n  def f(self): ...\n", "A.f")) == "    "
    assert deeper(spot("a.go", "package a\n\nfunc F() {}\n", "F")) == "\t"


def test_empty_braces_on_two_lines() -> None:
    text = "class A {\n}\n"

    assert after("a.js", text, segment="A", action="append", content="m() {}") == (
        "class A {\n  m() {}\n}\n"
    )


def test_empty_braces_with_blank_lines_between() -> None:
    text = "class A {\n\n\n}\n"

    assert after("a.js", text, segment="A", action="append", content="m() {}") == (
        "class A {\n  m() {}\n\n\n}\n"
    )


def test_an_expression_has_no_inside() -> None:
    found = refusal("a.js", "const f = (x) => x + 1;\n", segment="f", action="append", content="y")

    assert found.code == "wrong-segment-kind"
    assert found.headline == "the function `f` has no inside to append to"


def test_a_declaration_without_a_body_has_no_inside() -> None:
    assert find_inside(spot("a.rs", "trait A {\n    fn f(&self);\n}\n", "A.f")) is None


def test_a_docstring_of_the_module_has_no_inside_for_statements() -> None:
    assert find_inside(spot("m.py", '"""D."""\n', "docstring")) is None


def test_a_body_of_comments_has_an_indent() -> None:
    text = "def f():\n    pass\n    # why\n"

    assert after("m.py", text, segment="f", action="append", content="x") == (
        "def f():\n    x\n    # why\n"
    )


def test_statements_of_a_function_stand_close_and_functions_do_not() -> None:
    text = "def f():\n    x()\n"

    assert after("m.py", text, segment="f", action="append", content="y()") == (
        "def f():\n    x()\n    y()\n"
    )
    assert after("m.py", text, segment="f", action="append", content="def g():\n    pass") == (
        "def f():\n    x()\n\n    def g():\n        pass\n"
    )
    assert after("m.py", text, segment="f", action="prepend", content="def g():\n    pass") == (
        "def f():\n    def g():\n        pass\n\n    x()\n"
    )


def test_a_table_of_toml_without_keys() -> None:
    text = "[a]\n\n[b]\nx = 1\n"

    assert after("a.toml", text, segment="a", action="append", content="y = 2") == (
        "[a]\ny = 2\n\n[b]\nx = 1\n"
    )


def test_the_lines_of_a_macro_are_no_place_for_others() -> None:
    text = "#define M(a) \\\n    f(a)\nint x;\n"

    found = refusal("a.c", text, segment="M", action="append", content="g(a)")
    assert found.headline == "the macro `M` has no inside to append to"
    found = refusal("a.c", text, segment="M", part="body", action="delete")
    assert found.headline == "the body of macro `M` cannot be left empty"
    assert after("a.c", text, segment="M", part="body", content="g(a)") == (
        "#define M(a) \\\n    g(a)\nint x;\n"
    )
