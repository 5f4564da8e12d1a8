"""How cases are built: what a text must become is computed from the text, never by an engine."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import Any

from edit_suite.case import Call, Case, Files

# Public threads in which the failures were seen; `provenance` of a case names one of them.
UNIQUE = "https://github.com/amd/gaia/issues/3377"
FIRST_MATCH = "https://github.com/posit-dev/positron/pull/11855"
REPEATED = "https://github.com/Aider-AI/aider/issues/2050"
WHITESPACE = "https://github.com/modelcontextprotocol/servers/issues/2034"
ONE_TAB = "https://github.com/earendil-works/pi/issues/7836"
INDENT_LOST = "https://github.com/probelabs/probe/issues/507"
COLLAPSED = "https://github.com/zhayujie/CowAgent/pull/2942"
NEAR = "https://github.com/wonderwhy-er/DesktopCommanderMCP/issues/97"
CRLF = "https://github.com/QwenLM/qwen-code/pull/2277"
CRLF_QUOTE = "https://github.com/earendil-works/pi/pull/360"
MIXED = "https://github.com/earendil-works/pi/issues/8544"
BARE_CR = "https://github.com/openclaw/openclaw/pull/116011"
LATIN = "https://github.com/anthropics/claude-code/issues/85842"
LATIN_SMALL = "https://github.com/anomalyco/opencode/issues/49600"
CODEPAGE = "https://github.com/github/copilot-cli/issues/3732"
MARK = "https://github.com/anthropics/claude-code/issues/60174"
MULTIBYTE = "https://github.com/anthropics/claude-code/issues/46712"
DOLLAR = "https://github.com/bytedance/UI-TARS-desktop/issues/1976"
DOLLAR_FS = "https://github.com/modelcontextprotocol/servers/issues/4157"
BACKSLASH = "https://github.com/oraios/serena/issues/326"
PARTIAL = "https://github.com/ds300/patch-package/issues/450"
SKIPPED_HUNK = "https://github.com/cline/cline/pull/11509"
ROLLBACK = "https://github.com/anomalyco/opencode/pull/34310"
PARTIAL_AIDER = "https://github.com/Aider-AI/aider/issues/5573"
HUNK_PLACE = "https://github.com/oven-sh/bun/pull/41733"
COUNTS = "https://github.com/xyTom/coding-tools-mcp/issues/49"
ELISION = "https://github.com/Aider-AI/aider/issues/1832"
ELISION_KEPT = "https://github.com/Aider-AI/aider/issues/350"
STALE = "https://github.com/oraios/serena/issues/1013"
ESCAPE = "https://github.com/modelcontextprotocol/servers/issues/1845"
ESCAPE_LINK = "https://github.com/cyanheads/filesystem-mcp-server/issues/15"
EXEC_BIT = "https://github.com/modelcontextprotocol/servers/pull/4115"
PARALLEL = "https://github.com/CherryHQ/cherry-studio/issues/20695"
FALSE_SUCCESS = "https://github.com/tumf/mcp-text-editor/issues/25"
NOT_DONE = "https://github.com/aaronsb/obsidian-mcp-plugin/issues/4"
TRUNCATED = "https://github.com/vybestack/llxprt-code/issues/3239"
FROZEN = "https://github.com/wonderwhy-er/DesktopCommanderMCP/pull/500"
DELETED_HALF = "https://github.com/anomalyco/opencode/issues/24959"
TYPOGRAPHY = "https://github.com/Lingtai-AI/lingtai/issues/927"

IN_PLACE = "nothing, if it lands; an agent that is refused falls back to rewriting the whole file"


def text_call(path: str, old: str, new: str, *, whole: bool = False) -> Call:
    """Return the call that replaces a quote."""
    return Call("replace_text", path, {"old": old, "new": new} | _whole(whole=whole))


def many(path: str, *edits: tuple[str, str], whole: bool = True) -> Call:
    """Return the call that makes several edits of one file, all or nothing."""
    pairs = [{"old": old, "new": new} for old, new in edits]
    return Call("replace_text", path, {"edits": pairs} | _whole(whole=whole))


def lines_call(path: str, first: int, last: int, text: str) -> Call:
    """Return the call that replaces lines by number."""
    return Call("replace_lines", path, {"first": first, "last": last, "text": text})


def insert_call(path: str, after: int, text: str) -> Call:
    """Return the call that inserts lines below a line; 0 is the start of the file."""
    return Call("insert", path, {"after": after, "text": text})


def diff_call(path: str, diff: str) -> Call:
    """Return the call that applies a unified diff; its headers name the files."""
    return Call("apply_diff", path, {"diff": diff})


def write_call(path: str, text: str) -> Call:
    """Return the call that writes a whole file."""
    return Call("write", path, {"text": text})


def meanwhile(path: str, text: str) -> Call:
    """Return the step in which somebody else saves a file."""
    return Call("meanwhile", path, {"text": text})


def once(text: str, old: str, new: str) -> str:
    """Return the text with a quote replaced that stands in it once."""
    assert text.count(old) == 1, f"BUG: {old!r} stands {text.count(old)} times"
    return text.replace(old, new)


def diff_of(path: str, before: str, after: str, context: int = 3) -> str:
    """Return the unified diff of two texts as git writes it."""
    sides = (before.splitlines(keepends=True), after.splitlines(keepends=True))
    rows = difflib.unified_diff(*sides, f"a/{path}", f"b/{path}", n=context)
    return "".join(
        row if row.endswith("\n") else f"{row}\n\\ No newline at end of file\n" for row in rows
    )


def line_of(text: str, line: str) -> int:
    """Return the number of the only line that reads so."""
    lines = text.split("\n")
    assert lines.count(line) == 1, f"BUG: {line!r} is {lines.count(line)} lines"
    return lines.index(line) + 1


def lands(
    name: str,
    title: str,
    calls: Call | Sequence[Call],
    before: Mapping[str, str | bytes],
    after: Mapping[str, str | bytes],
    *others: Mapping[str, str | bytes],
    **more: Any,  # noqa: ANN401 - columns of a case
) -> Case:
    """Return a case whose calls have one right outcome; `others` are as right."""
    afters = tuple(_bytes(tree) for tree in (after, *others))
    return _case(name, title, calls, before, afters, more)


def refuses(
    name: str,
    title: str,
    calls: Call | Sequence[Call],
    before: Mapping[str, str | bytes],
    **more: Any,  # noqa: ANN401 - columns of a case
) -> Case:
    """Return a case whose calls nobody may carry out."""
    return _case(name, title, calls, before, (), more)


def _case(  # noqa: PLR0913, PLR0917 - a case has many columns
    name: str,
    title: str,
    calls: Call | Sequence[Call],
    before: Mapping[str, str | bytes],
    afters: tuple[Files, ...],
    more: dict[str, Any],
) -> Case:
    kind, _, _ = name.partition("/")
    sent = (calls,) if isinstance(calls, Call) else tuple(calls)
    known = {"provenance": "constructed", "loss": IN_PLACE, **more}
    known["outside"] = _bytes(known.get("outside", {}))
    return Case(name.replace("/", "-"), title, kind, sent, _bytes(before), afters, **known)


def _bytes(tree: Mapping[str, str | bytes]) -> dict[str, bytes]:
    return {
        path: data.encode("utf-8", "surrogateescape") if isinstance(data, str) else data
        for path, data in sorted(tree.items())
    }


def _whole(*, whole: bool) -> dict[str, bool]:
    return {"whole_lines": True} if whole else {}
