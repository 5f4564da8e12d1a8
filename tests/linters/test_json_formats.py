import json

import pytest

from keyhole.linters.base import ERROR, INFO, WARNING, Finding
from keyhole.linters.formats import findings_of


def ruff(code: str | None, **more: object) -> dict[str, object]:
    place = {"row": 4, "column": 12}
    return {"code": code, "message": "said", "location": place, "filename": "/r/a.py", **more}


@pytest.mark.parametrize(
    ("code", "severity"),
    [
        ("F821", ERROR),
        ("E999", ERROR),
        ("F706", ERROR),
        ("PLE0100", ERROR),
        ("invalid-syntax", ERROR),
        ("F401", WARNING),
        ("E501", WARNING),
        ("I001", WARNING),
    ],
)
def test_of_what_ruff_says_only_what_breaks_a_program_is_an_error(code: str, severity: str) -> None:
    printed = json.dumps([ruff(code, severity="error")])

    assert findings_of("json:ruff", printed, "") == (
        Finding("", code, severity, "said", 4, 12, "/r/a.py"),
    )


def test_a_severity_that_ruff_lowers_is_lower() -> None:
    printed = json.dumps([ruff("F821", severity="warning"), ruff(None)])

    found = findings_of("json:ruff", printed, "")

    assert [(each.code, each.severity) for each in found] == [
        ("F821", WARNING),
        ("invalid-syntax", ERROR),
    ]


@pytest.mark.parametrize(
    ("kind", "severity"),
    [("fatal", ERROR), ("error", ERROR), ("warning", WARNING), ("convention", INFO)],
)
def test_pylint_counts_columns_from_0(kind: str, severity: str) -> None:
    item = {"type": kind, "line": 2, "column": 0, "path": "a.py", "symbol": "undefined-variable"}
    printed = json.dumps([{**item, "message": "Undefined variable 'foo'", "message-id": "E0602"}])

    assert findings_of("json:pylint", printed, "") == (
        Finding("", "undefined-variable", severity, "Undefined variable 'foo'", 2, 1, "a.py"),
    )


def test_pyright_counts_lines_from_0_too() -> None:
    place = {"start": {"line": 1, "character": 10}, "end": {"line": 1, "character": 13}}
    item = {"file": "/m/a.py", "severity": "error", "message": "No", "range": place, "rule": "r"}
    printed = json.dumps({"version": "1", "generalDiagnostics": [item]})

    assert findings_of("json:pyright", printed, "") == (
        Finding("", "r", ERROR, "No", 2, 11, "/m/a.py"),
    )


def test_eslint_says_by_number_how_severe_it_is() -> None:
    messages = [
        {"ruleId": "no-undef", "severity": 2, "message": "No foo.", "line": 1, "column": 1},
        {"ruleId": "no-var", "severity": 1, "message": "No var.", "line": 2, "column": 3},
        {
            "ruleId": None,
            "fatal": True,
            "severity": 2,
            "message": "Parsing",
            "line": 9,
            "column": 2,
        },
    ]
    printed = json.dumps([{"filePath": "/r/x.js", "messages": messages}])

    assert findings_of("json:eslint", printed, "") == (
        Finding("", "no-undef", ERROR, "No foo.", 1, 1, "/r/x.js"),
        Finding("", "no-var", WARNING, "No var.", 2, 3, "/r/x.js"),
        Finding("", "parse", ERROR, "Parsing", 9, 2, "/r/x.js"),
    )


def test_that_eslint_ignores_a_file_is_no_finding() -> None:
    message = {"ruleId": None, "fatal": False, "severity": 1, "message": "File ignored."}
    printed = json.dumps([{"filePath": "/r/x.js", "messages": [message]}])

    assert findings_of("json:eslint", printed, "") == ()


def cargo(level: str, *spans: dict[str, object]) -> str:
    code = {"code": "unused_variables", "explanation": None}
    message = {"level": level, "message": "unused `v`", "code": code, "spans": list(spans)}
    return json.dumps({"reason": "compiler-message", "message": message})


def test_cargo_prints_an_object_a_line_among_others() -> None:
    other: dict[str, object] = {"file_name": "src/b.rs", "line_start": 1, "is_primary": False}
    span = {"file_name": "src/main.rs", "line_start": 2, "column_start": 17, "is_primary": True}
    printed = "\n".join(
        [
            "   Compiling demo",
            cargo("warning", other, span),
            '{"reason":"build-finished","success":true}',
            cargo("error", span),
            cargo("warning"),
        ]
    )

    assert findings_of("json:cargo", printed, "") == (
        Finding("", "unused_variables", WARNING, "unused `v`", 2, 17, "src/main.rs"),
        Finding("", "unused_variables", ERROR, "unused `v`", 2, 17, "src/main.rs"),
    )


def test_sarif_is_read_with_its_address() -> None:
    region = {"startLine": 3, "startColumn": 5}
    place = {"artifactLocation": {"uri": "file:///r/a%20b.py"}, "region": region}
    results = [
        {
            "ruleId": "R1",
            "level": "error",
            "message": {"text": "no"},
            "locations": [{"physicalLocation": place}],
        },
        {"ruleId": "R2", "message": {"text": "hm"}},
    ]
    printed = json.dumps({"version": "2.1.0", "runs": [{"results": results}]})

    assert findings_of("sarif", printed, "") == (
        Finding("", "R1", ERROR, "no", 3, 5, "/r/a b.py"),
        Finding("", "R2", WARNING, "hm", 0, 0, ""),
    )
