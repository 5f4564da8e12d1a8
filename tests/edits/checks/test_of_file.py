import pytest

from keyhole.edits.checks.syntax import compare as deltas
from keyhole.edits.checks.syntax.problem import ProblemDelta
from keyhole.edits.checks.validate import check_file
from keyhole.edits.model.operations import DeleteFile
from keyhole.edits.model.plan import FilePlan
from tests.edits.planned import created, planned, replaced


def codes(file: FilePlan) -> list[str]:
    return [each.code for each in check_file(file, lambda _: False).new]


def test_a_file_that_goes_or_stays_is_not_checked() -> None:
    (gone,) = planned("(", DeleteFile("a.py")).files
    same = replaced("a.py", "((\n", ("((", "(("))

    assert check_file(gone, lambda _: True) == check_file(same, lambda _: True) == ProblemDelta()


def test_what_a_guard_minds_is_not_told_as_syntax_too() -> None:
    assert codes(replaced("a.py", "x = 1\n", ("1", "(\x01"))) == ["control-characters"]


def test_a_text_without_syntax_has_only_guards() -> None:
    assert codes(created("a.txt", "(((")) == []
    assert codes(created("a.txt", "\x01")) == ["control-characters"]


def test_a_file_that_is_no_text_is_not_read() -> None:
    assert codes(replaced("a.py", "\0(x\n", ("x", "y"))) == []


def test_a_tab_that_breaks_yaml_is_an_indent() -> None:
    assert codes(replaced("a.yaml", "a:\n  b: 1\n", ("  b", "\tb"))) == ["bad-indentation"]
    assert codes(replaced("a.yaml", "a:\n  b: 1\n", ("b: 1", "b: [1"))) == ["syntax-broken"]


def test_blanks_for_blanks_cannot_break_a_free_form(monkeypatch: pytest.MonkeyPatch) -> None:
    before = "class A {\n  int a  = 1;\n}\n"
    laid_out = replaced("A.java", before, ("{\n  int a  = 1;", "{\n\n    int a = 1;"))
    joined = replaced("A.java", before, ("int a", "inta"))
    swallowed = replaced("A.java", f"// x\n{before}", ("// x\nclass", "// x class"))

    assert codes(joined) == codes(swallowed) == ["syntax-broken"]
    monkeypatch.setattr(deltas, "delta", lambda *_: pytest.fail("it was read"))
    assert codes(laid_out) == []


def test_blanks_matter_in_python() -> None:
    assert codes(replaced("a.py", "if x:\n    y\n    z\n", ("\n    z", "\n  z"))) == [
        "syntax-broken"
    ]


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("Some prose", "Other prose", []),
        ("Some prose", "[x](y.md)", ["broken-link"]),
        ("## B", "### B", ["heading-jump"]),
        ("Name\n", "A\n", ["duplicate-anchor"]),
        ("y\n```\n", "y\n", ["unclosed-fence"]),
    ],
)
def test_markdown_is_read_where_its_structure_may_change(
    old: str, new: str, found: list[str]
) -> None:
    before = "# A\n\n## B\n\nSome prose.\n\nName\n----\n\n```\ny\n```\n"

    assert codes(replaced("a.md", before, (old, new))) == found


def test_front_matter_and_structure_are_both_told() -> None:
    assert codes(created("a.md", '---\ntitle: "x\n---\n\n# A\n\n### B\n')) == [
        "syntax-broken",
        "heading-jump",
    ]
