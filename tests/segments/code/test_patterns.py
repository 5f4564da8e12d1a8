import pytest

from keyhole.refusals import Refusal, Refused
from keyhole.segments.code.patterns import PatternHit, find_pattern, match_in, syntax_tree
from tests.segments.reading import document

SOURCE = "def f(a):\n    print(a, 'é', 1)\n    print(b)\n    g(g(1))\n    print()\n"


def hits(pattern: str, text: str = SOURCE, path: str = "a.py") -> list[tuple[str, dict[str, str]]]:
    found = find_pattern(path, document(text), pattern)
    return [
        (text[slice(*hit.span)], {name: text[slice(*at)] for name, at in hit.variables.items()})
        for hit in found
    ]


def refusal(pattern: str, path: str = "a.py") -> Refusal:
    with pytest.raises(Refused) as refused:
        find_pattern(path, document(SOURCE), pattern)
    return refused.value.refusals[0]


def test_a_variable_stands_for_one_node() -> None:
    assert hits("print($X)") == [("print(b)", {"X": "b"})]


def test_three_dollars_stand_for_any_number_of_nodes() -> None:
    assert hits("print($$$ARGS)") == [
        ("print(a, 'é', 1)", {"ARGS": "a, 'é', 1"}),
        ("print(b)", {"ARGS": "b"}),
        ("print()", {"ARGS": ""}),
    ]


def test_outer_places_come_before_those_inside_them() -> None:
    assert hits("g($X)") == [("g(g(1))", {"X": "g(1)"}), ("g(1)", {"X": "1"})]


def test_a_pattern_that_fits_nothing_finds_nothing() -> None:
    assert hits("nowhere($X)") == []


@pytest.mark.parametrize("pattern", ["print(", "", "  ", "print($X", "$A =", "for"])
def test_what_is_no_code_is_refused(pattern: str) -> None:
    said = refusal(pattern)

    assert said.code == "bad-request"
    assert said.headline == f"the pattern `{' '.join(pattern.split())}` is not python code"


@pytest.mark.parametrize("path", ["a.md", "a.txt", "a.toml"])
def test_a_file_without_a_syntax_tree_is_refused(path: str) -> None:
    assert refusal("$X", path).code == "wrong-segment-kind"


@pytest.mark.parametrize(
    ("path", "text", "pattern", "found"),
    [
        ("a.js", "foo(1); log(a, b)\n", "log($$$A)", "log(a, b)"),
        ("a.rs", "fn f() { x().unwrap(); }\n", "$X.unwrap()", "x().unwrap()"),
        ("a.go", "package a\nfunc f() { g(x) }\n", "g($A)", "g(x)"),
    ],
)
def test_patterns_work_in_other_languages(path: str, text: str, pattern: str, found: str) -> None:
    assert [text[slice(*hit.span)] for hit in find_pattern(path, document(text), pattern)] == [
        found
    ]


def test_other_line_ends_and_odd_bytes_keep_their_places() -> None:
    text = "x = '\udcff'\r\nprint(x)\r\n"

    at = text.index("print")
    found = PatternHit((at, at + 8), {"X": (at + 6, at + 7)})
    assert find_pattern("a.py", document(text), "print($X)") == (found,)


def test_what_is_no_pattern_is_told_from_one_that_fits_nothing() -> None:
    tree = syntax_tree("a.py", document("x\n"))

    assert match_in(tree, "") is None
    assert match_in(tree, "y") == []


@pytest.mark.parametrize(
    ("text", "pattern", "found"),
    [
        ("x = [[*range(5)], [*range(2)]]\n", "range($X)", ["range(5)", "range(2)"]),
        ("x = *f(1), f(2)\n", "f($X)", ["f(1)", "f(2)"]),
        ("type(a).b = type(c)\n", "type($X)", ["type(a)", "type(c)"]),
        (
            "def f(a: Optional[int]) -> Optional[list[Optional[str]]]: ...\n",
            "Optional[$X]",
            ["Optional[int]", "Optional[list[Optional[str]]]", "Optional[str]"],
        ),
        (
            "é: Union[int, str] = [\n    *g(  # é\n        1,\n    )]\n",
            "g($X)",
            ["g(  # é\n        1,\n    )"],
        ),
        ("é: Union[int, str] = 1\n", "Union[$$$X]", ["Union[int, str]"]),
        ("def f(a: A.B) -> None: ...\n", "$X.B", ["A.B"]),
        ("a: int | None = 1\n", "$X | None", ["int | None"]),
        ("f'{[*f(1)]}'; [*f(2)]\n", "f($X)", ["f(2)"]),
        ("[*f(1)]\nprint 'two'\n", "f($X)", []),
    ],
)
def test_python_reads_what_the_grammar_takes_for_something_else(
    text: str, pattern: str, found: list[str]
) -> None:
    assert [each for each, _ in hits(pattern, text)] == found


def test_variables_of_a_second_reading_stand_where_they_are() -> None:
    assert hits("f($X, $$$MORE)", "x = [[*f(a.b, 1, 2)]]\n") == [
        ("f(a.b, 1, 2)", {"X": "a.b", "MORE": "1, 2"})
    ]


@pytest.mark.parametrize(
    ("path", "text", "pattern", "found"),
    [
        ("a.c", "int g(void) { f(x); return f(y); }\n", "f($X)", ["f(x)", "f(y)"]),
        ("a.cpp", "void g(List<int> a) { List<T> b; }\n", "List<$X>", ["List<int>", "List<T>"]),
        ("a.ts", "let a: Array<b> = c as Array<d>;\n", "Array<$X>", ["Array<b>", "Array<d>"]),
        ("a.tsx", "let a: Array<b> = <p/>;\n", "Array<$X>", ["Array<b>"]),
        ("a.rs", "fn f(a: Vec<u8>) -> Vec<T> {}\n", "Vec<$X>", ["Vec<u8>", "Vec<T>"]),
        ("a.kt", "val a: List<B> = c\n", "List<$X>", ["List<B>"]),
        ("a.scala", "object A { val a: List[B] = c }\n", "List[$X]", ["List[B]"]),
        ("a.sol", "contract A { function g() { f(x); } }\n", "f($X)", ["f(x)"]),
    ],
)
def test_a_pattern_is_read_wherever_its_code_may_stand(
    path: str, text: str, pattern: str, found: list[str]
) -> None:
    assert [each for each, _ in hits(pattern, text, path)] == found
