"""Read findings from the output of a linter: one function a format."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import cast
from urllib.parse import unquote

from keyhole.fastclasses import replace
from keyhole.linters.base import ERROR, INFO, WARNING, Failed, Finding

# What breaks a program, by the beginning of its code: everything else ruff knows is advice, though
# it calls all of it an error.
_RUFF_ERRORS = ("E9", "F63", "F7", "F82", "PLE", "invalid-syntax")
_LEVELS = {
    "fatal": ERROR,
    "error": ERROR,
    "warning": WARNING,
    "convention": INFO,
    "refactor": INFO,
    "information": INFO,
}


def read_ruff(text: str) -> Iterator[Finding]:
    """Read `ruff check --output-format=json`."""
    for item in map(_map, _list(json.loads(text))):
        place = _map(item.get("location"))
        code = _text(item.get("code")) or "invalid-syntax"
        breaks = code.startswith(_RUFF_ERRORS) and item.get("severity", ERROR) == ERROR
        yield Finding(
            "",
            code,
            ERROR if breaks else WARNING,
            _text(item.get("message")),
            _number(place.get("row")),
            _number(place.get("column")),
            _text(item.get("filename")),
        )


def read_pylint(text: str) -> Iterator[Finding]:
    """Read `pylint --output-format=json`, whose columns count from 0."""
    for item in map(_map, _list(json.loads(text))):
        yield Finding(
            "",
            _text(item.get("symbol")) or _text(item.get("message-id")),
            _LEVELS.get(_text(item.get("type")), WARNING),
            _text(item.get("message")),
            _number(item.get("line")),
            _number(item.get("column")) + 1,
            _text(item.get("path")),
        )


def read_pyright(text: str) -> Iterator[Finding]:
    """Read `pyright --outputjson`, whose lines and columns count from 0."""
    for item in map(_map, _list(_map(json.loads(text)).get("generalDiagnostics"))):
        start = _map(_map(item.get("range")).get("start"))
        yield Finding(
            "",
            _text(item.get("rule")),
            _LEVELS.get(_text(item.get("severity")), WARNING),
            _text(item.get("message")),
            _number(start.get("line")) + 1,
            _number(start.get("character")) + 1,
            _text(item.get("file")),
        )


def read_eslint(text: str) -> Iterator[Finding]:
    """Read `eslint --format=json`; that a file is ignored by its configuration is no finding."""
    for file in map(_map, _list(json.loads(text))):
        for item in map(_map, _list(file.get("messages"))):
            if item.get("ruleId") is None and item.get("line") is None:
                continue
            yield Finding(
                "",
                _text(item.get("ruleId")) or "parse",
                ERROR if item.get("severity") == 2 else WARNING,
                _text(item.get("message")),
                _number(item.get("line")),
                _number(item.get("column")),
                _text(file.get("filePath")),
            )


def read_cargo(text: str) -> Iterator[Finding]:
    """Read `cargo clippy --message-format=json`: a JSON object a line, among other lines."""
    for line in text.split("\n"):
        if not line.startswith("{"):
            continue
        item = _map(json.loads(line))
        if item.get("reason") != "compiler-message":
            continue
        message = _map(item.get("message"))
        spans = [span for span in map(_map, _list(message.get("spans"))) if span.get("is_primary")]
        for span in spans[:1]:
            yield Finding(
                "",
                _text(_map(message.get("code")).get("code")),
                ERROR if message.get("level") == "error" else WARNING,
                _text(message.get("message")),
                _number(span.get("line_start")),
                _number(span.get("column_start")),
                _text(span.get("file_name")),
            )


def read_sarif(text: str) -> Iterator[Finding]:
    """Read SARIF 2.1, which many tools can print."""
    for run in map(_map, _list(_map(json.loads(text)).get("runs"))):
        for item in map(_map, _list(run.get("results"))):
            place = _map(next(iter(_list(item.get("locations"))), None))
            physical = _map(place.get("physicalLocation"))
            region = _map(physical.get("region"))
            uri = _text(_map(physical.get("artifactLocation")).get("uri"))
            yield Finding(
                "",
                _text(item.get("ruleId")),
                _LEVELS.get(_text(item.get("level")) or "warning", INFO),
                _text(_map(item.get("message")).get("text")),
                _number(region.get("startLine")),
                _number(region.get("startColumn")),
                unquote(uri.removeprefix("file://")),
            )


READERS: Mapping[str, Callable[[str], Iterator[Finding]]] = {
    "json:ruff": read_ruff,
    "json:pylint": read_pylint,
    "json:pyright": read_pyright,
    "json:eslint": read_eslint,
    "json:cargo": read_cargo,
    "sarif": read_sarif,
}


def _list(value: object) -> list[object]:
    return cast("list[object]", _of(list, value) or [])


def _map(value: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", _of(dict, value) or {})


def _text(value: object) -> str:
    return cast("str", _of(str, value) or "")


def _number(value: object) -> int:
    return cast("int", _of(int, value) or 0)


def _of(kind: type, value: object) -> object:
    """Return a value of this kind, or None where there is none."""
    if value is not None and not isinstance(value, kind):
        raise ValueError
    return value


_LONGEST_LINE = 4096
_MOST_FINDINGS = 1000
_LONGEST_MESSAGE = 400

# `path:12:3: said`, `path(12,3): said`, also behind the name of a program: `vet: path:12: said`.
_LINE = re.compile(
    r"(?:[\w-]{1,20}: )?(?P<path>[^:\n]+?)"
    r"(?::(?P<line>\d{1,9})(?::(?P<column>\d{1,9}))?|\((?P<row>\d{1,9})(?:,(?P<place>\d{1,9}))?\))"
    r":\s*(?P<said>\S.*)"
)
_SEVERITIES = {
    "fatal error": ERROR,
    "error": ERROR,
    "warning": WARNING,
    "note": INFO,
    "info": INFO,
    "hint": INFO,
    "style": INFO,
}
# `error TS2322: said`, `error[E0308]: said`, `warning: said`, `E501 said`, `C0114: said`.
_HEAD = re.compile(
    rf"(?P<severity>{'|'.join(_SEVERITIES)})?(?:\[(?P<bracketed>[\w-]+)\])?"
    r"(?(severity)[:\s]|)\s*(?:(?P<code>[A-Z]{1,10}\d{1,6}):?\s+)?"
)
_TAIL = re.compile(r"\s+\[(?P<code>[\w./:@-]{1,60})\]$")
_HUNK = re.compile(r"@@ -(?P<line>\d{1,9})(?:,\d+)? \+\d+(?:,\d+)? @@")


def findings_of(format_: str, stdout: str, stderr: str) -> tuple[Finding, ...]:
    """Return the findings in what a linter printed, or raise `Failed` for another output."""
    found: list[Finding] = []
    for finding in FORMATS[format_](stdout, stderr):
        found.append(replace(finding, message=_in_one_line(finding.message)))
        if len(found) == _MOST_FINDINGS:
            break
    return tuple(found)


def read_lines(stdout: str, stderr: str) -> Iterator[Finding]:
    """Read one finding a line; a note right behind a finding of its line belongs to that one."""
    last = ("", 0)
    for text in f"{stdout}\n{stderr}".split("\n"):
        found = _LINE.match(text[:_LONGEST_LINE].strip())
        if found is None:
            continue
        finding = _finding(found)
        place = (finding.path, finding.line)
        if finding.severity == INFO and place == last:
            continue
        last = place
        yield finding


def _finding(found: re.Match[str]) -> Finding:
    message = found["said"]
    head, tail = _HEAD.match(message), _TAIL.search(message)
    assert head is not None, "BUG: every part of the head may be missing"
    code = head["code"] or head["bracketed"] or (tail["code"] if tail else "")
    body = message[head.end() : tail.start() if tail and code == tail["code"] else len(message)]
    return Finding(
        "",
        code,
        _SEVERITIES[head["severity"] or "error"],
        body or message,
        int(found["line"] or found["row"]),
        int(found["column"] or found["place"] or 0),
        found["path"],
    )


def read_diff(stdout: str, stderr: str) -> Iterator[Finding]:
    """Read the diff of a formatter: each stretch it would write differently is a finding."""
    line, inside = 0, False
    for text in stdout.split("\n"):
        if hunk := _HUNK.match(text):
            line, inside = int(hunk["line"]), False
            continue
        if not line:
            continue
        is_change = text[:1] in {"-", "+"}
        if is_change and not inside:
            yield Finding("", "format", WARNING, "the formatter writes this differently", line)
        inside = is_change
        line += not text.startswith("+")
    yield from read_lines("", stderr)


def _in_one_line(message: str) -> str:
    line = " ".join(message.split())
    return line if len(line) <= _LONGEST_MESSAGE else f"{line[:_LONGEST_MESSAGE]}…"


def _of_stdout(read: Callable[[str], Iterator[Finding]]) -> Callable[[str, str], Iterator[Finding]]:
    def both(stdout: str, stderr: str) -> Iterator[Finding]:
        del stderr
        try:
            yield from read(stdout)
        except (ValueError, RecursionError):
            raise Failed("printed something that is not the output it is known for") from None

    return both


FORMATS: Mapping[str, Callable[[str, str], Iterator[Finding]]] = {
    "lines": read_lines,
    "diff": read_diff,
    **{name: _of_stdout(read) for name, read in READERS.items()},
}
