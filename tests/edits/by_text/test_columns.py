import pytest

from keyhole.edits.by_text.columns import wrong_column
from keyhole.edits.locate import locate
from keyhole.edits.model.operations import Edit
from tests.edits.segment_calls import target

PYTHON = "class A:\n    def m(self):\n        return 1\n\n    def n(self):\n        return 2\n"
LAST = "    def n(self):\n        return 2\n"
METHOD = "def n(self):\n    return 3\n"
LOOP = "for x in y:\n    # each\n    f(x)\ng()\n"


def misplaced(path: str, text: str, **fields: object) -> str:
    return locate(Edit.of(fields), target(path, text), {}).misplaced


def test_columns_are_told_as_the_file_writes_them() -> None:
    end = ": at that column the text is no part of its block"

    assert wrong_column("    ", 0) == f"expected 4 spaces, got 0{end}"
    assert wrong_column("\t", 0) == f"expected 1 tab, got 0{end}"


@pytest.mark.parametrize("indent", [0, "keep"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_definition_stays_in_its_class(indent: object, newline: str) -> None:
    text = PYTHON.replace("\n", newline)
    for place in ({"find": LAST}, {"find": LAST.partition("\n")[0]}, {"lines": "5-6"}):
        told = misplaced("m.py", text, **place, content=METHOD, indent=indent)

        assert told == wrong_column("    ", 0)


@pytest.mark.parametrize(
    ("text", "fields", "told"),
    [
        (LOOP, {"lines": 3, "content": "h(x)", "indent": 0}, wrong_column("    ", 0)),
        (LOOP, {"lines": "2-3", "content": "h(x)", "indent": 0}, wrong_column("    ", 0)),
        (LOOP, {"lines": 4, "content": "h(x)", "indent": 4}, wrong_column("", 4)),
        (LOOP, {"lines": 3, "content": "h(x)", "indent": 4}, ""),
        (LOOP, {"lines": 3, "content": "h(x)", "indent": "keep"}, ""),
        (LOOP, {"lines": 3, "action": "delete", "indent": 0}, ""),
        (
            LOOP,
            {"lines": 1, "action": "after", "content": "h(x)", "indent": 0},
            wrong_column("    ", 0),
        ),
        (LOOP, {"lines": 1, "action": "after", "content": "h(x)", "indent": 4}, ""),
        (LOOP, {"lines": 3, "action": "after", "content": "h(x)", "indent": 0}, ""),
        (LOOP, {"lines": -1, "content": "h(x)", "indent": 4}, ""),
        (LOOP, {"lines": 1, "action": "after", "content": "if x:", "indent": 2}, ""),
        ("f(\n    1,\n)\n", {"lines": 2, "content": "2,", "indent": 0}, ""),
        ("f(\n    1,\n)\n", {"lines": 1, "action": "after", "content": "2,", "indent": 0}, ""),
        (PYTHON, {"find": LAST, "content": "def o():\n    pass\n", "indent": "keep"}, ""),
        (PYTHON, {"find": PYTHON, "content": METHOD, "indent": "keep"}, ""),
    ],
)
def test_a_column_keeps_lines_in_their_block(
    text: str, fields: dict[str, object], told: str
) -> None:
    assert misplaced("m.py", text, **fields) == told


def test_only_where_columns_decide() -> None:
    script = "class A {\n  m() {\n    return 1;\n  }\n}\n"

    assert misplaced("m.js", script, find="    return 1;\n", content="return 2;\n", indent=0) == ""
    assert misplaced("m.yaml", "a:\n  b: 1\n", find="  b: 1", content="b: 2", indent="keep")


def test_a_dedented_quote_is_told_of() -> None:
    out = locate(Edit.of({"find": LAST, "content": METHOD}), target("m.py", PYTHON), {})
    inside = locate(Edit.of({"find": LAST, "content": LAST + "\n"}), target("m.py", PYTHON), {})

    assert (out.misplaced, out.warnings) == ("", ("`A.n` is outside of `A` now",))
    assert inside.warnings == ()


def test_a_column_keeps_a_key_of_yaml_below_its_own() -> None:
    text = "a:\n  b: 1\n"

    assert misplaced("a.yaml", text, lines=2, content="b: 2", indent=0) == wrong_column("  ", 0)
    assert misplaced("a.yaml", text, lines=2, content="b: 2", indent=2) == ""
