import pytest

from tests.edits.segment_calls import after, notes, refusal

TEXT = 'class A:\n    """D."""\n\n    @a\n    def f(self):\n        return 1\n'


@pytest.mark.parametrize("action", ["before", "after", "delete"])
def test_nothing_is_done_beside_a_part_that_is_not_there(action: str) -> None:
    content = None if action == "delete" else "x"
    found = refusal("m.py", TEXT, segment="A.f", part="doc", action=action, content=content)

    assert found.code == "wrong-segment-kind"


def test_a_part_that_cannot_be_added() -> None:
    text = "trait A {\n    fn f(&self);\n}\n"

    assert refusal("a.rs", text, segment="A.f", part="body", content="x").code == (
        "wrong-segment-kind"
    )
    assert refusal("m.py", "x = 1\n", segment="x", part="doc", content='"""D."""').code == (
        "wrong-segment-kind"
    )


def test_lines_beside_decorators_and_docs() -> None:
    assert after("m.py", TEXT, segment="A.f", part="decorators", action="before", content="@z") == (
        TEXT.replace("    @a\n", "    @z\n    @a\n")
    )
    assert after("m.py", TEXT, segment="A", part="doc", action="after", content="x = 1") == (
        TEXT.replace('"""D."""\n', '"""D."""\n    x = 1\n')
    )
    assert after("m.py", TEXT, segment="A.f", part="signature", action="before", content="@z") == (
        TEXT.replace("    @a\n", "    @a\n    @z\n")
    )


def test_behind_a_signature_is_the_top_of_the_body() -> None:
    assert after("m.py", TEXT, segment="A.f", part="signature", action="after", content="x") == (
        TEXT.replace("        return 1", "        x\n        return 1")
    )
    assert after("m.py", TEXT, segment="A.f", part="body", action="after", content="x") == (
        TEXT + "        x\n"
    )


def test_a_signature_has_no_inside() -> None:
    found = refusal("m.py", TEXT, segment="A.f", part="signature", action="append", content="x")

    assert found.code == "wrong-segment-kind"


def test_beside_a_part_on_a_line_of_others_there_is_no_place() -> None:
    text = "class A\n{\n    [B] public int P { get; set; }\n}\n"
    found = refusal("a.cs", text, segment="A.P", part="decorators", action="after", content="[C]")

    assert found.code == "wrong-segment-kind"
    assert after(
        "a.cs", text, segment="A.P", part="decorators", action="before", content="[C]"
    ) == (text.replace("    [B]", "    [C]\n    [B]"))


def test_a_part_on_a_line_of_others_is_replaced_and_removed_there() -> None:
    text = "class A\n{\n    [B] public int P { get; set; }\n}\n"

    assert after("a.cs", text, segment="A.P", part="decorators", content="[C]") == (
        text.replace("[B]", "[C]")
    )
    assert after("a.cs", text, segment="A.P", part="signature", content="public long P") == (
        text.replace("int", "long")
    )
    assert after("a.cs", text, segment="A.P", part="decorators", action="delete") == (
        text.replace("[B] ", "")
    )


def test_a_signature_with_its_colon_needs_no_note() -> None:
    content = "def f(self, x):"

    assert notes("m.py", TEXT, segment="A.f", part="signature", content=content) == ()
    assert after("m.py", TEXT, segment="A.f", part="signature", content=content) == (
        TEXT.replace("def f(self):", content)
    )


def test_a_docstring_that_is_the_whole_body_leaves_pass() -> None:
    text = 'def f():\n    """D."""\n'

    assert after("m.py", text, segment="f", part="doc", action="delete") == "def f():\n    pass\n"


def test_the_docstring_of_a_module() -> None:
    text = '"""D."""\n\nimport os\n'

    assert after("m.py", text, segment="docstring", part="doc", action="delete") == "\nimport os\n"


@pytest.mark.parametrize(
    ("path", "before", "wanted"),
    [
        ("m.py", "def f(): return 1\n", "def f(): pass\n"),
        ("m.py", 'def f():\n    """D."""\n\n    x\n', 'def f():\n    """D."""\n'),
        ("a.js", "function f() {\n  x();\n}\n", "function f() {\n}\n"),
        ("a.js", "function f() { x(); }\n", "function f() {}\n"),
    ],
)
def test_a_body_less(path: str, before: str, wanted: str) -> None:
    assert after(path, before, segment="f", part="body", action="delete") == wanted


def test_a_body_that_is_an_expression() -> None:
    text = "const f = (x) => x + 1;\n"

    assert after("a.js", text, segment="f", part="body", content="x + 2") == (
        "const f = (x) => x + 2;\n"
    )


def test_a_body_on_one_line_of_a_shell_keeps_its_end() -> None:
    text = "f() { echo; }\n"

    assert after("a.sh", text, segment="f", part="body", content="ls") == "f() { ls; }\n"
    assert after("a.sh", text, segment="f", part="body", content="ls;") == "f() { ls; }\n"


def test_doc_comments_are_lines() -> None:
    text = "/// D.\nfn f() {}\n"

    assert after("a.rs", text, segment="f", part="doc", content="/// E.\n/// F.") == (
        "/// E.\n/// F.\nfn f() {}\n"
    )
    assert after("a.rs", text, segment="f", part="doc", action="delete") == "fn f() {}\n"
