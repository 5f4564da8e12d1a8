from keyhole.segments.languages.language import Language
from keyhole.segments.languages.node import Node, child, field, path, word

ROW = Language(
    name="toy",
    extensions=("toy",),
    nodes=(
        Node("function", "defun"),
        Node("method", "meth", name=child("id"), owner=path(field("receiver"), field("type"))),
        Node("struct", "record", needs_body=True),
        Node("keyword", "form", name=word("word")),
        Node("assigned", "pair", name=field("key"), body=field("value")),
        Node("function", "defmacro"),
    ),
    values={"lambda": "function"},
    keywords={"module": "module"},
    wrappers=("export",),
    attributes=("decorator", "unary"),
    attribute_texts={"unary": "@doc"},
    asides=("remark",),
    scopes=("block",),
    habits=("braced",),
)


def test_a_node_is_found_by_what_the_grammar_calls_it() -> None:
    assert ROW.node_of["defun"].kind == "function"
    assert ROW.node_of.keys() == {"defun", "meth", "record", "form", "pair", "defmacro"}


def test_kinds_are_ours_once_each_and_leave_out_what_only_steers() -> None:
    assert ROW.kinds == ("function", "method", "struct", "module")


def test_roles_may_ask_for_a_text() -> None:
    assert ROW.roles == {
        "export": ("wrapper", ""),
        "decorator": ("attribute", ""),
        "unary": ("attribute", "@doc"),
        "comment": ("comment", ""),
        "remark": ("aside", ""),
        "block": ("scope", ""),
    }


def test_comments_are_those_with_a_declaration_and_those_without() -> None:
    assert ROW.comment_kinds == {"comment", "remark"}


def test_a_language_has_the_habits_of_its_row_only() -> None:
    assert ROW.has("braced")
    assert not ROW.has("layout")
