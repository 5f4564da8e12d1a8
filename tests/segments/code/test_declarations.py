from keyhole.segments.code.declarations import Declaration, find_declarations
from keyhole.segments.code.parser import FoundNode, read_nodes
from keyhole.segments.languages.table import LANGUAGES


def declared(language: str, text: str) -> list[Declaration]:
    return find_declarations(text, read_nodes(LANGUAGES[language], text))


def paths(language: str, text: str) -> list[str]:
    return [f"{one.kind} {'.'.join(one.path)}" for one in declared(language, text)]


def test_a_wrapper_around_one_declaration_is_part_of_it() -> None:
    text = "export const f = () => 1;\n"

    (one,) = declared("javascript", text)

    assert text[one.start : one.end] == "export const f = () => 1;"


def test_a_wrapper_around_several_is_part_of_none() -> None:
    text = "const a = 1, b = 2;\n"

    assert [text[one.start : one.end] for one in declared("javascript", text)] == ["a = 1", "b = 2"]


def test_a_statement_around_a_function_deep_inside_is_no_wrapper() -> None:
    text = "run(() => { function f() {} });\n"

    (one,) = declared("javascript", text)

    assert text[one.start : one.end] == "function f() {}"


def test_variables_count_outside_functions_and_scopes_only() -> None:
    text = "var a = 1;\nfunction f() { var b = 2; }\nif (x) { var c = 3; }\n"

    assert paths("javascript", text) == ["variable a", "function f"]


def test_a_function_in_a_class_is_a_method_and_one_of_its_name_a_constructor() -> None:
    text = "class A { A() {} void m() {} };\n"

    assert paths("cpp", text) == ["class A", "constructor A.A", "method A.m"]


def test_implementations_are_labelled_by_their_header_and_name_what_is_inside() -> None:
    text = "impl<T> Show for Thing<T> {\n    fn show(&self) {}\n}\n"

    assert paths("rust", text) == ["impl impl Show for Thing<T>", "method Thing.show"]


def test_a_prototype_gives_way_to_its_definition() -> None:
    assert paths("c", "int f(int);\nint g(int);\nint f(int a) { return a; }\n") == [
        "prototype g",
        "function f",
    ]


def test_what_stands_indented_in_an_error_is_astray() -> None:
    text = "{ oops\n  f\ng"
    nodes = [
        FoundNode("error", "ERROR", (), 0, len(text)),
        FoundNode("segment", "function", ("f",), 9, 10),
        FoundNode("segment", "function", ("g",), 11, 12),
    ]

    assert [one.is_astray for one in find_declarations(text, nodes)] == [True, False]
