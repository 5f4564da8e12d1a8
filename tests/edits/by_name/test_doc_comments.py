import pytest

from keyhole.edits.by_name.doc_comments import begins_with_doc, quoted_doc
from tests.edits.segment_calls import after, refusal

NOTE = ("quotes were put around the docstring",)


@pytest.mark.parametrize(
    ("lines", "quoted"),
    [
        (["D."], ['"""D."""']),
        (["D.", "", "E."], ['"""D.', "", "E.", '"""']),
        (["  D.", "    E."], ['"""D.', "  E.", '"""']),
        (['say """x"""'], ["'''say \"\"\"x\"\"\"'''"]),
        (['say "x"'], ["'''say \"x\"'''"]),
        (["a\\b"], ['r"""a\\b"""']),
    ],
)
def test_text_without_quotes_gets_them(lines: list[str], quoted: list[str]) -> None:
    assert quoted_doc(lines) == (quoted, NOTE)


def test_quotes_are_left_alone() -> None:
    assert quoted_doc(['r"""D."""']) == (['r"""D."""'], ())


@pytest.mark.parametrize(
    ("doc", "action", "wanted"),
    [
        ('"""D."""', "append", '"""D.\n\n    new\n    """'),
        ('"""D."""', "prepend", '"""new\n\n    D.\n    """'),
        ("'D.'  # why", "append", "'''D.\n\n    new\n    '''  # why"),
        ('"""D.\n\n    E.\n    """', "append", '"""D.\n\n    E.\n    new\n    """'),
        ('"""D.\n\n    E."""', "prepend", '"""new\n\n    D.\n\n    E.\n    """'),
    ],
)
def test_more_of_a_docstring(doc: str, action: str, wanted: str) -> None:
    text = f"def f():\n    {doc}\n    pass\n"

    assert after("m.py", text, segment="f", part="doc", action=action, content="new") == (
        f"def f():\n    {wanted}\n    pass\n"
    )


def test_joined_strings_are_left_alone() -> None:
    text = "def f():\n    'a' \"b\"\n    pass\n"

    assert after("m.py", text, segment="f", part="doc", action="append", content="new") == text


@pytest.mark.parametrize(
    ("doc", "action", "wanted"),
    [
        ("/// D.", "append", "/// D.\n/// new"),
        ("/// D.", "prepend", "/// new\n/// D."),
        ("// D.", "append", "// D.\n// new"),
        ("/** D. */", "append", "/**\n * D.\n * new\n */"),
        ("/* D. */", "prepend", "/*\n * new\n * D.\n */"),
        ("/**\n * D.\n */", "append", "/**\n * D.\n * new\n */"),
        ("/*\n   D.\n*/", "append", "/*\n   D.\n   new\n*/"),
    ],
)
def test_more_of_a_doc_comment(doc: str, action: str, wanted: str) -> None:
    text = f"{doc}\nfn f() {{}}\n"

    assert after("a.rs", text, segment="f", part="doc", action=action, content="new") == (
        f"{wanted}\nfn f() {{}}\n"
    )


def test_a_line_that_has_its_mark_gets_no_second_one() -> None:
    text = "/// D.\nfn f() {}\n"

    assert after("a.rs", text, segment="f", part="doc", action="append", content="/// new") == (
        "/// D.\n/// new\nfn f() {}\n"
    )


def test_a_docstring_on_the_line_of_its_function_has_no_inside() -> None:
    text = "def f(): 'D.'\n"

    assert refusal("m.py", text, segment="f", part="doc", action="append", content="x").code == (
        "wrong-segment-kind"
    )


def test_a_comment_of_another_form_has_no_inside() -> None:
    text = "=begin\nD.\n=end\ndef f\nend\n"

    assert refusal("a.rb", text, segment="f", part="doc", action="append", content="x").code == (
        "wrong-segment-kind"
    )


@pytest.mark.parametrize(
    ("text", "begins"),
    [
        ('"""Doc."""', True),
        ("# why\n\n  r'''Doc.\n\n  More.'''\n  x = 1", True),
        ('"Doc."  # why\nx = 1', True),
        ('"Doc."; x = 1', True),
        ('", ".join(x)', False),
        ('x = "Doc."', False),
        ('"""open', False),
        ('f"""Doc."""', False),
    ],
)
def test_a_text_may_begin_with_a_docstring(text: str, *, begins: bool) -> None:
    assert begins_with_doc(text.split("\n")) is begins
