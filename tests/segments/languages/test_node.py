import pytest

from keyhole.segments.code.parser import read_nodes
from keyhole.segments.languages.language import Language
from keyhole.segments.languages.node import (
    HEADER,
    HEADER_WORDS,
    Node,
    Ways,
    child,
    deepest,
    either,
    field,
    match,
    path,
    word,
)

FUNCTION = "int *const *first(int a) { return 0; }\n"


def test_a_node_left_short_takes_the_fields_name_and_body() -> None:
    node = Node("function", "function_definition")

    assert (node.name, node.body) == (field("name"), field("body"))
    assert not node.owner
    assert not node.needs_body


def names(text: str, node: str, name: Ways, owner: Ways = ()) -> list[tuple[str, ...]]:
    row = Language(
        name="c", extensions=("c",), nodes=(Node("function", node, name=name, owner=owner),)
    )
    return [found.names for found in read_nodes(row, text) if found.role == "segment"]


@pytest.mark.parametrize(
    ("way", "name"),
    [
        (deepest("declarator"), "first"),
        (path(deepest("declarator", kind="function_declarator"), field("declarator")), "first"),
        (field("type"), "int"),
        (field("type", kind="primitive_type"), "int"),
        (child("primitive_type"), "int"),
        (child(), "int"),
        (either(field("nothing"), child("primitive_type")), "int"),
        (either(field("type", kind="struct_specifier"), word("fixed")), "fixed"),
        (word("fixed"), "fixed"),
        (match(r"\w+(?=\()"), "first"),
        (HEADER, "int *const *first(int a)"),
    ],
)
def test_a_way_leads_to_a_name(way: Ways, name: str) -> None:
    assert names(FUNCTION, "function_definition", way) == [(name,)]


def test_the_words_of_a_header_are_a_name_of_several() -> None:
    assert names("int first() {}\n", "function_definition", HEADER_WORDS)[0][:2] == ("int", "first")


@pytest.mark.parametrize("way", [field("name"), child("comment"), match("nowhere")])
def test_a_way_that_leads_nowhere_names_nothing(way: Ways) -> None:
    assert names(FUNCTION, "function_definition", way) == []


def test_an_owner_goes_before_the_name() -> None:
    assert names(FUNCTION, "function_definition", word("f"), field("type")) == [("int", "f")]
