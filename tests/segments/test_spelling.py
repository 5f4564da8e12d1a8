import pytest

from keyhole.segments.spelling import AddressQuery, fold, readings


def names(address: str, language: str) -> list[str]:
    return [wanted.names for wanted in readings(address, language)]


def test_the_most_literal_reading_comes_first() -> None:
    assert names("def f(a)", "python") == ["def f(a)", "f"]
    assert names("A > B::C", "markdown") == ["A > B::C", "A::B::C"]


def test_a_number_or_a_line_narrows_the_choice() -> None:
    assert readings("f#2", "python") == (AddressQuery("f#2"), AddressQuery("f", number=2))
    assert readings("f@12", "python") == (AddressQuery("f@12"), AddressQuery("f", line=12))


def test_a_name_of_any_length_is_read_at_once() -> None:
    long = "[" * 100_000

    assert readings(long, "python") == readings(long, "json") == (AddressQuery(long),)


def test_no_number_begins_with_zero() -> None:
    assert readings("f#0", "python") == (AddressQuery("f#0"),)


def test_levels_are_kept_where_they_are_written() -> None:
    assert AddressQuery("A::B", levels=(2, 0)) in readings("## A > B", "markdown")


def test_blocks_may_be_named_inside_a_section() -> None:
    wanted = AddressQuery("", number=1, block="code_block", language="python", outer="Setup")

    assert wanted in readings("Setup/code:python#1", "markdown")


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("func (s *Server) Run(ctx context.Context) error", "Server.Run"),
        ("(*Server).Run", "Server.Run"),
        ("pub(crate) async fn go", "go"),
        ("export default function main()", "main"),
        ("public static class Foo {", "Foo"),
        ("const LIMIT", "LIMIT"),
        ("a['b']", "a.b"),
        ("App\\Worker::run", "App.Worker.run"),
        ("def f(x: int = 3) -> str:", "f"),
    ],
)
def test_declarations_are_read_as_the_names_they_declare(address: str, name: str) -> None:
    assert names(address, "rust")[-1] == name


def test_a_keyword_tells_functions_from_types() -> None:
    assert readings("def f", "python")[-1].allows("method")
    assert not readings("def f", "python")[-1].allows("class")
    assert readings("struct f", "rust")[-1].allows("struct")
    assert not readings("class f", "python")[-1].allows("function")
    assert readings("f", "python")[-1].allows("anything")


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("Use  *the* [`tool`](x.md)", "use the tool"),
        ("**Set** _up_ ~~now~~", "set up now"),
        ("__two words__", "two words"),
        ("The __init__ method", "the __init__ method"),
        ("`get_data` and \\*", "get_data and *"),
        ("`__init__`", "__init__"),
        ("get_data, 2 * 3", "get_data, 2 * 3"),
        ("[text][ref] a\0b", "text a\ufffdb"),
        ("Tabs {#tabs}", "tabs"),
        ("__", "__"),
        ("*" * 2000, "*" * 2000),
    ],
)
def test_a_heading_is_folded_as_it_is_shown(title: str, shown: str) -> None:
    assert fold(title) == shown
