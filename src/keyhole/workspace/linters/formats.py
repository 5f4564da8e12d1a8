"""From what a linter printed to findings: one function a format."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from keyhole.values import replace
from keyhole.workspace.linters import json_formats
from keyhole.workspace.linters.base import ERROR, INFO, WARNING, Failed, Finding

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
    said = found["said"]
    head, tail = _HEAD.match(said), _TAIL.search(said)
    assert head is not None, "BUG: every part of the head may be missing"
    code = head["code"] or head["bracketed"] or (tail["code"] if tail else "")
    body = said[head.end() : tail.start() if tail and code == tail["code"] else len(said)]
    return Finding(
        "",
        code,
        _SEVERITIES[head["severity"] or "error"],
        body or said,
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
    **{name: _of_stdout(read) for name, read in json_formats.READERS.items()},
}
