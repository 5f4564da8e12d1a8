import pytest

from keyhole.linters.base import ERROR, INFO, WARNING, Failed, Finding
from keyhole.linters.formats import FORMATS, findings_of

LINES = {
    # What prints it, the line, and the finding it is.
    "mypy": (
        'pkg/a.py:2:11: error: Argument 1 to "new" is wrong  [arg-type]',
        Finding("", "arg-type", ERROR, 'Argument 1 to "new" is wrong', 2, 11, "pkg/a.py"),
    ),
    "tsc": (
        "app/(group)/page.tsx(1,71): error TS2322: Type 'number' is not 'string'.",
        Finding(
            "", "TS2322", ERROR, "Type 'number' is not 'string'.", 1, 71, "app/(group)/page.tsx"
        ),
    ),
    "flake8": (
        "./a.py:3:80: E501 line too long (81 > 79 characters)",
        Finding("", "E501", ERROR, "line too long (81 > 79 characters)", 3, 80, "./a.py"),
    ),
    "pylint": (
        "a.py:1:0: C0114: Missing module docstring (missing-module-docstring)",
        Finding(
            "", "C0114", ERROR, "Missing module docstring (missing-module-docstring)", 1, 0, "a.py"
        ),
    ),
    "clang": (
        "src/x.c:7:3: warning: unused variable 'y' [-Wunused-variable]",
        Finding("", "-Wunused-variable", WARNING, "unused variable 'y'", 7, 3, "src/x.c"),
    ),
    "rustc": (
        "src/main.rs:4:9: error[E0308]: mismatched types",
        Finding("", "E0308", ERROR, "mismatched types", 4, 9, "src/main.rs"),
    ),
    "go vet": (
        "vet: ./main.go:2:15: undeclared name: undefined",
        Finding("", "", ERROR, "undeclared name: undefined", 2, 15, "./main.go"),
    ),
    "no column": (
        "a.sh:12: note: double quote this [SC2086]",
        Finding("", "SC2086", INFO, "double quote this", 12, 0, "a.sh"),
    ),
    "a plain word": (
        "a.txt:1: errors everywhere",
        Finding("", "", ERROR, "errors everywhere", 1, 0, "a.txt"),
    ),
}


@pytest.mark.parametrize(("line", "finding"), LINES.values(), ids=list(LINES))
def test_a_line_is_a_finding(line: str, finding: Finding) -> None:
    assert findings_of("lines", f"{line}\n", "") == (finding,)
    assert findings_of("lines", "", f"noise\n  {line}\nmore noise: of any kind\n") == (finding,)


def test_a_note_behind_a_finding_of_its_line_belongs_to_it() -> None:
    printed = "a.py:2: error: no  [x]\na.py:2: note: see the manual\na.py:9: note: another\n"

    assert [finding.line for finding in findings_of("lines", printed, "")] == [2, 9]


def test_the_diff_of_a_formatter_is_a_finding_a_stretch() -> None:
    printed = """\
diff <standard input>.orig <standard input>
--- <standard input>.orig
+++ <standard input>
@@ -1,5 +1,8 @@
 package main
 // said
-import ("fmt"
-"x/inner")
+import (
+	"fmt"
+)
+
 func main() {}
@@ -10,3 +13,3 @@
 a
+b
 c
"""
    found = findings_of("diff", printed, "")

    assert [(each.line, each.severity, each.code) for each in found] == [
        (3, WARNING, "format"),
        (11, WARNING, "format"),
    ]


def test_a_formatter_that_cannot_read_the_text_says_so_on_the_other_stream() -> None:
    found = findings_of("diff", "", "<standard input>:2:6: expected 'IDENT', found '{'\n")

    assert found == (
        Finding("", "", ERROR, "expected 'IDENT', found '{'", 2, 6, "<standard input>"),
    )


def test_a_message_is_one_line_and_not_endless() -> None:
    (found,) = findings_of("json:pyright", _pyright("first\n  second " + "x" * 1000), "")

    assert found.message.startswith("first second xxx")
    assert len(found.message) == 401


def _pyright(message: str) -> str:
    import json

    place = {"start": {"line": 0, "character": 0}}
    item = {"file": "a.py", "severity": "error", "message": message, "range": place}
    return json.dumps({"generalDiagnostics": [item]})


def test_no_more_findings_are_kept_than_anybody_reads() -> None:
    assert len(findings_of("lines", "a.py:1: error: x\n" * 5000, "")) == 1000


@pytest.mark.parametrize(
    "format_", [name for name in FORMATS if name.startswith(("json:", "sarif"))]
)
@pytest.mark.parametrize(
    "printed",
    ['{"a": [}', '[{"location": 3, "messages": {}, "line": "x"}]', "[" * 100_000, '"text"'],
    ids=["damaged", "another shape", "too deep", "a text"],
)
def test_another_output_is_a_failure(format_: str, printed: str) -> None:
    if format_ == "json:cargo":
        printed = '{"reason": "compiler-message", "message": 3}'

    with pytest.raises(Failed, match=r"^printed something that is not the output it is known for$"):
        findings_of(format_, printed, "")


@pytest.mark.parametrize(
    "line",
    ["a" * 5_000_000, ":" * 1_000_000, "a:1:" * 500_000, "(1,1)" * 500_000, "x: " * 500_000],
    ids=["a word", "colons", "places", "brackets", "words"],
)
def test_a_line_of_any_length_is_read_in_time(line: str) -> None:
    assert len(findings_of("lines", line, "")) <= 1
