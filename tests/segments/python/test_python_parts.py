import pytest

from tests.segments.reading import part, segment


def parts(text: str, address: str = "f") -> dict[str, str]:
    one = segment("a.py", text, address)
    return {name: text[slice(*span)] for name, span in one.parts.items()}


def test_a_function_has_a_signature_a_doc_and_a_body() -> None:
    text = (
        '@d\ndef f(a, b):  # noqa\n    """Doc.\n\n    More.\n    """\n\n    # first\n    return a\n'
    )

    assert parts(text) == {
        "decorators": "@d\n",
        "signature": "def f(a, b):",
        "doc": '    """Doc.\n\n    More.\n    """\n',
        "body": "    # first\n    return a\n",
    }


def test_a_function_on_one_line_has_exact_parts() -> None:
    assert parts("def f(): return 1  # one\n") == {
        "signature": "def f():",
        "body": "return 1  # one",
    }
    assert parts('def f(): "Doc."\n') == {"signature": "def f():", "doc": '"Doc."', "body": ""}


def test_a_body_of_a_docstring_only_is_empty() -> None:
    text = 'class f:\n    "Doc."\n'

    assert segment("a.py", text, "f").parts["body"] == (len(text), len(text))


@pytest.mark.parametrize(
    "signature",
    [
        "def f(a: int = {1: 2}[1], *, b='):'):",
        "def f(a,\n      b=lambda: 1,  # comment: with a colon\n      ) -> dict[str, int]:",
        "async  def f() -> 'a:b':",
        "def f[T: int](a: T) -> T:",
        "def \\\n  f(a):",
        "class f(Base, metaclass=Meta[1:2]):",
        "class f:",
    ],
)
def test_a_signature_ends_with_its_own_colon(signature: str) -> None:
    assert part("a.py", f"{signature}\n    pass\n", "f", "signature") == signature


@pytest.mark.parametrize(
    "first",
    ['f"not a doc"', 'b"bytes"', '"a" + "b"', '"x".join(y)', "1", '"""a""" if x else 1'],
)
def test_what_is_no_docstring_is_body(first: str) -> None:
    text = f"def f():\n    {first}\n    return 1\n"

    assert "doc" not in parts(text)
    assert parts(text)["body"] == f"    {first}\n    return 1\n"


@pytest.mark.parametrize("doc", ["r'raw'", 'u"u"', '"a" "b"', '"a" \\\n    "b"', "'a'  # why"])
def test_docstrings_come_in_many_spellings(doc: str) -> None:
    assert parts(f"def f():\n    {doc}\n    return 1\n")["doc"] == f"    {doc}\n"
