import ast

import pytest

from keyhole.edits.by_name.pattern import filled_lines, filled_text
from keyhole.segments.code.patterns import find_pattern
from tests.edits.segment_calls import after, target


def test_what_was_caught_keeps_the_value_of_a_literal() -> None:
    text = 'def f():\n    print("""a\n  b\n""")\n'

    became = after("m.py", text, pattern="print($X)", content="if x:\n    log($X)")

    assert became == 'def f():\n    if x:\n        log("""a\n  b\n""")\n'
    assert ast.literal_eval(became[became.index('"""') : -2]) == "a\n  b\n"


@pytest.mark.parametrize(
    ("path", "text", "content", "wanted"),
    [
        ("m.js", "{\n  f(`a\n b`);\n}\n", "g($X)", "{\n  g(`a\n b`);\n}\n"),
        ("m.go", "func m() {\n\tf(`a\n b`)\n}\n", "g($X)", "func m() {\n\tg(`a\n b`)\n}\n"),
    ],
)
def test_it_does_so_in_other_languages(path: str, text: str, content: str, wanted: str) -> None:
    assert after(path, text, pattern="f($X)", content=content) == wanted


def test_what_was_caught_on_later_lines_stays_where_it_is() -> None:
    text = "if x:\n    f(\n        1,\n        2,\n    )\n"

    became = after("m.py", text, pattern="f($$$X)", content="g($$$X)")

    assert became == "if x:\n    g(1,\n        2,)\n"


def test_a_body_moves_with_the_line_that_names_it() -> None:
    text = "if x:\n    while y:\n        a()\n        b()\n"

    became = after(
        "m.py", text, pattern="while $C:\n    $$$B", content="while $C:\n  if z:\n    $$$B"
    )

    assert became == "if x:\n    while y:\n        if z:\n            a()\n            b()\n"


def test_a_literal_of_the_new_text_keeps_its_bytes() -> None:
    text = "if x:\n    f(1)\n"

    assert after("m.py", text, pattern="f($X)", content='s = """\nq\n"""') == (
        'if x:\n    s = """\nq\n"""\n'
    )


def test_new_lines_are_indented_as_the_file_is() -> None:
    text = "if x:\n\tf(1)\n"

    assert after("m.py", text, pattern="f($X)", content="if y:\n    g($X)") == (
        "if x:\n\tif y:\n\t\tg(1)\n"
    )


@pytest.mark.parametrize("action", ["replace", "after"])
@pytest.mark.parametrize(
    ("content", "indent"), [("    g(1)", "auto"), ("g(1)", 4), ("g(1)\n", "auto")]
)
def test_lines_go_to_the_place_or_the_column(action: str, content: str, indent: object) -> None:
    text = "if x:\n    f(1)\n"

    became = after("m.py", text, pattern="f($X)", action=action, content=content, indent=indent)

    kept = "    f(1)\n" if action == "after" else ""
    assert became == f"if x:\n{kept}    g(1)\n"


def test_lines_and_text_are_filled_alike() -> None:
    there = target("m.py", "if x:\n  f(1)\n")
    [hit] = find_pattern("m.py", there.document, "f($X)")

    assert filled_lines(there, hit, ["g($X, $Y)", "h()"], "auto") == ["  g(1, $Y)", "  h()"]
    assert filled_text(there, hit, "g($X, $Y)\nh()", keep=False) == "g(1, $Y)\n  h()"
    assert filled_text(there, hit, "g($X, $Y)\nh()", keep=True) == "g(1, $Y)\nh()"
