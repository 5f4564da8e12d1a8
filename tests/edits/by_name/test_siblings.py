from keyhole.edits.by_name.beside import is_only_statement
from tests.edits.segment_calls import after, notes, spot


def test_a_namespace_without_indentation_has_a_first_and_a_last() -> None:
    text = "namespace a {\nvoid f() {\n  x();\n}\n}\n"

    assert after("a.cpp", text, segment="a.f", action="before", content="void g() {}") == (
        "namespace a {\nvoid g() {}\n\nvoid f() {\n  x();\n}\n}\n"
    )
    assert after("a.cpp", text, segment="a.f", action="after", content="void g() {}") == (
        "namespace a {\nvoid f() {\n  x();\n}\n\nvoid g() {}\n}\n"
    )


def test_what_shares_its_line_is_taken_out_alone() -> None:
    text = "fn a() {} fn b() {}\n"

    assert after("a.rs", text, segment="a", action="delete") == "fn b() {}\n"
    assert after("a.rs", text, segment="b", action="delete") == "fn a() {}\n"


def test_the_larger_separator_stays_where_none_is_usual() -> None:
    text = "def a():\n    pass\n\ndef b():\n    pass\n\n\n\ndef c():\n    pass\n"

    assert after("m.py", text, segment="b", action="delete") == (
        "def a():\n    pass\n\ndef c():\n    pass\n"
    )


def test_a_deleted_only_child_leaves_its_braces() -> None:
    text = "class A {\n\n  m() {\n    x();\n  }\n\n}\n"

    assert after("a.js", text, segment="A.m", action="delete") == "class A {\n\n\n}\n"


def test_a_comment_above_stays_and_is_named() -> None:
    text = "x = 1\n\n# About f.\ndef f():\n    pass\n\n\ny = 1\n"

    assert after("m.py", text, segment="f", action="delete") == "x = 1\n\n# About f.\n\n\ny = 1\n"
    assert notes("m.py", text, segment="f", action="delete") == (
        "the comment right above the segment stays",
    )


def test_a_sibling_keeps_its_distance_from_comments_at_the_top() -> None:
    text = "# Licence.\ndef f():\n    pass\n"

    assert after("m.py", text, segment="f", action="before", content="x = 1") == (
        "# Licence.\nx = 1\n\n\ndef f():\n    pass\n"
    )


def test_an_only_statement_is_alone_in_its_block() -> None:
    text = "class A:\n    # why\n    def f(self):\n        pass\nx = (\n"

    assert not is_only_statement(spot("m.py", text, "A"), (0, 5))
    sound = spot("m.py", text.removesuffix("x = (\n"), "A.f")
    assert is_only_statement(sound, sound.span)
    two = spot("m.py", "class A:\n    x = 1\n    def f(self): ...\n", "A.f")
    assert not is_only_statement(two, two.span)
    first = spot("m.py", "class A:\n    def f(self): ...\n    x = 1\n", "A.f")
    assert not is_only_statement(first, first.span)
