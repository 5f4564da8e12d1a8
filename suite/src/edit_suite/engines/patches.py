"""Calls as the patch format of `apply_patch`, and as diffs."""

from __future__ import annotations

import re

from edit_suite.case import Call

_HEADER = re.compile(
    r"^--- (?P<old>[^\t\n]*)[^\n]*\n\+\+\+ (?P<new>[^\t\n]*)[^\n]*\n", re.MULTILINE
)


def begin_patch(call: Call, path: str, diff: str = "") -> str:
    """Return a call as text from `*** Begin Patch` to `*** End Patch`."""
    if call.verb == "write":
        lines = [f"+{line}" for line in str(call["text"]).removesuffix("\n").split("\n")]
        return _enclosed([f"*** Add File: {path}", *lines])
    if call.verb == "apply_diff":
        return _enclosed(_of_diff(diff))
    lines = [f"*** Update File: {path}"]
    for edit in call.edits:
        lines += ["@@", *_side("-", edit["old"]), *_side("+", edit["new"])]
    return _enclosed(lines)


def _enclosed(lines: list[str]) -> str:
    return "\n".join(["*** Begin Patch", *lines, "*** End Patch", ""])


def _side(sign: str, text: str) -> list[str]:
    return [sign + line for line in text.removesuffix("\n").split("\n")] if text else []


def _of_diff(diff: str) -> list[str]:
    """Return the files and hunks of a unified diff; the format has no line numbers."""
    lines: list[str] = []
    headers = [*_HEADER.finditer(diff)]
    for header, after in zip(headers, [*headers, None][1:], strict=True):
        body = diff[header.end() : after.start() if after else len(diff)]
        old, new = (_bare(header[side]) for side in ("old", "new"))
        if new == "/dev/null":
            lines.append(f"*** Delete File: {old}")
            continue
        kept = [line for line in body.removesuffix("\n").split("\n") if _is_hunk(line)]
        if old == "/dev/null":
            lines += [f"*** Add File: {new}", *(line for line in kept if line.startswith("+"))]
        else:
            lines += [f"*** Update File: {new}"]
            lines += ["@@" if line.startswith("@@") else line for line in kept]
    return lines


def _is_hunk(line: str) -> bool:
    return not line.startswith(("\\", "diff --git ", "index ", "new file", "deleted file"))


def _bare(path: str) -> str:
    return path[2:] if path.startswith(("a/", "b/")) else path
