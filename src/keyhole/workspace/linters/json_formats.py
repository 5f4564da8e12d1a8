"""The JSON of each linter that prints some, read to findings; other shapes are a ValueError."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import cast
from urllib.parse import unquote

from keyhole.workspace.linters.base import ERROR, INFO, WARNING, Finding

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
