import pytest

from keyhole.segments.code.patterns import find_pattern
from keyhole.segments.lookalikes import reads_alike
from tests.segments.reading import document


@pytest.mark.parametrize(
    ("path", "language", "text", "pattern", "found"),
    [
        (
            "a.rs",
            "rust",
            'fn a() { f(0); vec![f(1), f(")")]; }\n',
            "f($X)",
            ['f(1), f(")")', 'f(")")]; }\n'],
        ),
        ("a.c", "c", "#define M(x) f(x)\nint a = f(1);\n", "f($X)", ["f(x)\nint a ="]),
        ("a.py", "python", "print f(1), g(2\n", "f($X)", []),
        ("a.py", "python", "foo(bar(1))\nfoo([*bar(2)])\n", "foo([*$X])", ["foo([*bar(2)"]),
        ("a.py", "python", "f'{[*g(1)]}'\n", "g($X)", ["g(1)]}'\n"]),
        ("a.ts", "typescript", "f(0)\na!.f(1)\nb = a?.f(2)\n", "$A.f($X)", ["f(2)\n"]),
        ("a.rs", "rust", "q!(f(1, 2) f() f g(f) a.f(1) a::f(1))\n", "f($X)", []),
        ("a.rs", "rust", "q!(f(1, 2), f())\n", "f($$$X)", ["f(1, 2), f()", "f())\n"]),
        ("a.rs", "rust", "q!(return f(1), fn f(x) {})\n", "f($X)", ["f(1), fn f(x"]),
        ("a.rs", "rust", 'q!(f(1)) // f(2)\nconst A: &str = "f(3)";\n', "f($X)", ["f(1)) // f(2"]),
        ("a.py", "python", "class f(x): ...\ndef f(x): ...\nx.f(1)\n# f(1)\n'f(1)'\n", "f($X)", []),
        ("a.js", "javascript", "class A { f(x) { } }\nfunction f(x) { }\n", "f($X)", []),
        ("a.rs", "rust", "q!(if f(1) == 2 { a + b })\n", "f($X) == $Y", ["f(1) == 2 { "]),
        ("a.rs", "rust", "q!(a + b); q!(a - b)\n", "$A + $B", ["+ b); q!(a -"]),
        (
            "a.rs",
            "rust",
            "q!((a + b), (a + b))\nq!(a + b)\n",
            "$A + $B",
            ["+ b), (a + b", "+ b)\n"],
        ),
        ("a.c", "c", "#define M a + b\nint c = a + b;\n", "$A + $B", ["+ b\nint c = "]),
        ("a.py", "python", "a = 1\ntype(x).y = 2\nx = y = 3\n", "$A = $B", ["= 2\nx = y = "]),
        ("a.py", "python", "a: int = 1\nb += 1\ntype(x).y += 2\n", "$A += $B", []),
        ("a.go", "go", "package a\nfunc f() { a = 1 b = 2; }\n", "$A = $B", ["= 2; }\n"]),
        ("a.py", "python", "a = 1\nb = = 2\n", "$A", []),
        ("a.md", "markdown", "f(1)\n", "f($X)", []),
        ("a.rs", "rust", "q!(foo (a) == bar)\n", "foo($X) == ba", []),
        ("a.rs", "rust", "q!(foo(" + "a" * 5000 + "))\n", "foo($X)", []),
    ],
)
def test_what_reads_like_a_pattern_and_is_none_is_found(
    path: str, language: str, text: str, pattern: str, found: list[str]
) -> None:
    known = (
        []
        if language == "markdown"
        else [hit.span for hit in find_pattern(path, document(text), pattern)]
    )

    assert [text[at:][:12] for at in reads_alike(language, text, pattern, known)] == found
