import pytest

from keyhole.segments.code.parser import error_spans, is_broken, parse, read_nodes, span_of
from keyhole.segments.languages.language import Language
from keyhole.segments.languages.node import Node

TOY = Language(
    name="python",
    extensions=("py",),
    nodes=(
        Node("function", "function_definition"),
        Node("class", "class_definition", needs_body=True),
    ),
    attributes=("decorator",),
    attribute_texts={"decorator": "@keep"},
    scopes=("block",),
)


def test_spans_are_characters_and_lone_surrogates_count_as_one() -> None:
    text = "x = '😀\udcff'\ny = 1\n"

    spans = [span_of(node) for node in parse("python", text).find_all(kind="integer")]

    assert [text[slice(*span)] for span in spans] == ["1"]


def test_spans_are_those_of_the_ranges_on_any_line() -> None:
    text = "# é😀\nx = '😀é' + y\n\n\tz = 'é'; a = 1\n"

    for node in parse("python", text).find_all(regex="."):
        place = node.range()
        assert span_of(node) == (place.start.index, place.end.index)


def test_nodes_come_outer_first_with_name_and_body() -> None:
    text = "class A:\n    def f(self):\n        pass\n"

    found = [(node.role, node.kind, node.names) for node in read_nodes(TOY, text)]

    assert found == [
        ("segment", "class", ("A",)),
        ("scope", "block", ()),
        ("segment", "function", ("f",)),
        ("scope", "block", ()),
    ]


def test_a_role_that_asks_for_a_text_takes_no_other() -> None:
    text = "@keep\n@drop\ndef f(): pass\n"

    attributes = [node for node in read_nodes(TOY, text) if node.role == "attribute"]

    assert [text[node.start : node.end] for node in attributes] == ["@keep"]


@pytest.mark.parametrize("text", ["def f(:\n    pass\n", "x = = 1\n"])
def test_what_does_not_fit_the_grammar_is_an_error(text: str) -> None:
    assert any(node.role == "error" for node in read_nodes(TOY, text))
    assert is_broken("python", text)


def test_what_fits_has_no_error() -> None:
    assert error_spans("python", "x = 1\n") == ()
    assert not is_broken("python", "x = 1\n")
    assert read_nodes(TOY, " \n") == []
